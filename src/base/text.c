/* text.c - decodes UTF-8 with its own code and takes the properties of characters from utf8proc.
 * Invariant: no function reads a byte at or after text + length, whatever the bytes are, and the
 * running time is linear in the length. (utf8proc sorts combining marks in quadratic time, so its
 * sorting is not used.) This file does not know words or sentences, and no rules of a language
 * beyond the Unicode defaults. */
#include "base/text.h"

#include "base/memory.h"
#include "base/size.h"

#include <stdio.h>
#include <string.h>
#include <utf8proc.h>

/* ---- UTF-8 ---------------------------------------------------------------------------------- */

/* Returns the number of bytes of the character at `text`; 0 if the bytes are not valid UTF-8. The
 * first byte decides the number of bytes and the range of the second byte; that range excludes
 * overlong forms (E0 80.., F0 80..), surrogates (ED A0..) and code points beyond U+10FFFF (F4
 * 90..). If the text ends within a character that is valid so far, the number of bytes that the
 * character needs is returned, which is then more than `length`. */
static size_t needed(const char *text, size_t length)
{
    const unsigned char *byte = (const unsigned char *)text;
    unsigned char first = byte[0], low = 0x80, high = 0xbf;
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
    if (length > 1 && (byte[1] < low || byte[1] > high)) return 0;
    for (size_t i = 2; i < size && i < length; i++)
        if ((byte[i] & 0xc0) != 0x80) return 0;
    return size;
}

/* Returns the number of bytes of the character at `text`; 0 if the bytes are not valid UTF-8. */
static size_t sequence(const char *text, size_t length)
{
    size_t size = needed(text, length);
    return size <= length ? size : 0;
}

/* Decodes one valid character of `size` bytes to its code point. */
static int32_t point_of(const char *text, size_t size)
{
    static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    int32_t point = (unsigned char)text[0] & first_bits[size];
    for (size_t i = 1; i < size; i++) point = point << 6 | ((unsigned char)text[i] & 0x3f);
    return point;
}

static void append_point(ken_buffer *out, int32_t point)
{
    utf8proc_uint8_t bytes[4];
    ken_buffer_append(out, bytes, (size_t)utf8proc_encode_char(point, bytes));
}

/* Returns the number of ASCII bytes at the beginning of the text; it tests the top bits of eight
 * bytes at a time. */
static size_t plain_beginning(const char *text, size_t length)
{
    size_t i = 0;
    for (uint64_t eight; i + sizeof eight <= length; i += sizeof eight) {
        memcpy(&eight, text + i, sizeof eight);
        if (eight & UINT64_C(0x8080808080808080)) break;
    }
    while (i < length && (unsigned char)text[i] < 0x80) i++;
    return i;
}

size_t ken_text_valid(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        if ((unsigned char)text[i] < 0x80) {
            i += plain_beginning(text + i, length - i);
            continue;
        }
        size_t size = sequence(text + i, length - i);
        if (size == 0) break;
        i += size;
    }
    return i;
}

size_t ken_text_step(const char *text, size_t length)
{
    return ken_size_max(sequence(text, length), 1);
}

size_t ken_text_complete(const char *text, size_t length)
{
    for (size_t last = 1; last <= 3 && last <= length; last++)
        if (needed(text + length - last, last) > last) return length - last;
    return length;
}

/* Returns whether the bytes look like Latin letters in UTF-16: each of the first characters (2
 * bytes each) has a 0 at offset `zero`, which is 0 or 1, and a byte other than 0 at the other
 * offset. */
static bool alternates(const char *bytes, size_t size, size_t zero)
{
    enum { LEAST = 4, MOST = 64 };
    if (size < LEAST) return false;
    for (size_t i = 0; i + 1 < size && i < MOST; i += 2)
        if (bytes[i + zero] != 0 || bytes[i + 1 - zero] == 0) return false;
    return true;
}

