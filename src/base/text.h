/* text.h - Unicode: is it UTF-8, one normal form, lower case, characters one by one (utf8proc). */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buffer.h"

#include <stdint.h>

/* Length of the longest valid beginning: `length` when all of it is UTF-8. Surrogates, overlong
 * forms and code points beyond U+10FFFF are not. */
size_t ken_text_valid(const char *text, size_t length);

/* Appends the text in NFC (ASCII is copied at once). Text that is not UTF-8 is KEN_ERR_FORMAT. */
ken_status ken_text_normal(ken_buffer *out, const char *text, size_t length);

/* Appends it in lower case, by the full Unicode rules; bytes that are not UTF-8 stay. */
ken_status ken_text_lower(ken_buffer *out, const char *text, size_t length);

/* Bytes of the character at `text`, 1 to 4; of an invalid byte 1. length > 0. */
size_t ken_text_step(const char *text, size_t length);

/* Columns of a terminal that the character at `text` takes: 0 (marks), 1 or 2. length > 0. */
size_t ken_text_columns(const char *text, size_t length);

/* Appends the text so that all of it can be seen: blanks as U+2423, line ends as \n, other control
 * characters and bytes that are not UTF-8 as \x with two digits or more, "" as U+2205. */
void ken_text_visible(ken_buffer *out, const char *text, size_t length);

/* White space, by the Unicode property, at `text`; its bytes, or 0 when it is something else. */
size_t ken_text_space(const char *text, size_t length);

/* What the character at `text` is. Marks count as letters, all kinds of numbers as digits, bytes
 * that are not UTF-8 as something else. length > 0. */
enum ken_text_class { KEN_TEXT_SPACE, KEN_TEXT_LETTER, KEN_TEXT_DIGIT, KEN_TEXT_OTHER };

enum ken_text_class ken_text_class(const char *text, size_t length);

/* Which of the words in `words`, separated by blanks, `word` is, from 0; SIZE_MAX: none of them. */
size_t ken_word_index(const char *words, const char *word);

#endif
