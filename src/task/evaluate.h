/* evaluate.h - measures how good a task is on data: scores by name, for labels and for generated
 * texts. */
#ifndef TASK_EVALUATE_H
#define TASK_EVALUATE_H

#include "recipe/metric_table.h"
#include "task/task.h"

enum { KEN_SCORES_MOST = 16 };
struct ken_scores {
    struct ken_score_entry {
        const char *name; /* name of the score; a static string, which is never freed */
        double value;
    } list[KEN_SCORES_MOST];
    size_t count;
};

void ken_scores_add(struct ken_scores *scores, const char *name, double value);
/* Returns NaN if there is no score `name`. */
double ken_scores_find(const struct ken_scores *scores, const char *name);
/* Appends the scores as one JSON object. */
void ken_scores_json(const struct ken_scores *scores, ken_buffer *json);

/* Returns train.metric; "auto" is replaced by the metric it stands for. */
const char *ken_metric_name(const ken_task *task);
/* Returns train.choose; "auto" is replaced by the metric it stands for. */
const char *ken_choice_name(const ken_task *task);
enum ken_metric ken_task_chooses(const ken_task *task); /* returns train.choose as an enum value */
/* Returns whether lower values of a metric are better. */
bool ken_metric_falls(const char *name);

/* Returns the failure for data that gives no value for the metric that the recipe's key `key`
 * names, although the metric exists for the task's kind of output. */
ken_status ken_metric_fail(const ken_task *task, enum ken_key key);

/* ---- examples.c: data to measure on, encoded once -------------------------------------------- */

struct ken_examples {
    /* text of the examples: for messages and, if the model is a generator, the right answers */
    const ken_corpus *corpus;
    /* encoded examples; with data.context, pieces of the text that overlap by half */
    ken_dataset dataset;
    /* one char per example: 1 if the example before it has the same input, else 0 */
    ken_buffer repeats;
    /* for generators: number of bytes of all target texts, including line ends */
    size_t bytes;
};

/* Encodes a corpus as examples to measure on. *examples must be { 0 } before the call and must be
 * released even after a failure. The corpus must outlive the examples. After the call,
 * ken_examples_thin() may free the parts of the corpus that measuring does not need. */
ken_status ken_examples_make(struct ken_examples *examples, ken_task *task,
                             const ken_corpus *corpus);
void ken_examples_thin(ken_corpus *corpus, const ken_task *task);
void ken_examples_release(struct ken_examples *examples);

/* Measures all scores if `full` is set, otherwise only the scores that train.metric needs. Unless
 * `report` is NULL, a table with a row for each label is appended to it. If `tune` is set, the
 * threshold of sets of labels is first chosen on these examples and stored in the task. */
ken_status ken_examples_measure(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, bool full, bool tune,
                                ken_buffer *report);
ken_status ken_labels_measure(ken_task *task, struct ken_scores *scores,
                              const struct ken_examples *examples, bool tune, ken_buffer *report);
ken_status ken_writing_measure(ken_task *task, struct ken_scores *scores,
                               const struct ken_examples *examples, bool full);

/* Encodes a corpus and measures a task on it, for data that is measured only once. To measure
 * repeatedly, use ken_examples_make() and ken_examples_measure(). */
ken_status ken_task_measure(ken_task *task, struct ken_scores *scores, const ken_corpus *corpus,
                            bool full, bool tune, ken_buffer *report);

/* ---- writing.c, labels.c: measuring generated texts and labels ------------------------------- */

/* Generates how->best * how->samples texts for each of the examples `from` .. `to` - 1 of the
 * dataset, and appends the texts and the log probability of each text. Random draws for example i
 * use the number how->first + i. */
ken_status ken_writing_generate(ken_task *task, ken_strings *texts, ken_buffer *scores,
                                const ken_dataset *dataset, size_t from, size_t to,
                                const ken_generation *how);

/* Fails with KEN_ERR_FORMAT if every target of the dataset is unknown. Some labels or numbers may
 * be missing, but at least one target must be known to learn from or to measure. */
ken_status ken_labels_check(const ken_task *task, const ken_dataset *dataset, const char *path);

/* Appends the model's predictions (numbers or probabilities) for all rows of the dataset:
 * output_size floats per row. */
ken_status ken_labels_predict(ken_task *task, ken_buffer *out, const ken_dataset *dataset);

#endif
