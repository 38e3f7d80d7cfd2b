/* test_pattern.c - attention patterns: ranges against the definitions of kernel/pattern.h, key by
 * key; the random blocks; and a causal pattern does not depend on later keys. */
#include "base/size.h"
#include "kernel/pattern.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static const struct ken_pattern patterns[] = {
    { KEN_REACH_WINDOW, .left = 3, .right = 2 },
    { KEN_REACH_WINDOW, .left = KEN_UNLIMITED, .right = KEN_UNLIMITED },
    { KEN_REACH_GLOBAL, false, 5, 3, .global = 2 },
    { KEN_REACH_GLOBAL, false, 0, 0, .global = 0 },
    { KEN_REACH_GLOBAL, false, KEN_UNLIMITED, 0, .global = 1 },
    { KEN_REACH_GLOBAL, true, 4, 7, .global = 3 },
    { KEN_REACH_GLOBAL, true, 1, 0, .global = 1000 },
    { KEN_REACH_BLOCKS, .block = 1 },
    { KEN_REACH_BLOCKS, .block = 7 },
    { KEN_REACH_BLOCKS, true, .block = 16 },
    { KEN_REACH_BLOCKS, .block = SIZE_MAX },
    { KEN_REACH_RANDOM, .block = 1, .random = 3 },
    { KEN_REACH_RANDOM, .block = 4, .random = 2, .seed = 9 },
    { KEN_REACH_RANDOM, .block = 3, .random = KEN_PATTERN_RANDOM },
    { KEN_REACH_RANDOM, true, .block = 1, .random = 5, .seed = 2 },
    { KEN_REACH_RANDOM, true, .block = 5, .random = 1 },
    { KEN_REACH_RANDOM, true, .block = 2, .random = 0 },
    { KEN_REACH_SEGMENTS, .block = 6 },
    { KEN_REACH_SEGMENTS, true, .block = 1 },
    { KEN_REACH_SEGMENTS, true, .block = 10 },
    { KEN_REACH_SEGMENTS, .block = SIZE_MAX },
};
static const size_t lengths[] = { 0, 1, 2, 5, 17, 67, 200 };

static bool is_near(const struct ken_pattern *pattern, size_t p, size_t j)
{
    return j < p ? p - j <= pattern->left : j - p <= pattern->right;
}

/* The definitions of pattern.h, for a query at place p. */
static bool is_seen(const struct ken_pattern *pattern, size_t p, size_t j, size_t S)
{
    size_t drawn[KEN_PATTERN_RANDOM], block = pattern->block;
    if (pattern->kind == KEN_REACH_WINDOW) return is_near(pattern, p, j);
    if (pattern->causal && j > p) return false;
    switch (pattern->kind) {
    case KEN_REACH_GLOBAL:
        return p < pattern->global || j < pattern->global || is_near(pattern, p, j);
    case KEN_REACH_BLOCKS: return p / block == j / block;
    case KEN_REACH_SEGMENTS: return p / block == j / block || p / block == j / block + 1;
    default: break;
    }
    size_t c = p / block, d = j / block;
    if (c == 0 || d == 0 || d == c || d + 1 == c || d == c + 1) return true;
    size_t count = ken_pattern_draw(drawn, pattern, c, (S + block - 1) / block);
    for (size_t i = 0; i < count; i++)
        if (drawn[i] == d) return true;
    return false;
}

static void check_row(size_t n, size_t p, size_t S)
{
    struct ken_range ranges[KEN_PATTERN_RANGES];
    unsigned char times[256] = { 0 };
    size_t count = ken_pattern_ranges(ranges, &patterns[n], (ptrdiff_t)p, S);
    assert_true(count <= KEN_PATTERN_RANGES);
    for (size_t r = 0; r < count; r++) {
        if (ranges[r].first >= ranges[r].end || ranges[r].end > S ||
            (r > 0 && ranges[r].first <= ranges[r - 1].end))
            fail_msg("pattern %zu, row %zu of %zu: range %zu is not in order", n, p, S, r);
        for (size_t j = ranges[r].first; j < ranges[r].end; j++) times[j]++;
    }
    for (size_t j = 0; j < S; j++)
        if (times[j] != is_seen(&patterns[n], p, j, S))
            fail_msg("pattern %zu, row %zu of %zu: key %zu comes %u times", n, p, S, j, times[j]);
}