const char *ken_text_wide(const char *bytes, size_t size)
{
    static const struct {
        const char *mark;
        size_t length;
        const char *name;
    } marks[] = { { "\xff\xfe\0\0", 4, "UTF-32" },
                  { "\0\0\xfe\xff", 4, "UTF-32" },
                  { "\xff\xfe", 2, "UTF-16" },
                  { "\xfe\xff", 2, "UTF-16" } };
    for (size_t i = 0; i < KEN_COUNT(marks); i++)
        if (size >= marks[i].length && memcmp(bytes, marks[i].mark, marks[i].length) == 0)
            return marks[i].name;
    return alternates(bytes, size, 0) || alternates(bytes, size, 1) ? "UTF-16" : NULL;
}

/* ---- Properties ----------------------------------------------------------------------------- */

/* Returns whether c is one of the 25 code points with the property White_Space, which utf8proc does
 * not provide. */
static bool is_space(int32_t c)
{
    return (c >= 0x09 && c <= 0x0d) || c == ' ' || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f ||
           c == 0x205f || c == 0x3000;
}

size_t ken_text_space(const char *text, size_t length)
{
    size_t size = sequence(text, length);
    return size > 0 && is_space(point_of(text, size)) ? size : 0;
}

enum ken_text_class ken_text_class(const char *text, size_t length)
{
    unsigned char first = (unsigned char)text[0];
    if (first < 0x80) { /* ASCII, the common case */
        if (is_space(first)) return KEN_TEXT_SPACE;
        if ((first | 0x20) >= 'a' && (first | 0x20) <= 'z') return KEN_TEXT_LETTER;
        return first >= '0' && first <= '9' ? KEN_TEXT_DIGIT : KEN_TEXT_OTHER;
    }
    size_t size = sequence(text, length);
    int32_t point = size > 0 ? point_of(text, size) : 0;
    if (size == 0) return KEN_TEXT_OTHER;
    if (is_space(point)) return KEN_TEXT_SPACE;
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return KEN_TEXT_LETTER;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return KEN_TEXT_DIGIT;
    default: return KEN_TEXT_OTHER;
    }
}

/* ---- The normal form ------------------------------------------------------------------------ */

static size_t class_of(int32_t point)
{
    return (size_t)utf8proc_get_property(point)->combining_class;
}

/* Sorts a run of combining marks by their combining class (1 to 255). This counting sort is stable
 * and takes linear time. `spare` has room for `count` marks. */
static void sort_marks(int32_t *marks, int32_t *spare, size_t count)
{
    size_t place[257] = { 0 };
    for (size_t i = 0; i < count; i++) place[(class_of(marks[i]) & 255) + 1]++;
    for (size_t c = 1; c < 256; c++) place[c + 1] += place[c];
    for (size_t i = 0; i < count; i++) spare[place[class_of(marks[i]) & 255]++] = marks[i];
    memcpy(marks, spare, count * sizeof *marks);
}

/* Sorts each run of combining marks. A run ends at a character of combining class 0, which no mark
 * may pass. */
static void order_marks(int32_t *points, int32_t *spare, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t run = 0;
        bool ordered = true;
        for (size_t last = 0, here; i + run < count; run++, last = here) {
            here = class_of(points[i + run]);
            if (here == 0) break;
            ordered &= last <= here;
        }
        if (!ordered) sort_marks(points + i, spare, run);
        i += run + 1;
    }
}

/* Appends the text in NFC: decomposes it into the array `points`, sorts the combining marks, and
 * composes the result into as few characters as possible. */
