/* input_text.c - input kinds text and words: the rows are units (tokens) of a vocabulary. The
 * tokeniser cuts a text into units. If a file gives words one by one, each word is one row, even if
 * it contains spaces. The letters of a word may be given too, as a sequence of letter ids. */
#include "base/text.h"
#include "input/input.h"

static void open_text(struct ken_input_side *side, const ken_recipe *recipe)
{
    side->tokeniser.options = (struct ken_token_options){
        .unit = ken_recipe_choice(recipe, KEN_KEY_INPUT_UNIT),
        .most = ken_recipe_size(recipe, KEN_KEY_INPUT_SIZE),
        .least = ken_recipe_size(recipe, KEN_KEY_INPUT_LEAST),
        .lower = ken_recipe_yes(recipe, KEN_KEY_INPUT_LOWER),
    };
}

/* Returns whether each string of the corpus becomes exactly one row. */
static bool word_by_word(const struct ken_input_side *side, const ken_corpus *corpus)
{
    return corpus->words && (side->each || corpus->linked);
}

/* Returns whether each string of the corpus is one word of the vocabulary, even if the string
 * contains spaces. */
static bool whole_words(const struct ken_input_side *side, const ken_corpus *corpus)
{
    return side->tokeniser.options.unit == KEN_UNIT_WORDS && word_by_word(side, corpus);
}

/* Replaces white space within a word by "_", because the tokeniser would split the word there.
 * *word then points to the result in `joined`. */
static ken_status join(ken_buffer *joined, const char **word, size_t *length)
{
    bool blank = false;
    ken_buffer_clear(joined);
    for (size_t i = 0, step; i < *length; i += step) {
        size_t space = ken_text_space(*word + i, *length - i);
        step = space ? space : ken_text_step(*word + i, *length - i);
        if (!space && blank && joined->size > 0) ken_buffer_text(joined, "_");
        if (!space) ken_buffer_append(joined, *word + i, step);
        blank = space > 0;
    }
    *word = ken_buffer_string(joined);
    *length = joined->size;
    return ken_buffer_status(joined);
}

/* ---- learning -------------------------------------------------------------------------------- */

/* Counts the units of all strings; ken_tokeniser_finish() makes the vocabulary from the counts. If
 * `words` is true, each string counts as one word. */
static ken_status see_all(ken_tokeniser *tokeniser, const ken_strings *strings, bool words)
{
    ken_buffer word = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; i < strings->count && !status; i++) {
        size_t length;
        const char *text = ken_strings_at(strings, i, &length);
        if (words) status = join(&word, &text, &length);
        if (!status) status = ken_tokeniser_see(tokeniser, text, length);
    }
    ken_buffer_release(&word);
    return status;
}

/* Learns the vocabulary from the inputs and, if input and output share one vocabulary, also from
 * the targets. */
static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    KEN_TRY(see_all(&side->tokeniser, &corpus->input, whole_words(side, corpus)));
    if (ken_recipe_yes(recipe, KEN_KEY_OUTPUT_SHARED))
        KEN_TRY(see_all(&side->tokeniser, &corpus->target, false));
    return ken_tokeniser_finish_from(&side->tokeniser, old ? &old->tokeniser : NULL);
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* Adds one row for one string. If the tokeniser does not find exactly one unit in the string, the
 * row is an unknown word. */
static ken_status encode_word(const struct ken_input_side *side, struct ken_column *column,
                              const char *word, size_t length)
{
    size_t before = column->ids.size;
    int32_t unknown = KEN_ID_UNKNOWN;
    KEN_TRY(ken_tokeniser_encode(&side->tokeniser, word, length, &column->ids, NULL));
    if (column->ids.size == before + sizeof unknown) return KEN_OK;
    column->ids.size = before;
    ken_buffer_append(&column->ids, &unknown, sizeof unknown);
    return ken_buffer_status(&column->ids);
}

/* Adds the letters of strings `from` to `to` - 1: one sequence of letters for each input row. The
 * letters of a word are stored only once, however often the word occurs. */
