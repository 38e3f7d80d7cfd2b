/* test_seq.c - embedding, losses, recurrence, pooling and rotation against their definitions, on
 * every instruction set of this machine, and known answers from the papers. */
#include "base/random.h"
#include "base/size.h"
#include "kernel/embed.h"
#include "kernel/kernels.h"
#include "kernel/loss.h"
#include "kernel/pool.h"
#include "kernel/recur.h"
#include "kernel/rotate.h"
#include "tests/arrays.h"
#include "tests/seq_arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = { 1, 7, 17, 67 };
static const size_t start[] = { 0, 5, 5, 72, 139, 140, 204, 204 }; /* two sequences are empty */
enum { B = KEN_COUNT(start) - 1, N = 204 };

/* ---- embedding ------------------------------------------------------------------------------- */

static void check_embed(void)
{
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
        size_t D = sizes[s], V = 23, rows = 301;
        int32_t *ids = id_array(rows, 4, V);
        float *table = normal_array(V * D, 1), *x = normal_array(rows * D, 2);
        float *y = normal_array(rows * D, 3), *expected = same_array(y, rows * D);
        ken_embed_forward(y, NULL, table, ids, 1.5f, rows, D);
        ken_embed_forward_ref(expected, NULL, table, ids, 1.5f, rows, D);
        check_close("embed", y, expected, rows * D, 1e-7);
        ken_embed_forward(y, x, table, ids, -0.5f, rows, D);
        ken_embed_forward_ref(expected, x, table, ids, -0.5f, rows, D);
        check_close("embed, added", y, expected, rows * D, 1e-7);
        float *dtable = normal_array(V * D, 5), *dtable_expected = same_array(dtable, V * D);
        ken_embed_backward(dtable, x, ids, 1.5f, rows, D);
        ken_embed_backward_ref(dtable_expected, x, ids, 1.5f, rows, D);
        check_close("embed, backward", dtable, dtable_expected, V * D, 1e-6);
    }
}

static void embed(void **state)
{
    (void)state;
    on_every_machine(check_embed);
    drop_arrays();
}

/* ---- losses ---------------------------------------------------------------------------------- */

static void check_softmax(void)
{
    const size_t widths[] = { 1, 7, 17, 67, 3000 };
    for (size_t s = 0; s < KEN_COUNT(widths); s++) {
        size_t n = widths[s], rows = 13;
        float *x = normal_array(rows * n, 1), *y = same_array(x, rows * n);
        float *expected = same_array(x, rows * n);
        for (size_t i = 0; i < n; i++) x[n + i] = -INFINITY;        /* nothing to choose from */
        for (size_t i = 0; i < n; i++) x[2 * n + i] *= 1e4f;        /* nearly one-hot         */
        for (size_t i = 1; i < n; i += 2) x[3 * n + i] = -INFINITY; /* some ruled out         */
        ken_softmax_forward(y, x, rows, n);
        ken_softmax_forward_ref(expected, x, rows, n);
        check_close("softmax", y, expected, rows * n, 1e-6);
        ken_softmax_forward(x, x, rows, n);
        assert_memory_equal(x, y, rows * n * sizeof *x);
        x[n / 2] = NAN;
        ken_softmax_forward(y, x, 1, n);
        assert_true(isnan(y[0]) && isnan(y[n - 1]));
    }
}

static void check_tally(const struct ken_tally *tally, const struct ken_tally *expected)
{
    assert_int_equal(tally->counted, expected->counted);
    assert_int_equal(tally->correct, expected->correct);
    if (!(fabs(tally->loss - expected->loss) <= 1e-6 * fabs(expected->loss)))
        fail_msg("%s: loss %.12g, expected %.12g", ken_kernels()->name, tally->loss,
                 expected->loss);
}