static ken_status compose(ken_buffer *out, const char *text, size_t length, int32_t *points,
                          size_t room)
{
    enum { OLD_VOWEL = 0x11a7 };
    size_t count = 0;
    for (size_t i = 0, size; i < length; i += size) {
        size = ken_text_step(text + i, length - i);
        count += (size_t)utf8proc_decompose_char(point_of(text + i, size), points + count,
                                                 (utf8proc_ssize_t)(room - count),
                                                 UTF8PROC_DECOMPOSE, NULL);
    }
    order_marks(points, points + count, count);
    /* utf8proc takes U+11A7 for the end of a Hangul syllable and drops it, although it is a vowel
     * that never composes with a neighbour. So the parts between such vowels are composed one by
     * one. */
    for (size_t i = 0, part; i < count; i += part + 1) {
        for (part = 0; i + part < count && points[i + part] != OLD_VOWEL;) part++;
        size_t left = (size_t)utf8proc_normalize_utf32(points + i, (utf8proc_ssize_t)part,
                                                       UTF8PROC_COMPOSE | UTF8PROC_STABLE);
        for (size_t k = 0; k < left; k++) append_point(out, points[i + k]);
        if (i + part < count) append_point(out, OLD_VOWEL);
    }
    return ken_buffer_status(out);
}

ken_status ken_text_normal(ken_buffer *out, const char *text, size_t length)
{
    size_t valid = ken_text_valid(text, length), room;
    if (valid < length)
        return ken_fail(KEN_ERR_FORMAT, "byte %zu (%02x) is not UTF-8", valid,
                        (unsigned char)text[valid]);
    /* Text that has only characters below U+0300 (CC 80 in UTF-8) is in NFC already. */
    unsigned char highest = 0;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] > highest) highest = (unsigned char)text[i];
    if (highest < 0xcc) {
        ken_buffer_append(out, text, length);
        return ken_buffer_status(out);
    }
    /* Two bytes give at most 3 code points (U+0390), and three bytes at most 4 (U+1F82), so 2 *
     * length is enough. The second half of the memory is for sorting. */
    int32_t *points = ken_size_mul(&room, length, 2) ? ken_memory_new(room, 2 * sizeof *points)
                                                     : NULL;
    if (!points) return ken_fail(KEN_ERR_MEMORY, "no memory for the characters of a text");
    ken_status status = compose(out, text, length, points, room);
    ken_memory_free(points);
    return status;
}

/* ---- Lower case ----------------------------------------------------------------------------- */

/* For the Greek final sigma: returns 1 if the character has upper and lower case, 0 if it has none,
 * -1 if it is ignored (marks, apostrophes and the like within a word). */
static int has_case(int32_t point)
{
    switch (utf8proc_category(point)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return 1;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return -1;
    default: break;
    }
    bool within = point == '\'' || point == '.' || point == ':' || point == 0xb7 || point == 0x2019;
    return within ? -1 : 0;
}

/* Returns whether the sigma text[at .. at + 2) ends a word: a letter comes before the sigma, and
 * none after it. Both searches stop at the next letter, and every sigma is a letter; so all
 * searches in a text together take linear time. */
static bool ends_word(const char *text, size_t length, size_t at)
{
    int before = -1, behind = -1;
    for (size_t i = at; i > 0 && before < 0;) {
        size_t size = 0;
        for (size_t back = 1; back <= ken_size_min(4, i) && size == 0; back++)
            if (sequence(text + i - back, back) == back) size = back;
        before = size > 0 ? has_case(point_of(text + i - size, size)) : 0;
        i -= ken_size_max(size, 1);
    }
    for (size_t i = at + 2; i < length && behind < 0;) {
        size_t size = sequence(text + i, length - i);
        behind = size > 0 ? has_case(point_of(text + i, size)) : 0;
        i += ken_size_max(size, 1);
    }
    return before == 1 && behind != 1;
}

static void append_plain(ken_buffer *out, const char *text, size_t length)
{
    ken_buffer_append(out, text, length);
    if (out->failed) return;
    for (size_t i = out->size - length; i < out->size; i++)
        if (out->data[i] >= 'A' && out->data[i] <= 'Z') out->data[i] += 'a' - 'A';
}

/* Appends the text in lower case. Two cases are special: U+0130 is the only character whose lower
 * case is two characters in every language, and the sigma is the only one whose lower case depends
 * on its neighbours. */
