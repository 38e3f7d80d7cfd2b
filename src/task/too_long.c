/* too_long.c - finds the examples that are too long for the model, so that they are reported before
 * training instead of stopping it in the middle. Only learned positions limit the length: they
 * exist for `longest` rows. Rows are counted as the model reads them: rows that input.stack joins
 * count as one, and a target has one more row, for its begin symbol. */
#include "base/size.h"
#include "model/model.h"
#include "task/task.h"

void ken_lengths_add(struct ken_lengths *lengths, const ken_config *shape,
                     const ken_dataset *dataset, size_t i, size_t line)
{
    bool writes = shape->output == KEN_GENERATE;
    size_t read = ken_config_rows(shape, ken_column_rows(&dataset->input, i));
    size_t written = writes ? ken_column_rows(&dataset->target, i) + 1 : 0;
    size_t rows = ken_size_max(read, written);
    if (shape->position != KEN_POSITION_LEARNED || rows <= shape->longest) return;
    if (lengths->too_long++ == 0) {
        lengths->line = line;
        lengths->rows = rows;
        lengths->written = written > read;
    }
    lengths->most = ken_size_max(lengths->most, rows);
}

void ken_lengths_words(ken_buffer *words, const struct ken_lengths *lengths, const char *path,
                       const ken_recipe *recipe)
{
    bool stacked = ken_recipe_size(recipe, KEN_KEY_INPUT_STACK) > 1;
    ken_buffer_format(words,
                      "%s:%zu: the %s has %zu rows%s, but model.position=learned has only "
                      "model.longest=%zu places",
                      path, lengths->line, lengths->written ? "target" : "input", lengths->rows,
                      lengths->written ? " with its begin symbol"
                      : stacked        ? " after input.stack"
                                       : "",
                      ken_recipe_size(recipe, KEN_KEY_MODEL_LONGEST));
}

/* Returns KEN_ERR_FORMAT. The message is that of ken_lengths_words(), followed by the number of
 * long examples and the keys of the recipe that can be changed. */
static ken_status refuse(const struct ken_lengths *lengths, const char *path,
                         const ken_recipe *recipe)
{
    size_t places = ken_recipe_size(recipe, KEN_KEY_MODEL_LONGEST);
    ken_buffer words = { 0 };
    ken_lengths_words(&words, lengths, path, recipe);
    ken_buffer_format(&words, "; %zu %s too long: model.longest must be %zu or more",
                      lengths->too_long, lengths->too_long == 1 ? "example is" : "examples are",
                      lengths->most);
    if (lengths->longest != SIZE_MAX)
        ken_buffer_format(&words, ", or data.longest=%zu leaves long training examples out",
                          places);
    ken_status status = ken_buffer_status(&words);
    if (!status) status = ken_fail(KEN_ERR_FORMAT, "%s", words.data);
    ken_buffer_release(&words);
    return status;
}

ken_status ken_lengths_check(const struct ken_lengths *lengths, const char *path,
                             const ken_recipe *recipe)
{
    return lengths->too_long > 0 ? refuse(lengths, path, recipe) : KEN_OK;
}

ken_status ken_lengths_check_stream(ken_task *task, const ken_dataset *dataset, const char *path)
{
    ken_config shape = ken_task_config(task);
    struct ken_lengths lengths = { 0 };
    for (size_t i = 0; i < dataset->count; i++) ken_lengths_add(&lengths, &shape, dataset, i, 0);
    if (lengths.too_long == 0) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT,
                    "%s: pieces of data.context=%zu ids have %zu rows with the begin symbol, but "
                    "model.position=learned has only model.longest=%zu places: model.longest must "
                    "be %zu or more, or data.context smaller",
                    path, ken_recipe_size(task->recipe, KEN_KEY_DATA_CONTEXT), lengths.most,
                    shape.longest, lengths.most);
}
