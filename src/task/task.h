/* task.h - a recipe made real: how text becomes ids, the model, and how its answers become text.
 *
 * Life of a task: ken_task_new() from a recipe; ken_task_learn() takes vocabularies, labels and
 * scales from the training data; ken_task_build() makes the model. Or all of it from a file. */
#ifndef TASK_TASK_H
#define TASK_TASK_H

#include "base/sha256.h"
#include "format/corpus.h"
#include "data/dataset.h"
#include "unit/tokeniser.h"
#include "model/safetensors.h"
#include "recipe/recipe.h"
#include "task/settings.h"

/* Numbers are brought to mean 0 and deviation 1, column by column, as the training data says. */
struct ken_scaling {
    float *mean, *deviation; /* (width) */
    size_t width;
};

struct ken_task {
    ken_recipe *recipe;
    ken_output output;
    ken_value value;
    bool reads;   /* has an input: all but a language model                      */
    bool vectors; /* which is rows of numbers, not text                          */
    bool atoms;   /* or molecules in SMILES                                      */
    bool indices; /* or lists of indices                                         */
    ken_tokeniser input;
    ken_tokeniser written; /* what is generated; unused when the vocabulary is shared  */
    ken_vocabulary labels;
    struct ken_scaling inputs;  /* of vectors                                        */
    struct ken_scaling numbers; /* of targets                                        */
    size_t index_count;         /* kinds of indices                                  */
    size_t link_width;          /* numbers of a link                                 */
    float threshold;            /* of sets: a label is there from this probability   */
    ken_model *model;
    char data[KEN_SHA256_HEX]; /* of the training data, as ids                       */
    char *metrics;             /* JSON object: how good it was on dev, or NULL       */
};

/* ---- task.c ---------------------------------------------------------------------------------- */

ken_status ken_task_new(ken_task **task, const ken_recipe *recipe);
ken_status ken_task_build(ken_task *task); /* a new model */
ken_tokeniser *ken_task_writer(ken_task *task);

/* Has the input a vocabulary? */
bool ken_task_tokenises(const ken_task *task);

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

/* encode_graph.c: the rows and links of a molecule, or of a graph that was read. */
ken_status ken_task_encode_atoms(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                 size_t i, ken_strings *names);
ken_status ken_task_encode_indices(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                   size_t i);
ken_status ken_task_encode_links(const ken_task *task, ken_dataset *dataset,
                                 const ken_corpus *corpus, size_t i);

/* Whether each string of the corpus is a word of the vocabulary, also one with blanks within. These
 * are joined by "_" then, since words end at blanks: *word becomes what is in `joined`. */
bool ken_task_whole_words(const ken_task *task, const ken_corpus *corpus);
ken_status ken_task_join(ken_buffer *joined, const char **word, size_t *length);

/* Appends the ids of the words of example i, their spelling, and what they stand for (unless
 * `names` is NULL). */
ken_status ken_task_encode_input(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                 size_t i, ken_strings *names);

/* Language models with data.context: all lines as one stream, in pieces. *bytes of text. */
ken_status ken_task_encode_stream(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                  size_t piece, size_t step);

void ken_dataset_hash(const ken_dataset *dataset, char hex[KEN_SHA256_HEX]);

/* ---- training.c ------------------------------------------------------------------------------ */

/* That a folder is new or empty; `what` ("run") may be in it otherwise, and could be resumed. */
ken_status ken_folder_check(const char *folder, const char *what);

/* ---- run.c: the steps of ken_task_run() ------------------------------------------------------ */

ken_status ken_run_parse(ken_task *task, ken_corpus *corpus, const ken_request *request);

/* Appends example i, of a language model what it goes on from. Names as with
 * ken_task_encode_input(). */
ken_status ken_run_encode(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus, size_t i,
                          ken_strings *names);
ken_status ken_run_answer(ken_task *task, const ken_dataset *dataset, const ken_strings *names,
                          const ken_request *request, ken_answer_fn *answer, void *user);

#endif