static ken_status spell_all(const struct ken_input_side *side, ken_dataset *dataset,
                            const ken_strings *names, size_t from, size_t to)
{
    for (size_t j = from; j < to; j++) {
        size_t length, known = ken_vocabulary_size(&dataset->words);
        const char *word = ken_strings_at(names, j, &length);
        int32_t id;
        KEN_TRY(ken_vocabulary_add(&dataset->words, word, length, &id));
        ken_buffer_append(&dataset->spelled.ids, &id, sizeof id);
        if ((size_t)id < known) continue;
        KEN_TRY(ken_tokeniser_spell(&side->tokeniser, word, length, &dataset->letters.ids));
        ken_column_end(&dataset->letters);
    }
    ken_column_end(&dataset->spelled);
    return KEN_OK;
}

static ken_status encode_words(const struct ken_input_side *side, ken_dataset *dataset,
                               const ken_corpus *corpus, size_t i, ken_strings *names)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    bool whole = whole_words(side, corpus);
    ken_buffer joined = { 0 };
    ken_status status = KEN_OK;
    for (size_t j = from; j < to && !status; j++) {
        size_t length;
        const char *word = ken_strings_at(&corpus->input, j, &length);
        if (names) ken_strings_add(names, word, length);
        if (whole) status = join(&joined, &word, &length);
        if (!status) status = encode_word(side, &dataset->input, word, length);
    }
    ken_buffer_release(&joined);
    if (!status && side->letters) status = spell_all(side, dataset, &corpus->input, from, to);
    return status;
}

static ken_status encode_text(const struct ken_input_side *side, ken_dataset *dataset,
                              const ken_corpus *corpus, size_t i, ken_strings *names)
{
    /* Letters are made from the words as written, so the list of names is needed even if the caller
     * passes no `names`. */
    ken_strings own = { 0 }, *list = names ? names : side->letters ? &own : NULL;
    size_t first = list ? list->count : 0, length;
    ken_status status = KEN_OK;
    for (size_t j = ken_corpus_input_start(corpus, i);
         j < ken_corpus_input_start(corpus, i + 1) && !status; j++) {
        const char *text = ken_strings_at(&corpus->input, j, &length);
        status = ken_tokeniser_encode(&side->tokeniser, text, length, &dataset->input.ids, list);
    }
    if (!status && side->letters) status = spell_all(side, dataset, list, first, list->count);
    ken_strings_release(&own);
    return status;
}

static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    return word_by_word(side, corpus) ? encode_words(side, dataset, corpus, i, names)
                                      : encode_text(side, dataset, corpus, i, names);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    config->input_kind = side->one_hot ? KEN_INPUT_ONE_HOT : KEN_INPUT_IDS;
    config->input_size = ken_tokeniser_size(&side->tokeniser);
    config->letters = side->letters ? ken_vocabulary_size(&side->tokeniser.letters) : 0;
    config->edge_size = links ? side->link_width : 0;
}

static ken_status write(const struct ken_input_side *side, ken_buffer *json)
{
    return ken_tokeniser_write(&side->tokeniser, json);
}

static ken_status read(struct ken_input_side *side, const char *json, size_t length)
{
    return ken_tokeniser_read(&side->tokeniser, json, length);
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    ken_buffer_format(out, "%zu kinds of %s", ken_tokeniser_size(&side->tokeniser), unit);
}

/* Recipe keys that must be equal if a model starts from the weights of another. input.table is one
 * of them, because embeddings and one-hot vectors are scaled differently. */
static const enum ken_key same[] = { KEN_KEY_INPUT_UNIT, KEN_KEY_INPUT_LOWER, KEN_KEY_INPUT_LETTERS,
                                     KEN_KEY_INPUT_TABLE, KEN_KEY_COUNT };

#define UNITS_OF_A_VOCABULARY                                                                      \
    .reads = "text", .accepts = KEN_CARRIES_TEXT | KEN_CARRIES_WORDS | KEN_CARRIES_NODES,          \
    .outputs = "each whole generate", .typed = true, .names = true, .tokenises = true,             \
    .same = same, .open = open_text, .learn = learn, .encode = encode, .shape = shape,             \
    .write = write, .read = read, .describe = describe

const struct ken_input_kind ken_input_text = {
    .name = "text",
    .units = "words subwords characters bytes",
    .carries = KEN_CARRIES_TEXT,
    UNITS_OF_A_VOCABULARY,
};

const struct ken_input_kind ken_input_words = {
    .name = "words",
    .units = "words",
    .carries = KEN_CARRIES_WORDS | KEN_CARRIES_NODES,
    UNITS_OF_A_VOCABULARY,
};
