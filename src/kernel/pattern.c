/* pattern.c - computes the attention patterns that pattern.h defines. The time per query does not
 * depend on the length of the sequence. */
#include "kernel/pattern.h"

#include "base/random.h"
#include "base/size.h"

/* Chooses `wanted` distinct numbers below `bound`, in ascending order; all numbers if there are not
 * more than `wanted`. This is Floyd's method: each round draws a number up to `most`, and takes
 * `most` itself if the drawn number was chosen before. */
static size_t choose(size_t *chosen, size_t wanted, size_t bound, uint64_t key)
{
    size_t count = 0;
    for (size_t most = wanted < bound ? bound - wanted : 0; most < bound; most++) {
        size_t x = (size_t)ken_random_below(key, most, most + 1), at = 0;
        while (at < count && chosen[at] != x) at++;
        if (at < count) x = most;
        for (at = count++; at > 0 && chosen[at - 1] > x; at--) chosen[at] = chosen[at - 1];
        chosen[at] = x;
    }
    return count;
}

size_t ken_pattern_draw(size_t drawn[KEN_PATTERN_RANDOM], const struct ken_pattern *pattern,
                        size_t c, size_t blocks)
{
    /* the blocks to draw from are 1 .. c - 2 (`before` blocks), and c + 2 and following (`behind`
     * blocks) */
    size_t before = c > 2 ? c - 2 : 0;
    size_t behind = pattern->causal || blocks <= c + 2 ? 0 : blocks - c - 2;
    size_t count = choose(drawn, pattern->random, before + behind,
                          ken_random_key(pattern->seed, c));
    for (size_t i = 0; i < count; i++) drawn[i] += drawn[i] < before ? 1 : c + 2 - before;
    return count;
}

/* Adds the range first .. end - 1 to the list of ranges; it must not begin before the last range of
 * the list, and is merged with that range if they touch. Returns the new number of ranges. */
static size_t add(struct ken_range *ranges, size_t count, size_t first, size_t end)
{
    if (count > 0 && first <= ranges[count - 1].end) {
        ranges[count - 1].end = ken_size_max(ranges[count - 1].end, end);
        return count;
    }
    if (first < end) ranges[count++] = (struct ken_range){ first, end };
    return count;
}

/* Returns the keys of block c that are below `limit`. Blocks may be so large that the product of c
 * and the block size overflows. */
static struct ken_range block_range(const struct ken_pattern *pattern, size_t c, size_t limit)
{
    size_t first;
    if (!ken_size_mul(&first, c, pattern->block) || first > limit) first = limit;
    return (struct ken_range){ first, first + ken_size_min(limit - first, pattern->block) };
}

/* Returns the keys at - left .. at + right that exist, that is from 0 to limit - 1. If at + right
 * is negative, there are none. */
static struct ken_range window(const struct ken_pattern *pattern, ptrdiff_t at, size_t limit)
{
    size_t behind = at < 0 ? (size_t)-at : 0, p = at < 0 ? 0 : (size_t)at;
    size_t first = pattern->left < p ? p - pattern->left : 0, end = limit;
    if (pattern->right < behind) end = 0;
    else if (pattern->right - behind < limit && p + (pattern->right - behind) < limit)
        end = p + (pattern->right - behind) + 1;
    return (struct ken_range){ ken_size_min(first, end), end };
}

static size_t add_block(struct ken_range *ranges, size_t count, const struct ken_pattern *pattern,
                        size_t c, size_t limit)
{
    struct ken_range r = block_range(pattern, c, limit);
    return add(ranges, count, r.first, r.end);
}

/* Finds the ranges of a random pattern for a query in block c. The drawn blocks are never
 * neighbours of c, so all blocks can be added in ascending order; blocks beyond the limit are
 * empty. */
static size_t random_ranges(struct ken_range *ranges, const struct ken_pattern *pattern, size_t c,
                            size_t limit, size_t S)
{
    size_t drawn[KEN_PATTERN_RANDOM], i = 0;
    size_t many = ken_pattern_draw(drawn, pattern, c, ken_size_groups(S, pattern->block));
    size_t count = add_block(ranges, 0, pattern, 0, limit);
    for (; i < many && drawn[i] < c; i++)
        count = add_block(ranges, count, pattern, drawn[i], limit);
    for (size_t own = c - 1; own <= c + 1; own++)
        count = add_block(ranges, count, pattern, own, limit);
    for (; i < many; i++) count = add_block(ranges, count, pattern, drawn[i], limit);
    return count;
}

size_t ken_pattern_ranges(struct ken_range ranges[KEN_PATTERN_RANGES],
                          const struct ken_pattern *pattern, ptrdiff_t at, size_t S)
{
    struct ken_range r;
    if (pattern->kind == KEN_REACH_WINDOW) {
        r = window(pattern, at, S);
        return add(ranges, 0, r.first, r.end);
    }
    if (at < 0) return 0;
    size_t p = (size_t)at, limit = pattern->causal ? p + 1 : S, count;
    size_t c = pattern->block > 0 ? p / pattern->block : 0;
    switch (pattern->kind) {
    case KEN_REACH_GLOBAL:
        if (p < pattern->global) return add(ranges, 0, 0, limit);
        count = add(ranges, 0, 0, ken_size_min(pattern->global, limit));
        r = window(pattern, at, limit);
        return add(ranges, count, r.first, r.end);
    case KEN_REACH_RANDOM:
        if (c == 0) return add(ranges, 0, 0, limit);
        return random_ranges(ranges, pattern, c, limit, S);
    case KEN_REACH_SEGMENTS:
        count = add_block(ranges, 0, pattern, c > 0 ? c - 1 : 0, limit);
        return add_block(ranges, count, pattern, c, limit);
    default: return add_block(ranges, 0, pattern, c, limit);
    }
}
