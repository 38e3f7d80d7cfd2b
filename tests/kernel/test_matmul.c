/* test_matmul.c - the matrix product against its definition, bit for bit: every result is one chain
 * of multiply-adds over k. With every layout, on every instruction set of this machine, at all
 * small sizes; and against OpenBLAS at the sizes that models have. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "kernel/matmul.h"
#include "tests/arrays.h"
#include "tests/unit.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

static const enum ken_layout layouts[] = { KEN_NN, KEN_NT, KEN_TN };
static const char *const layout_names[] = { "nn", "nt", "tn" };

/* The indices of a(i, k) and b(k, j) in memory. */
static size_t place_a(const struct ken_matmul *job, size_t i, size_t k)
{
    bool across = job->layout == KEN_TN;
    size_t stride = job->a_stride ? job->a_stride : across ? job->m : job->k;
    return across ? k * stride + i : i * stride + k;
}

static size_t place_b(const struct ken_matmul *job, size_t k, size_t j)
{
    bool across = job->layout == KEN_NT;
    size_t stride = job->b_stride ? job->b_stride : across ? job->k : job->n;
    return across ? j * stride + k : k * stride + j;
}

/* Whether product and sum are fused: the generic kernels do so if the compiler's basic target can,
 * the others always do. */
static bool fuses(void)
{
    if (strcmp(ken_kernels()->name, "generic") != 0) return true;
    const float a[2] = { 1, 1 + 0x1p-12f }, b[2] = { -1 - 0x1p-11f, 1 + 0x1p-12f };
    float c;
    ken_matmul(&(struct ken_matmul){ .c = &c, .a = a, .b = b, .m = 1, .n = 1, .k = 2 });
    return c == 0x1p-24f; /* 0 if the product was rounded before the sum */
}

static float multiply_add(float a, float b, float c, bool fused)
{
    volatile float product = a * b;
    return fused ? fmaf(a, b, c) : product + c;
}

static float chain(const struct ken_matmul *job, size_t i, size_t j, float sum, bool fused)
{
    for (size_t k = 0; k < job->k; k++)
        sum = multiply_add(job->a[place_a(job, i, k)], job->b[place_b(job, k, j)], sum, fused);
    return sum;
}

static void same_bits(const char *what, const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(a + i, b + i, sizeof *a) != 0)
            fail_msg("%s, %s: %zu of %zu is %a, not %a", ken_kernels()->name, what, i, n,
                     (double)a[i], (double)b[i]);
}

/* ---- all m, n, k from 1 to 33 ---------------------------------------------------------------- */

enum { SMALL = 33, GAP = 2, ROW = SMALL + GAP };
static float chains[SMALL + 1][SMALL][SMALL]; /* [k][i][j]: the chain of the first k products */

/* A chain of k products continues that of k - 1 products, so one table serves all sizes. */
static void fill_chains(const struct ken_matmul *job)
{
    bool fused = fuses();
    for (size_t k = 0; k < SMALL; k++)
        for (size_t i = 0; i < SMALL; i++)
            for (size_t j = 0; j < SMALL; j++)
                chains[k + 1][i][j] = multiply_add(job->a[place_a(job, i, k)],
                                                   job->b[place_b(job, k, j)], chains[k][i][j],
                                                   fused);
}

/* The old contents of c must not matter, and the numbers between its rows must not change. */
static void check_small(struct ken_matmul job)
{
    static float c[SMALL * ROW];
    for (size_t i = 0; i < KEN_COUNT(c); i++) c[i] = NAN;
    job.c = c;
    job.c_stride = ROW;
    ken_matmul(&job);
    for (size_t i = 0; i < job.m; i++)
        if (memcmp(c + i * ROW, chains[job.k][i], job.n * sizeof *c) != 0)
            fail_msg("%s %s: row %zu of %zu x %zu x %zu has other bits", ken_kernels()->name,
                     layout_names[job.layout], i, job.m, job.n, job.k);
    for (size_t i = 0; i < SMALL; i++)
        for (size_t j = i < job.m ? job.n : 0; j < ROW; j++)
            if (!isnan(c[i * ROW + j]))
                fail_msg("%s %s: %zu x %zu x %zu wrote beyond its end", ken_kernels()->name,
                         layout_names[job.layout], job.m, job.n, job.k);
}

