/* ken_task.h - the second half of ken.h, which includes it: answers in many threads, training, from
 * files of data to a trained model, and the trained model at work. */
#ifndef KEN_TASK_H
#define KEN_TASK_H

#include "ken.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 6. Models, continued: sessions, and positions as numbers -------------------------------- */

/* A session answers from one model, again and again. It owns everything that answering writes to:
 * its memory, which it keeps for the next call, and if wanted its threads. Any number of sessions
 * in any number of threads use one model at the same time; one session serves one thread at a time.
 * ken_model_predict(), ken_model_generate() and ken_model_look() make one for the call.
 *
 * The first answer packs the model's weights, once for all sessions: this takes as much memory as
 * the weights. No session may answer while a trainer steps, swaps the average or loads into the
 * model; between these the sessions answer with the new weights. The model must outlive its
 * sessions. Answers have the same bits whatever the session and its threads. */
typedef struct ken_session ken_session;

typedef struct ken_session_options {
    size_t size; /* of this struct in bytes: set by ken_session_options_default() */

    /* Threads of the session's own, the caller included; at most 256. 1 = only the calling thread,
     * nothing is started; best where many threads answer at once. Default 0 = the threads of the
     * process (section 2), with which callers take turns. After fork() a session may be used in the
     * child if it was idle; its own threads are not there, the caller does their work. */
    size_t threads;
} ken_session_options;

/* Fills in the defaults of a struct of this size; for languages without
 * ken_session_options_default(). */
KEN_API void ken_session_options_init(ken_session_options *options, size_t size);

static inline ken_session_options ken_session_options_default(void)
{
    ken_session_options options;
    ken_session_options_init(&options, sizeof options);
    return options;
}

/* On success the caller owns *session, else it is NULL. `options` may be NULL for the defaults. */
KEN_API ken_status ken_session_new(ken_session **session, const ken_model *model,
                                   const ken_session_options *options);
KEN_API void ken_session_free(ken_session *session); /* NULL is fine */

/* As ken_model_predict(), ken_model_generate() and ken_model_look(). From the second call on, calls
 * of the same or a smaller size take no memory from the system. */
KEN_API ken_status ken_session_predict(ken_session *session, float *probabilities,
                                       const ken_sequences *input);
KEN_API ken_status ken_session_generate(ken_session *session, int32_t *ids, size_t *lengths,
                                        float *scores, const ken_sequences *input,
                                        const ken_generation *how);
KEN_API ken_status ken_session_look(ken_session *session, float *weights, ken_look which,
                                    size_t block, size_t head, const ken_sequences *input,
                                    const ken_sequences *target);

/* Positions as numbers: `count` places, 1 or more, of the encoder or the decoder, and of its
 * `block` from 0. A part that the model's kind of position does not have is KEN_ERR_ARGUMENT. */
typedef enum ken_place {
    KEN_PLACE_INPUT, /* (count, width): what is added to the input; with place_axes = 2 this for *
                      * the first coordinate, then for the second: (2 count, width)          */
    KEN_PLACE_QUERY, /* (count, width of all heads): what floater adds to queries, keys ...  */
    KEN_PLACE_KEY,
    KEN_PLACE_VALUE,
    KEN_PLACE_SCORE /* (heads, 2 count - 1): column count - 1 + d for a key d rows behind    */
} ken_place;
KEN_API ken_status ken_model_places(const ken_model *model, float *numbers, ken_look side,
                                    ken_place what, size_t block, size_t count);

/* ---- 7. Training ----------------------------------------------------------------------------- */

/* How the learning rate goes from step to step. Each schedule begins with `warm_up` steps in which
 * it rises from 0 to `rate` in a straight line, and then */
typedef enum ken_schedule_kind {
    KEN_SCHEDULE_CONSTANT,     /* stays there                                               */
    KEN_SCHEDULE_INVERSE_ROOT, /* falls with the root of the step, without end              */
    KEN_SCHEDULE_COSINE,       /* falls in half a cosine to floor * rate at `steps`         */
    KEN_SCHEDULE_STABLE_DECAY  /* stays, falls straight to floor * rate in the last `decay` */
} ken_schedule_kind;

