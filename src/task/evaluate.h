/* evaluate.h - how good a task is on data: scores by name, for labels and for texts. */
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
double ken_scores_find(const struct ken_scores *scores, const char *name); /* NaN: not there */
void ken_scores_json(const struct ken_scores *scores, ken_buffer *json);   /* one object     */

const char *ken_metric_name(const ken_task *task);      /* train.metric, "auto" resolved */
const char *ken_choice_name(const ken_task *task);      /* train.choose, the same        */
enum ken_metric ken_task_chooses(const ken_task *task); /* the same, as a value     */
bool ken_metric_falls(const char *name);                /* lower is better               */

/* When the data gave no value for the metric of `key`, though this kind of output has it. */
ken_status ken_metric_fail(const ken_task *task, enum ken_key key);

/* ---- examples.c: data to measure on, encoded once -------------------------------------------- */

struct ken_examples {
    const ken_corpus *corpus; /* for messages; a generator's target texts                        */
    ken_dataset dataset;      /* a language model with data.context: pieces that overlap by half  */
    ken_buffer repeats;       /* char each: 1 if an example has the input of the one before it    */
    size_t bytes;             /* of all target texts with their line ends; generators             */
};

/* Begins with { 0 }; to be released also after a failure. The corpus must outlive it, but may be
 * thinned with ken_examples_thin() once the examples are made: what measuring needs stays. */
ken_status ken_examples_make(struct ken_examples *examples, ken_task *task,
                             const ken_corpus *corpus);
void ken_examples_thin(ken_corpus *corpus, const ken_task *task);
void ken_examples_release(struct ken_examples *examples);

/* Measures; `full` for everything, else only what train.metric needs. With `report` (else NULL) a
 * table for each label is appended. `tune` sets the task's threshold first. */
ken_status ken_examples_measure(ken_task *task, struct ken_scores *scores,
                                const struct ken_examples *examples, bool full, bool tune,
                                ken_buffer *report);
ken_status ken_labels_measure(ken_task *task, struct ken_scores *scores,
                              const struct ken_examples *examples, bool tune, ken_buffer *report);
ken_status ken_writing_measure(ken_task *task, struct ken_scores *scores,
                               const struct ken_examples *examples, bool full);

/* The same on a corpus that is measured once. */
ken_status ken_task_measure(ken_task *task, struct ken_scores *scores, const ken_corpus *corpus,
                            bool full, bool tune, ken_buffer *report);

/* ---- writing.c, labels.c --------------------------------------------------------------------- */

/* Writes `best` texts for each example of the dataset, best first, and their log probabilities. */
ken_status ken_writing_generate(ken_task *task, ken_strings *texts, ken_buffer *scores,
                                const ken_dataset *dataset, const ken_generation *how);

/* KEN_ERR_FORMAT when not one answer of the dataset is known: labels of nodes, cells of sets and
 * numbers may be missing, but there is nothing to learn or to measure from nothing. */
ken_status ken_labels_check(const ken_task *task, const ken_dataset *dataset, const char *path);

/* Numbers (or probabilities) for all rows of the dataset, float each, output_size to a row. */
ken_status ken_labels_predict(ken_task *task, ken_buffer *out, const ken_dataset *dataset);

#endif
