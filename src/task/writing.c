/* writing.c - for output.kind=generate: generates texts for a dataset, and measures how good they
 * are. */
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "infer/session.h"
#include "task/evaluate.h"
#include "measure/metrics.h"

#include <math.h>

/* SCORE_ROWS: number of rows whose likelihood is computed at once. WRITE_BEAMS: number of beam
 * hypotheses, or samples, that are generated at once. */
enum { SCORE_ROWS = 4096, WRITE_BEAMS = 256 };

/* ---- writing --------------------------------------------------------------------------------- */

/* Generates how->best * how->samples texts for each example of a batch. If fewer texts can be
 * found, the missing ones are empty and have the score -infinity. */
static ken_status write_batch(ken_task *task, ken_strings *texts, ken_buffer *scores,
                              const ken_sequences *input, const ken_generation *how)
{
    size_t results = input->count * how->best * how->samples;
    int32_t *ids = ken_memory_new(results * how->longest, sizeof *ids);
    size_t *lengths = ken_memory_new(results, sizeof *lengths);
    float *logs = ken_memory_new(results, sizeof *logs);
    ken_buffer text = { 0 };
    ken_status status = KEN_OK;
    if (!ids || !lengths || !logs)
        status = ken_fail(KEN_ERR_MEMORY, "no memory to write %zu texts", results);
    if (!status) status = ken_session_generate(task->session, ids, lengths, logs, input, how);
    for (size_t r = 0; r < results && !status; r++) {
        double log_probability = logs[r];
        ken_buffer_clear(&text);
        status = ken_tokeniser_decode(ken_task_writer(task), ids + r * how->longest, lengths[r],
                                      &text);
        ken_strings_add(texts, ken_buffer_string(&text), text.size);
        ken_buffer_append(scores, &log_probability, sizeof log_probability);
    }
    if (!status) status = ken_strings_status(texts);
    if (!status) status = ken_buffer_status(scores);
    ken_buffer_release(&text);
    ken_memory_free(ids);
    ken_memory_free(lengths);
    ken_memory_free(logs);
    return status;
}

ken_status ken_writing_generate(ken_task *task, ken_strings *texts, ken_buffer *scores,
                                const ken_dataset *dataset, size_t from, size_t to,
                                const ken_generation *how)
{
    ken_gathered batch = { 0 };
    ken_status status = KEN_OK;
    size_t at_once = ken_size_max(1, WRITE_BEAMS / ken_size_max(how->beam, how->samples));
    for (; from < to && !status; from += at_once) {
        size_t count = ken_size_min(at_once, to - from);
        size_t examples[WRITE_BEAMS];
        for (size_t i = 0; i < count; i++) examples[i] = from + i;
        ken_generation these = *how;
        these.first = how->first + from;
        status = ken_gather(&batch, dataset, examples, count);
        if (!status) status = write_batch(task, texts, scores, &batch.input, &these);
    }
    ken_gathered_release(&batch);
    return status;
}

/* ---- how likely the target texts are --------------------------------------------------------- */

struct likelihood {
    double log_probability; /* sum of the natural logarithms of the ids' probabilities */
    size_t ids;             /* number of ids whose probabilities are in the sum */
};

static ken_status add_likelihood(ken_task *task, struct likelihood *sum, const ken_dataset *dataset,
                                 size_t skip, bool ends)
{
    ken_batches batches = { 0 };
    ken_gathered batch = { 0 };
    ken_status status = ken_batches_make(&batches, dataset, true, SCORE_ROWS, false, 0, 0);
    for (size_t b = 0; b < batches.count && !status; b++) {
        size_t from = b > 0 ? batches.ends[b - 1] : 0, count = batches.ends[b] - from;
        double *logs = ken_memory_new(count, sizeof *logs);
        size_t *ids = ken_memory_new(count, sizeof *ids);
        status = logs && ids ? ken_gather(&batch, dataset, batches.order + from, count)
                             : ken_fail(KEN_ERR_MEMORY, "no memory for %zu scores", count);
        if (!status)
            status = ken_session_score(task->session, logs, ids,
                                       ken_task_reads(task) ? &batch.input : NULL, &batch.target,
                                       skip, ends);
        for (size_t i = 0; i < count && !status; i++) {
            sum->log_probability += logs[i];
            sum->ids += ids[i];
        }
        ken_memory_free(logs);
        ken_memory_free(ids);
    }
    ken_gathered_release(&batch);
    ken_batches_release(&batches);
    return status;
}

