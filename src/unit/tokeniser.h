/* tokeniser.h - converts text to ids and ids to text. A unit (token) is one of
 *   words       separated by white space; words may be unknown; their letters can be used too
 *   subwords    byte-level BPE, learned from the training data; any bytes are restored exactly
 *   characters  Unicode characters; characters may be unknown
 *   bytes       the 256 bytes
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

/* Names of the values of enum ken_unit. KEN_UNIT_LIST is a macro, so that a longer list of words
 * can begin with these names; ken_unit_words is the list of these names alone. */
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
    /* Maximum size of the vocabulary. Special ids and bytes count, but are always kept. 0 = no
     * limit; for subwords 0 = 8000. */
    size_t most;
    uint64_t least; /* words and characters seen less often are unknown; 0 = keep all           */
    bool lower;     /* whether text is converted to lower case first, by the full Unicode rules */
};

typedef struct ken_tokeniser {
    struct ken_token_options options;
    ken_vocabulary tokens;  /* text of each token id, beginning with the special ids KEN_ID_* */
    ken_vocabulary letters; /* if units are words: their letters, beginning with the KEN_ID_* */
    ken_bpe bpe;            /* if units are subwords: the merges                              */
    ken_vocabulary pool;    /* while learning: all strings seen so far, with their counts     */
} ken_tokeniser;

/* To learn from text, pass all text to ken_tokeniser_see(), then call ken_tokeniser_finish(). A new
 * tokeniser is { 0 } with its options set. The result depends on the counts of words, characters or
 * pieces, not on their order. Words and characters that are not UTF-8 are not learned. After a
 * failure the tokeniser can only be released. */
ken_status ken_tokeniser_see(ken_tokeniser *tokeniser, const char *text, size_t length);
ken_status ken_tokeniser_finish(ken_tokeniser *tokeniser);

/* Finishes learning like ken_tokeniser_finish(), but extends the tokeniser `old`, which must have
 * the same kind of unit (NULL = none). All ids of `old` are kept, whatever options.most is; new
 * words, characters and letters get the ids after them. If units are subwords, the subwords of
 * `old` are taken and no new ones are learned. */
ken_status ken_tokeniser_finish_from(ken_tokeniser *tokeniser, const ken_tokeniser *old);
void ken_tokeniser_release(ken_tokeniser *tokeniser);
/* Returns the number of ids, including special ids. */
size_t ken_tokeniser_size(const ken_tokeniser *tokeniser);

/* Appends the ids (int32_t each) of a text to `ids`. If `names` is not NULL, also appends the part
 * of the text that each id stands for; for an unknown word this is the word as written. */
ken_status ken_tokeniser_encode(const ken_tokeniser *tokeniser, const char *text, size_t length,
                                ken_buffer *ids, ken_strings *names);

/* Appends the ids of the letters of one word: KEN_ID_BEGIN, the characters (case is kept),
 * KEN_ID_END. If the word has more than 40 characters, only the first 20 and the last 20 are
 * used. */
ken_status ken_tokeniser_spell(const ken_tokeniser *tokeniser, const char *word, size_t length,
                               ken_buffer *letters);

/* Appends the text of ids: words separated by spaces, other units without separators. KEN_ID_BEGIN
 * and KEN_ID_END give no text, KEN_ID_UNKNOWN gives U+FFFD. */
ken_status ken_tokeniser_decode(const ken_tokeniser *tokeniser, const int32_t *ids, size_t count,
                                ken_buffer *text);

/* Appends the text of one id. Calls for all ids in turn append the text of ken_tokeniser_decode(),
 * which serves callers that get the ids one by one. *begun says whether any earlier id has produced
 * text; it must be false before the first call. */
ken_status ken_tokeniser_decode_next(const ken_tokeniser *tokeniser, int32_t id, bool *begun,
                                     ken_buffer *text);

/* ken_tokeniser_write() writes a tokeniser, without options.most and options.least, as one JSON
 * object; ken_tokeniser_read() reads the object into a new tokeniser. If the object is wrong,
 * reading fails with KEN_ERR_FORMAT and a message that says why. Time and memory of reading are at
 * most a small multiple of the length of the JSON text. */
ken_status ken_tokeniser_write(const ken_tokeniser *tokeniser, ken_buffer *json);
ken_status ken_tokeniser_read(ken_tokeniser *tokeniser, const char *json, size_t length);

/* Adds the ids that every tokeniser with this kind of unit has: the special ids and, for subwords
 * and bytes, the 256 bytes. Defined in tokeniser.c; tokeniser_json.c uses it too. */
ken_status ken_tokeniser_begin(ken_tokeniser *tokeniser);

#endif