/* How to train, with AdamW. Start from ken_training_default(). */
typedef struct ken_training {
    size_t size;                /* sizeof(ken_training), set by ken_training_default()   */
    ken_schedule_kind schedule; /* : KEN_SCHEDULE_COSINE                                 */
    double rate;                /* learning rate at its peak: 1e-3                       */
    uint64_t warm_up;           /* steps: 100                                            */
    uint64_t steps;             /* of the whole run, for schedules that end: 1000        */
    uint64_t decay;             /* steps, see KEN_SCHEDULE_STABLE_DECAY                  */
    double floor;               /* share of the rate that is left at the end: 0          */

    double weight_decay; /* of matrices, not of biases, norms and embeddings: 0.01       */
    double l2;           /* decay of the same as part of the gradient, as Adam first had it: 0 */
    double clip;         /* larger gradients are scaled to this norm; 0: never. : 1      */
    double beta1, beta2; /* share of the old in the moving means: 0.9 and 0.98           */
    double eps;          /* added to the root that is divided by: 1e-9                   */

    float smoothing; /* share of a class that is spread evenly over all of them: 0       */
    double average;  /* share of the old in a moving mean of the weights; 0: none        */
    uint64_t seed;   /* of dropout: 1                                                    */
} ken_training;

/* What a step did. A loss starts at about ln V, V being the number of answers; 0 is perfect. */
typedef struct ken_report {
    uint64_t step;     /* its number, from 1                                             */
    double loss;       /* mean over the counted rows, smoothing included                 */
    double accuracy;   /* share of counted rows whose most likely answer was right       */
    double norm;       /* of the gradient, before clipping                               */
    double rate;       /* learning rate                                                  */
    size_t rows;       /* that went through the model, input and target                  */
    size_t counted;    /* of those, or of their numbers: had a known answer              */
    size_t peak_bytes; /* of the largest step so far, without weights and optimiser      */
} ken_report;

typedef struct ken_trainer ken_trainer; /* opaque; uses its model, which must outlive it. The model
                                         * may predict and generate between two steps */

KEN_API void ken_training_init(ken_training *training, size_t size); /* as ken_config_init() */

static inline ken_training ken_training_default(void)
{
    ken_training training;
    ken_training_init(&training, sizeof training);
    return training;
}

KEN_API ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model,
                                   const ken_training *training);
KEN_API void ken_trainer_free(ken_trainer *trainer); /* the model stays; NULL is fine */

/* One update of the weights from a batch of examples.
 *   KEN_EACH      target: the labels of all input rows, in the same order
 *   KEN_WHOLE     target: the labels of all input sequences, one row for each
 *   KEN_GENERATE  target: the sequences to generate, as many as in `input`, without begin and end;
 *                 `input` is NULL for a language model
 * A label of -1 is unknown and does not count. After a failure the weights are as before the step,
 * and the next step gives the bits that it would have given without. KEN_ERR_DIVERGED names the
 * step and the tensor: try a lower rate.
 * If `report` is not NULL, a step that succeeded sets *report; the trainer owns what it points to,
 * which is valid until the next step. After a failure *report is as before. */
KEN_API ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                                    const ken_sequences *target, const ken_report **report);

/* Exchanges the model's weights and their moving mean, which often does better: to evaluate or save
 * it, and again before the next step. Without `average` nothing happens. */
KEN_API void ken_trainer_swap_average(ken_trainer *trainer);

/* ---- 8. A built-in task ---------------------------------------------------------------------- */

enum { KEN_DATE_WRITTEN = 64, KEN_DATE_ISO = 11 }; /* sizes of the buffers, with their final 0 */

/* Example `index` of an endless supply: a date as people write it ("third of March 2021") and in
 * ISO form ("2021-03-03"), from 1970 to 2069. With slashes the month comes first unless the year
 * does, with dots the day; a year of two digits is 1970 to 2069. With `unseen` from the tenth of
 * all days that the others never use, to test on what was not trained on. */
KEN_API void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO], uint64_t seed,
                              uint64_t index, int unseen);

/* ---- 9. Recipes: from files to a trained model ----------------------------------------------- */

/* A recipe is a text of `[section]` and `key = value` lines that says what to read, what to build
 * and how to train it; docs/RECIPES.md lists all keys. Every key has a default. */
typedef struct ken_recipe ken_recipe;

