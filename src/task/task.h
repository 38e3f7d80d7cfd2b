/* task.h - a task is a model together with everything needed to use it: it turns text into ids,
 * runs the model, and turns the model's output into text.
 *
 * ken_task_new() makes a task from a recipe; then ken_task_learn() takes vocabularies, labels and
 * scales from the training data, and ken_task_build() makes the model. Alternatively,
 * ken_task_load() reads a complete task from a file. */
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
    struct ken_input_side input; /* how the input of an example becomes rows */
    ken_tokeniser written;       /* tokeniser of the units to generate; unused if output.shared */
    ken_vocabulary labels;
    struct ken_scaling numbers; /* mean and deviation of targets that are numbers */
    /* minimum probability of a label to be included in a set of labels */
    float threshold;
    ken_model *model;
    ken_session *session;      /* computes answers with `model`; lives as long as the task */
    char data[KEN_SHA256_HEX]; /* SHA-256 hash of the training data after encoding */
    /* scores of the model on the dev data, as a JSON object; NULL = none */
    char *metrics;
};

/* ---- task.c ---------------------------------------------------------------------------------- */

ken_status ken_task_new(ken_task **task, const ken_recipe *recipe);
/* Returns the shape of the task's model, including the sizes that follow from the data. */
ken_config ken_task_config(ken_task *task);
/* Makes a new model, and a session that computes its answers. */
ken_status ken_task_build(ken_task *task);
ken_tokeniser *ken_task_writer(ken_task *task);

/* Returns whether the task has an input; only a language model has none. */
static inline bool ken_task_reads(const ken_task *task)
{
    return task->input.kind != NULL;
}

/* Returns whether the examples of the task are graphs. */
bool ken_task_linked(const ken_task *task);

/* ---- parts.c: the data of a recipe ----------------------------------------------------------- */

/* Reads (or generates) the data that the key `part` (data.train, data.dev or data.test) names. */
ken_status ken_part_read(ken_corpus *corpus, const ken_recipe *recipe, enum ken_key part,
                         ken_complaint_fn *complain, void *user);

/* Reads (or generates) test data other than that of the recipe; `value` is written like data.test
 * in a recipe. */
ken_status ken_part_test(ken_corpus *corpus, const ken_recipe *recipe, const char *value);

/* Reads (or generates) data in the recipe's format from `path` and, unless `second` is NULL, also
 * from `second`. */
ken_status ken_part_from(ken_corpus *corpus, const ken_recipe *recipe, const char *path,
                         const char *second, ken_complaint_fn *complain, void *user);

/* ---- learn.c, encode.c ----------------------------------------------------------------------- */

/* Learns vocabularies, labels and scales from the training data. `old` is the task that training
 * continues from (see warm.h), or NULL. */
ken_status ken_task_learn(ken_task *task, const ken_corpus *corpus, const ken_task *old);

/* Lengths of examples, measured while they are encoded. Examples with more than `longest` rows are
 * left out. An example that is not left out is "too long" if it has more rows than the model has
 * learned positions. Set `longest` and initialise the other fields with 0. */
struct ken_lengths {
    size_t longest;  /* maximum rows of an example that is kept; SIZE_MAX = no limit */
    size_t left_out; /* number of examples that were left out */
    size_t too_long; /* number of examples that are too long for the model */
    size_t line;     /* line (or number) of the first example that is too long */
    /* rows of the first example that is too long: of input or target, whichever is longer */
    size_t rows;
    bool written; /* whether `rows` counts the rows of the target instead of the input */
    size_t most;  /* rows of the longest of the examples that are too long */
};

/* Encodes the examples of a corpus, adds them to the dataset, and measures their lengths. If
 * `lengths` is NULL, all examples are added, however long. A label that the training data does not
 * have fails with KEN_ERR_FORMAT and a message "file:line: ...". */
ken_status ken_task_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                           struct ken_lengths *lengths);

/* Encodes all lines as one stream of ids, cut into pieces of `piece` ids. A new piece begins every
 * `step` ids. Used for language models with data.context. */
ken_status ken_task_encode_stream(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                  size_t piece, size_t step);

/* ---- too_long.c: examples that are too long for the model ------------------------------------ */

/* Adds the length of example i of the dataset to `lengths`, for a model of the shape `shape`.
 * `line` is the line of the example, for messages. */
void ken_lengths_add(struct ken_lengths *lengths, const ken_config *shape,
                     const ken_dataset *dataset, size_t i, size_t line);

/* Appends a message about the first example that is too long: its file:line and length, the limit,
 * and the key that sets the limit. */
void ken_lengths_words(ken_buffer *words, const struct ken_lengths *lengths, const char *path,
                       const ken_recipe *recipe);

/* ken_lengths_check() fails with KEN_ERR_FORMAT if an example is too long for the model;
 * ken_lengths_check_stream() does so if a piece of a stream is too long. The message names the keys
 * of the recipe that can be changed. */
ken_status ken_lengths_check(const struct ken_lengths *lengths, const char *path,
                             const ken_recipe *recipe);
ken_status ken_lengths_check_stream(ken_task *task, const ken_dataset *dataset, const char *path);

/* ---- run_format.c, run.c, reply.c: the steps of ken_task_run() ------------------------------- */

/* Sets the layout for reading the text of a request. Fails if the model cannot read the format of
 * the request. */
ken_status ken_run_layout(struct ken_layout *layout, const ken_task *task,
                          const ken_request *request);

ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request);

/* Encodes example i and appends it to the dataset. For a language model, the example is the text
 * that the model is to continue. `names` receives the names of the rows, as in
 * ken_input_encode(). */
ken_status ken_run_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus, size_t i,
                          ken_strings *names);
ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user);

/* Calls the caller's function `answer` with one answer. Returns KEN_ERR_STOPPED if that function
 * returns non-zero. */
ken_status ken_run_give(const ken_answer *given, ken_answer_fn *answer, void *user);

#endif
