/* text.h - Unicode text, with utf8proc: checks UTF-8, normalises, lower-cases, and steps through
 * characters. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/buffer.h"

#include <stdint.h>

/* Returns the length of the longest beginning of the text that is valid UTF-8; it is `length` if
 * the whole text is valid. Surrogates, overlong forms and code points beyond U+10FFFF are not
 * valid. */
size_t ken_text_valid(const char *text, size_t length);

/* Returns "UTF-16" or "UTF-32" if the first bytes of a file show that the file is in this encoding;
 * NULL if they do not. The evidence is a byte order mark or, in UTF-16 without one, at least two
 * characters of which one byte is 0 and the other is not. */
const char *ken_text_wide(const char *bytes, size_t size);

/* Appends the text in the Unicode normal form NFC. Fails with KEN_ERR_FORMAT if the text is not
 * UTF-8. */
ken_status ken_text_normal(ken_buffer *out, const char *text, size_t length);

/* Appends the text in lower case, by the full Unicode rules. Bytes that are not UTF-8 are copied
 * unchanged. */
ken_status ken_text_lower(ken_buffer *out, const char *text, size_t length);

/* Returns the number of bytes of the character at `text`, 1 to 4; 1 if the byte is not UTF-8.
 * Requires length > 0. */
size_t ken_text_step(const char *text, size_t length);

/* Returns the number of terminal columns of the character at `text`: 0 (combining marks), 1 or 2.
 * Requires length > 0. */
size_t ken_text_columns(const char *text, size_t length);

/* Appends the text in a form in which every character is visible:
 *   white space                     U+2423
 *   line end, tab                   \n, \t
 *   other control characters        \x and two or more hexadecimal digits
 *   a byte that is not UTF-8        \x and two hexadecimal digits
 *   an empty text                   U+2205
 * Characters that change the direction of writing count as control characters. */
void ken_text_visible(ken_buffer *out, const char *text, size_t length);

/* Appends the text so that it can be printed on a terminal, as one line. These are escaped:
 *   line end, carriage return, tab  \n, \r, \t
 *   backslash                       \\
 *   other control characters        \u and four hexadecimal digits
 *   a byte that is not UTF-8        \x and two hexadecimal digits
 * Control characters are C0, DEL, C1, and characters that change the direction of writing. ASCII
 * characters that occur in the string `keep` (which may be "") are copied unchanged. If `keep` is
 * "", the text can be restored from the result. */
void ken_text_escape(ken_buffer *out, const char *text, size_t length, const char *keep);

/* Writes one character, the one at `text`, as a string to `shown`, escaped as ken_text_escape()
 * does. This is for callers that must not allocate memory. Returns the number of bytes of the
 * character in `text`, like ken_text_step(). Requires length > 0. */
enum { KEN_TEXT_SHOWN = 12 };
size_t ken_text_escaped(char shown[KEN_TEXT_SHOWN], const char *text, size_t length,
                        const char *keep);

/* Returns the length of the text without an incomplete character at its end, that is 1 to 3 bytes
 * that further bytes could complete to a character. If a text arrives in pieces, the bytes before
 * that length can be used at once. */
size_t ken_text_complete(const char *text, size_t length);

/* Returns the number of bytes of the character at `text` if it has the Unicode property
 * White_Space, else 0. */
size_t ken_text_space(const char *text, size_t length);

/* The classes of characters. Combining marks count as letters, all kinds of numbers as digits, and
 * bytes that are not UTF-8 as OTHER. ken_text_class() requires length > 0. */
enum ken_text_class { KEN_TEXT_SPACE, KEN_TEXT_LETTER, KEN_TEXT_DIGIT, KEN_TEXT_OTHER };

enum ken_text_class ken_text_class(const char *text, size_t length);

/* Returns the index, from 0, of `word` in the list `words`, whose words are separated by spaces;
 * SIZE_MAX if `word` is not in the list. */
size_t ken_word_index(const char *words, const char *word);

#endif