/* From a file, or from text (`name` stands for the file in messages). The caller owns *recipe. */
KEN_API ken_status ken_recipe_read(ken_recipe **recipe, const char *path);
KEN_API ken_status ken_recipe_parse(ken_recipe **recipe, const char *text, const char *name);
KEN_API void ken_recipe_free(ken_recipe *recipe); /* NULL is fine */

/* Changes a key: "section.key=value". */
KEN_API ken_status ken_recipe_set(ken_recipe *recipe, const char *assignment);

/* The value of "section.key", default or not; NULL when there is no such key. */
KEN_API const char *ken_recipe_get(const ken_recipe *recipe, const char *key);

/* The whole recipe with all defaults written out, itself a recipe; valid until the recipe changes.
 * NULL when memory is short. */
KEN_API const char *ken_recipe_text(ken_recipe *recipe);

/* Text that a call hands out piece by piece. */
typedef void ken_text_fn(void *user, const char *text, size_t length);

/* All keys with their defaults, limits and meaning, as a table in Markdown. */
KEN_API ken_status ken_recipe_keys(ken_text_fn *write, void *user);

/* Where a training run is. */
typedef enum ken_moment {
    KEN_AT_START,      /* data is read, the model is there                     */
    KEN_AT_STEP,       /* after each update                                    */
    KEN_AT_EVALUATION, /* after each look at the dev data, and at the end      */
    KEN_AT_END
} ken_moment;

typedef struct ken_progress {
    ken_moment moment;
    uint64_t step, steps;   /* updates made, and in all                                   */
    double epoch;           /* passes over the data so far                                */
    double loss;            /* at the start NaN; then a moving mean                       */
    double rate;            /* learning rate                                              */
    double rows_per_second; /* that go through the model                                  */
    double seconds;         /* since the start of this process                            */
    double seconds_left;    /* an estimate; NaN before the first step                     */
    size_t parameters;      /* numbers in the model                                       */
    size_t examples;        /* to train on                                                */
    size_t left_out;        /* others, with more rows than data.longest                   */
    const char *metric;     /* what the best model is chosen by; NULL without dev data    */
    double dev, best;       /* its last and best value; NaN before the first evaluation   */
    int improved;           /* the last one was the best so far                           */
    const char *words;      /* one line about this moment, for a log                      */
    size_t peak_bytes;      /* of the largest step of this process, see ken_report        */
    const char *from;       /* of a run that begins with another model (train.from): what it
                               took from there, in words; else, and when resumed, NULL    */
    size_t tensors;         /* in the model                                               */
    size_t taken, partly;   /* of them from there, whole or in part; of those, the latter */
} ken_progress;

/* Called at each moment. Return 0 to continue; non-zero stops the run: its state is saved, and it
 * returns KEN_ERR_STOPPED. */
typedef int ken_progress_fn(void *user, const ken_progress *progress);

/* Trains what the recipe says and leaves in `folder`, which must be new or empty: recipe, model.ken
 * (the best), last.ckpt and previous.ckpt (to resume from), metrics.jsonl, log.txt. `progress` may
 * be NULL. Interrupted in any way, power cut included, ken_resume() goes on, with the same bits as
 * if nothing had happened. */
KEN_API ken_status ken_train(const ken_recipe *recipe, const char *folder,
                             ken_progress_fn *progress, void *user);
KEN_API ken_status ken_resume(const char *folder, ken_progress_fn *progress, void *user);

/* Reads the recipe's data without training and reports, line by line: counts, lengths, labels,
 * duplicates, test examples that are also in training; every bad line as file:line. With `json` as
 * one JSON object. KEN_ERR_FORMAT when the data cannot be trained on. */
KEN_API ken_status ken_check(const ken_recipe *recipe, int json, ken_text_fn *write, void *user);

/* ---- 10. A trained model at work ------------------------------------------------------------- */

/* A model with all that it needs to read and write text: recipe, vocabularies, labels. */
typedef struct ken_task ken_task;

KEN_API ken_status ken_task_load(ken_task **task, const char *path);
KEN_API void ken_task_free(ken_task *task); /* NULL is fine */

/* The network inside; it belongs to the task. */
KEN_API ken_model *ken_task_model(ken_task *task);