static void check_all_small(void)
{
    float *a = random_array(SMALL * SMALL, 1, 1), *b = random_array(SMALL * SMALL, 2, 1);
    float *exact = random_array(SMALL * SMALL, 3, 1);
    for (size_t l = 0; l < KEN_COUNT(layouts); l++) {
        struct ken_matmul job = { .c = exact,
                                  .a = a,
                                  .b = b,
                                  .m = SMALL,
                                  .n = SMALL,
                                  .k = SMALL,
                                  .a_stride = SMALL,
                                  .b_stride = SMALL,
                                  .layout = layouts[l] };
        fill_chains(&job);
        ken_matmul_ref(&job);
        check_close("the chain itself", chains[SMALL][0], exact, SMALL * SMALL, 3e-6);
        for (job.m = 1; job.m <= SMALL; job.m++)
            for (job.n = 1; job.n <= SMALL; job.n++)
                for (job.k = 1; job.k <= SMALL; job.k++) check_small(job);
    }
    float *const all[] = { a, b, exact };
    free_arrays(all, KEN_COUNT(all));
}

static void every_small_size(void **state)
{
    (void)state;
    assert_int_equal(ken_threads_set(1),
                     KEN_OK); /* waking threads would take longer than the work */
    on_every_machine(check_all_small);
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

/* ---- larger sizes ---------------------------------------------------------------------------- */

struct sizes {
    size_t m, n, k;
};

/* Allocates dense operands; c starts with random numbers. */
static struct ken_matmul make_job(struct sizes sizes, enum ken_layout layout)
{
    return (struct ken_matmul){ .c = random_array(sizes.m * sizes.n, 3, 1),
                                .a = random_array(sizes.m * sizes.k, 1, 1),
                                .b = random_array(sizes.k * sizes.n, 2, 1),
                                .m = sizes.m,
                                .n = sizes.n,
                                .k = sizes.k,
                                .layout = layout };
}

static void free_job(const struct ken_matmul *job)
{
    float *const all[] = { job->c, (float *)job->a, (float *)job->b };
    free_arrays(all, KEN_COUNT(all));
}

static void with_openblas(const struct ken_matmul *job)
{
    bool ta = job->layout == KEN_TN, tb = job->layout == KEN_NT;
    int m = (int)job->m, n = (int)job->n, k = (int)job->k;
    cblas_sgemm(CblasRowMajor, ta ? CblasTrans : CblasNoTrans, tb ? CblasTrans : CblasNoTrans, m, n,
                k, 1, job->a, ta ? m : k, job->b, tb ? k : n, job->add ? 1 : 0, job->c, n);
}

/* Compares all results with OpenBLAS, and some with the chain. */
static void check_sizes(struct sizes sizes, bool add)
{
    for (size_t l = 0; l < KEN_COUNT(layouts); l++) {
        struct ken_matmul job = make_job(sizes, layouts[l]), other = job;
        size_t size = job.m * job.n;
        job.add = other.add = add;
        float *before = copy_of(job.c, size);
        other.c = copy_of(job.c, size);
        ken_matmul(&job);
        with_openblas(&other);
        for (size_t i = 0; i < size; i++)
            if (!(fabsf(job.c[i] - other.c[i]) <= 6e-7f * (float)(job.k + 20)))
                fail_msg("%s %s, %zu x %zu x %zu: %zu is %g, OpenBLAS has %g", ken_kernels()->name,
                         layout_names[l], job.m, job.n, job.k, i, (double)job.c[i],
                         (double)other.c[i]);
        for (size_t s = 0; s < 40; s++) {
            size_t at = s == 0 ? size - 1 : ken_random_below(4, s, size);
            float expected = chain(&job, at / job.n, at % job.n, add ? before[at] : 0, fuses());
            same_bits("a larger product", job.c + at, &expected, 1);
        }
        ken_memory_free(before);
        ken_memory_free(other.c);
        free_job(&job);
    }
}

/* Prime sizes, and sizes that are packed in several parts: k 2048, n 1536, m 1024. */
static void check_odd_sizes(void)
{
    static const struct sizes sizes[] = {
        { 1, 1, 1 },     { 5, 31, 9 },     { 1, 257, 64 },     { 257, 1, 67 },
        { 7, 4099, 13 }, { 4099, 7, 13 },  { 31, 47, 3 },      { 2, 3, 4099 },
        { 47, 31, 4 },   { 97, 101, 103 }, { 1031, 17, 2053 }, { 13, 1543, 2053 },
    };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) check_sizes(sizes[s], s % 2 == 1);
}

