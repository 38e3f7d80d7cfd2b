/* input_vectors.c - input kind vectors: rows of numbers. Each column is scaled to mean 0 and
 * standard deviation 1, as measured on the training data. A missing number (NaN) becomes 0, which
 * is the mean. For each column with missing numbers in the training data, the model reads a further
 * column of flags: 1 where the number is missing, else 0. */
#include "input/input.h"
#include "base/size.h"

#include <math.h>

static size_t flag_count(const struct ken_input_side *side)
{
    return side->missing.size / sizeof(size_t);
}

static void lay_out(const struct ken_input_side *side, struct ken_layout *layout)
{
    layout->numbers = true;
    layout->width = side->scaling.width;
}

/* Finds the columns with missing numbers. */
static ken_status find_missing(ken_buffer *missing, const ken_corpus *corpus)
{
    const float *rows = ken_buffer_floats(&corpus->vectors);
    size_t count = ken_corpus_input_start(corpus, corpus->count);
    for (size_t j = 0; j < corpus->width; j++) {
        size_t i = 0;
        while (i < count && !isnan(rows[i * corpus->width + j])) i++;
        if (i < count) ken_buffer_append(missing, &j, sizeof j);
    }
    return ken_buffer_status(missing);
}

static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    if (!old) KEN_TRY(find_missing(&side->missing, corpus));
    if (!old)
        return ken_scaling_learn(&side->scaling, ken_buffer_floats(&corpus->vectors),
                                 ken_corpus_input_start(corpus, corpus->count), corpus->width);
    if (corpus->width != old->scaling.width)
        return ken_recipe_fail(recipe, KEN_KEY_DATA_TRAIN,
                               "rows of %zu number%s, but %s was trained on rows of %zu",
                               corpus->width, ken_plural(corpus->width),
                               ken_recipe_value(recipe, KEN_KEY_TRAIN_FROM), old->scaling.width);
    if (old->missing.size > 0)
        ken_buffer_append(&side->missing, old->missing.data, old->missing.size);
    KEN_TRY(ken_buffer_status(&side->missing));
    return ken_scaling_copy(&side->scaling, &old->scaling);
}

/* Appends a row: the scaled numbers, 0 for a missing one, and the flags. */
static void encode_row(const struct ken_input_side *side, ken_buffer *out, const float *row)
{
    const size_t *columns = (const size_t *)(const void *)side->missing.data;
    size_t before = out->size;
    ken_scaling_apply(&side->scaling, out, row, 1);
    if (out->failed) return;
    float *scaled = (float *)(void *)(out->data + before);
    for (size_t j = 0; j < side->scaling.width; j++)
        if (isnan(scaled[j])) scaled[j] = 0;
    for (size_t k = 0; k < flag_count(side); k++) {
        float flag = isnan(row[columns[k]]) ? 1 : 0;
        ken_buffer_append(out, &flag, sizeof flag);
    }
}

static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    size_t width = side->scaling.width;
    (void)names;
    dataset->input.width = width + flag_count(side);
    if (corpus->width != width)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s:%zu: found rows of %zu number%s, but the model reads %zu", corpus->path,
                        ken_corpus_line(corpus, i), corpus->width, ken_plural(corpus->width),
                        width);
    for (size_t row = from; row < to; row++)
        encode_row(side, &dataset->input.numbers,
                   ken_buffer_floats(&corpus->vectors) + row * width);
    return KEN_OK;
}

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    config->input_kind = KEN_INPUT_VECTORS;
    config->input_size = side->scaling.width + flag_count(side);
    config->edge_size = links ? side->link_width : 0;
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    (void)unit;
    ken_buffer_format(out, "rows of %zu number%s", side->scaling.width,
                      ken_plural(side->scaling.width));
    if (flag_count(side) > 0)
        ken_buffer_format(out, ", of which %zu may be missing", flag_count(side));
}

/* Recipe keys that must be equal if a model starts from the weights of another: none (KEN_KEY_COUNT
 * ends the list). input.unit does not matter, because this kind of input ignores it. */
static const enum ken_key same[] = { KEN_KEY_COUNT };

const struct ken_input_kind ken_input_vectors = {
    .name = "vectors",
    .reads = "rows of numbers",
    .units = "numbers",
    .carries = KEN_CARRIES_NUMBERS | KEN_CARRIES_NODES,
    .accepts = KEN_CARRIES_NUMBERS | KEN_CARRIES_NODES,
    .outputs = "each whole generate",
    .same = same,
    .lay_out = lay_out,
    .learn = learn,
    .encode = encode,
    .shape = shape,
    .describe = describe,
};