ken_status ken_text_lower(ken_buffer *out, const char *text, size_t length)
{
    enum { DOTTED_I = 0x130, DOT_ABOVE = 0x307, SIGMA = 0x3a3, FINAL_SIGMA = 0x3c2 };
    for (size_t i = 0; i < length;) {
        size_t plain = plain_beginning(text + i, length - i);
        append_plain(out, text + i, plain);
        i += plain;
        if (i == length) break;
        size_t size = sequence(text + i, length - i);
        int32_t point = size > 0 ? point_of(text + i, size) : 0;
        if (size == 0) ken_buffer_append(out, text + i, 1);
        else if (point == SIGMA && ends_word(text, length, i)) append_point(out, FINAL_SIGMA);
        else append_point(out, point == DOTTED_I ? 'i' : utf8proc_tolower(point));
        if (point == DOTTED_I) append_point(out, DOT_ABOVE);
        i += ken_size_max(size, 1);
    }
    return ken_buffer_status(out);
}

/* ---- Display -------------------------------------------------------------------------------- */

size_t ken_text_columns(const char *text, size_t length)
{
    size_t size = sequence(text, length);
    int width = size > 0 ? utf8proc_charwidth(point_of(text, size)) : 1;
    return width > 0 ? (size_t)width : 0;
}

/* Returns whether a character has an effect instead of a shape: control characters, and characters
 * that change the direction of the following text and would disorder the rest of a picture. */
static bool acts(int32_t point)
{
    return utf8proc_category(point) == UTF8PROC_CATEGORY_CC || point == 0x200e || point == 0x200f ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

void ken_text_visible(ken_buffer *out, const char *text, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        size_t size = sequence(text + i, length - i);
        int32_t point = size > 0 ? point_of(text + i, size) : (unsigned char)text[i];
        step = ken_size_max(size, 1);
        if (point == '\n') ken_buffer_text(out, "\\n");
        else if (point == '\t') ken_buffer_text(out, "\\t");
        else if (size == 0 || acts(point)) ken_buffer_format(out, "\\x%02x", (unsigned)point);
        else if (is_space(point)) ken_buffer_text(out, "\xe2\x90\xa3");
        else ken_buffer_append(out, text + i, size);
    }
    if (length == 0) ken_buffer_text(out, "\xe2\x88\x85");
}

/* Returns the short escape of a character, such as \n for a line end; NULL if there is none. */
static const char *letter_escape(int32_t point)
{
    switch (point) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '\\': return "\\\\";
    default: return NULL;
    }
}

size_t ken_text_escaped(char shown[KEN_TEXT_SHOWN], const char *text, size_t length,
                        const char *keep)
{
    size_t size = sequence(text, length);
    int32_t point = size > 0 ? point_of(text, size) : (unsigned char)text[0];
    const char *letter = letter_escape(point);
    bool kept = size == 1 && point != '\0' && strchr(keep, point);
    if (size == 0) snprintf(shown, KEN_TEXT_SHOWN, "\\x%02x", (unsigned)point & 0xff);
    else if (letter && !kept) snprintf(shown, KEN_TEXT_SHOWN, "%s", letter);
    else if (acts(point) && !kept)
        snprintf(shown, KEN_TEXT_SHOWN, "\\u%04x", (unsigned)point & 0xffff);
    else snprintf(shown, KEN_TEXT_SHOWN, "%.*s", (int)size, text);
    return ken_size_max(size, 1);
}

void ken_text_escape(ken_buffer *out, const char *text, size_t length, const char *keep)
{
    char shown[KEN_TEXT_SHOWN];
    for (size_t i = 0; i < length;) {
        i += ken_text_escaped(shown, text + i, length - i, keep);
        ken_buffer_text(out, shown);
    }
}

/* ---- Lists of words -------------------------------------------------------------------------- */

size_t ken_word_index(const char *words, const char *word)
{
    size_t length = strlen(word), index = 0;
    for (const char *at = words; *at; index++) {
        size_t next = strcspn(at, " ");
        if (next == length && memcmp(at, word, length) == 0) return index;
        at += next + strspn(at + next, " ");
    }
    return SIZE_MAX;
}
