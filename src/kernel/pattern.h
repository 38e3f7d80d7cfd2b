/* pattern.h - who sees whom within a sequence: the keys of a query as a few ranges.
 *
 * Keys are counted from 0 to S - 1, and queries like them: the last one stands at S - 1, one that
 * stands before key 0 sees nothing (but through a window). With p the place of a query, and c its
 * block p / block:
 *   window     p - left .. p + right
 *   global     the same and the first `global` keys; queries below `global` see all
 *   blocks     block c
 *   random     blocks 0, c - 1, c, c + 1 and `random` others; queries of block 0 see all
 *   segments   blocks c - 1 and c, and to a key of c - 1 no gradient flows back
 * A causal pattern is cut off behind p. What it shows to p depends on nothing but p, so that a row
 * is the same whether the sequence is read at once or goes on row by row. */
#ifndef KERNEL_PATTERN_H
#define KERNEL_PATTERN_H

#include "ken.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KEN_PATTERN_RANDOM = 32,                     /* blocks that are drawn, at the most       */
    KEN_PATTERN_RANGES = KEN_PATTERN_RANDOM + 2, /* of a query: first block, its own, others */
};

struct ken_pattern {
    enum ken_reach kind; /* KEN_REACH_WINDOW to KEN_REACH_SEGMENTS    */
    bool causal;         /* of global, blocks, random and segments    */
    size_t left, right;  /* of window and global; KEN_UNLIMITED       */
    size_t global;       /* rows                                      */
    size_t block;        /* rows, at least 1                          */
    size_t random;       /* blocks, at most KEN_PATTERN_RANDOM        */
    uint64_t seed;       /* of the blocks that are drawn              */
};

struct ken_range {
    size_t first, end; /* first .. end - 1 */
};

/* What the query at place `at` < S sees of S keys: disjoint ranges, none of them empty, in
 * ascending order and with keys between them. Returns how many. */
size_t ken_pattern_ranges(struct ken_range ranges[KEN_PATTERN_RANGES],
                          const struct ken_pattern *pattern, ptrdiff_t at, size_t S);

/* The blocks that are drawn for block c > 0, of `blocks` in all, in ascending order; never 0 or a
 * neighbour of c. Causal patterns draw from the blocks before c. Returns how many. */
size_t ken_pattern_draw(size_t drawn[KEN_PATTERN_RANDOM], const struct ken_pattern *pattern,
                        size_t c, size_t blocks);

#endif
