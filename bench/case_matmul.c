/* case_matmul.c - the matrix products of a Transformer, beside sgemm of OpenBLAS, BLIS and oneDNN.
 *
 * For a linear layer in -> out on N rows, training computes
 *     nt   y (N, out) = x (N, in) w (out, in)^T
 *     nn   dx (N, in) += dy (N, out) w (out, in)
 *     tn   dw (out, in) += dy (N, out)^T x (N, in)
 * and inference on few rows computes `packed`, which is nt with weights that are packed once,
 * beforehand. The peers' sgemm cannot keep packed weights between calls; they get the plain
 * weights. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/matmul.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind { NT, NN, TN, PACKED, KINDS };
static const char *const kind_names[KINDS] = { "nt", "nn", "tn", "packed" };

struct layer {
    size_t rows, in, out;
};

/* A batch of 2,048 words through the layers of a small model (width 256) and of GPT-2 (768): the
 * projections of attention, the fused one of query, key and value, both halves of feed-forward. */
static const struct layer training[] = {
    { 2048, 256, 256 },  { 2048, 256, 1024 }, { 2048, 1024, 256 }, { 2048, 768, 768 },
    { 2048, 768, 2304 }, { 2048, 768, 3072 }, { 2048, 3072, 768 },
};
/* One step of generation for 16 sequences: the weights are read once and hardly reused. */
static const struct layer inference[] = {
    { 16, 256, 1024 },
    { 16, 768, 3072 },
    { 16, 1024, 1024 },
    { 16, 3072, 768 },
};
/* Cases in order: all of `training` as nt, as nn, as tn; then `inference`. */
enum { CASES = PACKED * KEN_COUNT(training) + KEN_COUNT(inference) };

struct state {
    enum kind kind;
    struct ken_matmul job;
    float *c, *a, *b, *packed;
};

static enum kind kind_of(size_t index)
{
    return (enum kind)ken_size_min(index / KEN_COUNT(training), PACKED);
}

static const struct layer *layer_of(size_t index)
{
    if (kind_of(index) < PACKED) return &training[index % KEN_COUNT(training)];
    return &inference[index - PACKED * KEN_COUNT(training)];
}

static void describe(struct bench_case *out, size_t index)
{
    const struct layer *layer = layer_of(index);
    double flops = 2.0 * (double)layer->rows * (double)layer->in * (double)layer->out;
    *out = (struct bench_case){ .unit = "GFLOP/s", .work = 1e-9 * flops, .flops = flops };
    snprintf(out->name, sizeof out->name, "matmul/%s/%zux%zux%zu", kind_names[kind_of(index)],
             layer->rows, layer->in, layer->out);
}

/* The product that a layer needs, with its sizes; gradients are added up, as in training. */
static struct ken_matmul job_of(enum kind kind, const struct layer *layer)
{
    struct ken_matmul job = { .layout = KEN_NT };
    if (kind == NN) job.layout = KEN_NN;
    if (kind == TN) job.layout = KEN_TN;
    job.add = job.layout != KEN_NT;
    job.m = kind == TN ? layer->out : layer->rows;
    job.n = job.layout == KEN_NT ? layer->out : layer->in;
    job.k = kind == NN ? layer->out : kind == TN ? layer->rows : layer->in;
    return job;
}

/* Numbers between -1 and 1, without zeros, infinities or subnormals, which would change the
 * speed. */
static float *random_array(size_t count, uint64_t key)
{
    float *x = ken_memory_new(count, sizeof *x);
    for (size_t i = 0; x && i < count; i++) x[i] = 2 * ken_random_uniform(key, i) - 1;
    return x;
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    struct state *state = ken_memory_zeroed(1, sizeof *state);
    *out = state;
    if (!state) return ken_fail(KEN_ERR_MEMORY, "no memory for a product");
    state->kind = kind_of(index);
    struct ken_matmul job = job_of(state->kind, layer_of(index));
    state->a = random_array(job.m * job.k, ken_random_key(seed, 0));
    state->b = random_array(job.k * job.n, ken_random_key(seed, 1));
    state->c = ken_memory_zeroed(job.m * job.n, sizeof(float));
    if (state->kind == PACKED)
        state->packed = ken_memory_new(ken_matmul_packed_size(job.n, job.k), sizeof(float));
    if (!state->a || !state->b || !state->c || (state->kind == PACKED && !state->packed))
        return ken_fail(KEN_ERR_MEMORY, "no memory for a product of %zu x %zu x %zu", job.m, job.k,
                        job.n);
    job.a = state->a;
    job.b = state->b;
    job.c = state->c;
    if (state->packed) ken_matmul_pack(state->packed, job.b, job.n, job.k, job.layout);
    job.packed = state->packed;
    state->job = job;
    return KEN_OK;
}

static void run(void *state)
{
    ken_matmul(&((struct state *)state)->job);
}

static void run_library(void *context, const struct bench_library *library)
{
    const struct ken_matmul *job = &((struct state *)context)->job;
    struct bench_sgemm same = {
        .c = job->c,
        .a = job->a,
        .b = job->b,
        .m = job->m,
        .n = job->n,
        .k = job->k,
        .a_transposed = job->layout == KEN_TN,
        .b_transposed = job->layout == KEN_NT,
        .add = job->add,
    };
    bench_library_sgemm(library, &same);
}

/* Sums of k products that are at most 1: rounding changes them by at most about 1e-7 sqrt(k). */
static bool agrees(void *context, const struct bench_library *library)
{
    struct state *state = context;
    size_t count = state->job.m * state->job.n;
    float *ours = ken_memory_new(count, sizeof *ours);
    if (!ours) return false;
    memset(state->c, 0, count * sizeof *state->c);
    run(state);
    memcpy(ours, state->c, count * sizeof *ours);
    memset(state->c, 0, count * sizeof *state->c);
    run_library(state, library);
    float worst = 0;
    for (size_t i = 0; i < count; i++) worst = fmaxf(worst, fabsf(state->c[i] - ours[i]));
    ken_memory_free(ours);
    return worst < 1e-5f * sqrtf((float)state->job.k);
}

static void release(void *context)
{
    struct state *state = context;
    if (!state) return;
    ken_memory_free(state->a);
    ken_memory_free(state->b);
    ken_memory_free(state->c);
    ken_memory_free(state->packed);
    ken_memory_free(state);
}

const struct bench_group bench_matmul = {
    .name = "matmul",
    .about = "products of linear layers, rows x in x out, beside OpenBLAS, BLIS and oneDNN",
    .count = CASES,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .run_library = run_library,
    .agrees = agrees,
};
