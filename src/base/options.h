/* options.h - structs that callers fill and that may grow: each begins with its size, so a program
 * that was compiled against an older, smaller struct goes on working (docs/ABI.md).
 * Invariant: nothing is read or written beyond the size that the caller's struct has. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/status.h"

#include <stddef.h>

/* The part of `defaults` (own_size bytes) that fits goes to the caller's struct of `size` bytes;
 * whatever the caller has beyond it becomes 0. */
void ken_options_give(void *given, size_t size, const void *defaults, size_t own_size);

/* What a caller's struct says, over the defaults that `own` has. `least` is the size of the first
 * published version; `name` that of the struct, e.g. "ken_config". */
ken_status ken_options_take(void *own, size_t own_size, const void *given, size_t least,
                            const char *name);

/* Fails unless all reserved pointers at the end of a caller's struct are NULL: else the struct was
 * not initialised, or was made for a newer ken. */
ken_status ken_options_unused(const void *const *reserved, size_t count, const char *name);
#define KEN_OPTIONS_UNUSED(given, name)                                                            \
    ken_options_unused((given)->reserved, sizeof(given)->reserved / sizeof *(given)->reserved, name)

/* The size of a struct whose last field is this one. It must be all of the struct, since
 * a new field would hide in unused bytes at the end. */
#define KEN_OPTIONS_END(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

#endif
