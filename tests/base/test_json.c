/* test_json.c - any text and number is written as valid JSON and reads back unchanged. */
#include "base/json.h"

#include "base/random.h"
#include "base/size.h"
#include "base/text.h"
#include "tests/unit.h"

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *parse(const ken_buffer *json)
{
    json_error_t error;
    json_t *value = json_loadb(json->data, json->size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!value) fail_msg("%s: %s", json->data, error.text);
    return value;
}

static void escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *json;
    } cases[] = {
        { "", 0, "\"\"" },
        { "plain", 5, "\"plain\"" },
        { "a\"b\\c", 5, "\"a\\\"b\\\\c\"" },
        { "\n\r\t", 3, "\"\\n\\r\\t\"" },
        { "\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\"" },
        { "\xc3\xa4\xf0\x9f\x98\x80", 6, "\"\xc3\xa4\xf0\x9f\x98\x80\"" },
        { "a\xff"
          "b",
          3,
          "\"a\xef\xbf\xbd"
          "b\"" },
        { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
        { "\xc3", 1, "\"\xef\xbf\xbd\"" },
        { "\xc2\x9b\xc2\xa0", 4, "\"\\u009b\xc2\xa0\"" }, /* C1 is escaped, U+00A0 is not */
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_buffer json = { 0 };
        ken_json_string(&json, cases[i].text, cases[i].length);
        assert_string_equal(json.data, cases[i].json);
        ken_buffer_release(&json);
    }
}

static void random_strings(void **state)
{
    (void)state;
    static const unsigned char likely[] = { 0x00, 0x1f, '"',  '\\', 0x7f, 0x80, 0xbf, 0xc2,
                                            0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f };
    size_t valid = 0;
    for (uint64_t round = 0; round < 30000; round++) {
        char text[12];
        size_t length = (size_t)ken_random_below(round, 100, sizeof text + 1);
        for (size_t i = 0; i < length; i++) {
            uint64_t r = ken_random_bits(round, i);
            text[i] = (char)(r & 1 ? likely[r >> 8 & 15] : r >> 16 & (r & 2 ? 0x7f : 0xff));
        }
        ken_buffer json = { 0 };
        ken_json_string(&json, text, length);
        json_t *value = parse(&json);
        if (ken_text_valid(text, length) == length) {
            valid++;
            assert_int_equal(json_string_length(value), length);
            assert_memory_equal(json_string_value(value), text, length);
        }
        json_decref(value);
        ken_buffer_release(&json);
    }
    assert_in_range(valid, 1000, 29000);
}

/* The reasons are in ken's words; jansson would say "\\u0000 is not allowed without
 * JSON_ALLOW_NUL". */
static void reasons(void **state)
{
    (void)state;
    static const struct {
        const char *json, *reason;
    } cases[] = {
        { "[\"\\u0000\"]", "a string contains a 0 byte (\\u0000)" },
        { "{\"\\u0000\":1}", "a string contains a 0 byte (\\u0000)" },
        { "[1", "it ends too early" },
        { "[1] 2", "something follows its end" },
        { "{\"a\":1,\"a\":2}", "a key occurs twice" },
        { "[1e999]", "a number is too large" },
        { "[\"\xff\"]", "it is not UTF-8" },
        { "[x]", "its syntax is wrong" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        json_error_t error;
        assert_null(ken_json_read(cases[i].json, strlen(cases[i].json), 0, &error));
        assert_string_equal(ken_json_reason(&error), cases[i].reason);
    }
}

static void check_number(double number)
{
    ken_buffer json = { 0 };
    ken_json_number(&json, number);
    assert_true(strtod(json.data, NULL) == number);
    json_t *value = parse(&json);
    assert_true(json_number_value(value) == number);
    json_decref(value);
    ken_buffer_release(&json);
}

static void numbers(void **state)
{
    (void)state;
    static const double some[] = { 0,       1,        -1,           0.1,    1.0 / 3, 1e300,
                                   1e-300,  DBL_MAX,  DBL_MIN,      5e-324, 1e22,    123456789,
                                   0.00001, 16777217, (double)0.1f, 1e15,   -2.5e-7 };
    for (size_t i = 0; i < KEN_COUNT(some); i++) check_number(some[i]);
    for (uint64_t i = 0; i < 20000; i++) {
        double number;
        uint64_t bits = ken_random_bits(3, i);
        memcpy(&number, &bits, sizeof number);
        if (isfinite(number)) check_number(number);
    }
    static const struct {
        double number;
        const char *json;
    } shown[] = { { 0.1, "0.1" },   { 42, "42" },         { 0.5, "0.5" },       { NAN, "null" },
                  { 1e6, "1e+06" }, { INFINITY, "null" }, { -INFINITY, "null" } };
    for (size_t i = 0; i < KEN_COUNT(shown); i++) {
        ken_buffer json = { 0 };
        ken_json_number(&json, shown[i].number);
        assert_string_equal(json.data, shown[i].json);
        ken_buffer_release(&json);
    }
}

/* What is written as a member reads back: numbers to the bit, null as NaN; nothing else is
 * taken. */
static void members(void **state)
{
    (void)state;
    static const char *const names[] = { "a\"b", "" };
    ken_buffer json = { 0 };
    ken_buffer_text(&json, "{\"names\":");
    ken_json_strings(&json, names, 2);
    ken_json_member(&json, "third", 1.0 / 3);
    ken_json_member(&json, "none", NAN);
    ken_buffer_text(&json, ",\"empty\":");
    ken_json_strings(&json, NULL, 0);
    ken_buffer_text(&json, "}");
    assert_string_equal(json.data, "{\"names\":[\"a\\\"b\",\"\"],\"third\":0.3333333333333333,"
                                   "\"none\":null,\"empty\":[]}");
    json_t *object = parse(&json);
    double number;
    assert_true(ken_json_read_member(&number, object, "third") && number == 1.0 / 3);
    assert_true(ken_json_read_member(&number, object, "none") && isnan(number));
    assert_false(ken_json_read_member(&number, object, "names"));
    assert_false(ken_json_read_member(&number, object, "missing"));
    assert_false(ken_json_read_member(&number, NULL, "third"));
    json_decref(object);
    ken_buffer_release(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes), cmocka_unit_test(random_strings), cmocka_unit_test(reasons),
        cmocka_unit_test(numbers), cmocka_unit_test(members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
