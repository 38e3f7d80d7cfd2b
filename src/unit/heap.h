/* heap.h - a priority queue of pairs of numbers, the smallest pair first: pairs are compared by
 * `first`, then by `second`. Initialise a heap with { 0 }. */
#ifndef UNIT_HEAP_H
#define UNIT_HEAP_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ken_heap_item {
    uint64_t first, second;
};

typedef struct ken_heap {
    struct ken_heap_item *items; /* binary heap: items[i] is not smaller than items[(i - 1) / 2] */
    size_t count, room;
} ken_heap;

ken_status ken_heap_push(ken_heap *heap, uint64_t first, uint64_t second);
/* Removes and returns the smallest item; requires heap->count > 0. */
struct ken_heap_item ken_heap_pop(ken_heap *heap);
void ken_heap_release(ken_heap *heap);

#endif
