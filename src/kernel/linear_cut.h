/* linear_cut.h - cuts a job of linear attention into chunks; private to linear*.c. */
#ifndef KERNEL_LINEAR_CUT_H
#define KERNEL_LINEAR_CUT_H

#include "base/threads.h"
#include "kernel/linear_chunk.h"

#include <stdint.h>

struct ken_linear_cut {
    const struct ken_linear_attend *job;
    const struct ken_linear_grad *grad;
    const uint32_t *queries, *keys; /* (B + 1): chunks before each sequence; in shared memory */
    size_t state;                   /* floats in a state                                      */
};

/* The work of one task: chunk c of sequence b, whose last chunk is `last`, and key/value head
 * kv. */
struct ken_linear_place {
    size_t b, kv, c, last;
};

struct ken_linear_cut ken_linear_cut(const struct ken_linear_attend *job,
                                     const struct ken_linear_grad *grad, struct ken_team *team);
struct ken_linear_place ken_linear_find(const uint32_t *before, size_t B, size_t KV, size_t task);

/* Fills job->states (chunks, KV, state): S, z and base of a sequence's keys up to the end of each
 * chunk. If causal, the last chunk is left out, since nothing needs it. */
void ken_linear_sum_up(struct ken_linear_cut *cut, struct ken_team *team);

/* Returns the state that the queries of this chunk see beside the chunk's own keys; NULL if there
 * is none. */
const float *ken_linear_before(const struct ken_linear_cut *cut, const struct ken_linear_place *at);

/* Computes the results of the queries from i0 on, for every head that uses key/value head kv. */
void ken_linear_rows(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                     size_t kv, size_t i0, const float *before, float *scratch);

#endif