/* Computes the likelihood of a stream, which is cut into pieces that overlap by half. Only the
 * second half of each piece counts, so that ids are predicted from at least half a context. The
 * first half of the first piece is measured as a piece of its own. */
static ken_status stream_likelihood(ken_task *task, struct likelihood *sum, const ken_dataset *all,
                                    size_t half)
{
    ken_dataset head = { 0 };
    ken_status status = KEN_OK;
    if (all->count > 0) {
        ken_column_unpack(&all->target, &head.target.ids, 0,
                          ken_size_min(half, ken_column_start(&all->target, 1)));
        ken_column_end(&head.target);
        ken_column_end(&head.input);
        head.count = 1;
        status = ken_dataset_status(&head);
        if (!status) status = add_likelihood(task, sum, &head, 0, false);
    }
    if (!status) status = add_likelihood(task, sum, all, half, false);
    ken_dataset_release(&head);
    return status;
}

static ken_status measure_likelihood(ken_task *task, struct ken_scores *scores,
                                     const struct ken_examples *examples)
{
    size_t context = ken_task_reads(task) ? 0 : ken_recipe_size(task->recipe, KEN_KEY_DATA_CONTEXT);
    struct likelihood sum = { 0 };
    KEN_TRY(context > 0
                ? stream_likelihood(task, &sum, &examples->dataset, ken_size_max(1, context / 2))
                : add_likelihood(task, &sum, &examples->dataset, 0, true));
    double loss = sum.ids > 0 ? -sum.log_probability / (double)sum.ids : 0;
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_LOSS), loss);
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_PERPLEXITY), exp(loss));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_BITS_PER_BYTE),
                   -sum.log_probability / log(2) / (double)ken_size_max(1, examples->bytes));
    return KEN_OK;
}

/* ---- how good the generated texts are -------------------------------------------------------- */

/* Splits a text into words, or into characters if `characters` is set, and appends an id for each.
 * `seen` maps words to ids; new words are added to it. */
static ken_status units_of(ken_buffer *ids, ken_vocabulary *seen, const char *text, size_t length,
                           bool characters)
{
    for (size_t i = 0; i < length;) {
        size_t space = ken_text_space(text + i, length - i), end = i;
        if (space > 0 && !characters) {
            i += space;
            continue;
        }
        do end += ken_text_step(text + end, length - end);
        while (!characters && end < length && !ken_text_space(text + end, length - end));
        int32_t id;
        KEN_TRY(ken_vocabulary_add(seen, text + i, end - i, &id));
        ken_buffer_append(ids, &id, sizeof id);
        i = end;
    }
    return ken_buffer_status(ids);
}

struct quality {
    ken_bleu bleu, lower;
    ken_chrf chrf;
    ken_errors errors;
    ken_vocabulary seen;
    bool characters;
};

/* Adds the errors of `answer`, compared with the nearest right answer. Examples `from` to `to` - 1
 * have the same input, and each of their targets is a right answer (at most RIGHTS_MOST are used).
 * One buffer holds the ids of all texts. The buffer may move when it grows, so pointers into it are
 * taken only after all texts have been added. */
