/* beads.c - generates the data "beads": letters on a string. The input is a graph whose nodes are
 * the letters, in random order; links join neighbours on the string. One end of the string is
 * marked ("^e"). The output is the text of the letters, read from the marked end. Only the links
 * give the order: without them, all orders of the letters are equally likely. */
#include "base/random.h"
#include "format/corpus_parse.h"
#include "made/made.h"

#include <string.h>

enum { SHORTEST = 3, LONGEST = 8, KINDS = 12 };

/* Returns the part of the data (training, dev or test) that a string belongs to. The letters and
 * their order alone decide the part, so no text is in two parts. */
static enum ken_made_part part_of(const uint8_t *letters, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) hash = ken_random_key(hash, letters[i]);
    return hash % 10 == 0 ? KEN_MADE_TEST : hash % 10 == 1 ? KEN_MADE_DEV : KEN_MADE_TRAIN;
}

/* Draws the letters of a string; node[i] receives the number of the node for letter i. */
static size_t draw(uint8_t letters[LONGEST], uint8_t node[LONGEST], uint64_t key)
{
    size_t count = SHORTEST + (size_t)ken_random_below(key, 0, LONGEST - SHORTEST + 1);
    for (size_t i = 0; i < count; i++) {
        letters[i] = (uint8_t)ken_random_below(key, 1 + i, KINDS);
        /* This is one step of a Fisher-Yates shuffle. */
        size_t j = (size_t)ken_random_below(key, 1 + LONGEST + i, i + 1);
        node[i] = node[j];
        node[j] = (uint8_t)i;
    }
    return count;
}

static void add_string(ken_corpus *corpus, const uint8_t *letters, const uint8_t *node,
                       size_t count)
{
    char text[2 * LONGEST + 1];
    uint8_t at[LONGEST]; /* at[n] is the place, on the string, of node n */
    for (size_t i = 0; i < count; i++) {
        at[node[i]] = (uint8_t)i;
        text[2 * i] = (char)('a' + letters[i]);
        text[2 * i + 1] = ' ';
    }
    for (size_t n = 0; n < count; n++) {
        char word[3] = { '^', (char)('a' + letters[at[n]]), '\0' };
        const char *seen = at[n] == 0 ? word : word + 1;
        ken_strings_add(&corpus->input, seen, strlen(seen));
    }
    for (size_t i = 0; i + 1 < count; i++)
        ken_corpus_link(corpus, node[i], node[i + 1], NULL, false);
    ken_strings_add(&corpus->target, text, 2 * count - 1);
}

ken_status ken_beads_make(ken_corpus *corpus, const struct ken_make *how, uint64_t first)
{
    /* "beads" in ASCII makes these random numbers differ from those of other formats. */
    uint64_t family = ken_random_key(how->seed, UINT64_C(0x6265616473));
    corpus->words = corpus->linked = true;
    for (size_t i = 0; i < how->count; i++) {
        uint64_t key = ken_random_key(family, first + i), attempt = 0;
        uint8_t letters[LONGEST], node[LONGEST] = { 0 };
        size_t count;
        do count = draw(letters, node, ken_random_key(key, attempt++));
        while (part_of(letters, count) != how->part);
        add_string(corpus, letters, node, count);
        KEN_TRY(ken_corpus_sort_links(corpus));
        KEN_TRY(ken_corpus_end(corpus, corpus->count + 1));
    }
    return KEN_OK;
}
