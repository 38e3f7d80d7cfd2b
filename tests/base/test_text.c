/* test_text.c - tests UTF-8, the normal form, lower case and white space. */
#include "base/text.h"

#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 0x110000, FIRST_SURROGATE = 0xd800, LAST_SURROGATE = 0xdfff };

static size_t encode(char bytes[4], uint32_t c)
{
    size_t size = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = size - 1; i > 0; i--, c >>= 6) bytes[i] = (char)(0x80 | (c & 0x3f));
    bytes[0] = (char)(first[size] | c);
    return size;
}

static bool is_surrogate(uint32_t c)
{
    return c >= FIRST_SURROGATE && c <= LAST_SURROGATE;
}

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

static void every_character(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < POINTS; c++) {
        char bytes[5] = { 0 };
        size_t size = encode(bytes, c);
        bool good = !is_surrogate(c);
        assert_int_equal(ken_text_valid(bytes, size), good ? size : 0);
        assert_int_equal(ken_text_step(bytes, size), good ? size : 1);
        for (size_t cut = 1; cut < size; cut++) { /* bytes after `length` do not count */
            assert_int_equal(ken_text_valid(bytes, cut), 0);
            assert_int_equal(ken_text_step(bytes, cut), 1);
        }
    }
}

/* The test above shows that all characters are accepted; this one counts that nothing else is. */
static void nothing_else(void **state)
{
    (void)state;
    size_t two = 0, three = 0;
    for (uint32_t i = 0; i < 1 << 24; i++) {
        char bytes[3] = { (char)(i >> 16), (char)(i >> 8), (char)i };
        three += ken_text_step(bytes, 3) == 3;
        if (bytes[2] == 0) two += ken_text_step(bytes, 2) == 2;
    }
    assert_int_equal(two, 0x800 - 0x80);
    assert_int_equal(three, 0x10000 - 0x800 - 0x800);
    static const char *const bad[] = { "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
                                       "\xf0\x90\x7f\x80", "\xf0\x90\x80\xc0", "\xff\xbf\xbf\xbf" };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) assert_int_equal(ken_text_step(bad[i], 4), 1);
}

/* A text that ends within a character is complete up to that character, and only then. */
static void complete(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < POINTS; c++) {
        char bytes[5] = { 'a' };
        size_t size = encode(bytes + 1, c);
        for (size_t cut = 1; cut <= size; cut++) {
            bool lost = is_surrogate(c) && cut > 1; /* no byte can complete a surrogate */
            size_t expected = cut < size && !lost ? 1 : 1 + cut;
            assert_int_equal(ken_text_complete(bytes, 1 + cut), expected);
        }
    }
    static const char *const hopeless[] = { "\x80",     "\xc0",        "\xc1",     "\xf5",
                                            "\xff",     "\xe0\x80",    "\xf0\x8f", "\xf4\x90",
                                            "\xe2\x28", "\xf0\x90\x28" };
    for (size_t i = 0; i < KEN_COUNT(hopeless); i++)
        assert_int_equal(ken_text_complete(hopeless[i], strlen(hopeless[i])), strlen(hopeless[i]));
    assert_int_equal(ken_text_complete("", 0), 0);
}

static void escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *keep, *escaped;
    } cases[] = {
        { "plain \xc3\xa9 \xf0\x9f\x98\x80", "", "plain \xc3\xa9 \xf0\x9f\x98\x80" },
        { "a\nb\r\tc\\n", "", "a\\nb\\r\\tc\\\\n" },
        { "a\\b\n", "\\", "a\\b\\n" },
        { "a\\b\tc\n\x1b", "\\\n\t", "a\\b\tc\n\\u001b" },
        { "\x1b[31m\x7f", "", "\\u001b[31m\\u007f" },
        { "\xc2\x9b"
          "1m \xc2\x80\xc2\x9f\xc2\xa0",
          "",
          "\\u009b"
          "1m \\u0080\\u009f\xc2\xa0" },
        { "\xe2\x80\xae\xe2\x81\xa6", "", "\\u202e\\u2066" }, /* change the direction of text */
        { "\xff\xc3", "", "\\xff\\xc3" },
        { "\xc3(", "", "\\xc3(" },
        { "", "", "" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_buffer out = { 0 };
        ken_text_escape(&out, cases[i].text, strlen(cases[i].text), cases[i].keep);
        assert_string_equal(ken_buffer_string(&out), cases[i].escaped);
        ken_buffer_release(&out);
    }
    ken_buffer out = { 0 };
    ken_text_escape(&out, "a\0b", 3, "\\"); /* the 0 that ends `keep` is not in it */
    assert_string_equal(out.data, "a\\u0000b");
    ken_buffer_release(&out);
}

static void valid_beginnings(void **state)
{
    (void)state;
    char text[64];
    for (size_t at = 0; at < sizeof text; at++) { /* through the steps of 8 bytes */
        memset(text, 'a', sizeof text);
        text[at] = '\x80';
        assert_int_equal(ken_text_valid(text, sizeof text), at);
    }
    assert_int_equal(ken_text_valid("", 0), 0);
    assert_int_equal(ken_text_valid("a\0\xc3\xa4\xe2\x82\xac", 7), 7);
    assert_int_equal(ken_text_valid("\xc3\xa4\xc3", 3), 2);
}

