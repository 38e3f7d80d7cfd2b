/* task.h - a recipe made real: how text becomes ids, the model, and how its answers become text.
 *
 * Life of a task: ken_task_new() from a recipe; ken_task_learn() takes vocabularies, labels and
 * scales from the training data; ken_task_build() makes the model. Or all of it from a file. */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "base/sha256.h"
#include "input/input.h"
#include "model/safetensors.h"
#include "recipe/recipe.h"
#include "task/settings.h"

struct ken_task {
    ken_recipe *recipe;
    ken_output output;
    ken_value value;
    struct ken_input_side input; /* what it reads                                        */
    ken_tokeniser written;       /* units that are generated; unused if they are shared   */
    ken_vocabulary labels;
    struct ken_scaling numbers; /* of targets that are numbers                           */
    float threshold;            /* sets: a label is there from this probability on       */
    ken_model *model;
    char data[KEN_SHA256_HEX]; /* of the training data, as ids                           */
    char *metrics;             /* JSON object: how good it was on dev, or NULL           */
};

/* ---- task.c ---------------------------------------------------------------------------------- */

ken_status ken_task_new(ken_task **task, const ken_recipe *recipe);
ken_config ken_task_config(ken_task *task); /* the shape of its model, sizes of the data included */
ken_status ken_task_build(ken_task *task);  /* a new model */
ken_tokeniser *ken_task_writer(ken_task *task);

/* Whether the task has an input: every task but a language model. */
static inline bool ken_task_reads(const ken_task *task)
{
    return task->input.kind != NULL;
}

/* Whether its examples are graphs. */
bool ken_task_linked(const ken_task *task);

/* ---- parts.c: the data of a recipe ----------------------------------------------------------- */

/* Reads what the value of data.train, data.dev or data.test names, or makes it. */
ken_status ken_part_read(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                         ken_complaint_fn *complain, void *user);

/* Reads or makes another test than the recipe's, written as data.test is. */
ken_status ken_part_test(ken_corpus *corpus, const ken_recipe *recipe, const char *value);

/* The same for a path (and a second one, or NULL) in the recipe's format. */
ken_status ken_part_from(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                         const char *second, ken_complaint_fn *complain, void *user);

/* ---- learn.c, encode.c ----------------------------------------------------------------------- */

/* `old`, or NULL: a task to go on from, see warm.h. */
ken_status ken_task_learn(ken_task *task, const ken_corpus *corpus, const ken_task *old);

/* Adds the examples to the dataset; those with more than `longest` rows are left out and counted
 * in *left_out. Without targets for a corpus that has none. A label that training has not seen is
 * KEN_ERR_FORMAT with file:line. */
ken_status ken_task_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                           bool targets, size_t longest, size_t *left_out);

/* Language models with data.context: all lines as one stream, in pieces. *bytes of text. */
ken_status ken_task_encode_stream(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                  size_t piece, size_t step);

/* ---- run.c: the steps of ken_task_run() ------------------------------------------------------ */

ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request);

/* Appends example i; for a language model, the text that it goes on from. Names as with
 * ken_input_encode(). */
ken_status ken_run_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus, size_t i,
                          ken_strings *names);
ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user);

#endif
