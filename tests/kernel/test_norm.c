/* test_norm.c - norms against their definitions, on every instruction set of this machine; and the
 * bits of a row depend neither on its neighbours nor on threads. */
#include "base/memory.h"
#include "base/size.h"
#include "kernel/array.h"
#include "kernel/norm.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const size_t sizes[] = { 1, 7, 17, 67, 1030 };

/* A job with all arrays it may need, twice: for the kernel and for the definition. */
struct bench {
    size_t rows, n;
    struct ken_norm job[2];
    struct ken_norm_grad grad[2];
    float *taken[40];
    size_t count;
};

static float *keep(struct bench *bench, float *memory)
{
    assert_true(memory && bench->count < KEN_COUNT(bench->taken));
    return bench->taken[bench->count++] = memory;
}

/* Bits of `options` */
enum { RMS = 1, GAIN = 2, BIAS = 4, BRANCH = 8, DROPS = 16, DSUM = 32, ADD = 64, OPTIONS = 128 };

static void make_bench(struct bench *bench, size_t rows, size_t n, unsigned options)
{
    size_t size = rows * n;
    *bench = (struct bench){ .rows = rows, .n = n };
    struct ken_norm job = { .kind = options & RMS ? KEN_NORM_RMS : KEN_NORM_LAYER,
                            .rows = rows,
                            .n = n,
                            .eps = 1e-5f,
                            .x = keep(bench, random_array(size, 1, 3)),
                            .gain = options & GAIN ? keep(bench, random_array(n, 2, 1)) : NULL,
                            .bias = options & BIAS ? keep(bench, random_array(n, 3, 1)) : NULL,
                            .branch = options & BRANCH ? keep(bench, random_array(size, 4, 1))
                                                       : NULL,
                            .dropout = { options & DROPS ? 0.25f : 0, 77 } };
    struct ken_norm_grad grad = { .dy = keep(bench, random_array(size, 5, 1)),
                                  .dsum = options & DSUM ? keep(bench, random_array(size, 6, 1))
                                                         : NULL,
                                  .add_to_dx = options & ADD,
                                  .add_to_dbranch = options & ADD };
    for (int i = 0; i < 2; i++) {
        bench->job[i] = job;
        bench->job[i].sum = keep(bench, random_array(size, 7, 1));
        bench->job[i].y = keep(bench, random_array(size, 7, 1));
        bench->job[i].mean = keep(bench, random_array(rows, 7, 1));
        bench->job[i].rstd = keep(bench, random_array(rows, 7, 1));
        bench->grad[i] = grad;
        bench->grad[i].dx = keep(bench, random_array(size, 8, 1));
        if (options & BRANCH) bench->grad[i].dbranch = keep(bench, random_array(size, 9, 1));
        if (options & GAIN) bench->grad[i].dgain = keep(bench, random_array(n, 10, 1));
        if (options & BIAS) bench->grad[i].dbias = keep(bench, random_array(n, 11, 1));
    }
}

static void free_bench(struct bench *bench)
{
    free_arrays(bench->taken, bench->count);
}

/* `tolerance` 0: the same bits */
static void compare(const char *what, const float *a, const float *b, size_t n, double tolerance)
{
    if (!a) return;
    if (tolerance > 0) check_close(what, a, b, n, tolerance);
    else if (memcmp(a, b, n * sizeof *a) != 0) fail_msg("%s: other bits", what);
}

static void compare_results(const struct bench *bench, double tolerance)
{
    const struct ken_norm *a = &bench->job[0], *b = &bench->job[1];
    const struct ken_norm_grad *da = &bench->grad[0], *db = &bench->grad[1];
    size_t size = bench->rows * bench->n;
    compare("norm", a->y, b->y, size, tolerance);
    compare("sum", a->sum, b->sum, size, tolerance);
    compare("mean", a->mean, b->mean, bench->rows, tolerance);
    compare("rstd", a->rstd, b->rstd, bench->rows, tolerance);
    compare("dx", da->dx, db->dx, size, 5 * tolerance);
    compare("dbranch", da->dbranch, db->dbranch, size, 5 * tolerance);
    compare("dgain", da->dgain, db->dgain, bench->n, 10 * tolerance);
    compare("dbias", da->dbias, db->dbias, bench->n, 10 * tolerance);
}