/* ---- Normal form and lower case ------------------------------------------------------------- */

typedef ken_status change_fn(ken_buffer *out, const char *text, size_t length);

static void check_change(change_fn *change, const char *from, const char *to)
{
    ken_buffer out = { 0 };
    assert_int_equal(change(&out, from, strlen(from)), KEN_OK);
    assert_string_equal(ken_buffer_string(&out), to);
    ken_buffer_release(&out);
}

static void normal_form(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "", "" },
        { "plain", "plain" },
        { "K\xc3\xb6ln", "K\xc3\xb6ln" },
        { "Ko\xcc\x88ln", "K\xc3\xb6ln" },
        { "\xe2\x84\xab", "\xc3\x85" },                             /* angstrom sign  */
        { "a\xcc\x81\xcc\xa3", "\xe1\xba\xa1\xcc\x81" },            /* marks reordered */
        { "\xe1\x84\x92\xe1\x85\xa1\xe1\x86\xab", "\xed\x95\x9c" }, /* han             */
        { "\xea\xb0\x80\xe1\x86\xa7", "\xea\xb0\x80\xe1\x86\xa7" }, /* U+AC00 U+11A7   */
        { "\xe0\xa5\x98", "\xe0\xa4\x95\xe0\xa4\xbc" },             /* excluded        */
        { "\xef\xac\x81", "\xef\xac\x81" },                         /* fi: not canonical */
        { "\xce\x90\xe1\xbe\x82", "\xce\x90\xe1\xbe\x82" },         /* longest ones    */
        { "\xcc\x81"
          "e\xcc\x81",
          "\xcc\x81\xc3\xa9" }, /* a mark first    */
    };
    for (size_t i = 0; i < KEN_COUNT(pairs); i++)
        check_change(ken_text_normal, pairs[i][0], pairs[i][1]);
    ken_buffer out = { 0 };
    assert_int_equal(ken_text_normal(&out, "abc\xff", 4), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "byte 3 (ff)"));
    assert_int_equal(ken_text_normal(&out, "a\0b", 3), KEN_OK); /* a 0 is a character */
    assert_int_equal(out.size, 3);
    ken_buffer_release(&out);
}

/* Random strings of characters that compose, decompose and are reordered: normalising twice gives
 * the same as once. */
static void normal_form_stays(void **state)
{
    (void)state;
    static const uint32_t starts[] = { 'a',    0x300,  0x323,  0x340,   0x1100,  0x1161, 0x11a7,
                                       0xac00, 0x1e00, 0x1f00, 0x2f800, 0x1d15e, 0x915,  0x93c };
    for (uint64_t round = 0; round < 20000; round++) {
        char text[40];
        size_t size = 0;
        for (uint64_t i = 0; i < 8; i++) {
            uint32_t start = starts[ken_random_below(round, 2 * i, KEN_COUNT(starts))];
            size += encode(text + size, start + (uint32_t)ken_random_below(round, 2 * i + 1, 40));
        }
        ken_buffer once = { 0 }, twice = { 0 };
        assert_int_equal(ken_text_normal(&once, text, size), KEN_OK);
        assert_int_equal(ken_text_normal(&twice, once.data, once.size), KEN_OK);
        assert_int_equal(once.size, twice.size);
        assert_memory_equal(once.data, twice.data, once.size);
        ken_buffer_release(&once);
        ken_buffer_release(&twice);
    }
}

/* Many marks on one letter, in the worst order for sorting: if the time were not linear, this test
 * would hang. */
static void many_marks(void **state)
{
    (void)state;
    enum { HALF = 1 << 19 };
    ken_buffer text = { 0 }, out = { 0 };
    ken_buffer_text(&text, "q");
    for (size_t i = 0; i < HALF; i++) ken_buffer_text(&text, "\xcc\x81"); /* class 230 */
    for (size_t i = 0; i < HALF; i++) ken_buffer_text(&text, "\xcc\xa3"); /* class 220 */
    assert_int_equal(ken_text_normal(&out, text.data, text.size), KEN_OK);
    assert_int_equal(out.size, text.size);
    assert_memory_equal(out.data, "q\xcc\xa3\xcc\xa3", 5);
    assert_memory_equal(out.data + out.size - 4, "\xcc\x81\xcc\x81", 4);
    ken_buffer_release(&text);
    ken_buffer_release(&out);
}