/* Projections, feed-forward, its gradients, and scores of one head. */
static void check_model_sizes(void)
{
    static const struct sizes sizes[] = {
        { 300, 1536, 512 },
        { 300, 512, 2048 },
        { 1024, 256, 300 },
        { 256, 256, 64 },
    };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) check_sizes(sizes[s], false);
}

static void larger_sizes(void **state)
{
    (void)state;
    openblas_set_num_threads(1); /* its threads would compete with ken's */
    on_every_machine(check_odd_sizes);
    on_every_machine(check_model_sizes);
}

/* ---- what must not change a bit -------------------------------------------------------------- */

enum { M = 70, N = 50, K = 300 };

/* The same bits for a sum in two pieces, for each row alone, for each column alone. */
static void check_cuts(void)
{
    static const size_t cuts[] = { 1, 7, 255, 256, 257, K - 1 };
    struct ken_matmul whole = make_job((struct sizes){ M, N, K }, KEN_NT), part = whole;
    part.c = random_array(M * N, 5, 1);
    part.a_stride = part.b_stride = K;
    part.c_stride = N;
    ken_matmul(&whole);
    for (size_t s = 0; s < KEN_COUNT(cuts); s++) {
        part.k = cuts[s];
        part.add = false;
        ken_matmul(&part);
        part.k = K - cuts[s];
        part.a += cuts[s];
        part.b += cuts[s];
        part.add = true;
        ken_matmul(&part);
        part.a = whole.a;
        part.b = whole.b;
        same_bits("a sum cut in two", part.c, whole.c, M * N);
    }
    struct ken_matmul row = whole, column = whole;
    float line[M > N ? M : N];
    row.m = column.n = 1;
    row.c = column.c = line;
    for (size_t i = 0; i < M; i++) {
        row.a = whole.a + i * K;
        ken_matmul(&row);
        same_bits("a row alone", line, whole.c + i * N, N);
    }
    for (size_t j = 0; j < N; j++) {
        column.b = whole.b + j * K;
        ken_matmul(&column);
        for (size_t i = 0; i < M; i++)
            same_bits("a column alone", line + i, whole.c + i * N + j, 1);
    }
    ken_memory_free(part.c);
    free_job(&whole);
}

static void check_alignment(void)
{
    for (size_t l = 0; l < KEN_COUNT(layouts); l++)
        for (size_t off = 1; off < 5; off++) {
            struct ken_matmul job = make_job((struct sizes){ M, N, K }, layouts[l]), moved = job;
            float *a = random_array(M * K + off, 1, 1), *b = random_array(K * N + off + 1, 2, 1);
            float *c = random_array(M * N + off + 2, 3, 1);
            memcpy(a + off, job.a, M * K * sizeof(float));
            memcpy(b + off + 1, job.b, K * N * sizeof(float));
            moved.a = a + off;
            moved.b = b + off + 1;
            moved.c = c + off + 2;
            ken_matmul(&job);
            ken_matmul(&moved);
            same_bits("unaligned arrays", moved.c, job.c, M * N);
            float *const all[] = { a, b, c };
            free_arrays(all, KEN_COUNT(all));
            free_job(&job);
        }
}

