/* input_vectors.c - input kind vectors: rows of numbers. Each column is scaled to mean 0 and
 * standard deviation 1, as measured on the training data. */
#include "input/input.h"
#include "base/size.h"

static void lay_out(const struct ken_input_side *side, struct ken_layout *layout)
{
    layout->numbers = true;
    layout->width = side->scaling.width;
}

static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    if (!old)
        return ken_scaling_learn(&side->scaling, ken_buffer_floats(&corpus->vectors),
                                 ken_corpus_input_start(corpus, corpus->count), corpus->width);
    if (corpus->width != old->scaling.width)
        return ken_recipe_fail(recipe, KEN_KEY_DATA_TRAIN,
                               "rows of %zu number%s, but %s was trained on rows of %zu",
                               corpus->width, ken_plural(corpus->width),
                               ken_recipe_value(recipe, KEN_KEY_TRAIN_FROM), old->scaling.width);
    return ken_scaling_copy(&side->scaling, &old->scaling);
}

static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    size_t width = side->scaling.width;
    (void)names;
    dataset->input.width = width;
    if (corpus->width != width)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s:%zu: found rows of %zu number%s, but the model reads %zu", corpus->path,
                        ken_corpus_line(corpus, i), corpus->width, ken_plural(corpus->width),
                        width);
    ken_scaling_apply(&side->scaling, &dataset->input.numbers,
                      ken_buffer_floats(&corpus->vectors) + from * width, to - from);
    return KEN_OK;
}

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    config->input_kind = KEN_INPUT_VECTORS;
    config->input_size = side->scaling.width;
    config->edge_size = links ? side->link_width : 0;
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    (void)unit;
    ken_buffer_format(out, "rows of %zu number%s", side->scaling.width,
                      ken_plural(side->scaling.width));
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
