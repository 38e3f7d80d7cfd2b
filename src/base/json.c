/* json.c - writes strings and numbers as JSON, and reads JSON. */
#include "base/json.h"

#include "base/number.h"
#include "base/plain.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static void escape(ken_buffer *out, unsigned char c)
{
    switch (c) {
    case '"': ken_buffer_text(out, "\\\""); break;
    case '\\': ken_buffer_text(out, "\\\\"); break;
    case '\n': ken_buffer_text(out, "\\n"); break;
    case '\r': ken_buffer_text(out, "\\r"); break;
    case '\t': ken_buffer_text(out, "\\t"); break;
    default: ken_buffer_format(out, "\\u%04x", c);
    }
}

/* C1 control characters, U+0080 to U+009f, are escaped for the sake of terminals; JSON would allow
 * them. */
void ken_json_string(ken_buffer *out, const char *text, size_t length)
{
    ken_buffer_text(out, "\"");
    size_t from = 0; /* start of the bytes that are copied without escapes */
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        size_t step = ken_text_step(text + i, length - i);
        bool broken = c >= 0x80 && step == 1;
        bool control = c == 0xc2 && step == 2 && (unsigned char)text[i + 1] < 0xa0;
        if (!broken && !control && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            i += step;
            continue;
        }
        ken_buffer_append(out, text + from, i - from);
        if (broken) ken_buffer_text(out, "\xef\xbf\xbd");
        else escape(out, control ? (unsigned char)text[i + 1] : c);
        i += step;
        from = i;
    }
    ken_buffer_append(out, text + from, length - from);
    ken_buffer_text(out, "\"");
}

/* Writes the fewest digits that read back as exactly `number`: as the same double or, with
 * `single`, as the same float. */
static void shortest(ken_buffer *out, double number, bool single)
{
    char digits[32];
    if (!isfinite(number)) {
        ken_buffer_text(out, "null");
        return;
    }
    int precision = 6;
    double back;
    do {
        ken_plain_print(digits, sizeof digits, "%.*g", precision, number);
        /* the shortened digits may be rounded up beyond the largest double; then try more digits */
        if (!ken_number_read(&back, digits, strlen(digits))) back = NAN;
        if (single) back = (float)back;
    } while (back != number && ++precision <= 17);
    ken_buffer_text(out, digits);
}

void ken_json_number(ken_buffer *out, double number)
{
    shortest(out, number, false);
}

void ken_json_float(ken_buffer *out, float number)
{
    shortest(out, number, true);
}

void ken_json_member(ken_buffer *out, const char *name, double number)
{
    ken_buffer_format(out, ",\"%s\":", name);
    ken_json_number(out, number);
}

void ken_json_strings(ken_buffer *out, const char *const *strings, size_t count)
{
    ken_buffer_text(out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) ken_buffer_text(out, ",");
        ken_json_string(out, strings[i], strlen(strings[i]));
    }
    ken_buffer_text(out, "]");
}

bool ken_json_read_member(double *number, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    *number = json_is_number(value) ? json_number_value(value) : NAN;
    return json_is_number(value) || json_is_null(value);
}

json_t *ken_json_read(const char *text, size_t size, size_t flags, json_error_t *error)
{
    struct ken_plain plain;
    if (!ken_plain_enter(&plain)) return NULL;
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES | flags, error);
    ken_plain_leave(&plain);
    return json;
}

const char *ken_json_reason(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_out_of_memory: return "memory is short";
    case json_error_stack_overflow: return "it is nested too deeply";
    case json_error_invalid_utf8: return "it is not UTF-8";
    case json_error_premature_end_of_input: return "it ends too early";
    case json_error_end_of_input_expected: return "something follows its end";
    case json_error_null_character:
    case json_error_null_byte_in_key: return "a string contains a 0 byte (\\u0000)";
    case json_error_duplicate_key: return "a key occurs twice";
    case json_error_numeric_overflow: return "a number is too large";
    default: return "its syntax is wrong";
    }
}
