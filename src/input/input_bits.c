/* input_bits.c - input kind bits: a text of whole numbers, each of which becomes a row of its binary
 * digits, lowest first. The training data says how many digits there are. */
#include "base/number.h"
#include "input/input.h"

#include <string.h>

enum { BITS_MOST = 53 };

/* Calls `visit` for each number of example i; a word that is no number is refused. */
typedef void visit_fn(void *user, uint64_t number, const char *word, size_t length);

static ken_status walk(const ken_corpus *corpus, size_t i, visit_fn *visit, void *user)
{
    for (size_t j = ken_corpus_input_start(corpus, i); j < ken_corpus_input_start(corpus, i + 1);
         j++) {
        const char *at = ken_strings_at(&corpus->input, j, NULL);
        while (*(at += strspn(at, " "))) {
            size_t length = strcspn(at, " ");
            uint64_t number;
            if (!ken_number_whole(&number, at, length, UINT64_C(1) << BITS_MOST))
                return ken_fail(KEN_ERR_FORMAT, "%s:%zu: \"%.*s\" is not a whole number",
                                corpus->path, ken_corpus_line(corpus, i), (int)length, at);
            visit(user, number, at, length);
            at += length;
        }
    }
    return KEN_OK;
}

static void widen(void *user, uint64_t number, const char *word, size_t length)
{
    size_t *width = user;
    (void)word;
    (void)length;
    while (*width < BITS_MOST && number >> *width) ++*width;
}

static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    (void)recipe;
    side->index_count = old ? old->index_count : 1;
    for (size_t i = 0; i < corpus->count && !old; i++)
        KEN_TRY(walk(corpus, i, widen, &side->index_count));
    return KEN_OK;
}

struct rows {
    ken_dataset *dataset;
    ken_strings *names;
};

static void add_row(void *user, uint64_t number, const char *word, size_t length)
{
    struct rows *rows = user;
    for (size_t bit = 0; bit < rows->dataset->input.width; bit++) {
        float digit = (float)(number >> bit & 1);
        ken_buffer_append(&rows->dataset->input.numbers, &digit, sizeof digit);
    }
    if (rows->names) ken_strings_add(rows->names, word, length);
}

static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    struct rows rows = { dataset, names };
    dataset->input.width = side->index_count;
    return walk(corpus, i, add_row, &rows);
}

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    (void)links;
    config->input_kind = KEN_INPUT_VECTORS;
    config->input_size = side->index_count;
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    (void)unit;
    ken_buffer_format(out, "whole numbers of %zu binary digits", side->index_count);
}

static const enum ken_key same[] = { KEN_KEY_INPUT_UNIT, KEN_KEY_COUNT };

const struct ken_input_kind ken_input_bits = {
    .name = "bits",
    .reads = "whole numbers",
    .units = "bits",
    .carries = KEN_CARRIES_TEXT,
    .accepts = KEN_CARRIES_TEXT | KEN_CARRIES_WORDS,
    .outputs = "each whole generate",
    .typed = true,
    .names = true,
    .same = same,
    .learn = learn,
    .encode = encode,
    .shape = shape,
    .describe = describe,
};