static void ranges_are_what_is_seen(void **state)
{
    (void)state;
    size_t rows = 0;
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (size_t l = 0; l < KEN_COUNT(lengths); l++)
            for (size_t p = 0; p < lengths[l]; p++, rows++) check_row(n, p, lengths[l]);
    printf("# %zu rows of %zu patterns, each key once or not at all\n", rows, KEN_COUNT(patterns));
}

/* A causal row sees the same keys in every sequence that is long enough. */
static void causal_rows_do_not_know_the_length(void **state)
{
    (void)state;
    struct ken_range now[KEN_PATTERN_RANGES], later[KEN_PATTERN_RANGES];
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        for (size_t p = 0; patterns[n].causal && p < 120; p++) {
            size_t count = ken_pattern_ranges(now, &patterns[n], (ptrdiff_t)p, p + 1);
            assert_true(count > 0 && now[count - 1].end == p + 1);
            for (size_t S = p + 1; S < p + 60; S += 7) {
                assert_int_equal(ken_pattern_ranges(later, &patterns[n], (ptrdiff_t)p, S), count);
                assert_memory_equal(now, later, count * sizeof *now);
            }
        }
}

/* A query before the first key sees keys only through the right side of a window. */
static void queries_before_the_keys(void **state)
{
    (void)state;
    struct ken_range ranges[KEN_PATTERN_RANGES];
    for (size_t n = 0; n < KEN_COUNT(patterns); n++)
        if (patterns[n].kind != KEN_REACH_WINDOW)
            assert_int_equal(ken_pattern_ranges(ranges, &patterns[n], -1, 20), 0);
    assert_int_equal(ken_pattern_ranges(ranges, &patterns[0], -1, 20), 1);
    assert_true(ranges[0].first == 0 && ranges[0].end == 2);
    assert_int_equal(ken_pattern_ranges(ranges, &patterns[0], -3, 20), 0);
}

/* As many blocks are drawn as wanted or available, never one that is seen anyway, and all equally
 * often. */
static void draws(void **state)
{
    (void)state;
    enum { BLOCKS = 40, SEEDS = 400 };
    size_t drawn[KEN_PATTERN_RANDOM], hits[BLOCKS] = { 0 };
    for (int causal = 0; causal < 2; causal++)
        for (size_t c = 1; c < BLOCKS; c++)
            for (size_t wanted = 0; wanted <= KEN_PATTERN_RANDOM; wanted += 4) {
                struct ken_pattern pattern = { KEN_REACH_RANDOM, causal, .random = wanted };
                size_t there = 0, count = ken_pattern_draw(drawn, &pattern, c, BLOCKS);
                for (size_t d = 1; d < (causal ? c : BLOCKS); d++) there += d + 1 < c || d > c + 1;
                assert_int_equal(count, ken_size_min(wanted, there));
                for (size_t i = 0; i < count; i++) {
                    assert_true(drawn[i] > 0 && (drawn[i] + 1 < c || drawn[i] > c + 1));
                    assert_true(drawn[i] < (causal ? c : BLOCKS));
                    assert_true(i == 0 || drawn[i] > drawn[i - 1]);
                }
            }
    /* 9 of 36 blocks: each is drawn in a quarter of all cases */
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct ken_pattern pattern = { KEN_REACH_RANDOM, .random = 9, .seed = seed };
        size_t count = ken_pattern_draw(drawn, &pattern, 20, BLOCKS);
        for (size_t i = 0; i < count; i++) hits[drawn[i]]++;
    }
    for (size_t d = 1; d < BLOCKS; d++) /* expected 100, deviation 8.7 */
        if (d < 19 || d > 21) assert_true(hits[d] > 60 && hits[d] < 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_what_is_seen),
        cmocka_unit_test(causal_rows_do_not_know_the_length),
        cmocka_unit_test(queries_before_the_keys),
        cmocka_unit_test(draws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