/* Changes a key of section [generate], e.g. "generate.beam=5". */
KEN_API ken_status ken_task_set(ken_task *task, const char *assignment);

/* The value of "section.key" of its recipe; NULL when there is no such key. */
KEN_API const char *ken_task_get(const ken_task *task, const char *key);

/* The answer to one example. Pointers are valid during the call only. */
typedef struct ken_answer {
    size_t index;              /* of the example, from 0                                       */
    size_t count;              /* each: rows; whole: 1, or the labels of a set; generate: results,
                                  best first                                                   */
    const char *const *tokens; /* each: what stands in each row, or the names of nodes; else
                                  NULL (also of vectors)                                       */
    const char *const *labels; /* labels, or generated texts; of numbers NULL                  */
    const double *scores;      /* probability of each label, log probability of each text, or
                                  the number                                                   */
} ken_answer;

/* Called with each answer. Return 0 to continue; non-zero stops the run, for instance because the
 * answers cannot be written, and ken_task_run() returns KEN_ERR_STOPPED. */
typedef int ken_answer_fn(void *user, const ken_answer *answer);

/* Writes an answer as a JSON object on one line, all of it in one call of `write`: "index";
 * "tokens", unless they are NULL; "answers", the labels, texts or numbers; and "scores", unless the
 * answers are numbers. */
KEN_API ken_status ken_answer_json(const ken_answer *answer, ken_text_fn *write, void *user);

/* Answers every example of a text: one a line or, when `format` is a recipe's format word, in that
 * format (targets in it are not read). `name` stands for the text in messages; its first line has
 * number `first_line`. `best` results are wanted of a generator (0 is 1). */
typedef struct ken_request {
    const char *text;
    size_t size;
    const char *name;
    size_t first_line;
    const char *format; /* NULL: lines, or of vectors the format of the recipe */
    size_t best;
    size_t first; /* number of the first example: answers count from it, and draws depend on it */
    const char *links; /* one graph (format nodes): `text` has its nodes, this its links; or NULL */
    size_t links_size;
    const char *links_name;
    const void *reserved[4]; /* NULL */
} ken_request;
KEN_API ken_status ken_task_run(ken_task *task, const ken_request *request, ken_answer_fn *answer,
                                void *user);

/* How a file of this name is read: the recipe's format if the name has its ending ("x.tsv",
 * "x.CSV", "x.conllu.gz"), else NULL, the usual format of the model. */
KEN_API const char *ken_task_format(const ken_task *task, const char *file);

/* Format number i that ken_task_run() can be asked to read, from 0; NULL after the last. */
KEN_API const char *ken_format_word(size_t i);

/* Whether every line is an example of its own in this format (NULL: the usual one), so that lines
 * can be answered one by one as they arrive. */
KEN_API int ken_task_line_by_line(const ken_task *task, const char *format);

/* Whether an example can be typed as a line of text. If not (rows of numbers), it is in a file. */
KEN_API int ken_task_reads_text(const ken_task *task);

/* Measures the model on data files in the recipe's format (`second` as in data.train, or NULL; the
 * last of them may end in " @PART", see data.split) and writes a report, or with `json` one JSON
 * object. */
KEN_API ken_status ken_task_evaluate(ken_task *task, const char *path, const char *second, int json,
                                     ken_text_fn *write, void *user);

/* What is in a model or checkpoint file: recipe, sizes, labels, metrics, checksum. */
KEN_API ken_status ken_info(const char *path, int json, ken_text_fn *write, void *user);

/* ---- 11. Comparing variants of a recipe ------------------------------------------------------ */

/* Which variants: every combination of the listed values, each with every seed. A change is
 * "section.key=a,b,c" ("\," is a comma that belongs to a value); with one value it holds for all.
 * Seed i of a variant is train.seed + i, so variants meet on the same data, seeds and budget. */
typedef struct ken_comparison {
    const ken_recipe *recipe;
    const char *const *changes; /* (change_count) */
    size_t change_count;
    size_t seeds;            /* 0 is 1                                                      */
    const char *command;     /* how it was called, to stand in the report; or NULL          */
    const char *tests;       /* more to measure each model on, written as data.test is and
                          * separated by commas, at most 64; or NULL                    */
    const void *reserved[4]; /* NULL                                                    */
} ken_comparison;

