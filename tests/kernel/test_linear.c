/* test_linear.c - linear attention against its definition, the explicit weights of all pairs:
 * causal or not, odd sizes, shared key heads, scales far beyond a float, every instruction set; and
 * row by row it gives the same bits as at once. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "kernel/linear.h"
#include "tests/arrays.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_B = 6 };
enum reach { ALL, PAST, OTHER, REACHES };

static const size_t lengths[] = { 17, 0, 1, 200, 64, 67 };
static const size_t other_lengths[] = { 130, 5, 0, 64, 1, 65 };

static const struct shape {
    size_t H, KV, M, Ev;
} shapes[] = { { 1, 1, 1, 1 },   { 2, 2, 7, 7 },   { 4, 2, 17, 5 },  { 3, 1, 67, 17 },
               { 2, 2, 32, 67 }, { 1, 1, 64, 64 }, { 2, 1, 130, 16 } };

struct problem {
    struct ken_linear_attend job;
    struct ken_linear_grad grad;
    size_t q_start[MOST_B + 1], k_start[MOST_B + 1], N, S;
};

static float *positive_array(size_t n, uint64_t key)
{
    float *x = normal_array(n, key);
    for (size_t i = 0; i < n; i++) x[i] = fabsf(x[i]) + 1e-3f;
    return x;
}

static float *zeros(size_t n)
{
    float *x = normal_array(n, 0);
    memset(x, 0, n * sizeof *x);
    return x;
}

/* Gives a problem arrays of its own for results. */
static void new_results(struct problem *p)
{
    struct ken_linear_attend *job = &p->job;
    job->out = normal_array(p->N * job->out_stride, 21);
    job->sums = normal_array(p->N * job->H, 22);
    job->states = normal_array(ken_linear_space(job) + 1, 23);
    p->grad.dq = zeros(p->N * job->q_stride);
    p->grad.dk = zeros(p->S * job->k_stride);
    p->grad.dv = zeros(p->S * job->v_stride);
    p->grad.dscale = job->scale ? zeros(p->S * job->KV) : NULL;
    p->grad.states = normal_array(ken_linear_space_backward(job) + 1, 24);
}

static void make(struct problem *p, const struct shape *shape, enum reach reach, float spread)
{
    *p = (struct problem){ 0 };
    for (size_t b = 0; b < MOST_B; b++) {
        p->q_start[b + 1] = p->q_start[b] + lengths[b];
        p->k_start[b + 1] = p->k_start[b] + (reach == OTHER ? other_lengths[b] : lengths[b]);
    }
    p->N = p->q_start[MOST_B];
    p->S = p->k_start[MOST_B];
    struct ken_linear_attend *job = &p->job;
    *job = (struct ken_linear_attend){ .q_stride = shape->H * shape->M + 3,
                                       .k_stride = shape->KV * shape->M + 1,
                                       .v_stride = shape->KV * shape->Ev + 2,
                                       .out_stride = shape->H * shape->Ev,
                                       .q_start = p->q_start,
                                       .k_start = p->k_start,
                                       .B = MOST_B,
                                       .H = shape->H,
                                       .KV = shape->KV,
                                       .M = shape->M,
                                       .Ev = shape->Ev,
                                       .causal = reach == PAST };
    job->q = positive_array(p->N * job->q_stride, 1);
    job->k = positive_array(p->S * job->k_stride, 2);
    job->v = normal_array(p->S * job->v_stride, 3);
    if (spread > 0) {
        float *scale = normal_array(p->S * job->KV, 4);
        for (size_t i = 0; i < p->S * job->KV; i++) scale[i] = scale[i] * spread - 40;
        job->scale = scale;
    }
    p->grad.dout = normal_array(p->N * job->out_stride, 5);
    new_results(p);
}

