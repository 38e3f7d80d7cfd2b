/* ken_run.h - the third part of ken.h, which includes it: using a trained model. */
#ifndef KEN_RUN_H
#define KEN_RUN_H

#include "ken.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 10. A trained model at work ------------------------------------------------------------- */

/* A task (pipeline): a trained model with everything that it needs to read and write text: recipe,
 * vocabularies, labels. One thread at a time may use a task. */
typedef struct ken_task ken_task;

/* Loads a task from a model file of ken_train(). On success the caller owns *task. */
KEN_API ken_status ken_task_load(ken_task **task, const char *path);
KEN_API void ken_task_free(ken_task *task); /* task may be NULL */

/* Returns the model of the task, which stays owned by the task. */
KEN_API ken_model *ken_task_model(ken_task *task);

/* ken_task_set() sets one key: a key of section [generate] or [run], e.g. "generate.beam=5", or
 * data.separator or data.decimal. ken_task_set_all() sets `count` keys at once; they are checked
 * together, so that their order does not matter. If a value is refused, no key is changed. */
KEN_API ken_status ken_task_set(ken_task *task, const char *assignment);
KEN_API ken_status ken_task_set_all(ken_task *task, const char *const *assignments, size_t count);

/* Returns the value of the key "section.key" in the task's recipe; NULL if there is no such key. */
KEN_API const char *ken_task_get(const ken_task *task, const char *key);

/* The answer to one example, which may consist of several labels, numbers or texts. Pointers are
 * valid during the callback only. */
typedef struct ken_answer {
    size_t index; /* number of the example, counted from ken_request.first */

    /* Number of entries of `tokens`, `labels` and `scores`:
     *   output each      one for each row
     *   output whole     1, or one for each label in the set
     *   output generate  one for each result, best first, or one for each sample */
    size_t count;

    /* (count): for output each, the text of each row or the name of each node. NULL for other
     * outputs, and if rows are numbers. */
    const char *const *tokens;
    const char *const *labels; /* (count): labels or generated texts; NULL if answers are numbers */

    /* (count): the probability of each label, the log probability of each generated text, or the
     * number itself. */
    const double *scores;

    /* The reason, with file and line, why a bad example has no answer; `count` is then 0 and the
     * other pointers are NULL. NULL = the example has an answer. Errors are reported here only if
     * ken_request.keep_going is set. */
    const char *error;

    /* (count): number of bytes of each label or text. A text can contain a 0 byte if the model
     * writes bytes. NULL if `labels` is NULL. */
    const size_t *lengths;

    /* Probabilities of all labels, if labels are classes or sets. For other answers all following
     * fields are 0 or NULL. */
    size_t class_count;         /* number of labels that the model knows */
    const char *const *classes; /* (class_count): names of all labels, in the model's order */
    /* number of rows of `probabilities`: `count` for output each, 1 for whole */
    size_t rows;
    /* (rows, class_count): the probabilities of ken_model_predict(), which sum to 1 in each row for
     * classes, but not for sets. */
    const float *probabilities;

    /* Number of most likely labels that `best` has for each row: ken_request.best, but at most
     * class_count. If ken_request.best is 0: class_count for output whole, 0 for output each. */
    size_t best_count;
    /* (rows, best_count): indices into `classes`, most likely label first; labels with equal
     * probabilities in the order of their indices */
    const int32_t *best;
} ken_answer;

/* Called with the answer to each example. Return 0 to continue. Return non-zero to stop, for
 * instance because the answers cannot be written; ken_task_run() then returns KEN_ERR_STOPPED. */
typedef int ken_answer_fn(void *user, const ken_answer *answer);

/* Writes an answer as a JSON object on one line, in one call of `write`. The members of the object
 * are "index"; "tokens", unless answer->tokens is NULL; "answers", the labels, texts or numbers;
 * "scores", unless the answers are numbers; and "probabilities", unless answer->best_count is 0: an
 * array with an object for each row, whose members are the most likely labels with their
 * probabilities, the most likely first. For a bad example the members are "index" and "error". */
KEN_API ken_status ken_answer_json(const ken_answer *answer, ken_text_fn *write, void *user);

/* A piece of a text that a generator is writing. Pointers are valid during the callback only. */
typedef struct ken_fragment {
    size_t index;  /* number of the example, counted from ken_request.first */
    size_t sample; /* number of the sample, counted from 0 */
    /* A piece of the text, at least one byte unless `last` is set; no 0 byte follows it. A piece
     * never ends inside a UTF-8 character that is completed later. */
    const char *text;
    size_t length; /* number of bytes of `text` */
    int last;      /* 1 = the text ends with this piece, 0 = more pieces follow */
    double score;  /* log probability of the whole text if `last` is set; otherwise NaN */
} ken_fragment;

/* A callback, called with each piece of a text. Return 0 to continue. Return non-zero to stop;
 * ken_task_run() then returns KEN_ERR_STOPPED. */
typedef int ken_fragment_fn(void *user, const ken_fragment *fragment);

