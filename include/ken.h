/* ken.h - attention models in C: the whole public interface.
 *
 * Conventions
 *   - A call that can fail returns a ken_status; KEN_OK is 0, so `if (ken_...()) handle();` works.
 *     ken_last_error() then tells, in words, what went wrong in the calling thread.
 *   - The library never prints, exits or aborts.
 *   - Matrices are dense float arrays in C order: the last index is contiguous. */
#ifndef KEN_H
#define KEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEN_VERSION "0.1.0"

#if defined(__GNUC__)
#define KEN_API __attribute__((visibility("default")))
#else
#define KEN_API
#endif

/* ---- 1. Errors ------------------------------------------------------------------------------ */

typedef enum ken_status {
    KEN_OK = 0,
    KEN_ERR_ARGUMENT, /* an argument is out of its documented range             */
    KEN_ERR_SHAPE,    /* two arrays do not fit together; the message names both */
    KEN_ERR_MEMORY,   /* an allocation failed                                   */
    KEN_ERR_IO,       /* reading or writing failed; the message has the path    */
    KEN_ERR_FORMAT,   /* a file was read but its content is not as expected     */
    KEN_ERR_DIVERGED, /* a loss or gradient is not finite                       */
    KEN_ERR_STATE     /* the call does not fit the object's state               */
} ken_status;

/* Words for the last failed call of this thread: lower-case, cause first. Valid until the next
 * failure in the same thread; "" when nothing failed yet. */
KEN_API const char *ken_last_error(void);

/* Name of a status, e.g. "KEN_ERR_SHAPE". */
KEN_API const char *ken_status_name(ken_status status);

/* The version of the library that runs, as opposed to KEN_VERSION of the header. */
KEN_API const char *ken_version(void);

/* ---- 2. Threads ----------------------------------------------------------------------------- */

/* Uses `count` threads from now on; 0 means one per processor (the default, or KEN_THREADS).
 * Results have the same bits for every count. */
KEN_API ken_status ken_threads_set(size_t count);
KEN_API size_t ken_threads(void);

#ifdef __cplusplus
}
#endif
#endif