static ken_status add_errors(struct quality *quality, const ken_corpus *corpus, size_t from,
                             size_t to, const char *answer, size_t length)
{
    enum { RIGHTS_MOST = 64 };
    struct ken_units right[RIGHTS_MOST];
    size_t rights = ken_size_min(to - from, RIGHTS_MOST), ends[RIGHTS_MOST + 1];
    ken_buffer ids = { 0 };
    ken_status status = units_of(&ids, &quality->seen, answer, length, quality->characters);
    ends[0] = ids.size / sizeof(int32_t);
    for (size_t r = 0; r < rights && !status; r++) {
        size_t bytes;
        const char *text = ken_strings_at(&corpus->target, from + r, &bytes);
        status = units_of(&ids, &quality->seen, text, bytes, quality->characters);
        ends[r + 1] = ids.size / sizeof(int32_t);
    }
    const int32_t *id = (const int32_t *)(const void *)ids.data;
    for (size_t r = 0; r < rights && !status; r++)
        right[r] = (struct ken_units){ id + ends[r], ends[r + 1] - ends[r] };
    if (!status)
        status = ken_errors_add(&quality->errors, (struct ken_units){ id, ends[0] }, right, rights);
    ken_buffer_release(&ids);
    return status;
}

/* Adds the generated texts to all metrics. Neighbouring examples with the same input count as one
 * question. Error rates count a question once, by its closest right answer. BLEU and chrF allow
 * only one reference, so they count each example. */
static ken_status add_texts(struct quality *quality, const struct ken_examples *examples,
                            const ken_strings *texts)
{
    const ken_corpus *corpus = examples->corpus;
    for (size_t i = 0, next; i < corpus->count; i = next) {
        size_t length;
        const char *answer = ken_strings_at(texts, i, &length);
        for (next = i + 1; next < corpus->count && examples->repeats.data[next];) next++;
        KEN_TRY(add_errors(quality, corpus, i, next, answer, length));
        for (size_t j = i; j < next; j++) {
            const char *right = ken_strings_at(&corpus->target, j, NULL);
            KEN_TRY(ken_bleu_add(&quality->bleu, answer, right));
            KEN_TRY(ken_bleu_add(&quality->lower, answer, right));
            KEN_TRY(ken_chrf_add(&quality->chrf, answer, right));
        }
    }
    return KEN_OK;
}

static ken_status measure_texts(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, const ken_generation *how)
{
    struct quality quality = { .lower.lower = true };
    ken_strings texts = { 0 };
    ken_buffer logs = { 0 };
    quality.characters = ken_task_writer(task)->options.unit == KEN_UNIT_CHARACTERS ||
                         ken_task_writer(task)->options.unit == KEN_UNIT_BYTES;
    const ken_dataset *dataset = &examples->dataset;
    ken_status status = ken_writing_generate(task, &texts, &logs, dataset, 0, dataset->count, how);
    if (!status) status = add_texts(&quality, examples, &texts);
    if (!status) {
        const ken_errors *errors = &quality.errors;
        double wholes = (double)ken_size_max(1, errors->wholes);
        ken_scores_add(scores, ken_metric_word(KEN_METRIC_BLEU), ken_bleu_score(&quality.bleu));
        ken_scores_add(scores, "bleu_lower", ken_bleu_score(&quality.lower));
        ken_scores_add(scores, ken_metric_word(KEN_METRIC_CHRF), ken_chrf_score(&quality.chrf));
        ken_scores_add(scores, ken_metric_word(KEN_METRIC_EXACT),
                       1 - (double)errors->wrong / wholes);
        ken_scores_add(scores, "whole_errors", (double)errors->wrong / wholes);
        ken_scores_add(scores, ken_metric_word(KEN_METRIC_UNIT_ERRORS),
                       (double)errors->edits / (double)ken_size_max(1, errors->units));
    }
    ken_vocabulary_release(&quality.seen);
    ken_strings_release(&texts);
    ken_buffer_release(&logs);
    return status;
}

ken_status ken_writing_measure(ken_task *task, struct ken_scores *scores,
                               const struct ken_examples *examples, bool full)
{
    ken_generation how = ken_settings_generation(task->recipe);
    if (!full) how.beam = 1; /* no beam search, to be fast enough for evaluations during training */
    KEN_TRY(measure_likelihood(task, scores, examples));
    bool texts = full || ken_metric_table[ken_task_chooses(task)].texts;
    if (!ken_task_reads(task) || !texts) return KEN_OK;
    return measure_texts(task, scores, examples, &how);
}
