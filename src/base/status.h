/* status.h - reports failures: a status for the calling code and a sentence for the user. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "ken.h"

/* Records the sentence for ken_last_error() and returns `status`, so a failing function ends with
 * `return ken_fail(KEN_ERR_IO, "cannot open %s: %s", path, strerror(errno));`. */
ken_status ken_fail(ken_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, followed by the sentence that was recorded last: "model.ken: [model] heads must
 * be ...". */
ken_status ken_fail_because(ken_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The only control-flow macro of the project: returns the status of `call` if it failed. */
#define KEN_TRY(call)                                                                              \
    do {                                                                                           \
        ken_status try_status = (call);                                                            \
        if (try_status) return try_status;                                                         \
    } while (0)

#endif
