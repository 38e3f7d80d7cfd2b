/* config_json.c - a configuration as JSON; one table of all fields serves writing and reading.
 * Choices are words, probabilities are numbers, an unlimited size is null, and the seed (which may
 * be larger than JSON readers keep exactly) is a string. */
#include "base/json.h"
#include "base/number.h"
#include "base/size.h"
#include "model/model_file.h"
#include "model/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { SIZE, WORD, FLAG, SHARE, ID, SEED };

/* The table of all fields of ken_config, for writing and reading. A test fails if a field is
 * missing. */
static const struct field {
    const char *name;
    enum kind kind;
    size_t where;
    ken_choice choice; /* for kind WORD: the list of words; else unused                      */
    bool later;        /* true: older files may lack this field, and then it has its default */
    /* True: the field is written only if it differs from the default, so that files that do not use
     * it stay unchanged and older versions can read them. */
    bool rare;
} fields[] = {
#define FIELD(kind, name)                                                                          \
    {                                                                                              \
#name, kind, offsetof(ken_config, name), 0                                                 \
    }
#define CHOICE(name, choice)                                                                       \
    {                                                                                              \
#name, WORD, offsetof(ken_config, name), choice                                            \
    }
#define LATER(kind, name, choice)                                                                  \
    {                                                                                              \
#name, kind, offsetof(ken_config, name), choice, true                                      \
    }
#define RARE(kind, name)                                                                           \
    {                                                                                              \
#name, kind, offsetof(ken_config, name), 0, true, true                                     \
    }
    CHOICE(output, KEN_CHOICE_OUTPUT),
    FIELD(SIZE, input_size),
    FIELD(SIZE, output_size),
    CHOICE(input_kind, KEN_CHOICE_INPUT),
    CHOICE(value, KEN_CHOICE_VALUE),
    CHOICE(pooling, KEN_CHOICE_POOLING),
    FIELD(SIZE, letters),
    FIELD(SIZE, letters_width),
    FIELD(SHARE, word_dropout),
    FIELD(ID, unknown),
    FIELD(SIZE, encoder_blocks),
    FIELD(SIZE, decoder_blocks),
    FIELD(SIZE, width),
    FIELD(SIZE, hidden),
    FIELD(SIZE, heads),
    FIELD(SIZE, kv_heads),
    CHOICE(position, KEN_CHOICE_POSITION),
    FIELD(SIZE, longest),
    CHOICE(score, KEN_CHOICE_SCORE),
    CHOICE(weigh, KEN_CHOICE_WEIGH),
    FIELD(SIZE, window_left),
    FIELD(SIZE, window_right),
    CHOICE(activation, KEN_CHOICE_ACTIVATION),
    FIELD(FLAG, gated),
    FIELD(FLAG, rms_norm),
    FIELD(FLAG, post_norm),
    FIELD(SHARE, dropout),
    FIELD(SHARE, attention_dropout),
    FIELD(SHARE, hidden_dropout),
    FIELD(ID, begin),
    FIELD(ID, end),
    FIELD(FLAG, tied),
    FIELD(FLAG, shared),
    FIELD(SEED, seed),
    LATER(WORD, mixing, KEN_CHOICE_MIXING),
    LATER(SIZE, neighbours, 0),
    LATER(FLAG, both_ways, 0),
    LATER(WORD, reach, KEN_CHOICE_REACH),
    LATER(SIZE, reach_global, 0),
    LATER(SIZE, reach_block, 0),
    LATER(SIZE, reach_random, 0),
    LATER(SIZE, landmarks, 0),
    LATER(SIZE, features, 0),
    LATER(SIZE, edge_size, 0),
    LATER(FLAG, loops, 0),
    LATER(SIZE, last_heads, 0),
    RARE(SIZE, input_stack),
    RARE(SIZE, place_axes),
#undef FIELD
#undef CHOICE
#undef LATER
#undef RARE
};

_Static_assert(sizeof(ken_output) == sizeof(int), "choices are read and written as int");

/* Returns the decimal number with the fewest digits that reads back as the same float: 0.1, not
 * 0.10000000149011612. */
static double shortest(float share)
{
    double number = (double)share;
    for (int precision = 1; precision <= 9; precision++) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.*g", precision, (double)share);
        number = strtod(digits, NULL);
        if ((float)number == share) break;
    }
    return number;
}

static void write_field(ken_buffer *out, const struct field *field, const void *at)
{
    switch (field->kind) {
    case SIZE:
        /* a size that no sequence can reach means "no limit" */
        if (*(const size_t *)at > INT64_MAX) ken_buffer_text(out, "null");
        else ken_buffer_format(out, "%zu", *(const size_t *)at);
        break;
    case WORD: ken_buffer_format(out, "\"%s\"", ken_word(field->choice, *(const int *)at)); break;
    case FLAG: ken_buffer_text(out, *(const int *)at ? "true" : "false"); break;
    case SHARE: ken_json_number(out, shortest(*(const float *)at)); break;
    case ID: ken_buffer_format(out, "%ld", (long)*(const int32_t *)at); break;
    case SEED: ken_buffer_format(out, "\"%llu\"", (unsigned long long)*(const uint64_t *)at); break;
    }
}

/* Compares a field of two configurations as it would be written to a file: all true values are
 * equal, and so are all unlimited sizes. */
