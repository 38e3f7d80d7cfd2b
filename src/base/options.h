/* options.h - option structs of the public interface, which may grow in later versions. Each struct
 * begins with its size, so a program compiled against an older, smaller struct keeps working
 * (docs/ABI.md).
 * Invariant: nothing is read or written beyond the size that the caller's struct has. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include "base/status.h"

#include <stddef.h>

/* Fills the caller's struct `given`, which has `size` bytes, with as many bytes of `defaults` as
 * fit; `defaults` has own_size bytes. If the caller's struct is larger, its remaining bytes become
 * 0. */
void ken_options_give(void *given, size_t size, const void *defaults, size_t own_size);

/* Copies the caller's struct `given` over the defaults in `own`. `least` is the size of the first
 * published version of the struct, and `name` is its name in messages, for example "ken_config". */
ken_status ken_options_take(void *own, size_t own_size, const void *given, size_t least,
                            const char *name);

/* Fails unless all reserved pointers at the end of the caller's struct are NULL. Pointers that are
 * not NULL mean that the struct was not initialised, or was made for a newer version of ken. */
ken_status ken_options_unused(const void *const *reserved, size_t count, const char *name);
#define KEN_OPTIONS_UNUSED(given, name)                                                            \
    ken_options_unused((given)->reserved, sizeof(given)->reserved / sizeof *(given)->reserved, name)

/* The size of a struct `type` whose last field is `last`. It must equal sizeof(type): a struct must
 * not end with padding bytes, because a field added there later would not change the size. */
#define KEN_OPTIONS_END(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

#endif
