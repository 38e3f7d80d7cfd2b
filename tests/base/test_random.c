/* test_random.c - fixed values, so that no stream can change unnoticed, and statistics. Everything
 * here depends on constants alone, so a test always passes or always fails. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <math.h>

/* Models, shuffles and resumed runs depend on these values: changing one changes the format. */
static void known_values(void **state)
{
    (void)state;
    assert_true(ken_random_mix(0) == 0);
    assert_true(ken_random_mix(1) == UINT64_C(0x3c0aad46f555e0b9));
    assert_true(ken_random_mix(UINT64_MAX) == UINT64_C(0x9055d46b73492210));
    assert_true(ken_random_key(0, 0) == UINT64_C(0xd58e54b80cbefac4));
    assert_true(ken_random_key(1, 2) == UINT64_C(0xc26191476c8503ac));
    assert_true(ken_random_key(ken_random_key(7, 3), UINT64_MAX) == UINT64_C(0xc725454be90690ec));

    static const float uniform[] = { 0x1.4e1af4p-1f, 0x1.ed6e4cp-1f, 0x1.a7a988p-1f };
    static const float normal[] = { 0x1.9caa9ap-1f, 0x1.57395cp-6f, 0x1.6fe068p-2f };
    static const uint64_t below[] = { 652, 963, 827 };
    for (uint64_t i = 0; i < 3; i++) {
        assert_true(ken_random_uniform(42, i) == uniform[i]);
        assert_true(ken_random_below(42, i, 1000) == below[i]);
        assert_true(fabsf(ken_random_normal(42, i) - normal[i]) < 1e-6f); /* log, cos of libm */
    }
    static const uint32_t order[] = { 4, 7, 3, 2, 8, 0, 6, 1, 5, 9 };
    uint32_t shuffled[10];
    ken_random_shuffle(shuffled, 10, 42);
    assert_memory_equal(shuffled, order, sizeof order);
    static const uint32_t cells[] = { 0x8517d0be, 0xe3f28e12, 0x0f5858e4, 0x4301a9e8 };
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(ken_random_cell(UINT64_C(0x123456789abcdef0), i * 1000003), cells[i]);
}

/* The deviation of the counts from equality, in standard deviations of the chi-square
 * distribution. */
static double unevenness(const uint32_t *counts, size_t bins)
{
    double total = 0, sum = 0, freedom = (double)bins - 1;
    for (size_t i = 0; i < bins; i++) total += counts[i];
    double expected = total / (double)bins;
    for (size_t i = 0; i < bins; i++) sum += (counts[i] - expected) * (counts[i] - expected);
    return (sum / expected - freedom) / sqrt(2 * freedom);
}

static void assert_even(const uint32_t *counts, size_t bins, const char *what)
{
    double off = unevenness(counts, bins);
    if (!(fabs(off) < 5)) fail_msg("%s: %g standard deviations from uniform", what, off);
}

enum { DRAWS = 1 << 18 };

static void bits_are_uniform(void **state)
{
    (void)state;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t counts[256] = { 0 };
        for (uint64_t i = 0; i < DRAWS; i++) counts[ken_random_bits(5, i) >> shift & 255]++;
        assert_even(counts, 256, "byte");
    }
    uint32_t counts[256] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        float u = ken_random_uniform(6, i);
        assert_true(u >= 0 && u < 1);
        counts[(int)(u * 256)]++;
    }
    assert_even(counts, 256, "uniform");
    static const uint64_t bounds[] = { 1, 2, 3, 7, 1000 };
    for (size_t b = 0; b < KEN_COUNT(bounds); b++) {
        uint32_t tally[1000] = { 0 };
        for (uint64_t i = 0; i < DRAWS; i++) tally[ken_random_below(7 + b, i, bounds[b])]++;
        if (bounds[b] > 1) assert_even(tally, bounds[b], "below");
        assert_int_equal(bounds[b] > 1 || tally[0] == DRAWS, 1);
    }
    assert_true(ken_random_below(1, 1, UINT64_MAX) < UINT64_MAX);
}

/* Pairs of neighbours (in position, in key, in nested key) fill the square evenly. */
static void neighbours_are_independent(void **state)
{
    (void)state;
    static const char *const names[] = { "position", "key", "nested key", "key and position" };
    for (int kind = 0; kind < 4; kind++) {
        uint32_t counts[256] = { 0 };
        for (uint64_t i = 0; i < DRAWS; i++) {
            uint64_t a = ken_random_bits(i, 3), b = ken_random_bits(i + 1, 3);
            if (kind == 0) a = ken_random_bits(9, i), b = ken_random_bits(9, i + 1);
            if (kind == 2)
                a = ken_random_bits(ken_random_key(9, i), 0),
                b = ken_random_bits(ken_random_key(9, i + 1), 0);
            if (kind == 3) a = ken_random_bits(i, 0), b = ken_random_bits(0, i);
            counts[(a >> 60) * 16 + (b >> 60)]++;
        }
        assert_even(counts, 256, names[kind]);
    }
}