static void check_problem(const struct shape *shape, enum reach reach, float spread)
{
    struct problem fast, slow;
    make(&fast, shape, reach, spread);
    slow = fast;
    new_results(&slow);
    ken_linear_attend_forward(&fast.job);
    ken_linear_attend_forward_ref(&slow.job);
    check_close("out", fast.job.out, slow.job.out, fast.N * fast.job.out_stride, 2e-5);
    ken_linear_attend_backward(&fast.job, &fast.grad);
    ken_linear_attend_backward_ref(&slow.job, &slow.grad);
    check_close("dq", fast.grad.dq, slow.grad.dq, fast.N * fast.job.q_stride, 1e-4);
    check_close("dk", fast.grad.dk, slow.grad.dk, fast.S * fast.job.k_stride, 2e-4);
    check_close("dv", fast.grad.dv, slow.grad.dv, fast.S * fast.job.v_stride, 1e-4);
    if (fast.grad.dscale)
        check_close("dscale", fast.grad.dscale, slow.grad.dscale, fast.S * fast.job.KV, 2e-4);
    drop_arrays();
}

static void check_every_shape(void)
{
    static const float spreads[] = { 0, 1, 60 };
    for (size_t s = 0; s < KEN_COUNT(shapes); s++)
        for (enum reach reach = ALL; reach < REACHES; reach++) /* wide shapes only once */
            for (size_t i = 0; i < (s < 4 ? KEN_COUNT(spreads) : 1); i++)
                check_problem(&shapes[s], reach, spreads[(s + reach + i) % 3]);
}

static void equals_the_definition(void **state)
{
    (void)state;
    on_every_machine(check_every_shape);
}

/* ---- row by row ------------------------------------------------------------------------------ */

/* Reads all sequences in pieces of random size, one piece of each sequence at a time. */
static void read_in_pieces(const struct ken_linear_attend *job, float *slots, uint64_t key)
{
    static const size_t slot[MOST_B] = { 3, 0, 6, 1, 5, 2 };
    size_t kept[MOST_B] = { 0 };
    for (uint64_t step = 0, any = 1; any > 0; step++) {
        any = 0;
        for (size_t b = 0; b < MOST_B; b++) {
            size_t left = job->q_start[b + 1] - job->q_start[b] - kept[b];
            size_t most = key == 0 ? 1 : step % 3 == 0 ? 90 : 5; /* row by row, or random sizes */
            size_t count = ken_size_min(left, 1 + ken_random_below(key, step * MOST_B + b, most));
            size_t row = job->q_start[b] + kept[b], start[] = { 0, count };
            struct ken_linear_attend piece = *job;
            any += left - count;
            piece.q += row * job->q_stride;
            piece.k += row * job->k_stride;
            piece.v += row * job->v_stride;
            if (piece.scale) piece.scale += row * job->KV;
            piece.out += row * job->out_stride;
            piece.sums += row * job->H;
            piece.q_start = piece.k_start = start;
            piece.B = 1;
            ken_linear_go_on(&piece, slots, &slot[b], &kept[b]);
            kept[b] += count;
        }
    }
}

static void check_pieces(void)
{
    static const float spreads[] = { 0, 1, 60 };
    for (size_t s = 0; s < KEN_COUNT(shapes); s++)
        for (size_t i = s % 2; i < KEN_COUNT(spreads); i += 2)
            for (uint64_t key = 0; key < 2; key++) {
                struct problem once, pieces;
                make(&once, &shapes[s], PAST, spreads[i]);
                pieces = once;
                new_results(&pieces);
                size_t size = ken_linear_slot(shapes[s].KV, shapes[s].M, shapes[s].Ev);
                float *slots = normal_array((MOST_B + 1) * size, 9);
                ken_linear_attend_forward(&once.job);
                read_in_pieces(&pieces.job, slots, key);
                assert_memory_equal(once.job.out, pieces.job.out,
                                    once.N * once.job.out_stride * sizeof(float));
                drop_arrays();
            }
}

static void row_by_row_has_the_bits_of_at_once(void **state)
{
    (void)state;
    on_every_machine(check_pieces);
}

/* The kept totals of a memory (the encoder's result), in any order, give the bits of attention over
 * it. */