/* A text with examples to answer. Targets in the text are not read. The caller owns all memory. */
typedef struct ken_request {
    const char *text;
    size_t size;       /* number of bytes of `text`                       */
    const char *name;  /* stands for the text in messages. NULL = "input" */
    size_t first_line; /* number of the first line, in messages. 0 = 1 */

    /* Name of a recipe format (data.format). NULL = one example per line, or the recipe's format if
     * the model reads rows of numbers. */
    const char *format;

    /* The meaning depends on what the model gives:
     *   texts    number of results per example, at most generate.beam; 0 = 1
     *   labels   number of most likely labels in ken_answer.best; 0 = all labels for output whole,
     *            none for output each
     *   numbers  must be 0 or 1 */
    size_t best;
    size_t first; /* number of the first example (ken_answer.index), on which random draws depend */

    /* For format nodes: text of the links of the graph whose nodes are in `text`. NULL for other
     * formats. */
    const char *links;
    size_t links_size;      /* number of bytes of `links`                      */
    const char *links_name; /* stands for `links` in messages. NULL = "links" */

    /* Whether the run continues after a bad example. An example is bad if its lines cannot be read
     * (wrong number of columns, not a number, not UTF-8, not a molecule ...), if it has more rows
     * than run.longest or than the model has learned positions, if it needs more memory than there
     * is, or if its answer is not finite. 0 (default) = the first bad example ends the run, and
     * ken_task_run() returns its error; bad lines are found before the first answer is given. 1 =
     * each bad example gets an answer with `error` set, all other examples are answered, and
     * ken_task_run() returns KEN_OK. A text that cannot be divided into examples (a damaged NPY
     * file, a wrong line of column names, the one graph of format nodes) fails as a whole. */
    size_t keep_going;

    /* For generators with generate.temperature above 0: number of samples per example; 0 = 1. Must
     * be 0 or 1 if `best` is above 1. */
    size_t samples;

    /* For generators with generate.beam = 1: a callback for streaming, called with each piece of
     * text as soon as it is generated. Its `user` is that of ken_task_run(). The answer follows as
     * usual. Examples and samples are generated one by one, which is slower, but gives the same
     * texts. NULL = off. */
    ken_fragment_fn *stream;
    const void *reserved[4]; /* for later versions; must be NULL */
} ken_request;

/* Answers every example of a request, in order: each example, good or bad, gets one call of
 * `answer`. KEN_ERR_DIVERGED: an answer is not finite. */
KEN_API ken_status ken_task_run(ken_task *task, const ken_request *request, ken_answer_fn *answer,
                                void *user);

/* Returns the format of a file by its name: the recipe's format if the name has an ending of that
 * format ("x.tsv", "x.CSV", "x.conllu.gz"). Otherwise NULL, which means the model's usual
 * format. */
KEN_API const char *ken_task_format(const ken_task *task, const char *file);

/* Chooses the format of a text as `ken run` does, by its name and its first lines. *format becomes
 * a name for ken_request.format; NULL = the model's usual format.
 *   1. The ending of the name decides, in upper or lower case, if it is the recipe's format, or
 *      another format that the model can read and that the text looks like.
 *   2. Otherwise the recipe's format is chosen if the first lines are unmistakably in it: ten
 *      columns of CoNLL-U, a header with the recipe's column names, columns with labels that the
 *      model knows, a line that begins with __label__.
 *   3. Otherwise it is the usual format. Sentences are never taken for a table: commas alone mean
 *      nothing.
 * KEN_ERR_FORMAT: the text may be in one format or another; the message names both. `file` is the
 * name, or NULL for standard input. `text` is the beginning of the text, `size` bytes up to the
 * end of a line or of the input; 65536 bytes are enough. */
KEN_API ken_status ken_task_recognise(const ken_task *task, const char **format, const char *file,
                                      const char *text, size_t size);

/* Returns the name of format number i (from 0) that ken_task_run() can read; NULL after the
 * last. */
KEN_API const char *ken_format_word(size_t i);

/* Returns 1 if every line of the format (NULL = the model's usual format) is an example of its own,
 * so that lines can be answered one by one as they arrive; otherwise 0. */
KEN_API int ken_task_line_by_line(const ken_task *task, const char *format);

/* Returns 1 if an example can be typed as a line of text; 0 if examples must be in a file, such as
 * rows of numbers. */
KEN_API int ken_task_reads_text(const ken_task *task);

/* Measures the model on data files in the recipe's format and writes a report; with `json` the
 * report is one JSON object. `second` is the second file of formats with two files (see
 * data.train), else NULL. Append " @PART" to the last path to use only that part (see
 * data.split). */
KEN_API ken_status ken_task_evaluate(ken_task *task, const char *path, const char *second, int json,
                                     ken_text_fn *write, void *user);

/* Describes a model or checkpoint file: recipe, sizes, labels, metrics, checksum. With `json` the
 * description is one JSON object. */
KEN_API ken_status ken_info(const char *path, int json, ken_text_fn *write, void *user);

#ifdef __cplusplus
}
#endif

#include "ken_look.h" /* comparisons, attention weights, names of options */

#endif