static void check_cross_entropy(void)
{
    const size_t widths[] = { 1, 7, 17, 67, 3000 };
    for (size_t s = 0; s < KEN_COUNT(widths) * 2; s++) {
        size_t V = widths[s / 2], rows = 29;
        float smoothing = s % 2 ? 0.1f : 0;
        float *z = normal_array(rows * V, 1), *expected = same_array(z, rows * V);
        float *kept = same_array(z, rows * V);
        int32_t *targets = id_array(rows, 2, V);
        for (size_t i = 0; i < rows; i += 5) targets[i] = KEN_IGNORED;
        z[V + V / 2] = expected[V + V / 2] = kept[V + V / 2] = 9; /* a row that is correct */
        targets[1] = (int32_t)(V / 2);
        struct ken_tally tally = { 1, 2, 3 }, tally_expected = tally, plain = tally;
        ken_cross_entropy(&plain, z, targets, rows, V, smoothing, false, 0);
        assert_memory_equal(z, kept, rows * V * sizeof *z);
        ken_cross_entropy(&tally, z, targets, rows, V, smoothing, true, 0.25f);
        ken_cross_entropy_ref(&tally_expected, expected, targets, rows, V, smoothing, true, 0.25f);
        check_tally(&tally, &tally_expected);
        assert_memory_equal(&tally, &plain, sizeof tally);
        check_close("dlogits", z, expected, rows * V, 1e-7);
    }
}

static void check_labels(void)
{
    enum { COUNT = 10007 };
    float *x = normal_array(COUNT, 1), *t = normal_array(COUNT, 2);
    for (size_t kind = 0; kind < 2; kind++) {
        struct ken_tally tally = { 0 }, expected = { 0 };
        float *dx = normal_array(COUNT, 3), *dx_expected = same_array(dx, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            t[i] = i % 7 == 0 ? NAN : kind == KEN_LOSS_BINARY ? (float)(i % 3) / 2 : t[i];
            if (isnan(t[i])) continue;
            double p = 1 / (1 + exp(-(double)x[i])), off = (double)x[i] - t[i];
            bool binary = kind == KEN_LOSS_BINARY;
            expected.loss += binary ? -t[i] * log(p) - (1 - t[i]) * log(1 - p) : off * off;
            expected.correct += binary && (p > 0.5) == (t[i] > 0.5f);
            expected.counted++;
            dx_expected[i] += (float)(0.5 * (binary ? p - t[i] : 2 * off));
        }
        ken_label_loss_forward(&tally, x, t, COUNT, (enum ken_label_loss)kind);
        ken_label_loss_backward(dx, x, t, 0.5f, COUNT, (enum ken_label_loss)kind);
        check_tally(&tally, &expected);
        check_close("label loss, backward", dx, dx_expected, COUNT, 1e-6);
        t = normal_array(COUNT, 2);
    }
}

static void losses(void **state)
{
    (void)state;
    on_every_machine(check_softmax);
    on_every_machine(check_cross_entropy);
    on_every_machine(check_labels);
    drop_arrays();
}

/* With eps = 0.1 the loss is smallest if softmax equals the smoothed target, and it is not 0
 * then. */
static void smallest_smoothed_loss(void **state)
{
    const struct {
        size_t V;
        double loss;
    } known[] = { { 5, 0.389673 }, { 37000, 1.376913 } };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t V = known[k].V;
        const int32_t target = 3;
        float *z = normal_array(V, 1);
        for (size_t j = 0; j < V; j++)
            z[j] = (float)log(0.1 / (double)V + (j == (size_t)target ? 0.9 : 0));
        struct ken_tally tally = { 0 };
        ken_cross_entropy(&tally, z, &target, 1, V, 0.1f, true, 1);
        assert_true(fabs(tally.loss - known[k].loss) < 2e-6);
        assert_int_equal(tally.correct, 1);
        for (size_t j = 0; j < V; j++) assert_true(fabsf(z[j]) < 1e-6f);
    }
    drop_arrays();
}

/* ---- recurrence, pooling --------------------------------------------------------------------- */

