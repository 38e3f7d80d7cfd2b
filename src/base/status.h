/* status.h - reports failures: a status for the calling code and a sentence for the user. */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "ken.h"

#include <stdbool.h>

/* Records a message for ken_last_error(), with control characters escaped (base/text.h). Returns
 * `status`, so a function can end with `return ken_fail(KEN_ERR_IO, "cannot open %s: %s", path,
 * strerror(errno));`. */
ken_status ken_fail(ken_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Works like ken_fail(), but appends the message that was recorded last, as the reason: "model.ken:
 * [model] heads must be ...". */
ken_status ken_fail_because(ken_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with KEN_ERR_ARGUMENT and a message such as "ken_recipe_read: path is NULL" unless the
 * pointer argument `pointer` of the calling function is set. Public functions call it first, for
 * each pointer that must not be NULL. */
#define KEN_GIVEN(pointer) ken_given((pointer) != NULL, __func__, #pointer)
ken_status ken_given(bool given, const char *function, const char *name);

/* Returns the status of `call` from the enclosing function if the call failed. This is the only
 * control-flow macro of the project. */
#define KEN_TRY(call)                                                                              \
    do {                                                                                           \
        ken_status try_status = (call);                                                            \
        if (try_status) return try_status;                                                         \
    } while (0)

#endif
