/* run.c - lets a trained model answer requests: reads and encodes the examples of a request, has
 * them answered in order, and reports an error in place of an answer for a bad example.
 * run_format.c chooses the format, reply.c computes the answers. Invariant: every example, good or
 * bad, gets exactly one answer, so the number of answers given is the index of the next example. */
#include "base/memory.h"
#include "base/options.h"
#include "model/model.h"
#include "task/evaluate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- reading --------------------------------------------------------------------------------- */

/* Encodes the text that a language model is to continue. The ids are those of the model's output,
 * because a language model has no input vocabulary. */
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

/* Reads the examples of a request. The request may ask to keep going after bad lines. A graph in
 * two files is a single example, so its first bad line always ends the reading. */
ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request)
{
    struct ken_layout layout;
    KEN_TRY(KEN_OPTIONS_UNUSED(request, "ken_request"));
    if (request->size > 0) KEN_TRY(KEN_GIVEN(request->text));
    KEN_TRY(ken_run_layout(&layout, task, request));
    struct ken_text text = { request->name ? request->name : "input", request->text,
                             request->size };
    struct ken_text links = { request->links_name ? request->links_name : "links", request->links,
                              request->links_size };
    corpus->keeps_bad = request->keep_going && !request->links;
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

/* ---- limits of an example -------------------------------------------------------------------- */

/* Checks the length of example i, which is the last example of the dataset. The limit run.longest
 * does not apply to graphs with a label per node, since such a graph may be the whole data. Learned
 * positions end at model.longest; a language model also needs a position for the begin symbol. */
static ken_status check_length(const ken_task *task, const ken_dataset *dataset,
                               const ken_corpus *corpus, size_t i)
{
    const ken_config *c = &task->model->config;
    size_t rows = ken_column_rows(&dataset->input, dataset->count - 1);
    size_t limit = ken_settings_run_longest(task->recipe);
    size_t places = ken_task_reads(task) ? ken_config_rows(c, rows) : rows + 1;
    if (rows > limit)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: the example has %zu rows, and run.longest is %zu",
                        corpus->path, ken_corpus_line(corpus, i), rows, limit);
    if (c->position == KEN_POSITION_LEARNED && places > c->longest)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s:%zu: the example needs %zu positions, and the model has learned %zu "
                        "(model.longest)",
                        corpus->path, ken_corpus_line(corpus, i), places, c->longest);
    return KEN_OK;
}

/* Checks that the numbers of example i, which is the last example of the dataset, are still finite
 * after scaling. */
static ken_status check_numbers(const ken_dataset *dataset, const ken_corpus *corpus, size_t i)
{
    const struct ken_column *input = &dataset->input;
    const float *numbers = ken_buffer_floats(&input->numbers);
    size_t from = ken_column_start(input, dataset->count - 1) * input->width;
    for (size_t j = from; j < input->numbers.size / sizeof *numbers; j++)
        if (!isfinite(numbers[j]))
            return ken_fail(KEN_ERR_FORMAT, "%s:%zu: a number is too large for the model",
                            corpus->path, ken_corpus_line(corpus, i));
    return KEN_OK;
}

/* ---- answering ------------------------------------------------------------------------------- */

/* The state of a call of ken_task_run(). */
struct running {
    ken_task *task;
    const ken_request *request;
    ken_answer_fn *answer;
    void *user;
    ken_corpus corpus;
    ken_dataset dataset; /* examples that are answered next */
    ken_strings names;   /* names of the rows of the examples in `dataset` */
    size_t given;        /* number of answers given, for good and bad examples */
};

static ken_strings *names_of(struct running *run)
{
    const ken_task *task = run->task;
    return task->output == KEN_EACH && task->input.kind->names ? &run->names : NULL;
}

/* Passes an answer to the caller's function and counts it. */
static int pass_on(void *user, const ken_answer *answer)
{
    struct running *run = user;
    run->given++;
    return run->answer(run->user, answer);
}

/* Passes a piece of a streamed text to the caller's function. */
static int pass_piece(void *user, const ken_fragment *piece)
{
    const struct running *run = user;
    return run->request->stream(run->user, piece);
}

/* Gives the message `error` in place of an answer. */
static ken_status give_error(struct running *run, const char *error)
{
    ken_answer answer = { .index = run->request->first + run->given, .error = error };
    return ken_run_give(&answer, pass_on, run);
}