static bool same_field(const struct field *field, const void *a, const void *b)
{
    switch (field->kind) {
    case SIZE: {
        size_t first = *(const size_t *)a, second = *(const size_t *)b;
        return first == second || (first > INT64_MAX && second > INT64_MAX);
    }
    case WORD: return *(const int *)a == *(const int *)b;
    case FLAG: return !*(const int *)a == !*(const int *)b;
    case SHARE: return *(const float *)a == *(const float *)b;
    case ID: return *(const int32_t *)a == *(const int32_t *)b;
    case SEED: return *(const uint64_t *)a == *(const uint64_t *)b;
    }
    return false;
}

void ken_config_write(ken_buffer *out, const ken_config *config)
{
    ken_config usual = ken_config_default(config->output);
    for (size_t i = 0; i < KEN_COUNT(fields); i++) {
        const char *at = (const char *)config + fields[i].where;
        if (fields[i].rare && same_field(&fields[i], at, (const char *)&usual + fields[i].where))
            continue;
        ken_buffer_format(out, "%s\"%s\":", i == 0 ? "{" : ",", fields[i].name);
        write_field(out, &fields[i], at);
    }
    ken_buffer_text(out, "}");
}

/* Reads a word of the list `choice` from JSON. Returns NULL if the word is valid; otherwise writes
 * "one of: WORD ..." to `expected` and returns `expected`. */
static const char *read_word(int *value, char *expected, size_t size, ken_choice choice,
                             const json_t *json)
{
    const char *word = json_string_value(json);
    char words[KEN_WORDS_SIZE];
    *value = word ? ken_word_value(choice, word) : -1;
    if (*value >= 0) return NULL;
    ken_words_print(words, sizeof words, &ken_choice_words[choice]);
    snprintf(expected, size, "one of: %s", words);
    return expected;
}

/* Reads one field from JSON. Returns NULL on success, otherwise a text that says what was expected;
 * `expected` is memory for that text. */
static const char *read_field(void *at, char *expected, size_t size, const struct field *field,
                              const json_t *value)
{
    json_int_t whole = json_is_integer(value) ? json_integer_value(value) : -1;
    switch (field->kind) {
    case SIZE:
        *(size_t *)at = json_is_null(value) ? KEN_UNLIMITED : (size_t)whole;
        return json_is_null(value) || whole >= 0 ? NULL : "a whole number, or null for no limit";
    case WORD: return read_word(at, expected, size, field->choice, value);
    case FLAG: *(int *)at = json_is_true(value); return json_is_boolean(value) ? NULL : "a boolean";
    case SHARE: {
        double share = json_is_number(value) ? json_number_value(value) : -1;
        *(float *)at = (float)share;
        return share >= 0 && *(float *)at < 1 ? NULL : "a number of at least 0 and below 1";
    }
    case ID:
        *(int32_t *)at = (int32_t)whole;
        return whole >= 0 && whole <= INT32_MAX ? NULL : "an id";
    case SEED: {
        bool good = json_is_string(value) &&
                    ken_number_whole(at, json_string_value(value), json_string_length(value),
                                     UINT64_MAX);
        return good ? NULL : "a string of digits";
    }
    }
    return NULL;
}

/* Reads a configuration from JSON. Every field must occur once, with its type, and there must be no
 * other field. */
static ken_status read_fields(ken_config *config, json_t *object, const char *path)
{
    size_t absent = 0;
    for (size_t i = 0; i < KEN_COUNT(fields); i++) {
        const json_t *value = json_object_get(object, fields[i].name);
        absent += !value;
        if (!value && fields[i].later) continue;
        if (!value)
            return ken_fail(KEN_ERR_FORMAT, "%s: ken.config has no %s", path, fields[i].name);
        char room[KEN_WORDS_SIZE + 16];
        const char *expected = read_field((char *)config + fields[i].where, room, sizeof room,
                                          &fields[i], value);
        if (expected)
            return ken_fail(KEN_ERR_FORMAT, "%s: ken.config: %s: expected %s", path, fields[i].name,
                            expected);
    }
    if (json_object_size(object) > KEN_COUNT(fields) - absent)
        return ken_fail(KEN_ERR_FORMAT, "%s: ken.config has more fields than the %zu known", path,
                        KEN_COUNT(fields));
    const char *wrong = ken_config_wrong(config);
    return wrong ? ken_fail(KEN_ERR_FORMAT, "%s: ken.config: %s", path, wrong) : KEN_OK;
}

ken_status ken_config_read(ken_config *config, const char *json, const char *path)
{
    enum { LONGEST = 1 << 14 }; /* maximum bytes of the text: ten times a written configuration */
    json_error_t error;
    *config = ken_config_default(KEN_EACH);
    size_t size = strlen(json);
    json_t *object = size <= LONGEST ? ken_json_read(json, size, 0, &error) : NULL;
    ken_status status = json_is_object(object)
                            ? read_fields(config, object, path)
                            : ken_fail(KEN_ERR_FORMAT, "%s: ken.config is not JSON", path);
    json_decref(object);
    return status;
}

const char *ken_config_difference(const ken_config *a, const ken_config *b)
{
    for (size_t i = 0; i < KEN_COUNT(fields); i++)
        if (!same_field(&fields[i], (const char *)a + fields[i].where,
                        (const char *)b + fields[i].where))
            return fields[i].name;
    return NULL;
}
