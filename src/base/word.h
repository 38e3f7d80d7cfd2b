/* word.h - the words for the values of an enum, as used in recipes: a list in which list[value] has
 * the word and one line of help for that value. All code that reads, writes or explains such a
 * value uses the list, so each word is defined once. (model/words.h has the lists of the public
 * enums.) */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stddef.h>

struct ken_words {
    const struct ken_word {
        const char *word, *about; /* `about` is one line of help, or NULL */
    } * list;
    size_t count;
};

#define KEN_WORDS(list)                                                                            \
    {                                                                                              \
        list, sizeof(list) / sizeof *(list)                                                        \
    }

/* Returns the index of a word; SIZE_MAX if the word is not in the list. */
size_t ken_words_find(const struct ken_words *words, const char *word);

/* Writes all words, separated by spaces, into `out` of `size` bytes, truncated if necessary as by
 * snprintf(). Returns `out`. */
const char *ken_words_print(char *out, size_t size, const struct ken_words *words);

enum { KEN_WORDS_SIZE = 512 }; /* enough bytes to print any list of words in ken */

#endif
