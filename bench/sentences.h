/* sentences.h - batches of sentences of natural lengths, for training and for attention. */
#ifndef BENCH_SENTENCES_H
#define BENCH_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_SENTENCES = 2000, BENCH_BATCHES = 64 };
extern const unsigned char bench_lengths[BENCH_SENTENCES];

/* Batches of whole sentences; those of batch b are lengths[start[b]] .. lengths[start[b + 1]-1]. */
struct bench_batches {
    size_t count;
    size_t words; /* in all of them */
    size_t start[BENCH_BATCHES + 1];
    unsigned char lengths[BENCH_SENTENCES];
};

/* Cuts all sentences, sorted by length or shuffled, into batches of at most `words` words and keeps
 * every `every`-th batch: a sample that is short enough to be measured often. */
void bench_batches_cut(struct bench_batches *out, bool sorted, size_t words, size_t every);

/* Writes the batches as text for the peer: "12,13,12;20,21". Returns its length, without the final
 * 0. */
enum { BENCH_BATCHES_TEXT = 4 * BENCH_SENTENCES + 1 };
size_t bench_batches_text(char text[BENCH_BATCHES_TEXT], const struct bench_batches *batches);

#endif