static ken_status encode_example(struct running *run, size_t i)
{
    KEN_TRY(ken_run_encode(run->task, &run->dataset, &run->corpus, i, names_of(run)));
    KEN_TRY(ken_strings_status(&run->names));
    KEN_TRY(check_length(run->task, &run->dataset, &run->corpus, i));
    return check_numbers(&run->dataset, &run->corpus, i);
}

/* Encodes the examples `from` to *to - 1. If an example k cannot be encoded, the result depends on
 * the request. If the request stops at errors, the call fails. Otherwise *to becomes k, and the
 * examples before k are encoded again, because a dataset is unusable after a failure. If there are
 * none (k is `from`), *to becomes from + 1, and the call fails. */
static ken_status encode_range(struct running *run, size_t from, size_t *to)
{
    for (;;) {
        ken_status status = KEN_OK;
        size_t bad = from;
        ken_dataset_release(&run->dataset);
        ken_strings_release(&run->names);
        for (size_t i = from; i < *to && !status; i++) {
            bad = i;
            status = encode_example(run, i);
        }
        if (!status || !run->request->keep_going) return status;
        *to = bad > from ? bad : from + 1;
        if (bad == from) return status;
    }
}

static ken_status answer_encoded(struct running *run)
{
    ken_request rest = *run->request;
    /* If the format is "nodes", a row is shown by the name of its node, not by its input words. */
    const ken_strings *names = run->request->links ? &run->corpus.nodes : names_of(run);
    rest.first += run->given;
    if (rest.stream) rest.stream = pass_piece;
    return ken_run_answer(run->task, &run->dataset, names, &rest, pass_on, run);
}

/* Returns whether a failure can be caused by a single example, so that other examples may
 * succeed. */
static bool blames_example(ken_status status)
{
    return status == KEN_ERR_FORMAT || status == KEN_ERR_SHAPE || status == KEN_ERR_MEMORY ||
           status == KEN_ERR_DIVERGED;
}

/* Gives the last error message as the answer to example i. Messages of KEN_ERR_FORMAT already begin
 * with file:line; others get the line added. */
static ken_status give_failure(struct running *run, ken_status status, size_t i)
{
    const char *path = run->corpus.path;
    size_t line = ken_corpus_line(&run->corpus, i);
    char error[512];
    if (status == KEN_ERR_DIVERGED)
        ken_fail(status, "%s:%zu: the model's answer is not finite", path, line);
    else if (status != KEN_ERR_FORMAT) ken_fail_because(status, "%s:%zu", path, line);
    snprintf(error, sizeof error, "%s", ken_last_error());
    return give_error(run, error);
}

/* Answers the examples `from` to `to` - 1. If they cannot be answered together, for lack of memory
 * or because one answer is not finite, each is tried alone to find the bad ones. Streamed examples
 * are always answered alone, so that no piece of text is passed to the caller twice. */
static ken_status answer_range(struct running *run, size_t from, size_t to)
{
    bool alone = run->request->stream != NULL;
    while (from < to) {
        size_t end = alone ? from + 1 : to, given = run->given;
        ken_status status = encode_range(run, from, &end);
        bool single = end == from + 1;
        if (!status) status = answer_encoded(run);
        from += run->given - given;
        if (!status) continue;
        if (!run->request->keep_going || !blames_example(status)) return status;
        if (single) KEN_TRY(give_failure(run, status, from++));
        else alone = true;
    }
    return KEN_OK;
}

/* Answers all examples in order; a bad example gets an error message in place of an answer. */
static ken_status answer_all(struct running *run)
{
    const ken_corpus *corpus = &run->corpus;
    for (size_t i = 0, bad = 0;; bad++) {
        size_t to = ken_corpus_bad_before(corpus, bad);
        KEN_TRY(answer_range(run, i, to));
        if (bad == corpus->bad.count) return KEN_OK;
        KEN_TRY(give_error(run, ken_strings_at(&corpus->bad, bad, NULL)));
        i = to;
    }
}

ken_status ken_task_run(ken_task *task, const ken_request *request, ken_answer_fn *answer,
                        void *user)
{
    KEN_TRY(KEN_GIVEN(task));
    KEN_TRY(KEN_GIVEN(request));
    KEN_TRY(KEN_GIVEN(answer));
    struct running run = { .task = task, .request = request, .answer = answer, .user = user };
    ken_status status = ken_run_parse(task, &run.corpus, request);
    if (!status) status = answer_all(&run);
    ken_strings_release(&run.names);
    ken_dataset_release(&run.dataset);
    ken_corpus_release(&run.corpus);
    return status;
}
