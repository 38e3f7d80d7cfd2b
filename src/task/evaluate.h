/* evaluate.h - measures how good a task is on data: scores by name, for labels and for texts. */
#ifndef TASK_EVALUATE_H
#define TASK_EVALUATE_H

#include "recipe/metric_table.h"
#include "task/task.h"

enum { KEN_SCORES_MOST = 16 };
struct ken_scores {
    struct ken_score_entry {
        const char *name; /* static */
        double value;
    } list[KEN_SCORES_MOST];
    size_t count;
};

void ken_scores_add(struct ken_scores *scores, const char *name, double value);
double ken_scores_find(const struct ken_scores *scores, const char *name); /* NaN = there is none */
/* writes one JSON object */
void ken_scores_json(const struct ken_scores *scores, ken_buffer *json);

const char *ken_metric_name(const ken_task *task);      /* train.metric, with "auto" resolved */
const char *ken_choice_name(const ken_task *task);      /* train.choose, likewise             */
enum ken_metric ken_task_chooses(const ken_task *task); /* the same as an enum value          */
bool ken_metric_falls(const char *name);                /* whether lower is better            */

/* Fails because the data gives no value of the metric of `key`, although this kind of output has
 * it. */
ken_status ken_metric_fail(const ken_task *task, enum ken_key key);

/* ---- examples.c: data to measure on, encoded once -------------------------------------------- */

struct ken_examples {
    const ken_corpus *corpus; /* for messages, and for a generator's target texts               */
    ken_dataset dataset;      /* language models with data.context: pieces that overlap by half */
    ken_buffer repeats;       /* char each: 1 if the input equals that of the example before it */
    size_t bytes;             /* generators: bytes of all target texts with their line ends     */
};

/* Begins with { 0 } and must be released even after a failure. The corpus must outlive the
 * examples, but ken_examples_thin() may shrink it once they are made; it keeps what measuring
 * needs. */
ken_status ken_examples_make(struct ken_examples *examples, ken_task *task,
                             const ken_corpus *corpus);
void ken_examples_thin(ken_corpus *corpus, const ken_task *task);
void ken_examples_release(struct ken_examples *examples);

/* Measures all scores if `full` is set, else only those that train.metric needs. Unless `report` is
 * NULL, a table with a row for each label is appended to it. `tune` sets the task's threshold
 * first. */
ken_status ken_examples_measure(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, bool full, bool tune,
                                ken_buffer *report);
ken_status ken_labels_measure(ken_task *task, struct ken_scores *scores,
                              const struct ken_examples *examples, bool tune, ken_buffer *report);
ken_status ken_writing_measure(ken_task *task, struct ken_scores *scores,
                               const struct ken_examples *examples, bool full);

/* The same for a corpus that is measured once. */
ken_status ken_task_measure(ken_task *task, struct ken_scores *scores, const ken_corpus *corpus,
                            bool full, bool tune, ken_buffer *report);

/* ---- writing.c, labels.c --------------------------------------------------------------------- */

/* Writes how->best texts for each example of the dataset, best first, and their log
 * probabilities. */
ken_status ken_writing_generate(ken_task *task, ken_strings *texts, ken_buffer *scores,
                                const ken_dataset *dataset, const ken_generation *how);

/* Fails with KEN_ERR_FORMAT if no target of the dataset is known. Single labels of nodes, cells of
 * sets and numbers may be missing, but something must be there to learn from or to measure. */
ken_status ken_labels_check(const ken_task *task, const ken_dataset *dataset, const char *path);

/* Appends the answers (numbers or probabilities) for all rows of the dataset: float each,
 * output_size per row. */
ken_status ken_labels_predict(ken_task *task, ken_buffer *out, const ken_dataset *dataset);

#endif
