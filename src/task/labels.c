/* labels.c - for output.kind=each and output.kind=whole: predicts labels or numbers for a dataset,
 * and measures how good the predictions are. */
#include "base/memory.h"
#include "base/text.h"
#include "data/dataset.h"
#include "infer/session.h"
#include "task/evaluate.h"
#include "measure/metrics.h"
#include "measure/threshold.h"

#include <math.h>
#include <string.h>

/* number of rows predicted at once; the results do not depend on it */
enum { PREDICT_ROWS = 4096 };

static size_t output_width(const ken_task *task)
{
    return task->value == KEN_VALUE_NUMBER ? 1 : ken_vocabulary_size(&task->labels);
}

/* Checks that the logits of a batch are finite. `first` is the number of the first example of the
 * batch. The message names an example by its line or, if there is no corpus, by its number. */
static ken_status check_finite(const ken_task *task, const float *logits, const ken_gathered *batch,
                               size_t first, const ken_corpus *corpus)
{
    size_t width = output_width(task);
    for (size_t i = 0; i < batch->input.count; i++) {
        bool each = task->output == KEN_EACH;
        size_t from = each ? batch->input.start[i] : i,
               to = each ? batch->input.start[i + 1] : i + 1;
        for (size_t j = from * width; j < to * width; j++) {
            if (isfinite(logits[j])) continue;
            if (!corpus)
                return ken_fail(KEN_ERR_DIVERGED, "example %zu: the model's answer is not finite",
                                first + i + 1);
            return ken_fail(KEN_ERR_DIVERGED, "%s:%zu: the model's answer is not finite",
                            corpus->path, ken_corpus_line(corpus, first + i));
        }
    }
    return KEN_OK;
}

/* Predicts the logits of a dataset, from which ken_labels_predict() computes probabilities or
 * numbers. `corpus` has the text of the examples, in the order of the dataset, for messages; it may
 * be NULL. */
static ken_status predict_logits(ken_task *task, ken_buffer *out, const ken_dataset *dataset,
                                 const ken_corpus *corpus)
{
    ken_batches batches = { 0 };
    ken_gathered batch = { 0 };
    size_t width = output_width(task);
    ken_status status = ken_batches_make(&batches, dataset, false, PREDICT_ROWS, false, 0, 0);
    for (size_t b = 0; b < batches.count && !status; b++) {
        size_t from = b > 0 ? batches.ends[b - 1] : 0, count = batches.ends[b] - from;
        status = ken_gather(&batch, dataset, batches.order + from, count);
        if (status) break;
        size_t rows = task->output == KEN_EACH ? batch.input.start[count] : count;
        float *logits = ken_memory_new(rows * width, sizeof *logits);
        status = logits ? ken_session_logits(task->session, logits, &batch.input)
                        : ken_fail(KEN_ERR_MEMORY, "no memory for %zu answers", rows);
        if (!status) status = check_finite(task, logits, &batch, from, corpus);
        if (!status) ken_buffer_append(out, logits, rows * width * sizeof *logits);
        ken_memory_free(logits);
        if (!status) status = ken_buffer_status(out);
    }
    ken_gathered_release(&batch);
    ken_batches_release(&batches);
    return status;
}

ken_status ken_labels_predict(ken_task *task, ken_buffer *out, const ken_dataset *dataset)
{
    size_t before = out->size;
    KEN_TRY(predict_logits(task, out, dataset, NULL));
    size_t count = (out->size - before) / sizeof(float);
    if (count == 0) return KEN_OK;
    float *answers = (float *)(void *)(out->data + before);
    ken_session_conclude(task->session, answers, answers, count / output_width(task));
    return KEN_OK;
}

/* ---- measuring labels that are classes ------------------------------------------------------- */

/* Returns the index of the largest number. If several are equal, the first one is returned. */
static size_t likeliest(const float *row, size_t width)
{
    size_t best = 0;
    for (size_t j = 1; j < width; j++)
        if (row[j] > row[best]) best = j;
    return best;
}

/* Appends the name of a label with control characters escaped. The name is cut after `most` columns
 * of a terminal. Spaces fill it up to `width` columns: before the name if `right` is set, else
 * after it. */