static void lower_case(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "", "" },
        { "Hello, WORLD 42!", "hello, world 42!" },
        { "\xc3\x84RGER \xc3\x9f", "\xc3\xa4rger \xc3\x9f" },
        { "\xc4\xb0x", "i\xcc\x87x" },  /* dotted I: two characters */
        { "\xc8\xba", "\xe2\xb1\xa5" }, /* longer in UTF-8          */
        { "\xce\x9f\xce\x94\xce\x9f\xce\xa3",
          "\xce\xbf\xce\xb4\xce\xbf\xcf\x82" }, /* final sigma */
        { "\xce\xa3\xce\x91\xce\xa3.", "\xcf\x83\xce\xb1\xcf\x82." },
        { "A\xce\xa3'A", "a\xcf\x83'a" },
        { "\xce\xa3", "\xcf\x83" },
        { "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8" }, /* Deseret                  */
        { "A\xff"
          "B\xc3",
          "a\xff"
          "b\xc3" }, /* not UTF-8: stays         */
    };
    for (size_t i = 0; i < KEN_COUNT(pairs); i++)
        check_change(ken_text_lower, pairs[i][0], pairs[i][1]);
}

/* ---- Properties ----------------------------------------------------------------------------- */

static void white_space(void **state)
{
    (void)state;
    static const uint32_t spaces[] = { 9,      10,     11,     12,     13,     32,     0x85,
                                       0xa0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                       0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028,
                                       0x2029, 0x202f, 0x205f, 0x3000 };
    size_t next = 0;
    for (uint32_t c = 0; c < POINTS; c++) {
        char bytes[5] = { 0 };
        size_t size = encode(bytes, c);
        bool space = next < KEN_COUNT(spaces) && spaces[next] == c;
        assert_int_equal(ken_text_space(bytes, size), space ? size : 0);
        assert_int_equal(ken_text_class(bytes, size) == KEN_TEXT_SPACE, space);
        next += space;
    }
    assert_int_equal(next, KEN_COUNT(spaces));
    assert_int_equal(ken_text_space("\xe3\x80", 2), 0);
}

static void classes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum ken_text_class class;
    } cases[] = {
        { "a", KEN_TEXT_LETTER },
        { "Z", KEN_TEXT_LETTER },
        { "@", KEN_TEXT_OTHER },
        { "[", KEN_TEXT_OTHER },
        { "{", KEN_TEXT_OTHER },
        { "5", KEN_TEXT_DIGIT },
        { "\xc3\xa4", KEN_TEXT_LETTER },
        { "\xcc\x81", KEN_TEXT_LETTER }, /* a mark        */
        { "\xd9\xa3", KEN_TEXT_DIGIT },
        { "\xc2\xbd", KEN_TEXT_DIGIT }, /* Arabic 3, 1/2 */
        { "\xe2\x80\x9c", KEN_TEXT_OTHER },
        { "\xe4\xb8\xad", KEN_TEXT_LETTER },
        { "\xff", KEN_TEXT_OTHER },
        { "", KEN_TEXT_OTHER }, /* the byte 0    */
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++)
        assert_int_equal(ken_text_class(cases[i].text, strlen(cases[i].text) + 1), cases[i].class);
}

static void wide_encodings(void **state)
{
    (void)state;
#define BYTES(literal) literal, sizeof literal - 1
    static const struct {
        const char *bytes;
        size_t size;
        const char *name;
    } cases[] = {
        { BYTES(""), NULL },
        { BYTES("a"), NULL },
        { BYTES("\xff"), NULL },
        { BYTES("a\0"), NULL }, /* one character is too little evidence */
        { BYTES("a\0b\0"), "UTF-16" },
        { BYTES("\0a\0b"), "UTF-16" },
        { BYTES("a\0b\0c"), "UTF-16" },
        { BYTES("a\0bc"), NULL },
        { BYTES("\0\0\0\0"), NULL },
        { BYTES("\xff\xfe"), "UTF-16" },
        { BYTES("\xfe\xff\x30\x42"), "UTF-16" },
        { BYTES("\xff\xfe\0\0"), "UTF-32" },
        { BYTES("\0\0\xfe\xff"), "UTF-32" },
        { BYTES("\xef\xbb\xbf"
                "ab"),
          NULL },
    };
#undef BYTES
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        const char *name = ken_text_wide(cases[i].bytes, cases[i].size);
        assert_string_equal(name ? name : "", cases[i].name ? cases[i].name : "");
    }
}

static void no_memory(void **state)
{
    (void)state;
    const char *text = "Stra\xc3\x9f"
                       "e \xce\xa3 o\xcc\x88";
    change_fn *const changes[] = { ken_text_normal, ken_text_lower };
    for (size_t i = 0; i < KEN_COUNT(changes); i++)
        for (uint64_t nth = 1;; nth++) {
            ken_buffer out = { 0 };
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_status status = changes[i](&out, text, strlen(text));
            bool missed = ken_fault_calls(KEN_FAULT_MEMORY) < nth;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            ken_buffer_release(&out);
            assert_int_equal(status, missed ? KEN_OK : KEN_ERR_MEMORY);
            if (missed) break;
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character),   cmocka_unit_test(nothing_else),
        cmocka_unit_test(valid_beginnings),  cmocka_unit_test(normal_form),
        cmocka_unit_test(normal_form_stays), cmocka_unit_test(many_marks),
        cmocka_unit_test(lower_case),        cmocka_unit_test(white_space),
        cmocka_unit_test(classes),           cmocka_unit_test(no_memory),
        cmocka_unit_test(complete),          cmocka_unit_test(escapes),
        cmocka_unit_test(wide_encodings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
