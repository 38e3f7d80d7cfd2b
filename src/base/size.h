/* size.h - arithmetic on sizes that detects overflow. */
#ifndef BASE_SIZE_H
#define BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>

#define KEN_COUNT(array) (sizeof(array) / sizeof *(array))

/* ken_size_mul() and ken_size_add() return false on overflow and then leave *result undefined. */
static inline bool ken_size_mul(size_t *result, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, result);
}

static inline bool ken_size_add(size_t *result, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, result);
}

/* Returns the ending of a noun after a number: "%zu row%s" prints "1 row" and "2 rows". */
static inline const char *ken_plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static inline size_t ken_size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t ken_size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Returns the number of groups into which `count` elements divide if each group has `group`
 * elements; the last group may be smaller. */
static inline size_t ken_size_groups(size_t count, size_t group)
{
    return count / group + (count % group != 0);
}

static inline size_t ken_size_round_up(size_t count, size_t group)
{
    return ken_size_groups(count, group) * group;
}

#endif
