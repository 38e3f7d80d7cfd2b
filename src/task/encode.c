/* encode.c - turns examples from text into ids and numbers. Invariant: except while an example is
 * being added, every column of the dataset ends with a complete example. So an example that is too
 * long can be removed by truncating the columns. After a failure the dataset can only be
 * released. */
#include "task/task.h"
#include "base/size.h"

#include <string.h>

static ken_status label_id(const ken_task *task, int32_t *id, const ken_corpus *corpus, size_t i,
                           const char *label, size_t length)
{
    *id = ken_vocabulary_find(&task->labels, label, length);
    if (*id != KEN_NO_ID) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s:%zu: label \"%.*s\" does not occur in the training data",
                    corpus->path, ken_corpus_line(corpus, i), (int)length, label);
}

/* Appends the ids of an example's labels. The labels are separate strings, or the words of one
 * string. */
static ken_status encode_labels(const ken_task *task, ken_buffer *ids, const ken_corpus *corpus,
                                size_t i)
{
    size_t from = ken_corpus_target_start(corpus, i), to = ken_corpus_target_start(corpus, i + 1);
    for (size_t j = from; j < to; j++) {
        size_t length;
        const char *label = ken_strings_at(&corpus->target, j, &length);
        bool split = task->output == KEN_EACH && !corpus->words && corpus->width == 0;
        /* An empty label means that the label of this node or row is unknown. */
        if (length == 0 && (corpus->linked || corpus->width > 0))
            ken_buffer_append(ids, &(int32_t){ -1 }, sizeof(int32_t));
        size_t blanks = split ? strspn(label, " ") : 0;
        label += blanks;
        length -= blanks;
        while (length > 0) {
            size_t word = split ? strcspn(label, " ") : length;
            size_t step = word + (split ? strspn(label + word, " ") : 0);
            int32_t id;
            KEN_TRY(label_id(task, &id, corpus, i, label, word));
            ken_buffer_append(ids, &id, sizeof id);
            label += step;
            length -= step;
        }
    }
    return ken_buffer_status(ids);
}

/* Appends one row that stands for a set of labels. The row has a number for each possible label: 1
 * if the label is in the set, else 0. */
static ken_status encode_set(const ken_task *task, struct ken_column *column,
                             const ken_corpus *corpus, size_t i)
{
    size_t labels = ken_vocabulary_size(&task->labels), at = column->numbers.size;
    ken_buffer ids = { 0 };
    /* the data has a column for each label, in the order of task->labels */
    if (corpus->flags > 0) {
        column->width = labels;
        if (corpus->flags != labels)
            return ken_fail(KEN_ERR_FORMAT,
                            "%s:%zu: found %zu column%s of labels, but the model has %zu label%s",
                            corpus->path, ken_corpus_line(corpus, i), corpus->flags,
                            ken_plural(corpus->flags), labels, ken_plural(labels));
        size_t row = ken_corpus_target_start(corpus, i) * labels;
        ken_buffer_append(&column->numbers, ken_buffer_floats(&corpus->numbers) + row,
                          labels * sizeof(float));
        return ken_buffer_status(&column->numbers);
    }
    ken_status status = encode_labels(task, &ids, corpus, i);
    column->width = labels;
    for (size_t j = 0; j < labels; j++)
        ken_buffer_append(&column->numbers, &(float){ 0 }, sizeof(float));
    if (!status) status = ken_buffer_status(&column->numbers);
    if (!status) {
        float *row = (float *)(void *)(column->numbers.data + at);
        const int32_t *id = (const int32_t *)(const void *)ids.data;
        for (size_t j = 0; j < ids.size / sizeof *id; j++) row[id[j]] = 1;
    }
    ken_buffer_release(&ids);
    return status;
}

/* Encodes the target of example i. The input of the example must be encoded before its target,
 * because the number of labels is compared with the number of input rows. */
static ken_status encode_target(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                size_t i)
{
    struct ken_column *column = &dataset->target;
    size_t from = ken_corpus_target_start(corpus, i), to = ken_corpus_target_start(corpus, i + 1);
    if (task->output == KEN_GENERATE) {
        for (size_t j = from; j < to; j++) {
            size_t length;
            const char *text = ken_strings_at(&corpus->target, j, &length);
            KEN_TRY(ken_tokeniser_encode(ken_task_writer(task), text, length, &column->ids, NULL));
        }
    } else if (task->value == KEN_VALUE_NUMBER) {
        column->width = 1;
        ken_scaling_apply(&task->numbers, &column->numbers,
                          ken_buffer_floats(&corpus->numbers) + from, to - from);
    } else if (task->value == KEN_VALUE_SET) {
        KEN_TRY(encode_set(task, column, corpus, i));
    } else {
        KEN_TRY(encode_labels(task, &column->ids, corpus, i));
    }
    ken_column_end(column);
    KEN_TRY(ken_dataset_status(dataset));
    if (task->output == KEN_GENERATE) return KEN_OK;
    size_t given = ken_column_rows(column, ken_column_count(column) - 1);
    size_t rows = ken_column_rows(&dataset->input, ken_column_count(&dataset->input) - 1);
    size_t expected = task->output == KEN_EACH ? rows : 1;
    if (given == expected) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s:%zu: found %zu target%s for %zu %s%s", corpus->path,
                    ken_corpus_line(corpus, i), given, ken_plural(given), expected,
                    task->output == KEN_EACH ? "row" : "example", ken_plural(expected));
}

ken_status ken_task_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                           struct ken_lengths *lengths)
{
    ken_config shape = ken_task_config(task);
    for (size_t i = 0; i < corpus->count; i++) {
        size_t at = dataset->count;
        KEN_TRY(ken_input_encode(&task->input, dataset, corpus, i, NULL));
        KEN_TRY(encode_target(task, dataset, corpus, i));
        bool writes = task->output == KEN_GENERATE;
        if (lengths && ken_dataset_rows(dataset, at, writes) > lengths->longest) {
            ken_dataset_drop(dataset);
            lengths->left_out++;
            continue;
        }
        if (lengths) ken_lengths_add(lengths, &shape, dataset, at, ken_corpus_line(corpus, i));
        dataset->count++;
    }
    return KEN_OK;
}

/* Tokenises all lines as one text, with a "\n" after each line, and cuts the text into pieces.
 * Pieces overlap if step < piece. The last piece ends where the text ends and may be shorter. The
 * pieces are targets; inputs are empty, as always in a language model. */
ken_status ken_task_encode_stream(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                  size_t piece, size_t step)
{
    ken_buffer text = { 0 }, ids = { 0 };
    for (size_t i = 0; i < corpus->target.count; i++) {
        size_t length;
        const char *line = ken_strings_at(&corpus->target, i, &length);
        ken_buffer_append(&text, line, length);
        ken_buffer_text(&text, "\n");
    }
    ken_status status = ken_buffer_status(&text);
    if (!status)
        status = ken_tokeniser_encode(ken_task_writer(task), text.data, text.size, &ids, NULL);
    const int32_t *id = (const int32_t *)(const void *)ids.data;
    size_t count = ids.size / sizeof *id;
    for (size_t at = 0; !status && at < count; at += step) {
        size_t end = at + piece < count ? at + piece : count;
        ken_buffer_append(&dataset->target.ids, id + at, (end - at) * sizeof *id);
        ken_column_end(&dataset->target);
        ken_column_end(&dataset->input);
        dataset->count++;
        status = ken_dataset_status(dataset);
        if (end == count) break;
    }
    ken_buffer_release(&text);
    ken_buffer_release(&ids);
    return status;
}
