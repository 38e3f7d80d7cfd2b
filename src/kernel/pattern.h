/* pattern.h - attention patterns (reach, masks): which keys a query sees, as a few ranges of keys.
 *
 * Keys have places 0 to S - 1. The last query has place S - 1 as well; a query whose place is below
 * 0 sees nothing, except through a window. With p the place of a query, and c = p / block the
 * number of its block, the query sees:
 *   window     p - left .. p + right
 *   global     p - left .. p + right and keys 0 .. global - 1; queries 0 .. global - 1 see all keys
 *   blocks     block c
 *   random     blocks 0, c - 1, c, c + 1 and `random` others; queries of block 0 see all keys
 *   segments   blocks c - 1 and c; keys of block c - 1 get no gradient
 * A causal pattern ends at p. The keys that a causal pattern gives to p depend on p alone, so a row
 * has the same result whether the whole sequence is read at once or grows row by row. */
#ifndef KERNEL_PATTERN_H
#define KERNEL_PATTERN_H

#include "ken.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_PATTERN_RANDOM = 32, /* maximum number of random blocks */
    /* maximum number of ranges: random blocks, the first block, the blocks around the query */
    KEN_PATTERN_RANGES = KEN_PATTERN_RANDOM + 2,
};

struct ken_pattern {
    enum ken_reach kind; /* KEN_REACH_WINDOW to KEN_REACH_SEGMENTS       */
    bool causal;         /* no query sees later keys; not used by window */
    /* keys seen before and after the query, or KEN_UNLIMITED; for window and global */
    size_t left, right;
    size_t global; /* number of first rows that see all rows and are seen by all */
    size_t block;  /* rows per block, at least 1                                 */
    size_t random; /* number of random blocks, at most KEN_PATTERN_RANDOM        */
    uint64_t seed; /* random seed that decides which blocks are drawn            */
};

struct ken_range {
    size_t first, end; /* keys first .. end - 1 */
};

/* Finds the ranges of keys that the query at place `at` sees, in a sequence of S keys; `at` is
 * below S. Ranges ascend, none is empty, and no two overlap or touch. Returns the number of
 * ranges. */
size_t ken_pattern_ranges(struct ken_range ranges[KEN_PATTERN_RANGES],
                          const struct ken_pattern *pattern, ptrdiff_t at, size_t S);

/* Draws the random blocks for the queries of block c > 0, from `blocks` blocks, in ascending order;
 * they are never block 0, c or a neighbour of c. Causal patterns draw from the blocks before c.
 * Returns the number of blocks drawn. */
size_t ken_pattern_draw(size_t drawn[KEN_PATTERN_RANDOM], const struct ken_pattern *pattern,
                        size_t c, size_t blocks);

#endif
