/* reply.c - computes the answers to encoded examples (labels, numbers or generated texts) and
 * passes them to the caller's function one by one. */
#include "base/memory.h"
#include "base/size.h"
#include "task/evaluate.h"
#include "task/stream.h"

#include <stdlib.h>
#include <string.h>

/* The answer to the current example. The buffers are reused for the next example. */
struct answers {
    ken_task *task;
    const ken_request *request;
    ken_answer_fn *answer;
    void *user;
    ken_buffer tokens, labels; /* elements: const char *; the tokens and labels of the answer */
    ken_buffer lengths;        /* elements: size_t; the length of each label */
    ken_buffer scores;         /* elements: double; the score of each label */
    ken_buffer classes;        /* elements: const char *; the names of all labels of the model */
    /* elements: int32_t; indices of the most likely labels of each row */
    ken_buffer best;
    ken_buffer ranks; /* elements: struct rank; the labels of one row, to be sorted */
};

/* A label and its probability. */
struct rank {
    float probability;
    int32_t label;
};

static void release(struct answers *a)
{
    ken_buffer *buffers[] = { &a->tokens,  &a->labels, &a->lengths, &a->scores,
                              &a->classes, &a->best,   &a->ranks };
    for (size_t i = 0; i < KEN_COUNT(buffers); i++) ken_buffer_release(buffers[i]);
}

static void add_label(struct answers *a, const char *label, size_t length, double score)
{
    ken_buffer_append(&a->labels, &label, sizeof label);
    ken_buffer_append(&a->lengths, &length, sizeof length);
    ken_buffer_append(&a->scores, &score, sizeof score);
}

ken_status ken_run_give(const ken_answer *given, ken_answer_fn *answer, void *user)
{
    if (!answer(user, given)) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "the caller stopped the run at example %zu", given->index + 1);
}

/* Completes `answer` with the content of the buffers, passes it to the caller's function, and
 * clears the buffers. The answer points into the buffers, so its pointers are valid only during
 * that function. */
static ken_status give(struct answers *a, ken_answer answer, size_t index, bool tokens)
{
    ken_buffer *lists[] = { &a->tokens, &a->labels, &a->lengths, &a->scores, &a->best };
    bool labels = a->task->output == KEN_GENERATE || a->task->value != KEN_VALUE_NUMBER;
    for (size_t i = 0; i < KEN_COUNT(lists); i++) KEN_TRY(ken_buffer_status(lists[i]));
    answer.index = a->request->first + index;
    answer.count = a->scores.size / sizeof(double);
    answer.tokens = tokens ? (const char *const *)(void *)a->tokens.data : NULL;
    answer.labels = labels ? (const char *const *)(void *)a->labels.data : NULL;
    answer.lengths = labels ? (const size_t *)(void *)a->lengths.data : NULL;
    answer.scores = (const double *)(void *)a->scores.data;
    answer.best = (const int32_t *)(void *)a->best.data;
    ken_status status = ken_run_give(&answer, a->answer, a->user);
    for (size_t i = 0; i < KEN_COUNT(lists); i++) ken_buffer_clear(lists[i]);
    return status;
}

/* ---- labels ---------------------------------------------------------------------------------- */

static void add_class(struct answers *a, size_t label, double probability)
{
    size_t length;
    const char *name = ken_vocabulary_name(&a->task->labels, (int32_t)label, &length);
    add_label(a, name, length, probability);
}

/* Adds the answer for one row: the most likely label; the labels of a set, possibly none; or a
 * number in the unit of the data. */
static void read_row(struct answers *a, const float *row, size_t width)
{
    ken_task *task = a->task;
    size_t best = 0;
    if (task->value == KEN_VALUE_NUMBER) {
        double number = row[0] * (double)task->numbers.deviation[0] + task->numbers.mean[0];
        add_label(a, NULL, 0, number);
        return;
    }
    for (size_t j = 0; j < width; j++) {
        if (row[j] > row[best]) best = j;
        if (task->value == KEN_VALUE_SET && row[j] >= task->threshold) add_class(a, j, row[j]);
    }
    if (task->value == KEN_VALUE_CLASS) add_class(a, best, row[best]);
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->probability != b->probability) return a->probability > b->probability ? -1 : 1;
    return a->label < b->label ? -1 : 1;
}

/* Adds the indices of the `count` most likely labels of a row, the most likely first. */
static void rank_row(struct answers *a, const float *row, size_t width, size_t count)
{
    ken_buffer_clear(&a->ranks);
    for (size_t j = 0; j < width && count > 0; j++)
        ken_buffer_append(&a->ranks, &(struct rank){ row[j], (int32_t)j }, sizeof(struct rank));
    /* marks `best` as failed too: give() then reports the failure */
    if (ken_buffer_status(&a->ranks)) {
        a->best.failed = true;
        return;
    }
    struct rank *ranks = (struct rank *)(void *)a->ranks.data;
    if (count > 0) qsort(ranks, width, sizeof *ranks, compare_ranks);
    for (size_t k = 0; k < count; k++)
        ken_buffer_append(&a->best, &ranks[k].label, sizeof ranks[k].label);
}

/* Sets the fields of an answer that do not depend on the example: the names of all labels, and how
 * many of the most likely labels the caller wants. For models that predict numbers there is nothing
 * to set. */
