/* input.c - the table of input kinds, and the code that all input kinds share. */
#include "input/input.h"

#include "base/size.h"
#include "base/text.h"

#include <string.h>

static const struct ken_input_kind *const kinds[] = {
    &ken_input_text, &ken_input_words, &ken_input_vectors, &ken_input_atoms, &ken_input_indices,
};

const struct ken_input_kind *ken_input_at(size_t i)
{
    return i < KEN_COUNT(kinds) ? kinds[i] : NULL;
}

/* Returns the input kind for a format and a value of input.unit. input.unit is ignored if the
 * format carries rows of numbers. */
const struct ken_input_kind *ken_input_of(const struct ken_format_info *format, const char *unit)
{
    bool any = format->carries == KEN_CARRIES_NUMBERS;
    for (size_t i = 0; i < KEN_COUNT(kinds); i++)
        if (kinds[i]->carries & format->carries &&
            (any || ken_word_index(kinds[i]->units, unit) != SIZE_MAX))
            return kinds[i];
    return NULL;
}

void ken_input_units(ken_buffer *out, const struct ken_format_info *format)
{
    for (size_t i = 0; i < KEN_COUNT(kinds); i++)
        if (kinds[i]->carries & format->carries)
            ken_buffer_format(out, "%s%s", out->size > 0 ? " " : "", kinds[i]->units);
}

void ken_input_open(struct ken_input_side *side, const struct ken_input_kind *kind,
                    const ken_recipe *recipe)
{
    *side = (struct ken_input_side){
        .kind = kind,
        .each = ken_recipe_choice(recipe, KEN_KEY_OUTPUT_KIND) == KEN_EACH,
        .letters = ken_recipe_yes(recipe, KEN_KEY_INPUT_LETTERS),
        .one_hot = ken_recipe_choice(recipe, KEN_KEY_INPUT_TABLE) == KEN_TABLE_ONE_HOT,
    };
    if (kind && kind->open) kind->open(side, recipe);
}

void ken_input_release(struct ken_input_side *side)
{
    ken_tokeniser_release(&side->tokeniser);
    ken_scaling_release(&side->scaling);
    ken_buffer_release(&side->missing);
}

ken_status ken_input_learn(struct ken_input_side *side, const ken_corpus *corpus,
                           const ken_recipe *recipe, const struct ken_input_side *old)
{
    if (!side->kind) return KEN_OK;
    side->link_width = corpus->link_width;
    return side->kind->learn(side, corpus, recipe, old && old->kind ? old : NULL);
}

/* Copies the links of example i of the corpus to the dataset. The two row numbers of a link are
 * relative to the example's first row, so they are copied unchanged. */
static ken_status encode_links(const struct ken_input_side *side, ken_dataset *dataset,
                               const ken_corpus *corpus, size_t i)
{
    size_t from = ken_corpus_link_start(corpus, i), to = ken_corpus_link_start(corpus, i + 1);
    size_t width = side->link_width, pair = 2 * sizeof(int32_t);
    if (to > from && corpus->link_width != width)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s:%zu: found links with %zu number%s, but the model reads %zu",
                        corpus->path, ken_corpus_line(corpus, i), corpus->link_width,
                        ken_plural(corpus->link_width), width);
    if (to > from)
        ken_buffer_append(&dataset->links.ids, corpus->links.data + from * pair,
                          (to - from) * pair);
    if (to > from && width > 0)
        ken_buffer_append(&dataset->link_numbers.numbers,
                          corpus->link_numbers.data + from * width * sizeof(float),
                          (to - from) * width * sizeof(float));
    dataset->link_numbers.width = width;
    ken_column_end(&dataset->links);
    ken_column_end(&dataset->link_numbers);
    return ken_dataset_status(dataset);
}

ken_status ken_input_encode(const struct ken_input_side *side, ken_dataset *dataset,
                            const ken_corpus *corpus, size_t i, ken_strings *names)
{
    if (side->kind) KEN_TRY(side->kind->encode(side, dataset, corpus, i, names));
    if (corpus->linked) KEN_TRY(encode_links(side, dataset, corpus, i));
    if (!dataset->late) ken_column_end(&dataset->input);
    return ken_dataset_status(dataset);
}
