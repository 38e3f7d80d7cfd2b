/* json.h - JSON is written by hand into buffers and read with jansson; this is the piece of writing
 * that is easy to get wrong. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"

/* Appends a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD, so that the
 * result is JSON whatever comes in. */
void ken_json_string(ken_buffer *out, const char *text, size_t length);

/* Appends a number so that reading it gives the same double; null when it is not finite. */
void ken_json_number(ken_buffer *out, double number);

/* The same for a float, which needs fewer digits. */
void ken_json_float(ken_buffer *out, float number);

#endif