/* Every input bit flips every output bit in half of all cases. */
static void avalanche(void **state)
{
    (void)state;
    enum { TRIALS = 4000 };
    for (unsigned input = 0; input < 128; input++) {
        uint32_t flips[64] = { 0 };
        uint64_t key_bit = input < 64 ? UINT64_C(1) << input : 0;
        uint64_t position_bit = input < 64 ? 0 : UINT64_C(1) << (input - 64);
        for (uint64_t t = 0; t < TRIALS; t++) {
            uint64_t key = ken_random_bits(1, t), position = t;
            uint64_t changed = ken_random_bits(key, position) ^
                               ken_random_bits(key ^ key_bit, position ^ position_bit);
            for (unsigned output = 0; output < 64; output++) flips[output] += changed >> output & 1;
        }
        for (unsigned output = 0; output < 64; output++) /* 5 standard deviations: 0.04 */
            if (fabs(flips[output] / (double)TRIALS - 0.5) > 0.04)
                fail_msg("input bit %u flips output bit %u in %u of %d", input, output,
                         flips[output], TRIALS);
    }
}

static void normal_moments(void **state)
{
    (void)state;
    static const double expected[] = { 1, 0, 1, 0, 3, 0, 15 }; /* of x^0 .. x^6 */
    double sums[7] = { 0 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        double power = 1, x = ken_random_normal(10, i);
        assert_true(isfinite(x));
        for (int p = 0; p < 7; p++, power *= x) sums[p] += power;
    }
    static const double deviation[] = { 0, 1, 1.414, 3.873, 9.798, 30.74, 100.7 }; /* of x^p */
    for (int p = 0; p < 7; p++) {
        double off = fabs(sums[p] / DRAWS - expected[p]);
        if (off > 4 * deviation[p] / sqrt(DRAWS)) fail_msg("moment %d is off by %g", p, off);
    }
}

static void shuffles(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 2, 17, 1000 };
    for (size_t s = 0; s < KEN_COUNT(sizes); s++) {
        uint32_t order[1000], seen[1000] = { 0 };
        ken_random_shuffle(order, sizes[s], 3);
        for (size_t i = 0; i < sizes[s]; i++) {
            assert_in_range(order[i], 0, sizes[s] - 1);
            assert_int_equal(seen[order[i]]++, 0);
        }
    }
    uint32_t counts[8][8] = { 0 }, orders[120] = { 0 };
    for (uint64_t key = 0; key < 40000; key++) {
        uint32_t order[8];
        ken_random_shuffle(order, 8, ken_random_key(4, key));
        for (size_t i = 0; i < 8; i++) counts[i][order[i]]++;
        ken_random_shuffle(order, 5, key);
        uint32_t rank = 0; /* of this one among the 5! orders */
        for (uint32_t i = 0; i < 5; i++) {
            uint32_t smaller = 0;
            for (uint32_t j = i + 1; j < 5; j++) smaller += order[j] < order[i];
            rank = rank * (5 - i) + smaller;
        }
        orders[rank]++;
    }
    for (size_t i = 0; i < 8; i++) assert_even(counts[i], 8, "place in a shuffle");
    assert_even(orders, 120, "orders of five");
}

/* Dropout of attention weights: a row is a key, a column is a cell. */
static void cells(void **state)
{
    (void)state;
    enum { ROWS = 512, COLUMNS = 512 };
    static const float rates[] = { 0, 0.1f, 0.5f, 0.9f, 1 };
    for (size_t r = 0; r < KEN_COUNT(rates); r++) {
        uint32_t threshold = ken_random_threshold(rates[r]);
        double dropped = 0, with_right = 0, with_below = 0;
        for (uint64_t row = 0; row < ROWS; row++) {
            uint64_t key = ken_random_key(8, row), next = ken_random_key(8, row + 1);
            for (uint32_t cell = 0; cell < COLUMNS; cell++) {
                bool here = ken_random_cell(key, cell) < threshold;
                dropped += here;
                with_right += here && ken_random_cell(key, cell + 1) < threshold;
                with_below += here && ken_random_cell(next, cell) < threshold;
            }
        }
        double n = ROWS * COLUMNS, p = rates[r];
        double bound = 4 * sqrt(p * (1 - p) / n) + 1e-9;
        assert_true(fabs(dropped / n - p) <= bound);
        assert_true(fabs(with_right / n - p * p) <= 2 * bound);
        assert_true(fabs(with_below / n - p * p) <= 2 * bound);
    }
    assert_int_equal(ken_random_threshold(0), 0);
    assert_int_equal(ken_random_threshold(0.5f), 0x80000000u);
    assert_int_equal(ken_random_threshold(1), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(bits_are_uniform),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(avalanche),
        cmocka_unit_test(normal_moments),
        cmocka_unit_test(shuffles),
        cmocka_unit_test(cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