static void check_norms(void)
{
    for (unsigned options = 0; options < OPTIONS; options++) {
        if ((options & (DROPS | DSUM)) && !(options & BRANCH)) continue;
        for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
            struct bench bench;
            make_bench(&bench, s == 2 ? 67 : s + 1, sizes[s], options);
            ken_norm_forward(&bench.job[0]);
            ken_norm_forward_ref(&bench.job[1]);
            memcpy(bench.job[1].mean, bench.job[0].mean, bench.rows * sizeof(float));
            memcpy(bench.job[1].rstd, bench.job[0].rstd, bench.rows * sizeof(float));
            ken_norm_backward(&bench.job[0], &bench.grad[0]);
            ken_norm_backward_ref(&bench.job[1], &bench.grad[1]);
            /* rows of one number have variance 0, so only eps is left, and 1 / sqrt(eps) is 316 */
            compare_results(&bench, sizes[s] == 1 ? 2e-4 : 3e-6);
            free_bench(&bench);
        }
    }
}

static void norms(void **state)
{
    (void)state;
    on_every_machine(check_norms);
}

/* More rows than are summed at once. */
static void many_rows(void **state)
{
    (void)state;
    struct bench bench;
    make_bench(&bench, 5000, 3, GAIN | BIAS | BRANCH | DSUM | ADD);
    ken_norm_forward(&bench.job[0]);
    ken_norm_forward_ref(&bench.job[1]);
    ken_norm_backward(&bench.job[0], &bench.grad[0]);
    ken_norm_backward_ref(&bench.job[1], &bench.grad[1]);
    compare_results(&bench, 2e-5); /* rows of three numbers may have a small variance */
    free_bench(&bench);
}

/* With eps -> 0: mean(y) = 0, mean(y^2) = 1, sum dx = 0, sum dx . y = 0; shifting and scaling x
 * changes nothing. */
static void norm_invariants(void **state)
{
    (void)state;
    enum { N = 64 + 3 };
    float *x = random_array(N, 1, 2), *dy = random_array(N, 2, 1);
    float y[N], dx[N], moved[N], mean, rstd;
    struct ken_norm
        job = { .rows = 1, .n = N, .eps = 1e-12f, .x = x, .y = y, .mean = &mean, .rstd = &rstd };
    ken_norm_forward(&job);
    ken_norm_backward(&job, &(struct ken_norm_grad){ .dy = dy, .dx = dx });
    double sums[4] = { 0 };
    for (size_t j = 0; j < N; j++) {
        sums[0] += y[j];
        sums[1] += y[j] * y[j] / (double)N;
        sums[2] += dx[j];
        sums[3] += dx[j] * y[j];
    }
    assert_true(fabs(sums[0]) < 1e-5 && fabs(sums[1] - 1) < 1e-6);
    assert_true(fabs(sums[2]) < 1e-5 && fabs(sums[3]) < 1e-5);
    for (size_t j = 0; j < N; j++) x[j] = 4 * x[j] + 16;
    job.y = moved;
    ken_norm_forward(&job);
    check_close("norm of 4 x + 16", moved, y, N, 1e-5);
    ken_memory_free(x);
    ken_memory_free(dy);
}