static void check_recur(void)
{
    enum { WAYS = KEN_CELL_COUNT * 4 };
    for (size_t s = 0; s < KEN_COUNT(sizes) * WAYS; s++) {
        struct ken_recur job = { .cell = (enum ken_cell)(s % KEN_CELL_COUNT),
                                 .reversed = s / KEN_CELL_COUNT & 1,
                                 .in = 5,
                                 .H = sizes[s / WAYS],
                                 .start = start,
                                 .B = B };
        size_t GH = ken_recur_gates(job.cell) * job.H;
        size_t order[B], at_least[68];
        job.longest = ken_recur_longest(start, B);
        assert_int_equal(job.longest, 67);
        ken_recur_plan(order, at_least, start, B);
        job.order = order;
        job.at_least = at_least;
        job.x = normal_array(N * job.in, 1);
        job.w_in = normal_array(GH * job.in, 2);
        float *w = normal_array(GH * job.H, 3);
        for (size_t i = 0; i < GH * job.H; i++) w[i] /= sqrtf((float)job.H);
        job.w_hidden = w;
        job.b_in = normal_array(GH, 4);
        job.b_hidden = normal_array(GH, 5);
        job.gates = normal_array(N * GH, 6);
        job.extra = normal_array(N * job.H, 7);
        job.y = normal_array(N * job.H, 8);
        job.space = normal_array(ken_recur_space(&job), 9);
        if (s / KEN_CELL_COUNT & 2) { /* sequences that start from a given state */
            job.h_first = normal_array(B * job.H, 10);
            job.c_first = normal_array(B * job.H, 11);
        }
        ken_recur_forward(&job);
        struct ken_recur expected = job;
        expected.extra = normal_array(N * job.H, 7);
        expected.y = normal_array(N * job.H, 8);
        ken_recur_forward_ref(&expected);
        check_close("recur", job.y, expected.y, N * job.H, 2e-5);
        check_close("recur, extra", job.extra, expected.extra, N * job.H, 5e-5);
        drop_arrays();
    }
}

static void check_pool(void)
{
    const size_t widths[] = { 1, 7, 17, 67, 300 };
    for (size_t s = 0; s < KEN_COUNT(widths) * KEN_POOL_COUNT; s++) {
        size_t D = widths[s / KEN_POOL_COUNT];
        enum ken_pooling kind = (enum ken_pooling)(s % KEN_POOL_COUNT);
        float *x = normal_array(N * D, 1), *score = normal_array(N, 2), *w = normal_array(N, 3);
        float *y = normal_array(B * D, 4), *expected = same_array(y, B * D), *v = same_array(w, N);
        ken_pool_forward(y, w, x, score, start, B, D, kind);
        ken_pool_forward_ref(expected, v, x, score, start, B, D, kind);
        check_close("pool", y, expected, B * D, kind == KEN_POOL_SUM ? 1e-5 : 1e-6);
        for (size_t j = 0; j < D; j++) assert_true(y[D + j] == 0); /* the empty sequence */
        float *dy = normal_array(B * D, 5), *dx = normal_array(N * D, 6), *ds = normal_array(N, 7);
        float *dx_expected = same_array(dx, N * D), *ds_expected = same_array(ds, N);
        bool scored = kind == KEN_POOL_ATTENTIVE;
        ken_pool_backward(dx, scored ? ds : NULL, dy, y, w, x, start, B, D, kind);
        ken_pool_backward_ref(dx_expected, scored ? ds_expected : NULL, dy, y, w, x, start, B, D,
                              kind);
        check_close("pool, dx", dx, dx_expected, N * D, 1e-6);
        check_close("pool, dscore", ds, ds_expected, N, 1e-5);
    }
}

static void recurrence_and_pooling(void **state)
{
    (void)state;
    on_every_machine(check_recur);
    on_every_machine(check_pool);
    drop_arrays();
}

/* ---- positions ------------------------------------------------------------------------------- */

static void check_rotate(void)
{
    const size_t widths[] = { 2, 6, 16, 34, 64, 20 };
    static const size_t offset[B] = { 0, 3, 7, 100000, 5, 1, 2 }, near[B] = { 0, 3, 7, 9, 5, 1, 2 };
    for (size_t s = 0; s < KEN_COUNT(widths) * 8; s++) {
        struct ken_rotary how = { .first_col = 3,
                                  .heads = 3,
                                  .E = widths[s / 8],
                                  .pairing = s & 1 ? KEN_ROTATE_HALVES : KEN_ROTATE_NEIGHBOURS,
                                  .axes = s & 4 ? 2 : 0 };
        size_t cols = how.first_col + how.heads * how.E + 4;
        int32_t places[2 * N];
        if (how.E % 4 != 0 && how.axes == 2) continue;
        ken_embed_places(places, start, s & 2 ? offset : near, B); /* table by row, or by place */
        for (size_t i = N; i > 0 && how.axes == 2; i--) {
            places[2 * i - 2] = places[i - 1];
            places[2 * i - 1] = (int32_t)(i * 7 % 11) * (i > 1);
        }
        float *space = normal_array(ken_rotate_space(places, N, &how), 1);
        float *x = normal_array(N * cols, 2), *y = normal_array(N * cols, 3);
        float *expected = same_array(y, N * cols), *dx = same_array(y, N * cols);
        ken_rotate_forward(y, x, places, N, cols, &how, space);
        ken_rotate_ref(expected, x, places, N, cols, &how, false);
        check_close("rotate", y, expected, N * cols, 1e-6);
        float *back = same_array(dx, N * cols);
        ken_rotate_backward(dx, y, places, N, cols, &how, space);
        ken_rotate_ref(back, y, places, N, cols, &how, true);
        check_close("rotate, backward", dx, back, N * cols, 1e-6);
        memset(dx, 0, N * cols * sizeof *dx);
        ken_rotate_backward(dx, y, places, N, cols, &how, space);
        check_close("rotate, there and back", dx, x, N * cols, 1e-6);
        for (size_t j = 0; j < cols; j++) assert_true(y[j] == x[j]); /* place 0 */
    }
}

