/* case_attend.c - attention alone, beside PyTorch's scaled_dot_product_attention.
 * The figure counts the flops for the pairs of rows that see each other: per head and pair 4 E
 * forward and 10 E backward, where the scores are computed again. A peer that pads does more work
 * for the same figure. `window` shows that the cost of windowed attention is proportional to the
 * length; no peer has it. */
#include "bench/bench.h"
#include "bench/sentences.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/attend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { H = 8, E = 64, D = H * E, WORDS = 2048, REACH = 64 };

static const size_t lengths[] = { 128, 512, 2048, 8192 };
static const size_t window_lengths[] = { 2048, 4096, 8192, 16384 };
enum { LENGTHS = KEN_COUNT(lengths), KINDS = 4, CASES = (LENGTHS + 1) * KINDS };

struct state {
    struct ken_attend job;
    struct ken_attend_grad grad;
    bool both;
    size_t N, start[BENCH_SENTENCES + 1];
    float *q, *k, *v, *out, *log_sum, *dout, *dq, *dk, *dv;
    char request[BENCH_BATCHES_TEXT + 64];
};

struct shape {
    size_t T; /* length; 0 = the sentences of one batch */
    bool past, both;
};

static struct shape shape_of(size_t index)
{
    size_t n = index / KINDS;
    return (struct shape){ n < LENGTHS ? lengths[n] : 0, index % 2, index % KINDS / 2 };
}

static struct bench_batches one_batch(void)
{
    struct bench_batches batches;
    bench_batches_cut(&batches, false, WORDS, 1);
    batches.count = 1;
    return batches;
}

/* The number of pairs of rows that see each other in a sequence of length T. */
static double pairs_of(double T, bool past)
{
    return past ? T * (T + 1) / 2 : T * T;
}

static double flops_of(const struct shape *shape)
{
    double pairs = pairs_of((double)shape->T, shape->past);
    if (shape->T == 0) {
        struct bench_batches batch = one_batch();
        for (size_t i = 0; i < batch.start[1]; i++)
            pairs += pairs_of(batch.lengths[i], shape->past);
    }
    return (shape->both ? 14 : 4) * pairs * D;
}

static void describe(struct bench_case *out, size_t index)
{
    struct shape shape = shape_of(index);
    double flops = flops_of(&shape);
    char size[24] = "sentences";
    if (shape.T) snprintf(size, sizeof size, "%zu", shape.T);
    *out = (struct bench_case){ .unit = "GFLOP/s", .work = 1e-9 * flops, .flops = flops };
    snprintf(out->name, sizeof out->name, "attend/%s/%s/%s", shape.both ? "both" : "forward",
             shape.past ? "past" : "all", size);
}

static float *array(size_t count, uint64_t key)
{
    float *x = ken_memory_new(count, sizeof *x);
    for (size_t i = 0; x && i < count; i++) x[i] = ken_random_normal(key, i);
    return x;
}

static ken_status fill(struct state *s, size_t B, size_t N, uint64_t seed)
{
    size_t size = N * D;
    s->N = N;
    s->q = array(size, ken_random_key(seed, 0));
    s->k = array(size, ken_random_key(seed, 1));
    s->v = array(size, ken_random_key(seed, 2));
    s->dout = array(size, ken_random_key(seed, 3));
    s->out = ken_memory_new(size, sizeof(float));
    s->log_sum = ken_memory_new(N * H, sizeof(float));
    s->dq = ken_memory_new(size, sizeof(float));
    s->dk = ken_memory_new(size, sizeof(float));
    s->dv = ken_memory_new(size, sizeof(float));
    if (!s->q || !s->k || !s->v || !s->dout || !s->out || !s->log_sum || !s->dq || !s->dk || !s->dv)
        return ken_fail(KEN_ERR_MEMORY, "no memory for attention over %zu rows", N);
    s->job = (struct ken_attend){ .q = s->q,
                                  .k = s->k,
                                  .v = s->v,
                                  .q_stride = D,
                                  .k_stride = D,
                                  .v_stride = D,
                                  .q_start = s->start,
                                  .k_start = s->start,
                                  .B = B,
                                  .H = H,
                                  .KV = H,
                                  .E = E,
                                  .Ev = E,
                                  .left = KEN_UNLIMITED,
                                  .right = KEN_UNLIMITED,
                                  .scale = 1 / sqrtf(E),
                                  .out = s->out,
                                  .out_stride = D,
                                  .log_sum = s->log_sum };
    s->grad = (struct ken_attend_grad){ .dout = s->dout, .dq = s->dq, .dk = s->dk, .dv = s->dv };
    return KEN_OK;
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    struct shape shape = shape_of(index);
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    struct bench_batches batch = one_batch();
    size_t B = shape.T ? 1 : batch.start[1];
    for (size_t b = 0; b < B; b++)
        s->start[b + 1] = s->start[b] + (shape.T ? shape.T : batch.lengths[b]);
    s->both = shape.both;
    KEN_TRY(fill(s, B, s->start[B], seed));
    if (shape.past) s->job.right = 0;
    int used = snprintf(s->request, sizeof s->request, "attend %s %s %d %d ",
                        shape.both ? "both" : "forward", shape.past ? "past" : "all", H, E);
    if (shape.T) snprintf(s->request + used, sizeof s->request - (size_t)used, "%zu", shape.T);
    else bench_batches_text(s->request + used, &batch);
    return KEN_OK;
}

/* ken adds to gradients, so they are cleared first; PyTorch makes new ones. */
static void run(void *context)
{
    struct state *s = context;
    ken_attend_forward(&s->job);
    if (!s->both) return;
    memset(s->dq, 0, s->N * D * sizeof(float));
    memset(s->dk, 0, s->N * D * sizeof(float));
    memset(s->dv, 0, s->N * D * sizeof(float));
    ken_attend_backward(&s->job, &s->grad);
}

static const char *request(void *state)
{
    return ((struct state *)state)->request;
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    float *arrays[] = { s->q, s->k, s->v, s->out, s->log_sum, s->dout, s->dq, s->dk, s->dv };
    for (size_t i = 0; i < KEN_COUNT(arrays); i++) ken_memory_free(arrays[i]);
    ken_memory_free(s);
}

const struct bench_group bench_attend = {
    .name = "attend",
    .about = "attention of 8 heads of width 64, forward and with backward, beside PyTorch",
    .count = CASES,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .asked = BENCH_TORCH,
    .request = request,
};

static void describe_window(struct bench_case *out, size_t index)
{
    double T = (double)window_lengths[index], seen = 2 * REACH + 1;
    double pairs = T * seen - REACH * (REACH + 1.0), flops = 14 * pairs * D;
    *out = (struct bench_case){ .unit = "krows/s", .work = 1e-3 * T, .flops = flops };
    snprintf(out->name, sizeof out->name, "window/both/%zu", window_lengths[index]);
}

static ken_status setup_window(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    s->start[1] = window_lengths[index];
    s->both = true;
    KEN_TRY(fill(s, 1, s->start[1], seed));
    s->job.left = s->job.right = REACH;
    return KEN_OK;
}

const struct bench_group bench_window = {
    .name = "window",
    .about = "attention to 64 neighbours on each side, forward and backward: rows/s stay the same",
    .count = KEN_COUNT(window_lengths),
    .describe = describe_window,
    .setup = setup_window,
    .run = run,
    .release = release,
};
