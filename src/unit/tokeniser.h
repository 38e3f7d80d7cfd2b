/* tokeniser.h - converts text to ids and ids to text. A unit (token) is one of
 *   words       split at white space; unknown words are possible; their letters can be used too
 *   subwords    byte-level BPE, trained here: nothing is unknown, any bytes are restored exactly
 *   characters  Unicode characters; unknown ones are possible
 *   bytes       256 of them
 * For every kind of unit the first ids are KEN_ID_BEGIN, KEN_ID_END and KEN_ID_UNKNOWN. */
#ifndef UNIT_TOKENISER_H
#define UNIT_TOKENISER_H

#include "base/word.h"
#include "unit/bpe.h"
#include "unit/vocabulary.h"

enum ken_unit {
    KEN_UNIT_WORDS,
    KEN_UNIT_SUBWORDS,
    KEN_UNIT_CHARACTERS,
    KEN_UNIT_BYTES,
    KEN_UNIT_COUNT
};

/* The words of enum ken_unit: KEN_UNIT_LIST to begin a longer list with, ken_unit_words as a
 * list. */
#define KEN_UNIT_LIST                                                                              \
    [KEN_UNIT_WORDS] = { "words", "text between white space" },                                    \
    [KEN_UNIT_SUBWORDS] = { "subwords", "byte pairs that were learned from the training data "     \
                                        "(BPE)" },                                                 \
    [KEN_UNIT_CHARACTERS] = { "characters", "characters of Unicode" },                             \
    [KEN_UNIT_BYTES] = { "bytes", "bytes of UTF-8; nothing is unknown" }
extern const struct ken_words ken_unit_words;

enum { KEN_ID_BEGIN, KEN_ID_END, KEN_ID_UNKNOWN, KEN_ID_FIRST };

struct ken_token_options {
    enum ken_unit unit;
    /* Maximum size of the vocabulary, including special ids and bytes, which are always kept. 0 =
     * no limit, except for subwords: 8000. */
    size_t most;
    uint64_t least; /* words and characters rarer than this in training are unknown; 0 = keep all */
    bool lower;     /* convert text to lower case first, by the full Unicode rules */
};

typedef struct ken_tokeniser {
    struct ken_token_options options;
    ken_vocabulary tokens;  /* bytes of each id; the KEN_ID_* come first */
    ken_vocabulary letters; /* unit words: characters of the words; the KEN_ID_* come first */
    ken_bpe bpe;            /* unit subwords: the merges */
    ken_vocabulary pool;    /* while learning: the strings seen, and how often */
} ken_tokeniser;

/* Learn from text: call ken_tokeniser_see() with all text, then ken_tokeniser_finish(). A new
 * tokeniser is { 0 } with its options set. The result depends on how often words, characters or
 * pieces were seen, not on their order. Words and characters that are not UTF-8 are not learned.
 * After a failure the tokeniser can only be released. */
ken_status ken_tokeniser_see(ken_tokeniser *tokeniser, const char *text, size_t length);
ken_status ken_tokeniser_finish(ken_tokeniser *tokeniser);

/* Finishes learning like ken_tokeniser_finish(), but extends another tokeniser `old` of the same
 * unit (NULL = none). The ids of `old` keep their meaning; words, characters and letters that `old`
 * lacks get ids after them, and options.most never drops an id of `old`. If units are subwords,
 * those of `old` are taken unchanged. */
ken_status ken_tokeniser_finish_from(ken_tokeniser *tokeniser, const ken_tokeniser *old);
void ken_tokeniser_release(ken_tokeniser *tokeniser);
/* Returns the number of ids, including special ids. */
size_t ken_tokeniser_size(const ken_tokeniser *tokeniser);

/* Appends the ids (int32_t each) of a text. If `names` is not NULL, it also appends, for each id,
 * the part of the text that the id stands for: for example the word as written, even if it is
 * unknown. */
ken_status ken_tokeniser_encode(const ken_tokeniser *tokeniser, const char *text, size_t length,
                                ken_buffer *ids, ken_strings *names);

/* Appends the ids of the letters of one word: KEN_ID_BEGIN, the characters (with their case),
 * KEN_ID_END. If the word has more than 40 characters, only the first 20 and the last 20 are
 * used. */
ken_status ken_tokeniser_spell(const ken_tokeniser *tokeniser, const char *word, size_t length,
                               ken_buffer *letters);

/* Appends the text of ids: words separated by spaces, other units without separators. KEN_ID_BEGIN
 * and KEN_ID_END give no text, KEN_ID_UNKNOWN gives U+FFFD. */
ken_status ken_tokeniser_decode(const ken_tokeniser *tokeniser, const int32_t *ids, size_t count,
                                ken_buffer *text);

/* Write a tokeniser as one JSON object, except options.most and options.least; and read it into a
 * new tokeniser. If the object is wrong, reading fails with KEN_ERR_FORMAT, and the message says
 * why. Time and memory are at most a small multiple of the size of the JSON text, whatever it
 * claims. */
ken_status ken_tokeniser_write(const ken_tokeniser *tokeniser, ken_buffer *json);
ken_status ken_tokeniser_read(ken_tokeniser *tokeniser, const char *json, size_t length);

/* Adds the ids that always exist: special ids, and for subwords and bytes the 256 bytes. Defined in
 * tokeniser.c; used by tokeniser_json.c too. */
ken_status ken_tokeniser_begin(ken_tokeniser *tokeniser);

#endif
