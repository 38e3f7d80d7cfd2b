/* tokeniser.h - text to ids and back.
 *   words       at white space; with unknowns, and with spelling for a network over letters
 *   subwords    byte-level BPE, trained here: no unknown is possible, any bytes come back exactly
 *   characters  Unicode characters; with unknowns
 *   bytes       256 of them
 * The first ids are the same in every kind: KEN_ID_BEGIN, KEN_ID_END, KEN_ID_UNKNOWN. */
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
    [KEN_UNIT_WORDS] = { "words", "whatever stands between white space" },                         \
    [KEN_UNIT_SUBWORDS] = { "subwords", "byte pairs that were learned from the training data "     \
                                        "(BPE)" },                                                 \
    [KEN_UNIT_CHARACTERS] = { "characters", "characters of Unicode" },                             \
    [KEN_UNIT_BYTES] = { "bytes", "bytes of UTF-8; nothing is unknown" }
extern const struct ken_words ken_unit_words;

enum { KEN_ID_BEGIN, KEN_ID_END, KEN_ID_UNKNOWN, KEN_ID_FIRST };

struct ken_token_options {
    enum ken_unit unit;
    size_t most;    /* size of the vocabulary at the most, special ids included; 0: no limit,
                     * for subwords 8000. Special ids and bytes are there in any case         */
    uint64_t least; /* a word or character that is rarer in training is unknown               */
    bool lower;     /* full Unicode lower-casing first                                        */
};

typedef struct ken_tokeniser {
    struct ken_token_options options;
    ken_vocabulary tokens;  /* what each id stands for, as bytes; KEN_ID_* first            */
    ken_vocabulary letters; /* characters of words, for their spelling; KEN_ID_* first      */
    ken_bpe bpe;            /* of subwords                                                  */
    ken_vocabulary pool;    /* while it learns: what was seen, and how often                */
} ken_tokeniser;

/* Learning: look at all text, then finish. { 0 } with options set is a new one. The result depends
 * on how often words, characters or pieces were seen, not on their order. Words and characters that
 * are not UTF-8 are not learned. After a failure it is only good to be released. */
ken_status ken_tokeniser_see(ken_tokeniser *tokeniser, const char *text, size_t length);
ken_status ken_tokeniser_finish(ken_tokeniser *tokeniser);

/* The same behind another one of the same unit (NULL: none): its ids keep their meaning, words,
 * characters and letters that it lacks come behind them. Of `most` none of its own are dropped. Its
 * subwords are taken as they are. */
ken_status ken_tokeniser_finish_from(ken_tokeniser *tokeniser, const ken_tokeniser *old);
void ken_tokeniser_release(ken_tokeniser *tokeniser);
size_t ken_tokeniser_size(const ken_tokeniser *tokeniser); /* kinds of ids */

/* Appends the ids (int32_t each) of a text. With `names` (else NULL) also appends what each id
 * stands for in this text, e.g. the word as written, even if it is unknown. */
ken_status ken_tokeniser_encode(const ken_tokeniser *tokeniser, const char *text, size_t length,
                                ken_buffer *ids, ken_strings *names);

/* Appends the letter ids of one word: KEN_ID_BEGIN, its characters (case kept), KEN_ID_END; of a
 * word of more than 40 characters the first and last 20. */
ken_status ken_tokeniser_spell(const ken_tokeniser *tokeniser, const char *word, size_t length,
                               ken_buffer *letters);

/* Appends the text of ids: words with blanks between, others as they are. Special ids give nothing,
 * an unknown gives U+FFFD. */
ken_status ken_tokeniser_decode(const ken_tokeniser *tokeniser, const int32_t *ids, size_t count,
                                ken_buffer *text);

/* Everything but options.most and .least as one JSON object, and back, into one that is new; a bad
 * one is KEN_ERR_FORMAT and says what is wrong. Work and memory stay within a small multiple of the
 * text's size whatever it claims. */
ken_status ken_tokeniser_write(const ken_tokeniser *tokeniser, ken_buffer *json);
ken_status ken_tokeniser_read(ken_tokeniser *tokeniser, const char *json, size_t length);

/* The ids that are always there: special ones, and bytes. Of tokeniser.c, for tokeniser_json.c. */
ken_status ken_tokeniser_begin(ken_tokeniser *tokeniser);

#endif