static void check_totals(void)
{
    static const size_t from[MOST_B] = { 0, 1, 2, 3, 4, 5 };
    struct problem once, kept;
    make(&once, &shapes[2], OTHER, 3);
    kept = once;
    new_results(&kept);
    size_t size = ken_linear_state(shapes[2].M, shapes[2].Ev) * shapes[2].KV;
    float *totals = normal_array(MOST_B * size, 9);
    ken_linear_attend_forward(&once.job);
    ken_linear_totals(totals, &kept.job);
    ken_linear_ask(&kept.job, totals, from);
    assert_memory_equal(once.job.out, kept.job.out, once.N * once.job.out_stride * sizeof(float));
    drop_arrays();
}

static void totals_have_the_bits_of_at_once(void **state)
{
    (void)state;
    on_every_machine(check_totals);
}

/* ---- laws ------------------------------------------------------------------------------------ */

static void weights_are_shares(void **state)
{
    (void)state;
    for (enum reach reach = ALL; reach < REACHES; reach++) {
        struct problem p;
        make(&p, &shapes[2], reach, 20);
        for (size_t b = 0; b < MOST_B; b++) {
            size_t T = p.q_start[b + 1] - p.q_start[b], S = p.k_start[b + 1] - p.k_start[b];
            float *weights = normal_array(T * S + 1, 8);
            ken_linear_weights(weights, &p.job, b, 3);
            for (size_t i = 0; i < T; i++) {
                double sum = 0;
                for (size_t j = 0; j < S; j++) {
                    assert_true(reach == PAST && j > i ? weights[i * S + j] == 0
                                                       : weights[i * S + j] >= 0);
                    sum += weights[i * S + j];
                }
                assert_true(fabs(sum - (S > 0)) < 1e-5);
            }
        }
        drop_arrays();
    }
}

/* Bits are the same for any number of threads, and alone as in a batch. */
static void bits_do_not_depend_on_company(void **state)
{
    (void)state;
    static const size_t counts[] = { 1, 2, 3, 7 };
    struct problem first, other;
    for (enum reach reach = ALL; reach < REACHES; reach++) {
        make(&first, &shapes[2], reach, 3);
        for (size_t t = 0; t < KEN_COUNT(counts); t++) {
            assert_int_equal(ken_threads_set(counts[t]), KEN_OK);
            other = first;
            new_results(&other);
            struct problem *p = t == 0 ? &first : &other;
            ken_linear_attend_forward(&p->job);
            ken_linear_attend_backward(&p->job, &p->grad);
            if (t == 0) continue;
            size_t bytes = first.N * first.job.q_stride * sizeof(float);
            assert_memory_equal(first.grad.dq, other.grad.dq, bytes);
            bytes = first.S * first.job.k_stride * sizeof(float);
            assert_memory_equal(first.grad.dk, other.grad.dk, bytes);
            assert_memory_equal(first.grad.dscale, other.grad.dscale,
                                first.S * first.job.KV * sizeof(float));
        }
        other = first;
        new_results(&other);
        other.job.q_start += 3; /* the fourth sequence alone; rows stay where they are */
        other.job.k_start += 3;
        other.job.B = 1;
        ken_linear_attend_forward(&other.job);
        ken_linear_attend_backward(&other.job, &other.grad);
        size_t at = first.q_start[3] * first.job.out_stride, k_at = first.k_start[3];
        assert_memory_equal(first.job.out + at, other.job.out + at,
                            lengths[3] * first.job.out_stride * sizeof(float));
        at = first.k_start[3] * first.job.k_stride;
        assert_memory_equal(first.grad.dk + at, other.grad.dk + at,
                            (first.k_start[4] - k_at) * first.job.k_stride * sizeof(float));
        drop_arrays();
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_definition),
        cmocka_unit_test(row_by_row_has_the_bits_of_at_once),
        cmocka_unit_test(totals_have_the_bits_of_at_once),
        cmocka_unit_test(weights_are_shares),
        cmocka_unit_test(bits_do_not_depend_on_company),
    };
    if (ken_kernels_start()) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
