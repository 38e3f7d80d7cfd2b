/* heap.c - a binary heap in an array: the children of item i are items 2 i + 1 and 2 i + 2. */
#include "unit/heap.h"

#include "base/memory.h"
#include "base/size.h"

enum { FIRST_ROOM = 64 };

static bool before(struct ken_heap_item a, struct ken_heap_item b)
{
    return a.first != b.first ? a.first < b.first : a.second < b.second;
}

static ken_status grow(ken_heap *heap)
{
    size_t room = ken_size_max(FIRST_ROOM, 2 * heap->room), bytes = sizeof *heap->items;
    struct ken_heap_item *items = ken_memory_resize(heap->items, heap->room * bytes, room, bytes);
    if (!items) return ken_fail(KEN_ERR_MEMORY, "no memory for a heap of %zu", room);
    heap->items = items;
    heap->room = room;
    return KEN_OK;
}

ken_status ken_heap_push(ken_heap *heap, uint64_t first, uint64_t second)
{
    struct ken_heap_item item = { first, second };
    if (heap->count == heap->room) KEN_TRY(grow(heap));
    size_t i = heap->count++;
    for (; i > 0 && before(item, heap->items[(i - 1) / 2]); i = (i - 1) / 2)
        heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
    return KEN_OK;
}

struct ken_heap_item ken_heap_pop(ken_heap *heap)
{
    struct ken_heap_item smallest = heap->items[0], last = heap->items[--heap->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && before(heap->items[child + 1], heap->items[child])) child++;
        if (!before(heap->items[child], last)) break;
        heap->items[i] = heap->items[child];
    }
    heap->items[i] = last;
    return smallest;
}

void ken_heap_release(ken_heap *heap)
{
    ken_memory_free(heap->items);
    *heap = (ken_heap){ 0 };
}
