/* test_seq.c - embedding, losses, convolution, recurrence, pooling and rotation against their
 * definitions, on every instruction set of this machine, and known answers from the papers. */
#include "base/arena.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/conv.h"
#include "kernel/embed.h"
#include "kernel/kernels.h"
#include "kernel/loss.h"
#include "kernel/pool.h"
#include "kernel/recur.h"
#include "kernel/rotate.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static ken_arena arena; /* of all arrays; cleared by on_every_machine() */

static const size_t sizes[] = { 1, 7, 17, 67 };
static const size_t start[] = { 0, 5, 5, 72, 139, 140, 204, 204 }; /* two empty ones */
enum { B = KEN_COUNT(start) - 1, N = 204 };

static float *random_array(size_t n, uint64_t key)
{
    float *x = ken_arena_take(&arena, n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = ken_random_normal(key, i);
    return x;
}

static float *copy_of(const float *x, size_t n)
{
    float *copy = ken_arena_take(&arena, n, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, x, n * sizeof *x);
    return copy;
}

static int32_t *random_ids(size_t n, uint64_t key, size_t below)
{
    int32_t *ids = ken_arena_take(&arena, n, sizeof *ids);
    assert_non_null(ids);
    for (size_t i = 0; i < n; i++) ids[i] = (int32_t)ken_random_below(key, i, below);
    return ids;
}

static void check_close(const char *what, const float *y, const float *expected, size_t n,
                        double tolerance)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)y[i] - expected[i]) <= tolerance * (1 + fabs((double)expected[i]))))
            fail_msg("%s, %s, %zu of %zu: %.9g, expected %.9g", ken_kernels()->name, what, i, n,
                     (double)y[i], (double)expected[i]);
}

static void on_every_machine(void (*check)(void))
{
    const char *const names[] = { "generic", "avx2", "avx512" };
    assert_int_equal(ken_kernels_start(), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(names); i++) {
        if (ken_kernels_choose(names[i]) == KEN_OK) check();
        ken_arena_clear(&arena);
    }
    assert_int_equal(ken_kernels_choose(NULL), KEN_OK);
    ken_arena_release(&arena);
}

/* ---- embedding ------------------------------------------------------------------------------- */

static void check_embed(void)
{
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
        size_t D = sizes[s], V = 23, rows = 301;
        int32_t *ids = random_ids(rows, 4, V);
        float *table = random_array(V * D, 1), *x = random_array(rows * D, 2);
        float *y = random_array(rows * D, 3), *expected = copy_of(y, rows * D);
        ken_embed_forward(y, NULL, table, ids, 1.5f, rows, D);
        ken_embed_forward_ref(expected, NULL, table, ids, 1.5f, rows, D);
        check_close("embed", y, expected, rows * D, 1e-7);
        ken_embed_forward(y, x, table, ids, -0.5f, rows, D);
        ken_embed_forward_ref(expected, x, table, ids, -0.5f, rows, D);
        check_close("embed, added", y, expected, rows * D, 1e-7);
        float *dtable = random_array(V * D, 5), *dtable_expected = copy_of(dtable, V * D);
        ken_embed_backward(dtable, x, ids, 1.5f, rows, D);
        ken_embed_backward_ref(dtable_expected, x, ids, 1.5f, rows, D);
        check_close("embed, backward", dtable, dtable_expected, V * D, 1e-6);
    }
}

static void embed(void **state)
{
    (void)state;
    on_every_machine(check_embed);
}

/* ---- losses ---------------------------------------------------------------------------------- */