/* Where a comparison is. */
typedef enum ken_compare_moment {
    KEN_COMPARE_BEGINS, /* a run; one that is finished already only ends                */
    KEN_COMPARE_TRAINS, /* `training` tells                                             */
    KEN_COMPARE_MEASURES,
    KEN_COMPARE_ENDS, /* a run: `value`, or `failed`                                    */
    KEN_COMPARE_DONE  /* all of them: `table` and `json`                                */
} ken_compare_moment;

/* Pointers are valid during the call only. */
typedef struct ken_compare_progress {
    ken_compare_moment moment;
    size_t variant, variants;     /* from 0, and in all                                 */
    const char *name;             /* of the variant: its values                         */
    size_t run, runs;             /* from 0, and in all: each variant with each seed    */
    uint64_t seed;                /* of this run                                        */
    const ken_progress *training; /* while it trains, else NULL                         */
    double seconds_left;          /* of all runs, an estimate; NaN: none yet            */
    const char *metric;           /* what is measured                                   */
    double value;                 /* at the end of a run                                */
    const char *failed;           /* why the run failed, at its end; or NULL            */
    size_t failures;              /* runs that failed so far                            */
    const char *table, *json;     /* all results, at the end of all                     */
} ken_compare_progress;

/* Called at each moment. Return 0 to continue; non-zero stops the comparison: its state is saved,
 * and it returns KEN_ERR_STOPPED. */
typedef int ken_compare_fn(void *user, const ken_compare_progress *progress);

/* Trains each variant with each seed as a run of its own (ken_train) and measures its best model by
 * the recipe's metric on data.test, or data.dev when there is no test, and on `tests`. `folder`
 * must be new or empty and gets compare.json, compare.md, compare.svg and the runs. A run that
 * fails (a refused configuration, divergence) does not stop the others: its row has the reason, and
 * the call is still KEN_OK. When no variant can be made it is KEN_ERR_ARGUMENT, before anything
 * starts. Interrupted in any way, resuming goes on: what is finished is not trained again, and the
 * results are the same. */
KEN_API ken_status ken_compare(const ken_comparison *comparison, const char *folder,
                               ken_compare_fn *progress, void *user);
KEN_API ken_status ken_compare_resume(const char *folder, ken_compare_fn *progress, void *user);

/* ---- 12. What a model looks at --------------------------------------------------------------- */

/* Matrices of one size with names: what can be drawn, and saved. The memory belongs to whoever
 * filled it; names are UTF-8, and whatever cannot be seen in them is made visible when drawn. */
typedef struct ken_picture {
    const char *title;            /* one line                                                   */
    const char *about;            /* another: what rows and columns are; or NULL                */
    size_t count;                 /* matrices, drawn to one scale                               */
    const char *const *titles;    /* (count) or NULL                                            */
    size_t rows, cols;            /* of each                                                    */
    const float *values;          /* (count, rows, cols)                                        */
    const char *const *row_names; /* (rows), or NULL: their numbers, from 0                     */
    const char *const *col_names; /* (cols), or NULL                                            */
    size_t shape[4];              /* of `values` as an array, e.g. (layers, heads, rows, cols)  */
    size_t dimensions;            /* entries of shape; 0 is (count, rows, cols)                 */
    const void *reserved[4];      /* NULL                                                       */
} ken_picture;

/* Colours that a terminal has. */
typedef enum ken_terminal { KEN_TERMINAL_PLAIN, KEN_TERMINAL_256, KEN_TERMINAL_FULL } ken_terminal;

/* For a terminal `columns` wide (0: any width): two characters a cell, in shades of colour or, with
 * none, of characters. What does not fit is left out, and it is said. */
KEN_API ken_status ken_picture_text(const ken_picture *picture, size_t columns,
                                    ken_terminal colours, ken_text_fn *write, void *user);

/* As SVG; several matrices as a grid of small ones. A cell shows its value when pointed at. */
KEN_API ken_status ken_picture_svg(const ken_picture *picture, ken_text_fn *write, void *user);

/* As one JSON object; as an array of NumPy (float32), written all or not at all. */
KEN_API ken_status ken_picture_json(const ken_picture *picture, ken_text_fn *write, void *user);
KEN_API ken_status ken_picture_npy(const ken_picture *picture, const char *path);