static void add_name(ken_buffer *out, const ken_task *task, size_t label, size_t width, size_t most,
                     bool right)
{
    size_t length, used = 0, at = 0;
    const char *name = ken_vocabulary_name(&task->labels, (int32_t)label, &length);
    ken_buffer shown = { 0 };
    ken_text_escape(&shown, name, length, "\\");
    while (at < shown.size) {
        size_t columns = ken_text_columns(shown.data + at, shown.size - at);
        if (used + columns > most) break;
        used += columns;
        at += ken_text_step(shown.data + at, shown.size - at);
    }
    int blanks = used < width ? (int)(width - used) : 0;
    ken_buffer_format(out, "%*s", right ? blanks : 0, "");
    ken_buffer_append(out, ken_buffer_string(&shown), at);
    ken_buffer_format(out, "%*s", right ? 0 : blanks, "");
    if (shown.failed) out->failed = true;
    ken_buffer_release(&shown);
}

static void print_head(ken_buffer *out)
{
    ken_buffer_format(out, "%-16s %9s %9s %9s %9s\n", "label", "precision", "recall", "f1",
                      "count");
}

static void print_label(ken_buffer *out, const ken_task *task, size_t label, struct ken_precision p)
{
    add_name(out, task, label, 16, SIZE_MAX, false);
    ken_buffer_format(out, " %9.4f %9.4f %9.4f %9llu\n", p.precision, p.recall, p.f1,
                      (unsigned long long)p.there);
}

static void print_labels(ken_buffer *out, const ken_task *task, const ken_confusion *confusion)
{
    size_t labels = confusion->labels;
    print_head(out);
    for (size_t j = 0; j < labels; j++)
        print_label(out, task, j, ken_confusion_label(confusion, j));
    if (!confusion->counts) return; /* too many classes: a table that wide helps nobody */
    ken_buffer_text(out, "\nconfusion: rows are targets, columns are answers\n");
    ken_buffer_format(out, "%-10s", "");
    for (size_t j = 0; j < labels; j++) {
        ken_buffer_text(out, " ");
        add_name(out, task, j, 6, 6, true);
    }
    for (size_t i = 0; i < labels; i++) {
        ken_buffer_text(out, "\n");
        add_name(out, task, i, 10, 10, false);
        for (size_t j = 0; j < labels; j++)
            ken_buffer_format(out, " %6llu", (unsigned long long)confusion->counts[i * labels + j]);
    }
    ken_buffer_text(out, "\n");
}

/* Measures accuracy, loss and F1 of classes. A probability of 0 counts as 1e-30 (a loss of about 69
 * nats), so that one such prediction does not make the mean loss infinite. */
static ken_status measure_classes(ken_task *task, struct ken_scores *scores, const float *answers,
                                  const ken_dataset *dataset, ken_buffer *report)
{
    size_t width = output_width(task), rows = ken_column_start(&dataset->target, dataset->count);
    ken_confusion confusion;
    /* `known` is the number of known labels; ken_labels_check() ensures that it is not 0 */
    double loss = 0, known = 0;
    KEN_TRY(ken_confusion_init(&confusion, width));
    for (size_t i = 0; i < rows; i++) {
        const float *row = answers + i * width;
        int32_t right = ken_column_id(&dataset->target, i);
        if (right < 0) continue; /* a negative id means that the label is unknown */
        known++;
        ken_confusion_add(&confusion, (size_t)right, likeliest(row, width));
        loss -= log(fmax(row[right], 1e-30));
    }
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_ACCURACY),
                   ken_confusion_accuracy(&confusion));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_MACRO_F1), ken_confusion_macro(&confusion));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_LOSS), loss / known);
    if (report) print_labels(report, task, &confusion);
    ken_confusion_release(&confusion);
    return KEN_OK;
}

/* ---- measuring labels that are sets ---------------------------------------------------------- */

/* Measures sets of labels. If `tune` is set (only for dev data), the threshold is first chosen on
 * the same examples that are then measured, so the scores are slightly optimistic. */