static void check_softmax(void)
{
    const size_t widths[] = { 1, 7, 17, 67, 3000 };
    for (size_t s = 0; s < KEN_COUNT(widths); s++) {
        size_t n = widths[s], rows = 13;
        float *x = random_array(rows * n, 1), *y = copy_of(x, rows * n);
        float *expected = copy_of(x, rows * n);
        for (size_t i = 0; i < n; i++) x[n + i] = -INFINITY;          /* nothing to choose from */
        for (size_t i = 0; i < n; i++) x[2 * n + i] *= 1e4f;          /* nearly one-hot         */
        for (size_t i = 1; i < n; i += 2) x[3 * n + i] = -INFINITY;   /* some ruled out         */
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
        float *z = random_array(rows * V, 1), *expected = copy_of(z, rows * V);
        float *kept = copy_of(z, rows * V);
        int32_t *targets = random_ids(rows, 2, V);
        for (size_t i = 0; i < rows; i += 5) targets[i] = KEN_IGNORED;
        z[V + V / 2] = expected[V + V / 2] = kept[V + V / 2] = 9; /* one that is right */
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
    float *x = random_array(COUNT, 1), *t = random_array(COUNT, 2);
    for (size_t kind = 0; kind < 2; kind++) {
        struct ken_tally tally = { 0 }, expected = { 0 };
        float *dx = random_array(COUNT, 3), *dx_expected = copy_of(dx, COUNT);
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
        t = random_array(COUNT, 2);
    }
}

static void losses(void **state)
{
    (void)state;
    on_every_machine(check_softmax);
    on_every_machine(check_cross_entropy);
    on_every_machine(check_labels);
}

/* With eps = 0.1 the loss is smallest where softmax equals the smoothed target, and not 0 there. */
static void smallest_smoothed_loss(void **state)
{
    const struct { size_t V; double loss; } known[] = { { 5, 0.389673 }, { 37000, 1.376913 } };
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t V = known[k].V;
        const int32_t target = 3;
        float *z = random_array(V, 1);
        for (size_t j = 0; j < V; j++)
            z[j] = (float)log(0.1 / (double)V + (j == (size_t)target ? 0.9 : 0));
        struct ken_tally tally = { 0 };
        ken_cross_entropy(&tally, z, &target, 1, V, 0.1f, true, 1);
        assert_true(fabs(tally.loss - known[k].loss) < 2e-6);
        assert_int_equal(tally.correct, 1);
        for (size_t j = 0; j < V; j++) assert_true(fabsf(z[j]) < 1e-6f);
    }
    ken_arena_release(&arena);
}

/* ---- convolution ----------------------------------------------------------------------------- */

typedef void conv_fn(float *y, const float *x, const float *w, const float *b,
                     const struct ken_conv *conv);
typedef void conv_back_fn(float *dx, float *dw, float *db, const float *dy, const float *x,
                          const float *w, const struct ken_conv *conv);

static void conv_forward(float *y, const float *x, const float *w, const float *b,
                         const struct ken_conv *conv)
{
    ken_conv_forward(y, x, w, b, conv, random_array(ken_conv_space(conv), 9));
}

static void conv_backward(float *dx, float *dw, float *db, const float *dy, const float *x,
                          const float *w, const struct ken_conv *conv)
{
    ken_conv_backward(dx, dw, db, dy, x, w, conv, random_array(ken_conv_space(conv), 9));
}

static void check_conv(const struct ken_conv *conv, bool depth)
{
    conv_fn *forward = depth ? ken_conv_depth_forward : conv_forward;
    conv_fn *forward_ref = depth ? ken_conv_depth_forward_ref : ken_conv_forward_ref;
    conv_back_fn *backward = depth ? ken_conv_depth_backward : conv_backward;
    conv_back_fn *backward_ref = depth ? ken_conv_depth_backward_ref : ken_conv_backward_ref;
    size_t in_rows = conv->start ? conv->start[conv->count]
                                 : conv->count * conv->height * conv->width;
    size_t x_size = in_rows * conv->in, out = depth ? conv->in : conv->out;
    size_t y_size = ken_conv_rows(conv) * out;
    size_t w_size = conv->down * conv->across * conv->in * (depth ? 1 : conv->out);
    double tolerance = 1e-6 * sqrt((double)ken_size_max(w_size / out, ken_conv_rows(conv))) * 3;
    float *x = random_array(x_size, 1), *w = random_array(w_size, 2), *b = random_array(out, 3);
    float *y = random_array(y_size, 4), *expected = copy_of(y, y_size);
    forward(y, x, w, b, conv);
    forward_ref(expected, x, w, b, conv);
    check_close("conv", y, expected, y_size, tolerance);
    float *dx = random_array(x_size, 5), *dx_expected = copy_of(dx, x_size);
    float *dw = random_array(w_size, 6), *dw_expected = copy_of(dw, w_size);
    float *db = random_array(out, 7), *db_expected = copy_of(db, out);
    backward(dx, dw, db, y, x, w, conv);
    backward_ref(dx_expected, dw_expected, db_expected, y, x, w, conv);
    check_close("conv, dx", dx, dx_expected, x_size, 10 * tolerance);
    check_close("conv, dweight", dw, dw_expected, w_size, 10 * tolerance);
    check_close("conv, dbias", db, db_expected, out, 10 * tolerance);
    backward(dx, NULL, NULL, y, x, w, conv); /* any of them may be left out */
    backward(NULL, dw, NULL, y, x, w, conv);
    backward_ref(dx_expected, dw_expected, NULL, y, x, w, conv);
    check_close("conv, only dx", dx, dx_expected, x_size, 20 * tolerance);
    check_close("conv, only dweight", dw, dw_expected, w_size, 20 * tolerance);
}

