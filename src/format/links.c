/* links.c - stores the links of an example: in both directions unless directed, sorted, without
 * duplicates. Links are sorted so that sums over the neighbours of a node do not depend on the
 * order of the links in the file. */
#include "base/memory.h"
#include "format/corpus_parse.h"

#include <stdlib.h>
#include <string.h>

void ken_corpus_link(ken_corpus *corpus, int32_t from, int32_t to, const float *numbers,
                     bool directed)
{
    int32_t both[4] = { from, to, to, from };
    size_t ways = directed || from == to ? 1 : 2;
    ken_buffer_append(&corpus->links, both, 2 * ways * sizeof *both);
    for (size_t i = 0; i < ways && corpus->link_width > 0; i++)
        ken_buffer_append(&corpus->link_numbers, numbers, corpus->link_width * sizeof *numbers);
}

struct link {
    int32_t from, to;
    size_t place;
};

static int by_rows(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    /* If two links are equal, the one that comes first in the file is sorted first and kept. */
    return x->place < y->place ? -1 : 1;
}

/* Sorts the links into `order`, moves duplicates to the end, and returns the number of different
 * links. */
static size_t put_in_order(struct link *order, const int32_t *pairs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        order[i] = (struct link){ pairs[2 * i], pairs[2 * i + 1], i };
    qsort(order, count, sizeof *order, by_rows);
    for (size_t i = 0; i < count; i++) {
        bool again = kept > 0 && order[kept - 1].from == order[i].from &&
                     order[kept - 1].to == order[i].to;
        if (!again) order[kept++] = order[i];
    }
    return kept;
}

ken_status ken_corpus_sort_links(ken_corpus *corpus)
{
    KEN_TRY(ken_buffer_status(&corpus->links));
    KEN_TRY(ken_buffer_status(&corpus->link_numbers));
    size_t first = ken_corpus_link_start(corpus, corpus->count), width = corpus->link_width;
    size_t count = corpus->links.size / (2 * sizeof(int32_t)) - first;
    if (count == 0) return KEN_OK;
    int32_t *pairs = (int32_t *)(void *)corpus->links.data + 2 * first;
    float *numbers = (float *)(void *)corpus->link_numbers.data, *moved = NULL;
    struct link *order = ken_memory_new(count, sizeof *order);
    if (width > 0) moved = ken_memory_new(count * width, sizeof *moved);
    if (!order || (width > 0 && !moved)) {
        ken_memory_free(order);
        ken_memory_free(moved);
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu links", count);
    }
    size_t kept = put_in_order(order, pairs, count);
    for (size_t i = 0; i < kept; i++) {
        pairs[2 * i] = order[i].from;
        pairs[2 * i + 1] = order[i].to;
        if (width > 0)
            memcpy(moved + i * width, numbers + (first + order[i].place) * width,
                   width * sizeof *moved);
    }
    if (width > 0) memcpy(numbers + first * width, moved, kept * width * sizeof *moved);
    corpus->links.size = 2 * (first + kept) * sizeof(int32_t);
    corpus->link_numbers.size = (first + kept) * width * sizeof(float);
    ken_memory_free(order);
    ken_memory_free(moved);
    return KEN_OK;
}
