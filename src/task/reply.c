/* reply.c - computes the answers to encoded examples, labels or generated text, and passes them to
 * the caller one by one. */
#include "base/memory.h"
#include "task/evaluate.h"

/* The answer to the current example. Its buffers are reused from example to example. */
struct answers {
    ken_task *task;
    ken_answer_fn *answer;
    void *user;
    size_t first;                      /* number of the first example                  */
    ken_buffer tokens, labels, scores; /* elements: const char *, const char *, double */
};

static void add_label(struct answers *a, const char *label, double score)
{
    ken_buffer_append(&a->labels, &label, sizeof label);
    ken_buffer_append(&a->scores, &score, sizeof score);
}

static void clear(struct answers *a)
{
    ken_buffer_clear(&a->tokens);
    ken_buffer_clear(&a->labels);
    ken_buffer_clear(&a->scores);
}

ken_status ken_run_give(const ken_answer *given, ken_answer_fn *answer, void *user)
{
    if (!answer(user, given)) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "the caller stopped the run at example %zu", given->index + 1);
}

/* Passes the collected answer to the callback and clears the buffers. The answer points into the
 * buffers, so its pointers are valid only during the callback. */
static ken_status give(struct answers *a, size_t index, bool tokens, bool labels)
{
    KEN_TRY(ken_buffer_status(&a->tokens));
    KEN_TRY(ken_buffer_status(&a->labels));
    KEN_TRY(ken_buffer_status(&a->scores));
    ken_answer answer = {
        .index = a->first + index,
        .count = a->scores.size / sizeof(double),
        .tokens = tokens ? (const char *const *)(void *)a->tokens.data : NULL,
        .labels = labels ? (const char *const *)(void *)a->labels.data : NULL,
        .scores = (const double *)(void *)a->scores.data,
    };
    ken_status status = ken_run_give(&answer, a->answer, a->user);
    clear(a);
    return status;
}

/* Adds the answer for one row: the most likely label; the labels of a set, which may be none; or a
 * number in the unit of the data. */
static void read_row(struct answers *a, const float *row, size_t width)
{
    ken_task *task = a->task;
    size_t best = 0;
    if (task->value == KEN_VALUE_NUMBER) {
        add_label(a, NULL, row[0] * (double)task->numbers.deviation[0] + task->numbers.mean[0]);
        return;
    }
    for (size_t j = 0; j < width; j++) {
        if (row[j] > row[best]) best = j;
        if (task->value == KEN_VALUE_SET && row[j] >= task->threshold)
            add_label(a, ken_vocabulary_name(&task->labels, (int32_t)j, NULL), row[j]);
    }
    if (task->value == KEN_VALUE_CLASS)
        add_label(a, ken_vocabulary_name(&task->labels, (int32_t)best, NULL), row[best]);
}

/* Predicts all examples, then gives the answers one by one. So no answer is given if a prediction
 * fails. */
static ken_status give_labels(struct answers *a, const ken_dataset *dataset,
                              const ken_strings *names)
{
    bool each = a->task->output == KEN_EACH, numbers = a->task->value == KEN_VALUE_NUMBER;
    size_t width = numbers ? 1 : ken_vocabulary_size(&a->task->labels);
    ken_buffer predicted = { 0 };
    ken_status status = ken_labels_predict(a->task, &predicted, dataset);
    const float *row = ken_buffer_floats(&predicted);
    for (size_t i = 0; i < dataset->count && !status; i++) {
        size_t from = ken_column_start(&dataset->input, i);
        size_t rows = each ? ken_column_start(&dataset->input, i + 1) - from : 1;
        for (size_t k = 0; k < rows; k++, row += width) {
            const char *token = each && names ? ken_strings_at(names, from + k, NULL) : NULL;
            ken_buffer_append(&a->tokens, &token, sizeof token);
            read_row(a, row, width);
        }
        status = give(a, i, each && names, !numbers);
    }
    ken_buffer_release(&predicted);
    return status;
}

static ken_status give_texts(struct answers *a, const ken_dataset *dataset, size_t best)
{
    ken_generation how = ken_settings_generation(a->task->recipe);
    ken_strings texts = { 0 };
    ken_buffer logs = { 0 };
    how.best = best > 0 ? best : 1;
    how.first = a->first;
    ken_status status = ken_writing_generate(a->task, &texts, &logs, dataset, &how);
    const double *log_probability = (const double *)(const void *)logs.data;
    for (size_t i = 0; i < dataset->count && !status; i++) {
        for (size_t r = i * how.best; r < (i + 1) * how.best; r++)
            add_label(a, ken_strings_at(&texts, r, NULL), log_probability[r]);
        status = give(a, i, false, true);
    }
    ken_strings_release(&texts);
    ken_buffer_release(&logs);
    return status;
}

ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user)
{
    struct answers a = { .task = task, .answer = answer, .user = user, .first = request->first };
    ken_status status = task->output == KEN_GENERATE ? give_texts(&a, dataset, request->best)
                                                     : give_labels(&a, dataset, names);
    ken_buffer_release(&a.tokens);
    ken_buffer_release(&a.labels);
    ken_buffer_release(&a.scores);
    return status;
}