static void check_convs(void)
{
    const size_t taps[] = { 1, 2, 5, 31, 90 };
    for (size_t k = 0; k < KEN_COUNT(taps) * 2; k++) {
        size_t across = taps[k / 2], pad = k % 2 ? across - 1 : (across - 1) / 2;
        struct ken_conv conv = { .in = 7, .out = 17, .down = 1, .across = across, .stride = 1,
                                 .pad_across = pad, .start = start, .count = B };
        check_conv(&conv, false);
        conv.in = 67;
        check_conv(&conv, true);
        ken_arena_clear(&arena);
    }
    /* windows so wide that the batch takes four chunks of 64 */
    struct ken_conv wide = { .in = 67, .out = 3, .down = 1, .across = 251, .stride = 1,
                             .pad_across = 125, .start = start, .count = B };
    assert_true(ken_conv_space(&wide) == 64 * 67 * 251);
    check_conv(&wide, false);
    for (size_t stride = 1; stride <= 3; stride++)
        for (size_t pad = 0; pad <= 2; pad++)
            check_conv(&(struct ken_conv){ .in = 3, .out = 7, .down = 3, .across = 4,
                                           .stride = stride, .pad_down = pad, .pad_across = pad,
                                           .count = 3, .height = 9, .width = 11 }, false);
    /* images in several chunks, cut within an image */
    struct ken_conv large = { .in = 67, .out = 3, .down = 7, .across = 5, .stride = 2,
                              .pad_down = 3, .pad_across = 3, .count = 5, .height = 20,
                              .width = 31 };
    assert_true(ken_conv_space(&large) < ken_conv_rows(&large) * 67 * 35);
    check_conv(&large, false);
}

static void convolution(void **state)
{
    (void)state;
    on_every_machine(check_convs);
}

/* ---- recurrence, pooling --------------------------------------------------------------------- */

static void check_recur(void)
{
    for (size_t s = 0; s < KEN_COUNT(sizes) * 4; s++) {
        struct ken_recur job = { .cell = s & 1 ? KEN_GRU : KEN_LSTM, .reversed = s & 2, .in = 5,
                                 .H = sizes[s / 4], .start = start, .B = B };
        size_t GH = ken_recur_gates(job.cell) * job.H;
        size_t order[B], at_least[68];
        job.longest = ken_recur_longest(start, B);
        assert_int_equal(job.longest, 67);
        ken_recur_plan(order, at_least, start, B);
        job.order = order;
        job.at_least = at_least;
        job.x = random_array(N * job.in, 1);
        job.w_in = random_array(GH * job.in, 2);
        float *w = random_array(GH * job.H, 3);
        for (size_t i = 0; i < GH * job.H; i++) w[i] /= sqrtf((float)job.H);
        job.w_hidden = w;
        job.b_in = random_array(GH, 4);
        job.b_hidden = random_array(GH, 5);
        job.gates = random_array(N * GH, 6);
        job.extra = random_array(N * job.H, 7);
        job.y = random_array(N * job.H, 8);
        job.space = random_array(ken_recur_space(&job), 9);
        ken_recur_forward(&job);
        struct ken_recur expected = job;
        expected.extra = random_array(N * job.H, 7);
        expected.y = random_array(N * job.H, 8);
        ken_recur_forward_ref(&expected);
        check_close("recur", job.y, expected.y, N * job.H, 2e-5);
        check_close("recur, extra", job.extra, expected.extra, N * job.H, 5e-5);
        ken_arena_clear(&arena);
    }
}

