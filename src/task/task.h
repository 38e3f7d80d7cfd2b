/* task.h - a task is what a recipe describes, ready to use: it turns text into ids, has the model,
 * and turns the model's output into text.
 *
 * Life of a task: ken_task_new() makes it from a recipe; ken_task_learn() takes vocabularies,
 * labels and scales from the training data; ken_task_build() makes the model. Or ken_task_load()
 * reads a complete task from a file. */
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
    struct ken_input_side input; /* the input: how examples become rows        */
    ken_tokeniser written;       /* units to generate; unused if output.shared */
    ken_vocabulary labels;
    struct ken_scaling numbers; /* scale of targets that are numbers                        */
    float threshold;            /* a set includes the labels with at least this probability */
    ken_model *model;
    ken_session *session;      /* answers from `model`; lives as long as the task         */
    char data[KEN_SHA256_HEX]; /* SHA-256 of the training data, as ids                    */
    char *metrics;             /* JSON object with the model's scores on dev; NULL = none */
};

/* ---- task.c ---------------------------------------------------------------------------------- */

ken_status ken_task_new(ken_task **task, const ken_recipe *recipe);
/* Returns the shape of the task's model, including the sizes that follow from the data. */
ken_config ken_task_config(ken_task *task);
ken_status ken_task_build(ken_task *task); /* makes a new model and a session */
ken_tokeniser *ken_task_writer(ken_task *task);

/* Returns whether the task has an input; only a language model has none. */
static inline bool ken_task_reads(const ken_task *task)
{
    return task->input.kind != NULL;
}

/* Returns whether the examples of the task are graphs. */
bool ken_task_linked(const ken_task *task);

/* ---- parts.c: the data of a recipe ----------------------------------------------------------- */

/* Reads (or generates) the data that data.train, data.dev or data.test names. */
ken_status ken_part_read(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                         ken_complaint_fn *complain, void *user);

/* Reads (or generates) test data other than the recipe's; `value` is written like data.test. */
ken_status ken_part_test(ken_corpus *corpus, const ken_recipe *recipe, const char *value);

/* Reads (or generates) data from a path in the recipe's format, and from a second path unless it is
 * NULL. */
ken_status ken_part_from(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                         const char *second, ken_complaint_fn *complain, void *user);

/* ---- learn.c, encode.c ----------------------------------------------------------------------- */

/* Learns vocabularies, labels and scales from the training data. `old` is the task to continue from
 * (see warm.h), or NULL. */
ken_status ken_task_learn(ken_task *task, const ken_corpus *corpus, const ken_task *old);

/* The lengths of examples that are encoded: which of them are left out, and which of the others are
 * too long for the model, because its learned positions have fewer places than they have rows. Set
 * `longest` and leave the other fields 0. */
struct ken_lengths {
    size_t longest;  /* examples with more rows are left out; SIZE_MAX = no example is    */
    size_t left_out; /* number of examples that were left out                             */
    size_t too_long; /* number of examples that the model has too few places for          */
    size_t line;     /* line, or number, of the first example that is too long            */
    size_t rows;     /* rows of the first example that is too long: of its input or its   *
                      * target, whichever has more                                        */
    bool written;    /* whether `rows` counts the target, not the input                   */
    size_t most;     /* rows of the longest example that is too long                      */
};

/* Encodes the examples of a corpus and adds them to the dataset, and measures their lengths. If
 * `lengths` is NULL, all examples are added, however long. A label that the training data lacks is
 * KEN_ERR_FORMAT with file:line. */
ken_status ken_task_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                           struct ken_lengths *lengths);

/* Encodes all lines as one stream of ids, in pieces of `piece` ids that begin every `step` ids; for
 * language models with data.context. */
ken_status ken_task_encode_stream(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                  size_t piece, size_t step);

/* ---- too_long.c: examples that are too long for the model ------------------------------------ */

/* Measures example i of the dataset for a model of this shape; `line` is for messages. */
void ken_lengths_add(struct ken_lengths *lengths, const ken_config *shape,
                     const ken_dataset *dataset, size_t i, size_t line);

/* Appends a message about the first example that is too long: its file:line, its length, the limit
 * and the key of the limit. */
void ken_lengths_words(ken_buffer *words, const struct ken_lengths *lengths, const char *path,
                       const ken_recipe *recipe);

/* Fail with KEN_ERR_FORMAT if an example is too long for the model, or a piece of a stream. The
 * message names the keys of the recipe that help. */
ken_status ken_lengths_check(const struct ken_lengths *lengths, const char *path,
                             const ken_recipe *recipe);
ken_status ken_lengths_check_stream(ken_task *task, const ken_dataset *dataset, const char *path);

/* ---- run_format.c, run.c, reply.c: the steps of ken_task_run() ------------------------------- */

/* Sets the layout in which a request is read; fails if the model cannot read its format. */
ken_status ken_run_layout(struct ken_layout *layout, const ken_task *task,
                          const ken_request *request);

ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request);

/* Appends example i to the dataset; for a language model, the text that it continues. `names` has
 * the same meaning as in ken_input_encode(). */
ken_status ken_run_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus, size_t i,
                          ken_strings *names);
ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user);

/* Calls `answer` with one answer; KEN_ERR_STOPPED if it returns non-zero. */
ken_status ken_run_give(const ken_answer *given, ken_answer_fn *answer, void *user);

#endif