static ken_status measure_sets(ken_task *task, struct ken_scores *scores, const float *answers,
                               const float *logits, const ken_dataset *dataset, bool tune,
                               ken_buffer *report)
{
    size_t width = output_width(task);
    const float *truth = ken_buffer_floats(&dataset->target.numbers);
    double best, auc = NAN;
    struct ken_tally tally = { 0 };
    ken_sets sets;
    KEN_TRY(ken_auc_mean(&auc, answers, truth, dataset->count, width));
    if (tune)
        KEN_TRY(ken_threshold_tune(&task->threshold, &best, answers, truth, dataset->count, width));
    KEN_TRY(ken_sets_init(&sets, width));
    for (size_t i = 0; i < dataset->count; i++)
        ken_sets_add(&sets, answers + i * width, truth + i * width, task->threshold);
    /* The loss is computed from logits, because the loss of an absent label needs 1 - probability,
     * which rounding turns into 0 if the logit is above 17. */
    ken_label_loss_forward(&tally, logits, truth, dataset->count * width, KEN_LOSS_BINARY);
    if (!isnan(auc)) ken_scores_add(scores, ken_metric_word(KEN_METRIC_AUC), auc);
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_MACRO_F1), ken_sets_macro(&sets));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_MICRO_F1), ken_sets_micro(&sets));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_EXACT), ken_sets_exact(&sets));
    ken_scores_add(scores, "threshold", task->threshold);
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_LOSS), tally.loss / (double)tally.counted);
    if (report) print_head(report);
    for (size_t j = 0; j < width && report; j++)
        print_label(report, task, j, ken_sets_label(&sets, j));
    ken_sets_release(&sets);
    return KEN_OK;
}

/* ---- measuring labels that are numbers ------------------------------------------------------- */

/* Measures predicted numbers. `answers` and the targets of the dataset are scaled numbers. The
 * metrics are in the unit of the data; the loss is the mean square of the scaled errors, as in
 * training. */
static void measure_numbers(const ken_task *task, struct ken_scores *scores, const float *answers,
                            const ken_dataset *dataset)
{
    const float *truth = ken_buffer_floats(&dataset->target.numbers);
    size_t rows = ken_column_start(&dataset->target, dataset->count);
    double mean = task->numbers.mean[0], deviation = task->numbers.deviation[0];
    ken_deviation sums = { 0 };
    for (size_t i = 0; i < rows; i++)
        ken_deviation_add(&sums, answers[i] * deviation + mean, truth[i] * deviation + mean);
    double rmse = ken_deviation_rmse(&sums);
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_RMSE), rmse);
    ken_scores_add(scores, "mae", ken_deviation_mae(&sums));
    ken_scores_add(scores, "r2", ken_deviation_r2(&sums));
    ken_scores_add(scores, ken_metric_word(KEN_METRIC_LOSS), rmse * rmse / (deviation * deviation));
}

ken_status ken_labels_check(const ken_task *task, const ken_dataset *dataset, const char *path)
{
    size_t rows = ken_column_start(&dataset->target, dataset->count);
    const float *numbers = ken_buffer_floats(&dataset->target.numbers);
    if (task->output == KEN_GENERATE) return KEN_OK;
    if (task->value == KEN_VALUE_SET) rows = dataset->count * output_width(task);
    for (size_t i = 0; i < rows; i++)
        if (task->value == KEN_VALUE_CLASS ? ken_column_id(&dataset->target, i) >= 0
                                           : !isnan(numbers[i]))
            return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: found no known target", path);
}

ken_status ken_labels_measure(ken_task *task, struct ken_scores *scores,
                              const struct ken_examples *examples, bool tune, ken_buffer *report)
{
    const ken_dataset *dataset = &examples->dataset;
    ken_buffer logits = { 0 }, answers = { 0 };
    ken_status status = predict_logits(task, &logits, dataset, examples->corpus);
    if (!status) ken_buffer_append(&answers, logits.data, logits.size);
    if (!status) status = ken_buffer_status(&answers);
    if (!status) {
        float *given = (float *)(void *)answers.data;
        const float *raw = ken_buffer_floats(&logits);
        ken_session_conclude(task->session, given, raw,
                             logits.size / sizeof *raw / output_width(task));
        if (task->value == KEN_VALUE_NUMBER) measure_numbers(task, scores, given, dataset);
        else if (task->value == KEN_VALUE_CLASS)
            status = measure_classes(task, scores, given, dataset, report);
        else status = measure_sets(task, scores, given, raw, dataset, tune, report);
    }
    ken_buffer_release(&logits);
    ken_buffer_release(&answers);
    return status;
}
