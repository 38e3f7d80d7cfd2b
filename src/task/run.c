/* run.c - lets a trained model answer requests: reads and encodes the examples of a request.
 * reply.c computes the answers. */
#include "base/memory.h"
#include "base/options.h"
#include "task/evaluate.h"

#include <string.h>

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
