/* tokeniser_json.c - writes and reads a tokeniser as one JSON object:
 *   {"unit":"words","lower":false,"tokens":["the", ...],"letters":["e", ...],"merges":[[l,r], ...]}
 * All three lists are always present; which of them are filled depends on the unit:
 *   words       "tokens" (the words) and "letters" (the characters of the words)
 *   characters  "tokens" (the characters)
 *   subwords    "merges" (pairs of ids); the subwords follow from their merges
 *   bytes       none
 * Special ids are not written. A merge joins two ids that exist before it, so there are no
 * cycles. */
#include "unit/tokeniser.h"

#include "base/json.h"
#include "base/text.h"

#include <string.h>

static const struct ken_word units[] = { KEN_UNIT_LIST };
const struct ken_words ken_unit_words = KEN_WORDS(units);

/* Returns whether the tokens of a unit are learned one by one and therefore listed in the JSON
 * object. */
static bool is_listed(enum ken_unit unit)
{
    return unit == KEN_UNIT_WORDS || unit == KEN_UNIT_CHARACTERS;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void write_names(ken_buffer *json, const ken_vocabulary *vocabulary)
{
    for (size_t i = KEN_ID_FIRST; i < ken_vocabulary_size(vocabulary); i++) {
        size_t length;
        const char *name = ken_vocabulary_name(vocabulary, (int32_t)i, &length);
        if (i > KEN_ID_FIRST) ken_buffer_text(json, ",");
        ken_json_string(json, name, length);
    }
}

ken_status ken_tokeniser_write(const ken_tokeniser *tokeniser, ken_buffer *json)
{
    const struct ken_token_options *options = &tokeniser->options;
    ken_buffer_format(json, "{\"unit\":\"%s\",\"lower\":%s,\"tokens\":[", units[options->unit].word,
                      options->lower ? "true" : "false");
    if (is_listed(options->unit)) write_names(json, &tokeniser->tokens);
    ken_buffer_text(json, "],\"letters\":[");
    write_names(json, &tokeniser->letters);
    ken_buffer_text(json, "],\"merges\":[");
    for (size_t m = 0; m < ken_bpe_count(&tokeniser->bpe); m++) {
        const struct ken_merge *merge = ken_bpe_merge(&tokeniser->bpe, m);
        ken_buffer_format(json, "%s[%d,%d]", m > 0 ? "," : "", (int)merge->left, (int)merge->right);
    }
    ken_buffer_text(json, "]}");
    return ken_buffer_status(json);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Returns whether a text could contain the string `name` as a unit: a word without white space, or
 * one character. The names of special ids are refused, because they contain spaces. */
static bool is_possible(const char *name, size_t length, enum ken_unit unit)
{
    if (length == 0) return false;
    if (unit == KEN_UNIT_CHARACTERS) return ken_text_step(name, length) == length;
    for (size_t i = 0; i < length; i += ken_text_step(name + i, length - i))
        if (ken_text_space(name + i, length - i)) return false;
    return true;
}

static ken_status read_names(ken_vocabulary *vocabulary, const json_t *list, const char *what,
                             enum ken_unit unit)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(item);
        size_t length = json_string_length(item), before = ken_vocabulary_size(vocabulary);
        if (!name || !is_possible(name, length, unit))
            return ken_fail(KEN_ERR_FORMAT, "%s: number %zu is not one of the %s", what, i,
                            units[unit].word);
        KEN_TRY(ken_vocabulary_add(vocabulary, name, length, NULL));
        if (ken_vocabulary_size(vocabulary) == before)
            return ken_fail(KEN_ERR_FORMAT, "%s: \"%s\" occurs twice", what, name);
    }
    return KEN_OK;
}

/* Reads the list of merges. The memory for tokens is limited by the length of the list, because
 * ken_bpe_add() refuses a merge whose subword is too long or exists already. */
static ken_status read_merges(ken_tokeniser *tokeniser, const json_t *list)
{
    for (size_t m = 0; m < json_array_size(list); m++) {
        const json_t *pair = json_array_get(list, m);
        const json_t *left = json_array_get(pair, 0), *right = json_array_get(pair, 1);
        json_int_t l = json_integer_value(left), r = json_integer_value(right);
        json_int_t known = (json_int_t)ken_tokeniser_size(tokeniser);
        if (json_array_size(pair) != 2 || !json_is_integer(left) || !json_is_integer(right) ||
            l < KEN_ID_FIRST || r < KEN_ID_FIRST || l >= known || r >= known)
            return ken_fail(KEN_ERR_FORMAT, "merge %zu does not join two ids before it", m);
        KEN_TRY(ken_bpe_add(&tokeniser->bpe, &tokeniser->tokens, (int32_t)l, (int32_t)r));
    }
    return KEN_OK;
}

static ken_status read_kind(struct ken_token_options *options, const json_t *unit,
                            const json_t *lower)
{
    const char *name = json_string_value(unit);
    if (!name) return ken_fail(KEN_ERR_FORMAT, "\"unit\" is not a string");
    if (!json_is_boolean(lower)) return ken_fail(KEN_ERR_FORMAT, "\"lower\" is not true or false");
    size_t kind = ken_words_find(&ken_unit_words, name);
    if (kind == SIZE_MAX) return ken_fail(KEN_ERR_FORMAT, "unknown unit \"%s\"", name);
    options->unit = (enum ken_unit)kind;
    options->lower = json_is_true(lower);
    return KEN_OK;
}

static ken_status read_object(ken_tokeniser *tokeniser, const json_t *object)
{
    const json_t *tokens = json_object_get(object, "tokens");
    const json_t *letters = json_object_get(object, "letters");
    const json_t *merges = json_object_get(object, "merges");
    KEN_TRY(read_kind(&tokeniser->options, json_object_get(object, "unit"),
                      json_object_get(object, "lower")));
    if (!json_is_array(tokens) || !json_is_array(letters) || !json_is_array(merges))
        return ken_fail(KEN_ERR_FORMAT, "\"tokens\", \"letters\" or \"merges\" is not a list");
    /* The object has all five known keys, so a further key is unknown. */
    if (json_object_size(object) != 5) return ken_fail(KEN_ERR_FORMAT, "there is an unknown key");
    enum ken_unit unit = tokeniser->options.unit;
    if ((!is_listed(unit) && json_array_size(tokens) > 0) ||
        (unit != KEN_UNIT_SUBWORDS && json_array_size(merges) > 0) ||
        (unit != KEN_UNIT_WORDS && json_array_size(letters) > 0))
        return ken_fail(KEN_ERR_FORMAT, "found a list that unit %s does not have",
                        units[unit].word);
    KEN_TRY(ken_tokeniser_begin(tokeniser));
    KEN_TRY(read_names(&tokeniser->tokens, tokens, "tokens", unit));
    KEN_TRY(read_names(&tokeniser->letters, letters, "letters", KEN_UNIT_CHARACTERS));
    return read_merges(tokeniser, merges);
}

ken_status ken_tokeniser_read(ken_tokeniser *tokeniser, const char *json, size_t length)
{
    json_error_t error;
    json_t *object = ken_json_read(json, length, JSON_ALLOW_NUL, &error);
    if (!object && json_error_code(&error) == json_error_out_of_memory)
        return ken_fail(KEN_ERR_MEMORY, "no memory to read %zu bytes of JSON", length);
    if (!object)
        return ken_fail(KEN_ERR_FORMAT, "not JSON at byte %d: %s", error.position,
                        ken_json_reason(&error));
    ken_status status = read_object(tokeniser, object);
    json_decref(object);
    return status;
}