static void check_threads(void)
{
    const size_t counts[] = { 1, 2, 3, 7 };
    for (size_t l = 0; l < KEN_COUNT(layouts); l++) {
        struct ken_matmul job = make_job((struct sizes){ 211, 307, 509 }, layouts[l]), one = job;
        one.c = copy_of(job.c, 211 * 307);
        for (size_t t = 0; t < KEN_COUNT(counts); t++) {
            assert_int_equal(ken_threads_set(counts[t]), KEN_OK);
            ken_matmul(t == 0 ? &one : &job);
            if (t > 0) same_bits("another number of threads", job.c, one.c, 211 * 307);
        }
        ken_memory_free(one.c);
        free_job(&job);
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

static void how_it_is_cut(void **state)
{
    (void)state;
    on_every_machine(check_cuts);
    on_every_machine(check_alignment);
    on_every_machine(check_threads);
}

/* Packed weights, also deeper than the work space for the left operand. */
static void check_packed(void)
{
    static const struct sizes sizes[] = { { 1, 1, 1 },
                                          { 5, 33, 17 },
                                          { 70, 67, 300 },
                                          { 1, 300, 2500 },
                                          { 97, 33, 60000 } };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++)
        for (size_t l = 0; l < 2; l++) {
            struct ken_matmul job = make_job(sizes[s], layouts[l]), packed = job;
            size_t room = ken_matmul_packed_size(job.n, job.k);
            float *panels = random_array(room, 5, 1);
            packed.c = random_array(job.m * job.n, 6, 1);
            packed.b = NULL;
            packed.packed = panels;
            ken_matmul_pack(panels, job.b, job.n, job.k, job.layout);
            ken_matmul(&job);
            ken_matmul(&packed);
            same_bits("packed weights", packed.c, job.c, job.m * job.n);
            ken_memory_free(panels);
            ken_memory_free(packed.c);
            free_job(&job);
        }
}

static void packed_weights(void **state)
{
    (void)state;
    on_every_machine(check_packed);
}

/* ---- fused bias and activation --------------------------------------------------------------- */

/* The same bits as product, sum and activation one after the other. */
static void check_finish(void)
{
    static const struct sizes sizes[] = { { 1, 1, 1 }, { 17, 67, 300 }, { 3, 19, 2100 } };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++)
        for (int kind = 0; kind < KEN_ACT_COUNT; kind++) {
            struct ken_matmul job = make_job(sizes[s], KEN_NT), plain = job;
            size_t size = job.m * job.n;
            float *bias = random_array(job.n, 5, 1), *pre = random_array(size, 6, 1);
            plain.c = random_array(size, 7, 1);
            job.bias = bias;
            job.pre = pre;
            job.activation = (enum ken_activation)kind;
            ken_matmul(&plain);
            ken_matmul(&job);
            for (size_t i = 0; i < size; i++) plain.c[i] += bias[i % job.n];
            same_bits("before the activation", pre, plain.c, size);
            ken_activation_forward(plain.c, plain.c, size, job.activation);
            same_bits("activation", job.c, plain.c, size);
            float *const all[] = { bias, pre, plain.c };
            free_arrays(all, KEN_COUNT(all));
            free_job(&job);
        }
}

/* With k = 0 the product is 0, or the number it is added to; without rows or columns nothing is
 * written. */
static void check_nothing(void)
{
    const float bias[2] = { 3, -4 };
    float c[4] = { NAN, NAN, NAN, NAN }, number = 1;
    struct ken_matmul job = { .c = c, .a = &number, .b = &number, .m = 0, .n = 2, .k = 1 };
    ken_matmul(&job);
    job.m = 2;
    job.n = 0;
    ken_matmul(&job);
    for (size_t i = 0; i < 4; i++) assert_true(isnan(c[i]));
    job.n = 2;
    job.k = 0;
    ken_matmul(&job);
    for (size_t i = 0; i < 4; i++) assert_true(c[i] == 0);
    job.bias = bias;
    job.add = true;
    job.activation = KEN_ACT_RELU;
    c[0] = 1;
    ken_matmul(&job);
    assert_true(c[0] == 4 && c[1] == 0 && c[2] == 3 && c[3] == 0);
}

static void finishing(void **state)
{
    (void)state;
    on_every_machine(check_finish);
    on_every_machine(check_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_size), cmocka_unit_test(larger_sizes),
        cmocka_unit_test(how_it_is_cut),    cmocka_unit_test(packed_weights),
        cmocka_unit_test(finishing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
