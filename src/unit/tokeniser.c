/* tokeniser.c - converts text to ids and ids to text, for each kind of unit. Invariant: a
 * vocabulary that is not empty begins with the special ids. Their names contain spaces between
 * letters; a word, character or piece of a text never does, so no text is encoded to a special id.
 * Merges are in bpe.c, JSON is in tokeniser_json.c. */
#include "unit/tokeniser.h"

#include "base/size.h"
#include "base/text.h"

#include <string.h>

_Static_assert((int)KEN_BPE_BYTE == (int)KEN_ID_FIRST, "bytes come after the special ids");

enum {
    SPELLED_ENDS = 20, /* number of letters kept at each end of a long word */
    /* Letters that occur less often than this in training are unknown, so that the id of unknown
     * letters is trained too. */
    LETTER_LEAST = 2,
    SUBWORDS = 8000
};

static ken_status add_special(ken_vocabulary *vocabulary)
{
    static const char *const names[] = { "begin of text", "end of text", "no known token" };
    if (ken_vocabulary_size(vocabulary) > 0) return KEN_OK;
    for (size_t i = 0; i < KEN_COUNT(names); i++)
        KEN_TRY(ken_vocabulary_add(vocabulary, names[i], strlen(names[i]), NULL));
    return KEN_OK;
}

ken_status ken_tokeniser_begin(ken_tokeniser *tokeniser)
{
    enum ken_unit unit = tokeniser->options.unit;
    KEN_TRY(add_special(&tokeniser->tokens));
    KEN_TRY(add_special(&tokeniser->letters));
    if (unit == KEN_UNIT_WORDS || unit == KEN_UNIT_CHARACTERS) return KEN_OK;
    for (int b = 0; b < 256; b++) {
        char byte = (char)b;
        KEN_TRY(ken_vocabulary_add(&tokeniser->tokens, &byte, 1, NULL));
    }
    return KEN_OK;
}

void ken_tokeniser_release(ken_tokeniser *tokeniser)
{
    ken_vocabulary_release(&tokeniser->tokens);
    ken_vocabulary_release(&tokeniser->letters);
    ken_vocabulary_release(&tokeniser->pool);
    ken_bpe_release(&tokeniser->bpe);
}

size_t ken_tokeniser_size(const ken_tokeniser *tokeniser)
{
    return ken_vocabulary_size(&tokeniser->tokens);
}

/* Returns the number of bytes of the next unit of a text, or 0 if no unit is left. If units are
 * words, *before receives the number of bytes of white space before the word; otherwise *before is
 * 0. */
static size_t next_unit(const ken_tokeniser *tokeniser, const char *text, size_t length,
                        size_t *before)
{
    size_t at = 0, step;
    *before = 0;
    switch (tokeniser->options.unit) {
    case KEN_UNIT_SUBWORDS: return length > 0 ? ken_bpe_piece(text, length) : 0;
    case KEN_UNIT_CHARACTERS: return length > 0 ? ken_text_step(text, length) : 0;
    case KEN_UNIT_BYTES: return length > 0;
    default: break;
    }
    while (at < length && (step = ken_text_space(text + at, length - at)) > 0) at += step;
    *before = at;
    while (at < length && !ken_text_space(text + at, length - at))
        at += ken_text_step(text + at, length - at);
    return at - *before;
}

/* ---- Learning ------------------------------------------------------------------------------- */

/* Counts the letters of a word, which must be UTF-8. */
static ken_status see_letters(ken_tokeniser *tokeniser, const char *word, size_t length)
{
    for (size_t i = 0, step; i < length; i += step) {
        step = ken_text_step(word + i, length - i);
        KEN_TRY(ken_vocabulary_add(&tokeniser->letters, word + i, step, NULL));
    }
    return KEN_OK;
}

static ken_status see_units(ken_tokeniser *tokeniser, const char *text, size_t length, bool letters)
{
    bool any = tokeniser->options.unit == KEN_UNIT_SUBWORDS;
    for (size_t before, size; (size = next_unit(tokeniser, text, length, &before)) > 0;) {
        const char *unit = text + before;
        if (any || ken_text_valid(unit, size) == size)
            KEN_TRY(letters ? see_letters(tokeniser, unit, size)
                            : ken_vocabulary_add(&tokeniser->pool, unit, size, NULL));
        text = unit + size;
        length -= before + size;
    }
    return KEN_OK;
}

