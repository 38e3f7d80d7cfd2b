/* linear_cut.h - cuts a job of linear attention into chunks; private to linear*.c. */
#ifndef KERNEL_LINEAR_CUT_H
#define KERNEL_LINEAR_CUT_H

#include "base/threads.h"
#include "kernel/linear_chunk.h"

#include <stdint.h>

struct ken_linear_cut {
    const struct ken_linear_attend *job;
    const struct ken_linear_grad *grad;
    const uint32_t *queries, *keys; /* number of chunks before each sequence, B + 1 entries */
    size_t state;                   /* number of floats in a state (S, z and base)          */
};

/* The work of one task: chunk c of sequence b, for key/value head kv; `last` is the sequence's last
 * chunk. */
struct ken_linear_place {
    size_t b, kv, c, last;
};

struct ken_linear_cut ken_linear_cut(const struct ken_linear_attend *job,
                                     const struct ken_linear_grad *grad, struct ken_team *team);
struct ken_linear_place ken_linear_find(const uint32_t *before, size_t B, size_t KV, size_t task);

/* Fills job->states: for each chunk and key/value head, S, z and base of the sequence's keys up to
 * the end of the chunk. If causal, the last chunk of a sequence is left out, because no query needs
 * its state. */
void ken_linear_sum_up(struct ken_linear_cut *cut, struct ken_team *team);

/* Returns the state of the keys outside the chunk that the chunk's queries see; NULL if there are
 * no such keys. */
const float *ken_linear_before(const struct ken_linear_cut *cut, const struct ken_linear_place *at);

/* Computes the results of a chunk's queries from query i0 on, for every head that uses key/value
 * head kv. */
void ken_linear_rows(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                     size_t kv, size_t i0, const float *before, float *scratch);

#endif
