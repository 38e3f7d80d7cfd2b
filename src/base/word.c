/* word.c - searches and prints lists of words, see word.h. */
#include "base/word.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

size_t ken_words_find(const struct ken_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->list[i].word, word) == 0) return i;
    return SIZE_MAX;
}

const char *ken_words_print(char *out, size_t size, const struct ken_words *words)
{
    size_t used = 0;
    if (size > 0) out[0] = '\0';
    for (size_t i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? " " : "",
                                 words->list[i].word);
    return out;
}
