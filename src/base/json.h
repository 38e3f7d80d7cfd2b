/* json.h - ken writes JSON into buffers without a library and reads it with jansson. These are the
 * parts that are easy to get wrong; they work in every locale. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"

#include <jansson.h>

/* Appends a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that the
 * result is always valid JSON. */
void ken_json_string(ken_buffer *out, const char *text, size_t length);

/* Appends a number so that reading it gives the same double; or null if it is not finite. */
void ken_json_number(ken_buffer *out, double number);

/* The same for a float, which needs fewer digits. */
void ken_json_float(ken_buffer *out, float number);

/* Appends a comma and a member of an object: ,"name":number. The name is written as it is. */
void ken_json_member(ken_buffer *out, const char *name, double number);

/* Appends an array of strings. */
void ken_json_strings(ken_buffer *out, const char *const *strings, size_t count);

/* Reads a member of an object that ken_json_member() wrote: a number, or null, which becomes NaN.
 * Returns false if there is no such member, also if `object` is NULL or not an object. */
bool ken_json_read_member(double *number, const json_t *object, const char *name);

/* json_loadb() with `flags`, which also refuses duplicate keys; `error` may be NULL. It runs in the
 * "C" locale, because json_loadb() assumes that the decimal point is one byte and otherwise
 * aborts. */
json_t *ken_json_read(const char *text, size_t size, size_t flags, json_error_t *error);

#endif
