/* linear_cut.h - how a job of linear attention is cut into chunks; for linear*.c. */
#ifndef KERNEL_LINEAR_CUT_H
#define KERNEL_LINEAR_CUT_H

#include "base/threads.h"
#include "kernel/linear_chunk.h"

#include <stdint.h>

struct ken_linear_cut {
    const struct ken_linear_attend *job;
    const struct ken_linear_grad *grad;
    const uint32_t *queries, *keys; /* (B + 1): chunks of all earlier sequences; shared memory */
    size_t state;                   /* floats of a state                                       */
};

/* Task number -> chunk c (of `last` + 1) of sequence b, and key and value head. */
struct ken_linear_place {
    size_t b, kv, c, last;
};

struct ken_linear_cut ken_linear_cut(const struct ken_linear_attend *job,
                                     const struct ken_linear_grad *grad, struct ken_team *team);
struct ken_linear_place ken_linear_find(const uint32_t *before, size_t B, size_t KV, size_t task);

/* job->states (chunks, KV, state): S, z and base of a sequence's keys up to each chunk's end; of a
 * causal one not at its very end. */
void ken_linear_sum_up(struct ken_linear_cut *cut, struct ken_team *team);

/* What the queries of this chunk see beside its own keys: a state, or NULL for nothing. */
const float *ken_linear_before(const struct ken_linear_cut *cut, const struct ken_linear_place *at);

/* Queries from i0 on, of every head that reads key and value head kv. */
void ken_linear_rows(struct ken_chunk *chunk, const struct ken_linear_attend *job, size_t b,
                     size_t kv, size_t i0, const float *before, float *scratch);

#endif
