/* batches.c - cuts the sentences of the treebank into batches of about the same number of words, as
 * training does. ken and its peers get the same batches. */
#include "bench/bench.h"
#include "bench/sentences.h"

#include "base/random.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* A counting sort: sentences of the same length need not be distinguished. */
static void sort_by_length(unsigned char out[BENCH_SENTENCES])
{
    size_t counts[256] = { 0 };
    for (size_t i = 0; i < BENCH_SENTENCES; i++) counts[bench_lengths[i]]++;
    for (size_t length = 0; length < 256; length++)
        for (size_t i = 0; i < counts[length]; i++) *out++ = (unsigned char)length;
}

/* The treebank is ordered by source, so neighbours resemble each other; training shuffles. */
static void shuffle(unsigned char out[BENCH_SENTENCES])
{
    uint32_t order[BENCH_SENTENCES];
    ken_random_shuffle(order, BENCH_SENTENCES, /* key */ 1);
    for (size_t i = 0; i < BENCH_SENTENCES; i++) out[i] = bench_lengths[order[i]];
}

void bench_batches_cut(struct bench_batches *out, bool sorted, size_t words, size_t every)
{
    unsigned char all[BENCH_SENTENCES];
    if (sorted) sort_by_length(all);
    else shuffle(all);
    *out = (struct bench_batches){ 0 };
    size_t at = 0;
    /* The last batch has the sentences that are left over; it is never kept. */
    for (size_t batch = 0, i = 0;; batch++) {
        size_t first = i, total = 0;
        while (i < BENCH_SENTENCES && total + all[i] <= words) total += all[i++];
        if (i == BENCH_SENTENCES || i == first) return;
        if (batch % every != every / 2) continue;
        assert(out->count < BENCH_BATCHES);
        memcpy(out->lengths + at, all + first, i - first);
        at += i - first;
        out->words += total;
        out->start[++out->count] = at;
    }
}

size_t bench_batches_text(char text[BENCH_BATCHES_TEXT], const struct bench_batches *batches)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t b = 0; b < batches->count; b++)
        for (size_t i = batches->start[b]; i < batches->start[b + 1]; i++) {
            const char *separator = i == 0 ? "" : i == batches->start[b] ? ";" : ",";
            used += (size_t)snprintf(text + used, BENCH_BATCHES_TEXT - used, "%s%d", separator,
                                     batches->lengths[i]);
        }
    return used;
}
