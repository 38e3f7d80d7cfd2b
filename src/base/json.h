/* json.h - writes JSON into buffers without a library, and reads JSON with jansson. Only the parts
 * that are easy to get wrong are here; all functions work in every locale. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that the
 * result is always valid JSON; control characters are escaped. */
void ken_json_string(ken_buffer *out, const char *text, size_t length);

/* Appends a number with enough digits to read back the same double; appends null if the number is
 * not finite. */
void ken_json_number(ken_buffer *out, double number);

/* Appends a float with enough digits to read back the same float (fewer than for a double); appends
 * null if it is not finite. */
void ken_json_float(ken_buffer *out, float number);

/* Appends a comma and a member of an object: ,"name":number. `name` must need no JSON escapes. */
void ken_json_member(ken_buffer *out, const char *name, double number);

/* Appends a JSON array of strings. */
void ken_json_strings(ken_buffer *out, const char *const *strings, size_t count);

/* Reads a number that ken_json_member() wrote; null is read as NaN. Returns false if the object has
 * no such member, or if `object` is NULL or not an object. */
bool ken_json_read_member(double *number, const json_t *object, const char *name);

/* Returns the reason why ken_json_read() failed, in words for a user: the messages of jansson name
 * its internals. */
const char *ken_json_reason(const json_error_t *error);

/* Calls json_loadb() with `flags` and refuses duplicate keys; `error` may be NULL. The call runs in
 * the "C" locale, because json_loadb() aborts if the locale's decimal point is not a single
 * byte. */
json_t *ken_json_read(const char *text, size_t size, size_t flags, json_error_t *error);

#endif
