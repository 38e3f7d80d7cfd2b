/* word.h - the words of a choice: a list in which the word of a value stands at the index of that
 * value, each with one line of help. Whoever reads, writes or explains a choice walks its list, so
 * a word is written down once. (model/words.h has the lists of the public enums.) */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stddef.h>

struct ken_words {
    const struct ken_word {
        const char *word, *about; /* `about`: one line of help, or NULL */
    } * list;
    size_t count;
};

#define KEN_WORDS(list)                                                                            \
    {                                                                                              \
        list, sizeof(list) / sizeof *(list)                                                        \
    }

/* The index of a word; SIZE_MAX if it is not in the list. */
size_t ken_words_find(const struct ken_words *words, const char *word);

/* All words, separated by blanks, as snprintf() would print them. Returns `out`. */
const char *ken_words_print(char *out, size_t size, const struct ken_words *words);

enum { KEN_WORDS_SIZE = 512 }; /* bytes that hold any list of ken's */

#endif
