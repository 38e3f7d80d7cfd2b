/* generate_choose.c - chooses, from logits, the ids that may come next. Each row of logits is
 * handled independently, so the rows are distributed to threads. If logits are equal, the lower id
 * comes first. */
#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "infer/generate.h"
#include "kernel/kernels.h"

#include <float.h>
#include <math.h>

struct choice {
    struct ken_candidate *candidates; /* result: room for `most` candidates per row */
    size_t *counts;
    size_t most;
    float *logits; /* logits of all rows; V per row, one for each id */
    size_t V;
    const struct ken_asking *asking;
    const ken_config *config;
    const ken_generation *how;
    /* unnormalised probability of each id in each row; NULL unless ids are drawn */
    float *weights;
    int32_t *order;   /* ids of each row, sorted for top_k or top_p; NULL if neither is used */
    double *log_sums; /* log-sum-exp of the logits of each row                               */
};

size_t ken_choose_most(const ken_generation *how)
{
    return how->temperature > 0 ? 1 : 2 * how->beam;
}

double ken_log_sum(const float *x, size_t n)
{
    const struct ken_kernels *kernels = ken_kernels();
    struct ken_softmax_sums sums;
    float most = kernels->softmax_most(x, n);
    kernels->softmax_exp(&sums, NULL, x, most, n);
    return (double)most + log(sums.exponentials);
}

/* Forbids ids by setting their logits to -infinity: the id `begin`, and each id that would repeat
 * an n-gram of length `no_repeat`. The end id is always allowed. */
static void forbid(float *x, const struct ken_asking *asking, const ken_config *config,
                   size_t no_repeat)
{
    const int32_t *ids = asking->ids;
    /* `before` is the number of ids that an n-gram has before its last id. */
    size_t count = asking->count, before = no_repeat - 1;
    float end = x[config->end];
    x[config->begin] = -INFINITY;
    for (size_t i = before; no_repeat > 0 && count >= before && i < count; i++) {
        size_t same = 0;
        while (same < before && ids[i - before + same] == ids[count - before + same]) same++;
        if (same == before) x[ids[i]] = -INFINITY;
    }
    x[config->end] = end;
}

/* Finds the `most` largest logits by insertion into a sorted list. This is fast, because nearly all
 * logits are smaller than the last of the list and need only one comparison. */
static size_t take_largest(struct ken_candidate *best, size_t most, const float *x, size_t V)
{
    size_t count = 0;
    for (size_t i = 0; i < V; i++) {
        if (!(x[i] > -INFINITY) || (count == most && !((double)x[i] > best[count - 1].log_p)))
            continue;
        size_t at = count < most ? count++ : most - 1;
        for (; at > 0 && (double)x[i] > best[at - 1].log_p; at--) best[at] = best[at - 1];
        best[at] = (struct ken_candidate){ (double)x[i], (int32_t)i };
    }
    return count;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static bool likelier(const float *w, int32_t a, int32_t b)
{
    return w[a] != w[b] ? w[a] > w[b] : a < b;
}

/* Restores a heap of n ids, which has the most likely id on top, after the id at index `at` has
 * changed: moves that id down to its place. */
static void sink(int32_t *heap, size_t at, size_t n, const float *w)
{
    int32_t id = heap[at];
    for (size_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && likelier(w, heap[child + 1], heap[child])) child++;
        if (!likelier(w, heap[child], id)) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = id;
}

/* Heap sort that stops early. Moves the most likely ids to the end of `order`, the most likely one
 * last, until `most` ids are moved or until their weights sum to `enough`. Returns the number of
 * moved ids. */
static size_t sort_likeliest(int32_t *order, const float *w, size_t V, size_t most, double enough)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < V; i++) order[i] = (int32_t)i;
    for (size_t i = V / 2; i > 0; i--) sink(order, i - 1, V, w);
    while (n < most && sum < enough) {
        int32_t top = order[0];
        n++;
        order[0] = order[V - n];
        sink(order, 0, V - n, w);
        order[V - n] = top;
        sum += (double)w[top];
    }
    return n;
}

/* Applies top_k, then top_p: moves the ids that may be drawn to the end of `order` and returns
 * their number. `total` is the sum of all weights. With top_k, top_p refers to the sum of the
 * weights that top_k has left. */
static size_t keep_likeliest(int32_t *order, const float *w, size_t V, const ken_generation *how,
                             double total)
{
    if (how->top_k == 0) return sort_likeliest(order, w, V, V, (double)how->top_p * total);
    size_t most = sort_likeliest(order, w, V, ken_size_min(how->top_k, V), INFINITY), n = 0;
    double left = 0, sum = 0;
    for (size_t i = 0; i < most; i++) left += (double)w[order[V - 1 - i]];
    while (n < most && sum < (double)how->top_p * left) sum += (double)w[order[V - 1 - n++]];
    return n;
}