static void check_pool(void)
{
    const size_t widths[] = { 1, 7, 17, 67, 300 };
    for (size_t s = 0; s < KEN_COUNT(widths) * KEN_POOL_COUNT; s++) {
        size_t D = widths[s / KEN_POOL_COUNT];
        enum ken_pooling kind = (enum ken_pooling)(s % KEN_POOL_COUNT);
        float *x = random_array(N * D, 1), *score = random_array(N, 2), *w = random_array(N, 3);
        float *y = random_array(B * D, 4), *expected = copy_of(y, B * D), *v = copy_of(w, N);
        ken_pool_forward(y, w, x, score, start, B, D, kind);
        ken_pool_forward_ref(expected, v, x, score, start, B, D, kind);
        check_close("pool", y, expected, B * D, 1e-6);
        for (size_t j = 0; j < D; j++) assert_true(y[D + j] == 0); /* the empty sequence */
        float *dy = random_array(B * D, 5), *dx = random_array(N * D, 6), *ds = random_array(N, 7);
        float *dx_expected = copy_of(dx, N * D), *ds_expected = copy_of(ds, N);
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
}

/* ---- positions ------------------------------------------------------------------------------- */

static void check_rotate(void)
{
    const size_t widths[] = { 2, 6, 16, 34, 64 };
    static const size_t offset[B] = { 0, 3, 7, 100000, 5, 1, 2 }, near[B] = { 0, 3, 7, 9, 5, 1, 2 };
    for (size_t s = 0; s < KEN_COUNT(widths) * 4; s++) {
        struct ken_rotary how = { .first_col = 3, .heads = 3, .E = widths[s / 4],
                                  .pairing = s & 1 ? KEN_ROTATE_HALVES : KEN_ROTATE_NEIGHBOURS };
        size_t cols = how.first_col + how.heads * how.E + 4;
        int32_t places[N];
        ken_embed_places(places, start, s & 2 ? offset : near, B); /* table by row, or by place */
        float *space = random_array(ken_rotate_space(places, N, how.E), 1);
        float *x = random_array(N * cols, 2), *y = random_array(N * cols, 3);
        float *expected = copy_of(y, N * cols), *dx = copy_of(y, N * cols);
        ken_rotate_forward(y, x, places, N, cols, &how, space);
        ken_rotate_ref(expected, x, places, N, cols, &how, false);
        check_close("rotate", y, expected, N * cols, 1e-6);
        float *back = copy_of(dx, N * cols);
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

/* Norms stay, and a score depends on the distance alone: q at p with k at s as at p + t, s + t. */
static void rotary_invariants(void **state)
{
    enum { E = 64, ROWS = 4 };
    (void)state;
    assert_int_equal(ken_kernels_start(), KEN_OK);
    for (int halves = 0; halves < 2; halves++) {
        struct ken_rotary how = { .heads = 1, .E = E, .pairing = (enum ken_pairing)halves };
        const int32_t places[ROWS] = { 7, 19, 7 + 1000, 19 + 1000 };
        float *x = random_array(ROWS * E, 1), *y = copy_of(x, ROWS * E);
        memcpy(x + 2 * E, x, 2 * E * sizeof *x);
        ken_rotate_forward(y, x, places, ROWS, E, &how, random_array(ROWS * 2 * E, 2));
        for (size_t i = 0; i < ROWS * E; i += E)
            assert_true(fabs(dot(y + i, y + i, E) / dot(x + i, x + i, E) - 1) < 1e-6);
        assert_true(fabs(dot(y, y + E, E) - dot(y + 2 * E, y + 3 * E, E)) < 1e-4);
        assert_true(fabs(dot(y, y + E, E) - dot(x, x + E, E)) > 1e-2);
    }
    ken_arena_release(&arena);
}

static void rotation(void **state)
{
    (void)state;
    on_every_machine(check_rotate);
}

static void sinusoid(void **state)
{
    enum { P = 101, D = 512 };
    static float table[P * D], odd[3 * 5];
    const struct { size_t p, j; double value; } known[] = {
        { 1, 0, 0.841471 },  { 1, 1, 0.540302 },   { 1, 2, 0.821856 },    { 1, 3, 0.569695 },
        { 1, 4, 0.801962 },  { 1, 5, 0.597375 },   { 10, 2, -0.220023 },  { 10, 3, -0.975495 },
        { 0, 0, 0 },         { 0, 1, 1 },          { 100, 511, 0.999946 }
    };
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
        cmocka_unit_test(convolution),
        cmocka_unit_test(recurrence_and_pooling),
        cmocka_unit_test(rotation),
        cmocka_unit_test(rotary_invariants),
        cmocka_unit_test(sinusoid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
