/* evaluate.c - measures how good a task is on data. It calls the measuring code for the task's kind
 * of output, and stores the resulting scores by name. */
#include "base/json.h"
#include "task/evaluate.h"

#include <math.h>
#include <string.h>

/* Adds a score. The array cannot overflow, because every kind of output has fewer than
 * KEN_SCORES_MOST scores. */
void ken_scores_add(struct ken_scores *scores, const char *name, double value)
{
    if (scores->count < KEN_SCORES_MOST)
        scores->list[scores->count++] = (struct ken_score_entry){ name, value };
}

double ken_scores_find(const struct ken_scores *scores, const char *name)
{
    for (size_t i = 0; i < scores->count; i++)
        if (strcmp(scores->list[i].name, name) == 0) return scores->list[i].value;
    return NAN;
}

void ken_scores_json(const struct ken_scores *scores, ken_buffer *json)
{
    ken_buffer_text(json, "{");
    for (size_t i = 0; i < scores->count; i++) {
        ken_buffer_format(json, "%s\"%s\":", i > 0 ? "," : "", scores->list[i].name);
        ken_json_number(json, scores->list[i].value);
    }
    ken_buffer_text(json, "}");
}

static enum ken_metric metric_of(const ken_task *task)
{
    enum ken_metric metric = ken_recipe_choice(task->recipe, KEN_KEY_TRAIN_METRIC);
    if (metric != KEN_METRIC_USUAL) return metric;
    if (task->output == KEN_GENERATE) return KEN_METRIC_LOSS;
    if (task->value == KEN_VALUE_NUMBER) return KEN_METRIC_RMSE;
    return task->value == KEN_VALUE_SET ? KEN_METRIC_MACRO_F1 : KEN_METRIC_ACCURACY;
}

enum ken_metric ken_task_chooses(const ken_task *task)
{
    enum ken_metric metric = ken_recipe_choice(task->recipe, KEN_KEY_TRAIN_CHOOSE);
    return metric != KEN_METRIC_USUAL ? metric : metric_of(task);
}

const char *ken_metric_name(const ken_task *task)
{
    return ken_metric_word(metric_of(task));
}

const char *ken_choice_name(const ken_task *task)
{
    return ken_metric_word(ken_task_chooses(task));
}

ken_status ken_metric_fail(const ken_task *task, enum ken_key key)
{
    enum ken_metric metric = key == KEN_KEY_TRAIN_CHOOSE ? ken_task_chooses(task) : metric_of(task);
    if (metric == KEN_METRIC_AUC)
        return ken_recipe_fail(task->recipe, key,
                               "auc needs a label with positive and negative examples");
    return ken_recipe_fail(task->recipe, key, "the examples give no value of %s",
                           ken_metric_word(metric));
}

bool ken_metric_falls(const char *name)
{
    size_t metric = ken_words_find(&ken_metric_words, name);
    return metric != SIZE_MAX && ken_metric_table[metric].falls;
}

/* Measures the examples with the code for the task's kind of output. `full` is used only for
 * generators, because generating texts takes long. `tune` and `report` are used only for other
 * outputs. */
ken_status ken_examples_measure(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, bool full, bool tune,
                                ken_buffer *report)
{
    *scores = (struct ken_scores){ 0 };
    if (task->output == KEN_GENERATE) return ken_writing_measure(task, scores, examples, full);
    return ken_labels_measure(task, scores, examples, tune, report);
}

ken_status ken_task_measure(ken_task *task, struct ken_scores *scores, const ken_corpus *corpus,
                            bool full, bool tune, ken_buffer *report)
{
    struct ken_examples examples = { 0 };
    ken_status status = ken_examples_make(&examples, task, corpus);
    if (!status) status = ken_examples_measure(task, scores, &examples, full, tune, report);
    ken_examples_release(&examples);
    return status;
}

/* Prints the scores as lines "name value", then the table of labels. */
static void print_scores(ken_buffer *out, const struct ken_scores *scores, const ken_buffer *table)
{
    for (size_t i = 0; i < scores->count; i++)
        ken_buffer_format(out, "%-14s %.6g\n", scores->list[i].name, scores->list[i].value);
    if (table->size > 0) {
        ken_buffer_text(out, "\n");
        ken_buffer_append(out, table->data, table->size);
    }
}

ken_status ken_task_evaluate(ken_task *task, const char *path, const char *second, int json,
                             ken_text_fn *write, void *user)
{
    ken_corpus corpus = { 0 };
    struct ken_scores scores;
    ken_buffer table = { 0 }, out = { 0 };
    KEN_TRY(KEN_GIVEN(task));
    KEN_TRY(KEN_GIVEN(path));
    KEN_TRY(KEN_GIVEN(write));
    /* a bad line is an error: scores of the readable lines alone would mislead */
    ken_status status = ken_part_from(&corpus, task->recipe, path, second, NULL, NULL);
    if (!status)
        status = ken_task_measure(task, &scores, &corpus, true, false, json ? NULL : &table);
    if (!status) {
        if (json) {
            ken_scores_json(&scores, &out);
            ken_buffer_text(&out, "\n");
        } else {
            print_scores(&out, &scores, &table);
        }
        status = ken_buffer_status(&out);
    }
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&table);
    ken_buffer_release(&out);
    ken_corpus_release(&corpus);
    return status;
}
