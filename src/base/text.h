/* text.h - Unicode text: checks UTF-8, normalises, lower-cases, and goes through characters one by
 * one, with utf8proc. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buffer.h"

#include <stdint.h>

/* The length of the longest valid beginning: `length` if all of it is UTF-8. Surrogates, overlong
 * forms and code points beyond U+10FFFF are not valid. */
size_t ken_text_valid(const char *text, size_t length);

/* Appends the text in normal form NFC. Text that is not UTF-8 is KEN_ERR_FORMAT. */
ken_status ken_text_normal(ken_buffer *out, const char *text, size_t length);

/* Appends the text in lower case, by the full Unicode rules; bytes that are not UTF-8 are
 * copied. */
ken_status ken_text_lower(ken_buffer *out, const char *text, size_t length);

/* The number of bytes of the character at `text`, 1 to 4; 1 for an invalid byte. length > 0. */
size_t ken_text_step(const char *text, size_t length);

/* The number of terminal columns of the character at `text`: 0 (marks), 1 or 2. length > 0. */
size_t ken_text_columns(const char *text, size_t length);

/* Appends the text so that all of it is visible: spaces as U+2423, line ends as \n, other control
 * characters and bytes that are not UTF-8 as \x with two or more digits, empty text as U+2205. */
void ken_text_visible(ken_buffer *out, const char *text, size_t length);

/* If the character at `text` has the Unicode property White_Space, the number of its bytes, else
 * 0. */
size_t ken_text_space(const char *text, size_t length);

/* The class of the character at `text`. Marks count as letters, all kinds of numbers as digits,
 * bytes that are not UTF-8 as OTHER. length > 0. */
enum ken_text_class { KEN_TEXT_SPACE, KEN_TEXT_LETTER, KEN_TEXT_DIGIT, KEN_TEXT_OTHER };

enum ken_text_class ken_text_class(const char *text, size_t length);

/* Which of the words in `words`, separated by blanks, `word` is, from 0; SIZE_MAX: none of them. */
size_t ken_word_index(const char *words, const char *word);

#endif