static ken_status describe_labels(struct answers *a, ken_answer *answer)
{
    const ken_vocabulary *labels = &a->task->labels;
    size_t asked = a->request->best;
    if (a->request->samples > 1 || a->request->stream)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: this model gives %s; only generators write text",
                        a->request->stream ? "streaming" : "several samples",
                        a->task->value == KEN_VALUE_NUMBER ? "numbers" : "labels");
    if (a->task->value == KEN_VALUE_NUMBER)
        return asked <= 1 ? KEN_OK
                          : ken_fail(KEN_ERR_ARGUMENT,
                                     "the best %zu answers: this model gives numbers, and a number "
                                     "has no alternatives with probabilities",
                                     asked);
    answer->class_count = ken_vocabulary_size(labels);
    for (size_t j = 0; j < answer->class_count; j++) {
        const char *name = ken_vocabulary_name(labels, (int32_t)j, NULL);
        ken_buffer_append(&a->classes, &name, sizeof name);
    }
    answer->classes = (const char *const *)(void *)a->classes.data;
    if (asked == 0 && a->task->output == KEN_WHOLE) asked = answer->class_count;
    answer->best_count = ken_size_min(asked, answer->class_count);
    return ken_buffer_status(&a->classes);
}

/* Predicts all examples, then gives the answers one by one. If a prediction fails, no answer is
 * given at all. */
static ken_status give_labels(struct answers *a, const ken_dataset *dataset,
                              const ken_strings *names)
{
    ken_answer answer = { 0 };
    KEN_TRY(describe_labels(a, &answer));
    bool each = a->task->output == KEN_EACH, numbers = a->task->value == KEN_VALUE_NUMBER;
    size_t width = numbers ? 1 : answer.class_count;
    ken_buffer predicted = { 0 };
    ken_status status = ken_labels_predict(a->task, &predicted, dataset);
    const float *row = ken_buffer_floats(&predicted);
    for (size_t i = 0; i < dataset->count && !status; i++) {
        size_t from = ken_column_start(&dataset->input, i);
        size_t rows = each ? ken_column_start(&dataset->input, i + 1) - from : 1;
        answer.rows = numbers ? 0 : rows;
        answer.probabilities = numbers ? NULL : row;
        for (size_t k = 0; k < rows; k++, row += width) {
            const char *token = each && names ? ken_strings_at(names, from + k, NULL) : NULL;
            ken_buffer_append(&a->tokens, &token, sizeof token);
            read_row(a, row, width);
            rank_row(a, row, width, answer.best_count);
        }
        status = give(a, answer, i, each && names);
    }
    ken_buffer_release(&predicted);
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Adds the generated texts of one example to its answer and gives the answer. `first` is the index,
 * in `texts`, of the example's first text. */
static ken_status give_results(struct answers *a, const ken_strings *texts, const ken_buffer *logs,
                               size_t first, size_t results, size_t index)
{
    for (size_t r = first; r < first + results; r++) {
        double log_probability;
        size_t length;
        const char *text = ken_strings_at(texts, r, &length);
        memcpy(&log_probability, logs->data + r * sizeof(double), sizeof(double));
        add_label(a, text, length, log_probability);
    }
    return give(a, (ken_answer){ 0 }, index, false);
}

static ken_status stream_texts(struct answers *a, ken_strings *texts, ken_buffer *logs,
                               const ken_dataset *dataset, const ken_generation *how)
{
    for (size_t i = 0; i < dataset->count; i++) {
        size_t first = texts->count;
        KEN_TRY(
            ken_stream_example(a->task, texts, logs, dataset, i, how, a->request->stream, a->user));
        KEN_TRY(give_results(a, texts, logs, first, how->samples, i));
    }
    return KEN_OK;
}

static ken_status check_texts(const ken_request *request, const ken_generation *how)
{
    if (how->samples > 1 && how->best > 1)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "either the %zu best results, found by beam search, or "
                        "%zu samples, not both",
                        how->best, how->samples);
    if (how->samples > 1 && how->temperature == 0)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "%zu samples: at generate.temperature=0 all samples are equal; set a "
                        "temperature above 0, for instance 0.8",
                        how->samples);
    if (request->stream && how->beam > 1)
        return ken_fail(KEN_ERR_ARGUMENT, "streaming: beam search decides about the text at its "
                                          "end; it needs generate.beam=1");
    return KEN_OK;
}

static ken_status give_texts(struct answers *a, const ken_dataset *dataset)
{
    ken_generation how = ken_settings_generation(a->task->recipe);
    ken_strings texts = { 0 };
    ken_buffer logs = { 0 };
    how.best = ken_size_max(a->request->best, 1);
    how.samples = ken_size_max(a->request->samples, 1);
    how.first = a->request->first;
    KEN_TRY(check_texts(a->request, &how));
    ken_status status = KEN_OK;
    if (a->request->stream) {
        status = stream_texts(a, &texts, &logs, dataset, &how);
    } else {
        size_t results = how.best * how.samples;
        status = ken_writing_generate(a->task, &texts, &logs, dataset, 0, dataset->count, &how);
        for (size_t i = 0; i < dataset->count && !status; i++)
            status = give_results(a, &texts, &logs, i * results, results, i);
    }
    ken_strings_release(&texts);
    ken_buffer_release(&logs);
    return status;
}

ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user)
{
    struct answers a = { .task = task, .request = request, .answer = answer, .user = user };
    ken_status status = task->output == KEN_GENERATE ? give_texts(&a, dataset)
                                                     : give_labels(&a, dataset, names);
    release(&a);
    return status;
}
