/* test_bag.c - bags of ids, and operations on heads, against their definitions for odd sizes, on
 * every instruction set; the same bits with any number of threads; and what they refuse. */
#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "kernel/bag.h"
#include "kernel/heads.h"
#include "tensor/tape.h"
#include "tests/arrays.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <string.h>

/* ---- bags ------------------------------------------------------------------------------------ */

enum { MOST_BAGS = 300, MOST_IDS = 40 * MOST_BAGS, MOST_TABLE = 200 };

static size_t starts[MOST_BAGS + 1], sorted_start[MOST_TABLE + 1];
static uint32_t sorted_row[MOST_IDS];
static float sorted_factor[MOST_IDS];
static const struct ken_bag_work work = { sorted_start, sorted_row, sorted_factor };

/* R bags of 0 to 39 ids, the first and the last of them empty; an id may occur twice in a bag. */
static struct ken_bag random_bags(size_t R, size_t V, size_t D, float p)
{
    for (size_t r = 0; r < R; r++)
        starts[r + 1] = starts[r] +
                        (r == 0 || r + 1 == R ? 0 : (size_t)ken_random_below(51, r, 40));
    return (struct ken_bag){ .ids = id_array(starts[R] + 1, 52, V),
                             .start = starts,
                             .R = R,
                             .V = V,
                             .D = D,
                             .dropout = { p, 53 } };
}

static void check_bag(size_t R, size_t V, size_t D, float p)
{
    struct ken_bag bag = random_bags(R, V, D, p);
    const float *table = normal_array(V * D + 1, 1), *dy = normal_array(R * D + 1, 2);
    float *y = normal_array(R * D + 1, 3), *expected = same_array(y, R * D + 1);
    ken_bag_forward(y, table, &bag);
    ken_bag_forward_ref(expected, table, &bag);
    check_close("bag", y, expected, R * D, 1e-6);
    for (size_t j = 0; j < D && R > 0; j++) assert_true(y[j] == 0); /* the empty bag */
    float *dtable = normal_array(V * D + 1, 4), *dexpected = same_array(dtable, V * D + 1);
    ken_bag_backward(dtable, dy, &bag, &work);
    ken_bag_backward_ref(dexpected, dy, &bag);
    check_close("bag, dtable", dtable, dexpected, V * D, 4e-6);
}

static void check_bags(void)
{
    static const size_t widths[] = { 1, 7, 17, 67, 64 };
    for (size_t w = 0; w < KEN_COUNT(widths); w++)
        for (int dropped = 0; dropped < 2; dropped++) {
            float p = dropped ? 0.6f : 0;
            check_bag(0, 5, widths[w], p);
            check_bag(1, 5, widths[w], p);
            check_bag(7, 1, widths[w], p);
            check_bag(67, 17, widths[w], p);
            check_bag(MOST_BAGS, MOST_TABLE, widths[w], p);
        }
}

/* For a table of ones, the mean of a bag is 1; with dropout it is 1 on average, and varies. */
static void check_means(void)
{
    struct ken_bag bag = random_bags(MOST_BAGS, MOST_TABLE, 1, 0.5f);
    float ones[MOST_TABLE], y[MOST_BAGS];
    double sum = 0, full = 0, other = 0;
    for (size_t i = 0; i < MOST_TABLE; i++) ones[i] = 1;
    ken_bag_forward(y, ones, &bag);
    for (size_t r = 0; r < bag.R; r++) {
        bool empty = starts[r] == starts[r + 1];
        sum += y[r];
        full += !empty;
        other += !empty && y[r] != 1;
    }
    assert_true(sum / full > 0.93 && sum / full < 1.07 && other > full / 2);
}

/* ---- heads ----------------------------------------------------------------------------------- */