/* Draws an id with a probability proportional to its weight, w[id]. `u` is a random number in [0,
 * 1): the result is the first id at which the running sum of weights exceeds u times their total.
 * Only the last n ids of `order` can be drawn, or all ids if `order` is NULL. */
static int32_t pick(const int32_t *order, const float *w, size_t V, size_t n, double u)
{
    double sum = 0, upto = 0;
    int32_t id = 0;
    for (size_t i = 0; i < n; i++) sum += (double)w[order ? (size_t)order[V - 1 - i] : i];
    for (size_t i = 0; i < n; i++) {
        int32_t next = order ? order[V - 1 - i] : (int32_t)i;
        if (w[next] == 0) continue;
        id = next;
        upto += (double)w[id];
        if (upto > u * sum) break;
    }
    return id;
}

/* Returns the key of the random numbers for one id. Sample 0 gets the same random
 * numbers as in a call that asks for only one sample. */
static uint64_t key_of(const ken_generation *how, const struct ken_asking *asking)
{
    uint64_t sample = how->first_sample + asking->sample;
    uint64_t seed = sample > 0 ? ken_random_key(how->seed, sample) : how->seed;
    return ken_random_key(ken_random_key(seed, how->first + asking->input), asking->place);
}

static int32_t draw(const struct choice *choice, size_t row, const float *x)
{
    const struct ken_kernels *kernels = ken_kernels();
    const ken_generation *how = choice->how;
    const struct ken_asking *asking = &choice->asking[row];
    size_t V = choice->V, n = V;
    float *w = choice->weights + row * V;
    int32_t *order = choice->order ? choice->order + row * V : NULL;
    struct ken_softmax_sums sums;
    /* Subtracting the largest logit first keeps e^x finite for any temperature. */
    kernels->array_affine(w, x, 1, -kernels->softmax_most(x, V), V);
    kernels->array_scale(w, w, fminf(1 / how->temperature, FLT_MAX), V);
    kernels->softmax_exp(&sums, w, w, 0, V);
    if (order) n = keep_likeliest(order, w, V, how, sums.exponentials);
    /* u is uniformly distributed in [0, 1). */
    double u = (double)(ken_random_bits(key_of(how, asking), 0) >> 11) * 0x1p-53;
    return pick(order, w, V, n, u);
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* Chooses the candidates of one row. The log probabilities of candidates are those of the model:
 * neither forbidden ids nor the temperature change them. A row gets no candidates if every allowed
 * id has probability 0. */
static void choose_task(void *context, size_t row, float *scratch)
{
    const struct choice *choice = context;
    const struct ken_asking *asking = &choice->asking[row];
    struct ken_candidate *best = choice->candidates + row * choice->most;
    float *x = choice->logits + row * choice->V;
    double log_sum = ken_log_sum(x, choice->V);
    (void)scratch;
    choice->log_sums[row] = log_sum;
    choice->counts[row] = 0;
    if (!isfinite(log_sum)) return;
    forbid(x, asking, choice->config, choice->how->no_repeat);
    if (choice->weights) {
        best->id = draw(choice, row, x);
        best->log_p = (double)x[best->id];
        choice->counts[row] = best->log_p > -INFINITY;
    } else {
        choice->counts[row] = take_largest(best, choice->most, x, choice->V);
    }
    for (size_t i = 0; i < choice->counts[row]; i++) best[i].log_p += asking->log_p - log_sum;
}

ken_status ken_choose(struct ken_candidate *candidates, size_t *counts, ken_tape *tape,
                      ken_tensor *logits, const struct ken_asking *asking, const ken_config *config,
                      const ken_generation *how)
{
    struct choice choice = { .candidates = candidates,
                             .counts = counts,
                             .most = ken_choose_most(how),
                             .logits = logits->data,
                             .V = logits->cols,
                             .asking = asking,
                             .config = config,
                             .how = how };
    size_t size = ken_tensor_size(logits);
    bool draws = how->temperature > 0, sorts = draws && (how->top_k > 0 || how->top_p < 1);
    choice.log_sums = ken_arena_take(&tape->arena, logits->rows, sizeof *choice.log_sums);
    if (draws) choice.weights = ken_arena_take(&tape->arena, size, sizeof *choice.weights);
    if (sorts) choice.order = ken_arena_take(&tape->arena, size, sizeof *choice.order);
    if (!choice.log_sums || (draws && !choice.weights) || (sorts && !choice.order))
        return ken_fail(KEN_ERR_MEMORY, "no memory to choose from %zu logits", size);
    ken_parallel(logits->rows, choose_task, &choice);
    for (size_t r = 0; r < logits->rows; r++)
        if (!isfinite(choice.log_sums[r]))
            return ken_fail(KEN_ERR_DIVERGED, "generate: the model's logits are not finite");
    return KEN_OK;
}
