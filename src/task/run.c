/* run.c - lets a trained model answer requests: text in, labels or generated text out. */
#include "base/memory.h"
#include "base/options.h"
#include "task/evaluate.h"

#include <math.h>
#include <string.h>

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
    int stop = a->answer(a->user, &answer);
    clear(a);
    if (!stop) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "the caller stopped the run at example %zu", answer.index + 1);
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

static ken_status unknown_format(const char *name)
{
    ken_buffer names = { 0 };
    for (size_t f = 0; ken_format_word(f); f++)
        ken_buffer_format(&names, " %s", ken_format_word(f));
    ken_status status = ken_buffer_status(&names);
    if (!status)
        status = ken_fail(KEN_ERR_ARGUMENT, "unknown format \"%s\", expected one of:%s", name,
                          names.data);
    ken_buffer_release(&names);
    return status;
}

/* Returns whether the examples are read as graphs. Molecules are not: they are read as text and
 * become graphs later. */
static bool reads_graphs(const ken_task *task)
{
    return ken_task_linked(task) && !(task->input.kind && task->input.kind->linked);
}

/* Returns the format to read unless the request names one: lines of text; graphs; or, if an example
 * cannot be typed by hand, the recipe's format (vectors, if the recipe generates its data). */
static enum ken_format usual_format(const ken_task *task, enum ken_format trained, bool links)
{
    if (reads_graphs(task)) return links ? KEN_FORMAT_NODES : KEN_FORMAT_GRAPHS;
    if (ken_task_reads_text(task)) return KEN_FORMAT_LINES;
    return trained == KEN_FORMAT_COUNT ? KEN_FORMAT_VECTORS : trained;
}

int ken_task_reads_text(const ken_task *task)
{
    return !ken_task_reads(task) || task->input.kind->typed;
}

const char *ken_task_format(const ken_task *task, const char *file)
{
    const struct ken_format_info *format = ken_settings_format(task->recipe);
    return ken_format_claims(format, file) ? format->name : NULL;
}

const char *ken_format_word(size_t i)
{
    return i < KEN_FORMAT_COUNT ? ken_format_info((enum ken_format)i)->name : NULL;
}

/* Returns whether every line is an example. A line of numbers is one if no column names the
 * sequence and the first line is not a header. */
int ken_task_line_by_line(const ken_task *task, const char *format)
{
    struct ken_layout layout = ken_settings_layout(task->recipe);
    if (format) return false; /* a named format may have a header, or examples of several lines */
    enum ken_format usual = usual_format(task, layout.format, false);
    if (usual != KEN_FORMAT_VECTORS) return ken_format_info(usual)->lines;
    return !layout.each && !layout.sequence && !layout.header;
}

/* Fails if the task cannot read `format`. A language model always reads text. */
static ken_status check_readable(const ken_task *task, const struct ken_format_info *format)
{
    bool graphs = reads_graphs(task);
    unsigned accepts = ken_task_reads(task) ? task->input.kind->accepts
                                            : KEN_CARRIES_TEXT | KEN_CARRIES_WORDS;
    if (graphs == format->linked && accepts & format->carries) return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT, "this model reads %s, not format %s",
                    graphs                 ? "graphs (JSON, one per line; or nodes and links)"
                    : ken_task_reads(task) ? task->input.kind->reads
                                           : "text",
                    format->name);
}

static ken_status layout_of(struct ken_layout *layout, const ken_task *task,
                            const ken_request *request)
{
    *layout = ken_settings_layout(task->recipe);
    if (ken_task_reads(task) && task->input.kind->lay_out)
        task->input.kind->lay_out(&task->input, layout);
    layout->target_kind = KEN_TARGET_NONE;
    layout->first_line = request->first_line;
    layout->format = request->format ? ken_format_named(request->format)
                                     : usual_format(task, layout->format, request->links != NULL);
    if (layout->format == KEN_FORMAT_COUNT) return unknown_format(request->format);
    return check_readable(task, ken_format_info(layout->format));
}

/* Encodes the text that a language model continues, with the ids of the model's output. */
static ken_status encode_prefix(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                size_t i, ken_strings *names)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    for (size_t j = from; j < to; j++) {
        size_t length;
        const char *text = ken_strings_at(&corpus->input, j, &length);
        KEN_TRY(
            ken_tokeniser_encode(ken_task_writer(task), text, length, &dataset->input.ids, names));
    }
    ken_column_end(&dataset->input);
    return ken_dataset_status(dataset);
}

ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request)
{
    struct ken_layout layout;
    KEN_TRY(KEN_OPTIONS_UNUSED(request, "ken_request"));
    KEN_TRY(layout_of(&layout, task, request));
    struct ken_text text = { request->name, request->text, request->size };
    struct ken_text links = { request->links_name, request->links, request->links_size };
    return ken_corpus_parse_two(corpus, &text, request->links ? &links : NULL, &layout, NULL, NULL);
}

ken_status ken_run_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus, size_t i,
                          ken_strings *names)
{
    KEN_TRY(ken_task_reads(task) ? ken_input_encode(&task->input, dataset, corpus, i, names)
                                 : encode_prefix(task, dataset, corpus, i, names));
    dataset->count++;
    return KEN_OK;
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

ken_status ken_task_run(ken_task *task, const ken_request *request, ken_answer_fn *answer,
                        void *user)
{
    ken_corpus corpus = { 0 };
    ken_dataset dataset = { 0 };
    ken_strings list = { 0 }, *names = NULL;
    if (task->output == KEN_EACH && task->input.kind->names) names = &list;
    ken_status status = ken_run_parse(task, &corpus, request);
    for (size_t i = 0; i < corpus.count && !status; i++)
        status = ken_run_encode(task, &dataset, &corpus, i, names);
    if (!status) status = ken_strings_status(&list);
    if (request->links) names = &corpus.nodes; /* the names of the nodes, not their input words */
    if (!status) status = ken_run_answer(task, &dataset, names, request, answer, user);
    ken_strings_release(&list);
    ken_dataset_release(&dataset);
    ken_corpus_release(&corpus);
    return status;
}