static void check_heads_of(size_t N, size_t H, size_t E)
{
    size_t D = H * E;
    const float *x = normal_array(N * D + 1, 1), *a = normal_array(D + 1, 2);
    const float *dy = normal_array(N * H + 1, 3), *dmean = normal_array(N * E + 1, 4);
    float *y = normal_array(N * H + 1, 5), *mean = normal_array(N * E + 1, 6);
    float *dx = normal_array(N * D + 1, 7), *da = normal_array(D + 1, 8);
    float *y_ref = same_array(y, N * H + 1), *mean_ref = same_array(mean, N * E + 1);
    float *dx_ref = same_array(dx, N * D + 1), *da_ref = same_array(da, D + 1);
    ken_head_dot_forward(y, x, a, N, H, E);
    ken_head_dot_forward_ref(y_ref, x, a, N, H, E);
    check_close("head_dot", y, y_ref, N * H, 4e-6);
    ken_head_dot_backward(dx, da, dy, x, a, N, H, E);
    ken_head_dot_backward_ref(dx_ref, da_ref, dy, x, a, N, H, E);
    check_close("head_dot, dx", dx, dx_ref, N * D, 1e-6);
    check_close("head_dot, da", da, da_ref, D, 2e-5);
    ken_head_mean_forward(mean, x, N, H, E);
    ken_head_mean_forward_ref(mean_ref, x, N, H, E);
    check_close("head_mean", mean, mean_ref, N * E, 1e-6);
    ken_head_mean_backward(dx, dmean, N, H, E);
    ken_head_mean_backward_ref(dx_ref, dmean, N, H, E);
    check_close("head_mean, dx", dx, dx_ref, N * D, 1e-6);
}

static void check_heads(void)
{
    static const size_t sizes[] = { 1, 7, 17, 67 };
    for (size_t n = 0; n < KEN_COUNT(sizes); n++)
        for (size_t e = 0; e < KEN_COUNT(sizes); e++) {
            check_heads_of(sizes[n], 3, sizes[e]);
            check_heads_of(sizes[n], 1, sizes[e]);
        }
    check_heads_of(0, 2, 8);
    check_heads_of(700, 8, 8);
    check_heads_of(3, 8, 0);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Computes gradients that many rows add to, with this many threads. */
static void run(float *dtable, float *da, size_t threads)
{
    struct ken_bag bag = random_bags(MOST_BAGS, 50, 40, 0.3f);
    assert_int_equal(ken_threads_set(threads), KEN_OK);
    memset(dtable, 0, 50 * 40 * sizeof *dtable);
    memset(da, 0, 64 * sizeof *da);
    ken_bag_backward(dtable, normal_array(MOST_BAGS * 40, 1), &bag, &work);
    ken_head_dot_backward(NULL, da, normal_array(2000 * 8, 2), normal_array(2000 * 64, 3), NULL,
                          2000, 8, 8);
}

static void check_threads(void)
{
    static float dtable[2][50 * 40], da[2][64];
    run(dtable[0], da[0], 1);
    run(dtable[1], da[1], 4);
    assert_memory_equal(dtable[0], dtable[1], sizeof dtable[0]);
    assert_memory_equal(da[0], da[1], sizeof da[0]);
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

/* ---- on the tape ----------------------------------------------------------------------------- */

static void expect_refusal(ken_tape *tape, const ken_tensor *result, ken_status status,
                           const char *message)
{
    assert_null(result);
    assert_int_equal(ken_tape_status(tape), status);
    assert_non_null(strstr(ken_last_error(), message));
    ken_tape_clear(tape);
}

static void check_misuse(void)
{
    static const size_t start[] = { 0, 2, 3 };
    static const int32_t beyond[] = { 0, 1, 4 }, below[] = { 0, -1, 1 }, fine[] = { 3, 0, 3 };
    ken_ragged bags = { start, 2 };
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tensor x = { .data = normal_array(4 * 6, 1), .rows = 4, .cols = 6 };
    expect_refusal(&tape, ken_bag(&tape, &x, beyond, bags, 0), KEN_ERR_ARGUMENT,
                   "bag: id 4 at position 2, table of 4 rows");
    expect_refusal(&tape, ken_bag(&tape, &x, below, bags, 0), KEN_ERR_ARGUMENT, "bag: id -1");
    expect_refusal(&tape, ken_bag(&tape, &x, fine, bags, 1), KEN_ERR_ARGUMENT, "bag: dropout");
    expect_refusal(&tape, ken_head_mean(&tape, &x, 4), KEN_ERR_SHAPE, "head_mean: input 4 x 6");
    expect_refusal(&tape, ken_head_mean(&tape, &x, 0), KEN_ERR_SHAPE, "head_mean: input 4 x 6");
    ken_tensor *whole = ken_bag(&tape, &x, fine, bags, 0.9f); /* no dropout unless training */
    for (size_t j = 0; j < 6; j++) assert_true(whole->data[6 + j] == x.data[3 * 6 + j]);
    ken_tape_release(&tape);
}

static void bags_and_heads(void **state)
{
    (void)state;
    void (*const checks[])(void) = { check_bags, check_means, check_heads, check_threads,
                                     check_misuse };
    for (size_t c = 0; c < KEN_COUNT(checks); c++) {
        on_every_machine(checks[c]);
        drop_arrays();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bags_and_heads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
