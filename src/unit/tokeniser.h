/* tokeniser.h - text to ids and back. A unit (token) is one of
 *   words       split at white space; unknown words are possible; their letters can be used too
 *   subwords    byte-level BPE, trained here: nothing is unknown, any bytes are restored exactly
 *   characters  Unicode characters; unknown ones are possible
 *   bytes       256 of them
 * The first ids are the same for every unit: KEN_ID_BEGIN, KEN_ID_END, KEN_ID_UNKNOWN. */
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

/* Their words, to begin a list with, and as a list of their own. */
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
    size_t most;    /* maximum size of the vocabulary, special ids included; 0 = no limit, for
                     * subwords 8000. Special ids and bytes are always included */
    uint64_t least; /* a word or character that is rarer in training is unknown; 0 = keep all */
    bool lower;     /* apply full Unicode lower-casing first                                  */
};

typedef struct ken_tokeniser {
    struct ken_token_options options;
    ken_vocabulary tokens;  /* the bytes that each id stands for; KEN_ID_* first    */
    ken_vocabulary letters; /* the characters of words (unit words); KEN_ID_* first */
    ken_bpe bpe;            /* only for subwords                                    */
    ken_vocabulary pool;    /* while learning: the strings seen, and how often      */
} ken_tokeniser;

/* Learning: call ken_tokeniser_see() with all text, then ken_tokeniser_finish(). { 0 } with options
 * set is a new tokeniser. The result depends on how often words, characters or pieces were seen,
 * not on their order. Words and characters that are not UTF-8 are not learned. After a failure the
 * tokeniser can only be released. */
ken_status ken_tokeniser_see(ken_tokeniser *tokeniser, const char *text, size_t length);
ken_status ken_tokeniser_finish(ken_tokeniser *tokeniser);

/* The same, extending another tokeniser of the same unit (NULL = none): its ids keep their meaning,
 * and words, characters and letters that it lacks are added after them. `most` never drops an id of
 * the old one. Its subwords are taken unchanged. */
ken_status ken_tokeniser_finish_from(ken_tokeniser *tokeniser, const ken_tokeniser *old);
void ken_tokeniser_release(ken_tokeniser *tokeniser);
size_t ken_tokeniser_size(const ken_tokeniser *tokeniser); /* number of ids */

/* Appends the ids (int32_t each) of a text. Unless `names` is NULL, also appends the text that each
 * id stands for here, for example the word as written, even if it is unknown. */
ken_status ken_tokeniser_encode(const ken_tokeniser *tokeniser, const char *text, size_t length,
                                ken_buffer *ids, ken_strings *names);

/* Appends the ids of one word's letters: KEN_ID_BEGIN, its characters (case kept), KEN_ID_END. Of a
 * word with more than 40 characters only the first and the last 20 are used. */
ken_status ken_tokeniser_spell(const ken_tokeniser *tokeniser, const char *word, size_t length,
                               ken_buffer *letters);

/* Appends the text of ids: words separated by spaces, other units as they are. KEN_ID_BEGIN and
 * KEN_ID_END give nothing, KEN_ID_UNKNOWN gives U+FFFD. */
ken_status ken_tokeniser_decode(const ken_tokeniser *tokeniser, const int32_t *ids, size_t count,
                                ken_buffer *text);

/* Writes everything except options.most and .least as one JSON object, or reads it into a new
 * tokeniser. A bad object is KEN_ERR_FORMAT, and the message says why. Time and memory are at most
 * a small multiple of the text's size, whatever the text claims. */
ken_status ken_tokeniser_write(const ken_tokeniser *tokeniser, ken_buffer *json);
ken_status ken_tokeniser_read(ken_tokeniser *tokeniser, const char *json, size_t length);

/* Adds the ids that always exist: special ids, and bytes. Defined in tokeniser.c for
 * tokeniser_json.c. */
ken_status ken_tokeniser_begin(ken_tokeniser *tokeniser);

#endif