ken_status ken_tokeniser_see(ken_tokeniser *tokeniser, const char *text, size_t length)
{
    enum ken_unit unit = tokeniser->options.unit;
    if (ken_tokeniser_size(tokeniser) > 0)
        return ken_fail(KEN_ERR_STATE, "this tokeniser has finished learning");
    if (unit == KEN_UNIT_BYTES) return KEN_OK;
    /* `pool` becomes the list of tokens at the end of learning, so it begins with the special ids.
     * With subwords, `pool` only holds the pieces of text to learn merges from. */
    if (unit != KEN_UNIT_SUBWORDS) KEN_TRY(add_special(&tokeniser->pool));
    KEN_TRY(add_special(&tokeniser->letters));
    /* Letters are counted before the text is converted to lower case, because letters keep their
     * case. */
    if (unit == KEN_UNIT_WORDS) KEN_TRY(see_units(tokeniser, text, length, true));
    if (!tokeniser->options.lower) return see_units(tokeniser, text, length, false);
    ken_buffer lower = { 0 };
    ken_status status = ken_text_lower(&lower, text, length);
    if (!status) status = see_units(tokeniser, ken_buffer_string(&lower), lower.size, false);
    ken_buffer_release(&lower);
    return status;
}

/* Replaces `counted` by a smaller vocabulary: first all strings of `known` (if it is not NULL),
 * then the special ids, then the strings of `counted` that occur at least `least` times, the most
 * frequent first. Strings of `counted` are added only until there are `most` strings. */
static ken_status keep_frequent(ken_vocabulary *counted, const ken_vocabulary *known,
                                uint64_t least, size_t most)
{
    ken_vocabulary kept = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; known && i < ken_vocabulary_size(known) && !status; i++) {
        size_t length;
        const char *name = ken_vocabulary_name(known, (int32_t)i, &length);
        status = ken_vocabulary_add(&kept, name, length, NULL);
    }
    if (!status) status = ken_vocabulary_keep(&kept, counted, KEN_ID_FIRST, least, most);
    ken_vocabulary_release(counted);
    *counted = kept;
    return status;
}

static ken_status copy_merges(ken_tokeniser *tokeniser, const ken_bpe *bpe)
{
    for (size_t m = 0; m < ken_bpe_count(bpe); m++) {
        const struct ken_merge *merge = ken_bpe_merge(bpe, m);
        KEN_TRY(ken_bpe_add(&tokeniser->bpe, &tokeniser->tokens, merge->left, merge->right));
    }
    return KEN_OK;
}

ken_status ken_tokeniser_finish_from(ken_tokeniser *tokeniser, const ken_tokeniser *old)
{
    const struct ken_token_options *options = &tokeniser->options;
    bool subwords = options->unit == KEN_UNIT_SUBWORDS;
    size_t most = options->most ? options->most : subwords ? SUBWORDS : SIZE_MAX;
    if (ken_tokeniser_size(tokeniser) > 0)
        return ken_fail(KEN_ERR_STATE, "this tokeniser has finished learning");
    if (old && old->options.unit != options->unit)
        return ken_fail(KEN_ERR_ARGUMENT, "a tokeniser can only extend one of the same unit");
    if (options->unit == KEN_UNIT_WORDS || options->unit == KEN_UNIT_CHARACTERS) {
        KEN_TRY(keep_frequent(&tokeniser->pool, old ? &old->tokens : NULL, options->least, most));
        tokeniser->tokens = tokeniser->pool;
        tokeniser->pool = (ken_vocabulary){ 0 };
    }
    KEN_TRY(keep_frequent(&tokeniser->letters, old ? &old->letters : NULL, LETTER_LEAST, SIZE_MAX));
    KEN_TRY(ken_tokeniser_begin(tokeniser));
    if (subwords && old) KEN_TRY(copy_merges(tokeniser, &old->bpe));
    else if (subwords)
        KEN_TRY(ken_bpe_learn(&tokeniser->bpe, &tokeniser->tokens, &tokeniser->pool, most));
    ken_vocabulary_release(&tokeniser->pool);
    return KEN_OK;
}

/* Finishes learning. If no text was seen, the tokeniser has only the ids that always exist. */
ken_status ken_tokeniser_finish(ken_tokeniser *tokeniser)
{
    return ken_tokeniser_finish_from(tokeniser, NULL);
}

/* ---- Encoding ------------------------------------------------------------------------------- */

/* Adds to `names` the text of each id that encodes `unit`; these ids are ids[from], ids[from + 1]
 * and so on. Subwords preserve every byte, so their lengths say where in `unit` the text of each id
 * begins. */
static void add_names(const ken_tokeniser *tokeniser, ken_strings *names, const ken_buffer *ids,
                      size_t from, const char *unit, size_t length)
{
    if (tokeniser->options.unit != KEN_UNIT_SUBWORDS) {
        ken_strings_add(names, unit, length);
        return;
    }
    const int32_t *id = (const int32_t *)(const void *)ids->data;
    for (size_t i = from, size; i < ids->size / sizeof *id; i++, unit += size) {
        ken_vocabulary_name(&tokeniser->tokens, id[i], &size);
        ken_strings_add(names, unit, size);
    }
}