static double dot(const float *a, const float *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)a[i] * b[i];
    return sum;
}

/* Rotation keeps norms, and a score depends on the distance alone: q at p and k at s give the same
 * as q at p + t and k at s + t. */
static void rotary_invariants(void **state)
{
    enum { E = 64, ROWS = 4 };
    (void)state;
    assert_int_equal(ken_kernels_start(), KEN_OK);
    for (int halves = 0; halves < 2; halves++) {
        struct ken_rotary how = { .heads = 1, .E = E, .pairing = (enum ken_pairing)halves };
        const int32_t places[ROWS] = { 7, 19, 7 + 1000, 19 + 1000 };
        float *x = normal_array(ROWS * E, 1), *y = same_array(x, ROWS * E);
        memcpy(x + 2 * E, x, 2 * E * sizeof *x);
        ken_rotate_forward(y, x, places, ROWS, E, &how, normal_array(ROWS * 2 * E, 2));
        for (size_t i = 0; i < ROWS * E; i += E)
            assert_true(fabs(dot(y + i, y + i, E) / dot(x + i, x + i, E) - 1) < 1e-6);
        assert_true(fabs(dot(y, y + E, E) - dot(y + 2 * E, y + 3 * E, E)) < 1e-4);
        assert_true(fabs(dot(y, y + E, E) - dot(x, x + E, E)) > 1e-2);
    }
    drop_arrays();
}

static void rotation(void **state)
{
    (void)state;
    on_every_machine(check_rotate);
    drop_arrays();
}

static void sinusoid(void **state)
{
    enum { P = 101, D = 512 };
    static float table[P * D], odd[3 * 5];
    const struct {
        size_t p, j;
        double value;
    } known[] = { { 1, 0, 0.841471 },   { 1, 1, 0.540302 },    { 1, 2, 0.821856 },
                  { 1, 3, 0.569695 },   { 1, 4, 0.801962 },    { 1, 5, 0.597375 },
                  { 10, 2, -0.220023 }, { 10, 3, -0.975495 },  { 0, 0, 0 },
                  { 0, 1, 1 },          { 100, 511, 0.999946 } };
    (void)state;
    ken_sinusoid_fill(table, P, D);
    for (size_t i = 0; i < KEN_COUNT(known); i++)
        assert_true(fabs(table[known[i].p * D + known[i].j] - known[i].value) < 1e-6);
    assert_true(fabs(table[100 * D + 510] - 0.0103661) < 1e-7);
    for (size_t p = 0; p + 10 < P; p++) {
        const float *row = table + p * D;
        assert_true(fabs(dot(row, row, D) - 256) < 1e-4);
        assert_true(fabs(dot(row, row + D, D) - 249.10210) < 1e-4);
        assert_true(fabs(dot(row, row + 10 * D, D) - 173.78972) < 1e-4);
    }
    ken_sinusoid_fill(odd, 3, 5); /* an odd width ends with a sine */
    assert_true(fabs(odd[5 + 4] - sin(pow(10000, -0.8))) < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embed),
        cmocka_unit_test(losses),
        cmocka_unit_test(smallest_smoothed_loss),
        cmocka_unit_test(recurrence_and_pooling),
        cmocka_unit_test(rotation),
        cmocka_unit_test(rotary_invariants),
        cmocka_unit_test(sinusoid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