/* Equal numbers of any size have variance exactly 0, so only the bias is left. */
static void check_constant_rows(void)
{
    const float values[] = { 0.1f, -3e7f, 1e-30f, 0, 16777216, 1.0f / 3 };
    for (size_t v = 0; v < KEN_COUNT(values); v++)
        for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
            size_t n = sizes[s];
            float *x = random_array(n, 1, 1), *y = random_array(n, 2, 1), mean, rstd;
            float *bias = random_array(n, 3, 1);
            for (size_t j = 0; j < n; j++) x[j] = values[v];
            ken_norm_forward(&(struct ken_norm){ .rows = 1,
                                                 .n = n,
                                                 .eps = 1e-5f,
                                                 .x = x,
                                                 .y = y,
                                                 .bias = bias,
                                                 .mean = &mean,
                                                 .rstd = &rstd });
            assert_memory_equal(y, bias, n * sizeof *y);
            assert_true(mean == values[v]);
            ken_memory_free(x);
            ken_memory_free(y);
            ken_memory_free(bias);
        }
}

static void constant_rows(void **state)
{
    (void)state;
    on_every_machine(check_constant_rows);
}

/* A row alone gives the same bits as among others. */
static void check_lonely_rows(void)
{
    struct bench bench;
    make_bench(&bench, 37, 67, GAIN | BIAS);
    struct ken_norm all = bench.job[0], one = bench.job[1];
    ken_norm_forward(&all);
    for (size_t r = 0; r < 37; r++) {
        one.rows = 1;
        one.x = all.x + r * 67;
        one.y = bench.job[1].y + r * 67;
        one.mean = bench.job[1].mean + r;
        one.rstd = bench.job[1].rstd + r;
        ken_norm_forward(&one);
    }
    assert_memory_equal(all.y, bench.job[1].y, 37 * 67 * sizeof(float));
    assert_memory_equal(all.rstd, bench.job[1].rstd, 37 * sizeof(float));
    free_bench(&bench);
}

static void lonely_rows(void **state)
{
    (void)state;
    on_every_machine(check_lonely_rows);
}

/* The fused form gives the bits of dropout, sum and norm one after another. */
static void check_fusion(void)
{
    struct bench bench;
    make_bench(&bench, 37, 67, GAIN | BIAS | BRANCH | DROPS);
    struct ken_norm fused = bench.job[0], plain = bench.job[1];
    size_t size = bench.rows * bench.n;
    float *dropped = random_array(size, 1, 1);
    ken_norm_forward(&fused);
    ken_dropout_apply(dropped, plain.branch, plain.dropout, 37, 67, false);
    ken_array_sum(plain.sum, plain.x, dropped, size);
    plain.x = plain.sum;
    plain.branch = NULL;
    ken_norm_forward(&plain);
    check_close("fused sum", fused.sum, plain.sum, size, 2e-7); /* a product and a sum may fuse */
    check_close("fused norm", fused.y, plain.y, size, 2e-6);
    ken_memory_free(dropped);
    free_bench(&bench);
}

static void fusion(void **state)
{
    (void)state;
    on_every_machine(check_fusion);
}

/* Same bits with 1, 2, 3 and 7 threads: 700 rows are 22 groups whose sums meet in dgain. */
static void any_number_of_threads(void **state)
{
    (void)state;
    const size_t counts[] = { 1, 2, 3, 7 };
    struct bench bench;
    make_bench(&bench, 700, 67, GAIN | BIAS | BRANCH | DROPS | DSUM);
    float *gain_before = copy_of(bench.grad[0].dgain, 67);
    float *bias_before = copy_of(bench.grad[0].dbias, 67);
    for (size_t t = 0; t < KEN_COUNT(counts); t++) {
        int which = t > 0;
        assert_int_equal(ken_threads_set(counts[t]), KEN_OK);
        memcpy(bench.grad[which].dgain, gain_before, 67 * sizeof(float));
        memcpy(bench.grad[which].dbias, bias_before, 67 * sizeof(float));
        ken_norm_forward(&bench.job[which]);
        ken_norm_backward(&bench.job[which], &bench.grad[which]);
        if (which) compare_results(&bench, 0);
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
    ken_memory_free(gain_before);
    ken_memory_free(bias_before);
    free_bench(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(norm_invariants),
        cmocka_unit_test(constant_rows),
        cmocka_unit_test(lonely_rows),
        cmocka_unit_test(fusion),
        cmocka_unit_test(any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