static ken_status encode_units(const ken_tokeniser *tokeniser, const char *text, size_t length,
                               ken_buffer *ids, ken_strings *names)
{
    for (size_t before, size; (size = next_unit(tokeniser, text, length, &before)) > 0;) {
        const char *unit = text + before;
        size_t from = ids->size / sizeof(int32_t);
        if (tokeniser->options.unit == KEN_UNIT_SUBWORDS) {
            ken_bpe_encode(&tokeniser->bpe, unit, size, ids);
        } else {
            int32_t id = ken_vocabulary_find(&tokeniser->tokens, unit, size);
            if (id == KEN_NO_ID) id = KEN_ID_UNKNOWN;
            ken_buffer_append(ids, &id, sizeof id);
        }
        KEN_TRY(ken_buffer_status(ids));
        if (names) add_names(tokeniser, names, ids, from, unit, size);
        text = unit + size;
        length -= before + size;
    }
    return names ? ken_strings_status(names) : KEN_OK;
}

/* Adds the words of `text` as they are written to `names`. The ids cannot give these names, because
 * they were made from a lower-cased copy of the text. */
static ken_status name_words(const ken_tokeniser *tokeniser, const char *text, size_t length,
                             ken_strings *names)
{
    for (size_t before, size; (size = next_unit(tokeniser, text, length, &before)) > 0;) {
        ken_strings_add(names, text + before, size);
        text += before + size;
        length -= before + size;
    }
    return ken_strings_status(names);
}

ken_status ken_tokeniser_encode(const ken_tokeniser *tokeniser, const char *text, size_t length,
                                ken_buffer *ids, ken_strings *names)
{
    if (ken_tokeniser_size(tokeniser) == 0)
        return ken_fail(KEN_ERR_STATE, "this tokeniser has not learned yet");
    if (!tokeniser->options.lower) return encode_units(tokeniser, text, length, ids, names);
    /* The names of words come from the original text. It has the same words in the same order as
     * the lower-cased copy, because lower case changes no white space. */
    bool words = tokeniser->options.unit == KEN_UNIT_WORDS;
    ken_buffer lower = { 0 };
    ken_status status = ken_text_lower(&lower, text, length);
    if (!status)
        status = encode_units(tokeniser, ken_buffer_string(&lower), lower.size, ids,
                              words ? NULL : names);
    if (!status && words && names) status = name_words(tokeniser, text, length, names);
    ken_buffer_release(&lower);
    return status;
}

ken_status ken_tokeniser_spell(const ken_tokeniser *tokeniser, const char *word, size_t length,
                               ken_buffer *letters)
{
    size_t count = 0, at = 0;
    for (size_t i = 0; i < length; i += ken_text_step(word + i, length - i)) count++;
    ken_buffer_append(letters, &(int32_t){ KEN_ID_BEGIN }, sizeof(int32_t));
    for (size_t i = 0, step; i < length; i += step, at++) {
        step = ken_text_step(word + i, length - i);
        /* Skips the middle of a long word. */
        if (at >= SPELLED_ENDS && at + SPELLED_ENDS < count) continue;
        int32_t id = ken_vocabulary_find(&tokeniser->letters, word + i, step);
        if (id == KEN_NO_ID) id = KEN_ID_UNKNOWN;
        ken_buffer_append(letters, &id, sizeof id);
    }
    ken_buffer_append(letters, &(int32_t){ KEN_ID_END }, sizeof(int32_t));
    return ken_buffer_status(letters);
}

/* ---- Decoding ------------------------------------------------------------------------------- */

ken_status ken_tokeniser_decode_next(const ken_tokeniser *tokeniser, int32_t id, bool *begun,
                                     ken_buffer *text)
{
    size_t size = ken_tokeniser_size(tokeniser), length;
    if (id < 0 || (size_t)id >= size)
        return ken_fail(KEN_ERR_ARGUMENT, "id %d is not in a vocabulary of %zu", (int)id, size);
    if (id == KEN_ID_BEGIN || id == KEN_ID_END) return KEN_OK;
    if (tokeniser->options.unit == KEN_UNIT_WORDS && *begun) ken_buffer_text(text, " ");
    *begun = true;
    const char *name = ken_vocabulary_name(&tokeniser->tokens, id, &length);
    if (id == KEN_ID_UNKNOWN) ken_buffer_text(text, "\xef\xbf\xbd");
    else ken_buffer_append(text, name, length);
    return ken_buffer_status(text);
}

ken_status ken_tokeniser_decode(const ken_tokeniser *tokeniser, const int32_t *ids, size_t count,
                                ken_buffer *text)
{
    bool begun = false;
    for (size_t i = 0; i < count; i++)
        KEN_TRY(ken_tokeniser_decode_next(tokeniser, ids[i], &begun, text));
    return ken_buffer_status(text);
}