/* One example as a trained model sees it: tokens, answer, and every weight of its attention. */
typedef struct ken_view ken_view; /* uses its task, which must outlive it */

/* Example number `example` (from 0) of a text; `best` is not used. A generator is shown writing
 * `target` or, if that is NULL, what it writes itself as [generate] says; a language model first
 * reads the example and then writes. On success the caller owns *view. */
KEN_API ken_status ken_view_new(ken_view **view, ken_task *task, const ken_request *request,
                                size_t example, const char *target);
KEN_API void ken_view_free(ken_view *view);                      /* NULL is fine            */
KEN_API const ken_answer *ken_view_answer(const ken_view *view); /* valid as long as it is  */

/* The attention that is usually asked for: from a translation to its source, else within a text. */
KEN_API ken_look ken_task_usual_look(const ken_task *task);

/* How many layers with how many heads there are to look at; 0 when the model has no such
 * attention: no such blocks, or blocks of a kind without (fc, conv, lstm and the like). */
KEN_API size_t ken_view_layers(const ken_view *view, ken_look which);
KEN_API size_t ken_view_heads(const ken_view *view, ken_look which);

#define KEN_EVERY (SIZE_MAX - 1) /* each of them, side by side */

/* What to look at; layers and heads from 0. Rollout follows the weights from the input up to a
 * layer (KEN_EVERY: the last): the product over layers of (A + I) / 2, rows made to add up to 1, A
 * the mean of the heads; across, it is the mean of that layer times the encoder's rollout, and
 * KEN_ERR_ARGUMENT when the encoder has no attention. `head` is not used with it. */
typedef struct ken_glance {
    ken_look which;
    size_t layer; /* or KEN_EVERY                              */
    size_t head;  /* or KEN_EVERY, or KEN_ALL_HEADS: their mean */
    int rollout;
    const void *reserved[4]; /* NULL */
} ken_glance;

/* The weights, exactly as used. Row t of the decoder's matrices is what was looked at to write
 * token t, the last row to end. The picture is valid until the next call or the view's end. */
KEN_API ken_status ken_view_show(ken_view *view, ken_picture *picture, const ken_glance *glance);

/* As ken_picture_json(), with tokens and answer. And everything as one page for a browser, which
 * needs nothing else and opens at `glance`. */
KEN_API ken_status ken_view_json(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);
KEN_API ken_status ken_view_html(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);

/* Of positions that are added at the input of the encoder or decoder: the first `rows` of them (0:
 * as many as are worth seeing), a column for each dimension. The picture is valid as long as *view,
 * which has nothing else in it. Of positions that are added to scores: a row for each head of the
 * first block, a column for each distance. KEN_ERR_ARGUMENT when nothing is added. */
KEN_API ken_status ken_view_places(ken_view **view, ken_picture *picture, ken_task *task,
                                   ken_look which, size_t rows);

/* ---- 13. The words of choices ---------------------------------------------------------------- */

/* Recipes and model files write choices as words, such as "softmax" or "rotary". */
typedef enum ken_choice {
    KEN_CHOICE_OUTPUT, /* ken_output, and so on */
    KEN_CHOICE_INPUT,
    KEN_CHOICE_VALUE,
    KEN_CHOICE_POOLING,
    KEN_CHOICE_POSITION,
    KEN_CHOICE_ACTIVATION,
    KEN_CHOICE_SCORE,
    KEN_CHOICE_WEIGH,
    KEN_CHOICE_REACH,
    KEN_CHOICE_MIXING,
    KEN_CHOICE_NORM,     /* ken_config.rms_norm, 0 or 1 */
    KEN_CHOICE_SCHEDULE, /* ken_schedule_kind           */
    KEN_CHOICE_LOOK,     /* ken_look                    */
    KEN_CHOICE_COUNT
} ken_choice;

/* The word of a value, and one line of help for it; NULL if the choice has no such value. */
KEN_API const char *ken_word(ken_choice choice, int value);
KEN_API const char *ken_word_about(ken_choice choice, int value);

/* The value of a word; -1 if the choice has no such word. */
KEN_API int ken_word_value(ken_choice choice, const char *word);

#ifdef __cplusplus
}
#endif
#endif
