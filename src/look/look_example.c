/* look_example.c - prepares one example for a view: the ids that the model reads and writes, the
 * tokens as readable names, and the answer. */
#include "look/look.h"
#include "base/size.h"

#include "base/memory.h"
#include "base/text.h"
#include "infer/session.h"
#include "model/model.h"

#include <string.h>

/* Adds the name of a token. Names are C strings, so a token that contains the byte 0 (only
 * generators of bytes can write one) is named U+2400, the symbol for NUL. */
static void add_name(ken_strings *names, const char *name, size_t length)
{
    if (length == 1 && *name == '\0') ken_strings_add(names, "\xe2\x90\x80", 3);
    else ken_strings_add(names, name, length);
}

static void add_id_names(ken_view *view, const int32_t *ids, size_t count)
{
    const ken_vocabulary *tokens = &ken_task_writer(view->task)->tokens;
    for (size_t i = 0; i < count; i++) {
        size_t length;
        const char *name = ken_vocabulary_name(tokens, ids[i], &length);
        if (ids[i] == KEN_ID_UNKNOWN) ken_strings_add(&view->wrote, "\xef\xbf\xbd", 3);
        else add_name(&view->wrote, name, length);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void add_answer(ken_view *view, const char *label, double score)
{
    if (label) ken_strings_add(&view->labels, label, strlen(label));
    ken_buffer_append(&view->scores, &score, sizeof score);
}

/* Copies the answer into the view. A failure to allocate stays in the view's buffers and is
 * reported by finish(). */
static int keep_answer(void *user, const ken_answer *answer)
{
    for (size_t i = 0; i < answer->count; i++)
        add_answer(user, answer->labels ? answer->labels[i] : NULL, answer->scores[i]);
    return 0;
}

/* ---- what a generator writes ----------------------------------------------------------------- */

static ken_status write_on(ken_view *view, ken_dataset *dataset, const ken_generation *how,
                           int32_t *ids)
{
    ken_task *task = view->task;
    ken_buffer text = { 0 };
    size_t length = 0;
    float score = 0;
    KEN_TRY(ken_gather(&view->batch, dataset, (size_t[]){ 0 }, 1));
    KEN_TRY(ken_session_generate(task->session, ids, &length, &score, &view->batch.input, how));
    ken_status status = ken_tokeniser_decode(ken_task_writer(task), ids, length, &text);
    if (!status) add_answer(view, ken_buffer_string(&text), score);
    ken_buffer_release(&text);
    add_id_names(view, ids, length);
    ken_buffer_append(&dataset->target.ids, ids, length * sizeof *ids);
    return status;
}

static ken_status write_own(ken_view *view, ken_dataset *dataset)
{
    ken_generation how = ken_settings_generation(view->task->recipe);
    how.best = 1;
    int32_t *ids = ken_memory_new(how.longest, sizeof *ids);
    if (!ids) return ken_fail(KEN_ERR_MEMORY, "no memory to write %zu ids", how.longest);
    ken_status status = write_on(view, dataset, &how, ids);
    ken_memory_free(ids);
    return status;
}

static ken_status write_given(ken_view *view, ken_dataset *dataset, const char *target)
{
    ken_buffer normal = { 0 };
    ken_status status = ken_text_normal(&normal, target, strlen(target));
    if (!status)
        status = ken_tokeniser_encode(ken_task_writer(view->task), ken_buffer_string(&normal),
                                      normal.size, &dataset->target.ids, &view->wrote);
    ken_buffer_release(&normal);
    return status;
}

/* Makes the target that the caller gave the view's answer. Its score is the log probability of the
 * target, not counting its first `prefix` ids. */
static ken_status judge_target(ken_view *view, const char *target, size_t prefix)
{
    double score = 0;
    size_t counted;
    KEN_TRY(ken_session_score(view->task->session, &score, &counted,
                              ken_task_reads(view->task) ? &view->batch.input : NULL,
                              &view->batch.target, prefix, true));
    add_answer(view, target, score);
    return KEN_OK;
}

/* Appends the target of a generator to the dataset: the target that the caller gave, or the text
 * that the model generates. For a language model the target begins with the ids of the text to
 * continue. The names of the target's tokens are stored between <begin> and <end>. */
static ken_status write_target(ken_view *view, ken_dataset *dataset, const char *target)
{
    if (!ken_task_reads(view->task)) {
        const struct ken_column *read = &dataset->input;
        ken_column_unpack(read, &dataset->target.ids, 0, ken_column_start(read, 1));
    }
    KEN_TRY(target ? write_given(view, dataset, target) : write_own(view, dataset));
    ken_strings_add(&view->wrote, "<end>", 5);
    ken_column_end(&dataset->target);
    KEN_TRY(ken_dataset_status(dataset));
    view->steps = ken_column_start(&dataset->target, 1) + 1;
    return KEN_OK;
}

/* ---- reading the example --------------------------------------------------------------------- */

/* Makes a list of pointers to the strings. The pointers become invalid if a string is added
 * afterwards. */
static ken_status list_strings(ken_buffer *list, const ken_strings *strings)
{
    KEN_TRY(ken_strings_status(strings));
    for (size_t i = 0; i < strings->count; i++) {
        const char *string = ken_strings_at(strings, i, NULL);
        ken_buffer_append(list, &string, sizeof string);
    }
    return ken_buffer_status(list);
}

static ken_status finish(ken_view *view)
{
    KEN_TRY(list_strings(&view->names, &view->read));
    KEN_TRY(list_strings(&view->names, &view->wrote));
    KEN_TRY(list_strings(&view->label_list, &view->labels));
    KEN_TRY(ken_buffer_status(&view->scores));
    const char *const *names = (const char *const *)(void *)view->names.data;
    view->answer = (ken_answer){
        .count = view->scores.size / sizeof(double),
        .tokens = view->task->output == KEN_EACH && view->read.count > 0 ? names : NULL,
        .labels = view->labels.count > 0 ? (const char *const *)(void *)view->label_list.data
                                         : NULL,
        .scores = (const double *)(void *)view->scores.data,
    };
    return KEN_OK;
}

static ken_status read_example(ken_view *view, ken_dataset *dataset, const ken_corpus *corpus,
                               size_t example, const char *target)
{
    ken_task *task = view->task;
    bool writes = task->output == KEN_GENERATE;
    if (target && !writes)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "this model gives labels; it takes no target, only generators do");
    if (example >= corpus->count)
        return ken_fail(KEN_ERR_ARGUMENT, "%s has %zu example%s, so there is no example %zu",
                        corpus->path, corpus->count, ken_plural(corpus->count), example + 1);
    if (writes) ken_strings_add(&view->wrote, "<begin>", 7);
    bool nameless = ken_task_reads(task) && !task->input.kind->names;
    ken_strings *names = nameless ? NULL : ken_task_reads(task) ? &view->read : &view->wrote;
    KEN_TRY(ken_run_encode(task, dataset, corpus, example, names));
    size_t prefix = ken_column_start(&dataset->input, 1);
    view->rows = ken_task_reads(task) ? ken_config_rows(&task->model->config, prefix) : 0;
    if (ken_task_reads(task) && view->rows == 0)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s:%zu: the input is empty, so there is no attention to show",
                        corpus->path, ken_corpus_line(corpus, example));
    KEN_TRY(writes ? write_target(view, dataset, target)
                   : ken_run_answer(task, dataset, names, &(ken_request){ .best = 1 }, keep_answer,
                                    view));
    KEN_TRY(ken_gather(&view->batch, dataset, (size_t[]){ 0 }, 1));
    if (target) KEN_TRY(judge_target(view, target, ken_task_reads(task) ? 0 : prefix));
    view->answer.index = example;
    return finish(view);
}

ken_status ken_view_read(ken_view *view, const ken_request *request, size_t example,
                         const char *target)
{
    ken_corpus corpus = { 0 };
    ken_dataset dataset = { 0 };
    ken_status status = ken_run_parse(view->task, &corpus, request);
    if (!status) status = read_example(view, &dataset, &corpus, example, target);
    ken_dataset_release(&dataset);
    ken_corpus_release(&corpus);
    return status;
}
