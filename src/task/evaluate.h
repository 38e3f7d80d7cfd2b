/* evaluate.h - measures how good a task is on data: scores by name, for labels and for generated
 * texts. */
#ifndef TASK_EVALUATE_H
#define TASK_EVALUATE_H

#include "recipe/metric_table.h"
#include "task/task.h"

enum { KEN_SCORES_MOST = 16 };
struct ken_scores {
    struct ken_score_entry {
        const char *name; /* a static string */
        double value;
    } list[KEN_SCORES_MOST];
    size_t count;
};

void ken_scores_add(struct ken_scores *scores, const char *name, double value);
double ken_scores_find(const struct ken_scores *scores, const char *name); /* NaN = no such score */
/* Appends the scores as one JSON object. */
void ken_scores_json(const struct ken_scores *scores, ken_buffer *json);

const char *ken_metric_name(const ken_task *task);      /* train.metric, with "auto" resolved */
const char *ken_choice_name(const ken_task *task);      /* train.choose, with "auto" resolved */
enum ken_metric ken_task_chooses(const ken_task *task); /* train.choose as an enum value      */
bool ken_metric_falls(const char *name);                /* whether lower values are better    */

/* Fails with a message that the data gives no value for the metric that `key` names, although the
 * task's kind of output has this metric. */
ken_status ken_metric_fail(const ken_task *task, enum ken_key key);

/* ---- examples.c: data to measure on, encoded once -------------------------------------------- */

struct ken_examples {
    const ken_corpus *corpus; /* source of the examples: for messages and target texts        */
    ken_dataset dataset;      /* encoded examples (data.context: pieces that overlap by half) */
    ken_buffer repeats;       /* a char per example: 1 if its input equals the previous one   */
    size_t bytes;             /* generators: bytes of all target texts with their line ends   */
};

/* Encodes a corpus as examples to measure on. *examples must be { 0 } at first and must be released
 * even after a failure. The corpus must outlive the examples. Once they are made,
 * ken_examples_thin() may shrink the corpus to the parts that measuring needs. */
ken_status ken_examples_make(struct ken_examples *examples, ken_task *task,
                             const ken_corpus *corpus);
void ken_examples_thin(ken_corpus *corpus, const ken_task *task);
void ken_examples_release(struct ken_examples *examples);

/* Measures all scores if `full` is set, else only those that train.metric needs. Unless `report` is
 * NULL, a table with a row for each label is appended to it. With `tune`, the task's threshold for
 * sets of labels is first chosen on the examples. */
ken_status ken_examples_measure(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, bool full, bool tune,
                                ken_buffer *report);
ken_status ken_labels_measure(ken_task *task, struct ken_scores *scores,
                              const struct ken_examples *examples, bool tune, ken_buffer *report);
ken_status ken_writing_measure(ken_task *task, struct ken_scores *scores,
                               const struct ken_examples *examples, bool full);

/* Measures a task on a corpus: ken_examples_make() and ken_examples_measure() in one call, for data
 * that is measured only once. */
ken_status ken_task_measure(ken_task *task, struct ken_scores *scores, const ken_corpus *corpus,
                            bool full, bool tune, ken_buffer *report);

/* ---- writing.c, labels.c: measuring generated texts and labels ------------------------------- */

/* Writes the results of generation, which are how->best * how->samples texts, for each of the
 * examples `from` .. `to` - 1 of the dataset, and the log probability of each text. Random draws
 * for example i use the number how->first + i. */
ken_status ken_writing_generate(ken_task *task, ken_strings *texts, ken_buffer *scores,
                                const ken_dataset *dataset, size_t from, size_t to,
                                const ken_generation *how);

/* Fails with KEN_ERR_FORMAT if no target of the dataset is known. The labels of some nodes, some
 * cells of sets and some numbers may be missing, but at least one must be there to learn from or to
 * measure. */
ken_status ken_labels_check(const ken_task *task, const ken_dataset *dataset, const char *path);

/* Appends the model's predictions (numbers or probabilities) for all rows of the dataset:
 * output_size floats per row. */
ken_status ken_labels_predict(ken_task *task, ken_buffer *out, const ken_dataset *dataset);

#endif
