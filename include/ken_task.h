/* ken_task.h - the second part of ken.h, which includes it: generation, sessions, training, and
 * recipes (from data files to a trained model). */
#ifndef KEN_TASK_H
#define KEN_TASK_H

#include "ken.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 6. Models, continued: generation -------------------------------------------------------- */

/* A callback that gets the generated ids one by one: `id` is the next id of sample `sample` of
 * sequence `sequence`; `end` is not passed. If several results are generated together, all get
 * their id number n before any gets id number n + 1. Return 0 to continue. Return non-zero to stop;
 * the call that generates returns KEN_ERR_STOPPED. */
typedef int ken_id_fn(void *user, size_t sequence, size_t sample, int32_t id);

/* How to generate. Start from ken_generation_default(). */
typedef struct ken_generation {
    size_t size;    /* sizeof(ken_generation), set by ken_generation_default() */
    size_t longest; /* maximum number of ids of a result. Default 256; 0 = no ids */
    size_t beam;    /* beam size, 1 or more. Default 1 = greedy: always take the most likely id */
    size_t best;    /* number of results per input, best first. Default 1; 1 to beam */

    /* A result of n ids, end included, with probability p is ranked by log p / n ^ length_penalty.
     * Default 1 = by the mean log probability per id; 0 = by log p itself; 0 or more. */
    float length_penalty;

    /* Draws each id with probability softmax(logits / temperature). Default 0 = do not draw; 0 or
     * more. Drawing needs beam = 1. top_k and top_p need a temperature above 0. */
    float temperature;
    size_t top_k; /* draw from the k most likely ids only. Default 0 = from all */
    /* Nucleus sampling: draw from the smallest set of ids whose probabilities (after top_k) sum to
     * top_p. Default 1 = off; above 0, at most 1. */
    float top_p;

    /* Length of n-grams that must not occur twice, prefix included. Default 0 = off. */
    size_t no_repeat;
    int recompute; /* compute without a KV cache: same results, slower; for tests. Default 0 */

    /* For models with an encoder: ids with which each result starts. They are not part of the
     * result. Default NULL = none. */
    const ken_sequences *prefix;
    uint64_t seed; /* seed of the random numbers that draw ids. Default 1 */
    /* sequence b of `input` uses first + b as its number for random draws. Default 0 */
    uint64_t first;

    /* Number of samples: how often each sequence is continued, each time with other random draws.
     * Default 1; 1 or more. Values above 1 need a temperature above 0, and best = 1. */
    size_t samples;
    /* sample s uses first_sample + s as its number for random draws. Default 0 */
    uint64_t first_sample;

    /* Streaming: a callback, called with each id as soon as it is chosen. Default NULL = off. Needs
     * beam = 1, because beam search chooses the ids only at the end. */
    ken_id_fn *on_id;
    void *on_id_user; /* first argument of the callback on_id. Default NULL */
} ken_generation;

/* Sets all fields to their defaults. */
KEN_API void ken_generation_init(ken_generation *how, size_t size);

static inline ken_generation ken_generation_default(void)
{
    ken_generation how;
    ken_generation_init(&how, sizeof how);
    return how;
}

/* Generates sequences id by id, until `end`, how->longest ids or the last learned place. The
 * encoder reads `input`; a language model, which has no encoder, continues the sequences of
 * `input`, which may be empty. Each sequence gets n results, with n = best * samples:
 * the `best` results of beam search, or the samples.
 *   ids      (count, n, longest): result r of sequence b starts at ids[(b * n + r) * longest]
 *   lengths  (count, n): number of ids of each result, without begin, prefix and end
 *   scores   (count, n) or NULL: the log probability of each result, including `end` if reached
 * `begin` is never generated. If there are fewer than `best` results, the rest has length 0 and
 * log probability -infinity.
 *
 * Beam search keeps the `beam` most likely hypotheses. At each id it ranks their 2 * beam most
 * likely continuations: those that end are finished if they are among the first `beam`, and the
 * first `beam` of the others go on. An input is done when `beam` hypotheses have finished and no
 * continuation ranks above the `best`-th result. This test is exact when the penalty is 0;
 * otherwise it assumes that the mean log probability does not increase. Hypotheses that reach
 * `longest` count as finished.
 *
 * Each draw depends only on how->seed, the number of the sequence, the number of the sample and the
 * index of the id. So no result depends on what else is in the batch, nor on the number of samples.
 * KEN_ERR_STATE: the model gives labels. */
KEN_API ken_status ken_model_generate(const ken_model *model, int32_t *ids, size_t *lengths,
                                      float *scores, const ken_sequences *input,
                                      const ken_generation *how);

/* ---- 6. Models, continued: sessions ---------------------------------------------------------- */

/* A session computes answers with one model, many times. It owns the memory that answering writes
 * to, and keeps it for the next call. On request it also has threads of its own. Any number of
 * sessions in any number of threads may use one model at the same time; one session serves one
 * thread at a time. ken_model_predict(), ken_model_generate() and ken_model_look() make a session
 * for each call.
 *
 * The first answer packs the model's weights once for all sessions, which takes as much memory as
 * the weights. No session may answer while a trainer steps, swaps the average or loads into the
 * model; afterwards the sessions answer with the new weights. The model must outlive its sessions.
 * Answers have the same bits in any session and for any number of threads. */
typedef struct ken_session ken_session;

typedef struct ken_session_options {
    size_t size; /* sizeof(ken_session_options), set by ken_session_options_default() */

    /* Number of the session's own threads, including the calling thread; 0 to 256. 1 = only the
     * calling thread, the best choice if many threads answer at once. A session with its own
     * threads reserves 20 MB, and 2 MB for each thread. Default 0 = the threads of the process
     * (section 2), which callers use in turn. After fork() the child may use a session that was
     * idle; the session's threads do not exist in the child, so the caller does their work. */
    size_t threads;
} ken_session_options;

/* Fills *options, a struct of `size` bytes, with defaults; like ken_config_init(). */
KEN_API void ken_session_options_init(ken_session_options *options, size_t size);

static inline ken_session_options ken_session_options_default(void)
{
    ken_session_options options;
    ken_session_options_init(&options, sizeof options);
    return options;
}

/* Makes a session. On success the caller owns *session, else *session is NULL. `options` may be
 * NULL for the defaults. */
KEN_API ken_status ken_session_new(ken_session **session, const ken_model *model,
                                   const ken_session_options *options);
KEN_API void ken_session_free(ken_session *session); /* session may be NULL */

/* ken_session_predict() and ken_session_generate() work like ken_model_predict() and
 * ken_model_generate(), with the memory and threads of a session. A call that is not larger than an
 * earlier one takes no memory from the system. */
KEN_API ken_status ken_session_predict(ken_session *session, float *probabilities,
                                       const ken_sequences *input);
KEN_API ken_status ken_session_generate(ken_session *session, int32_t *ids, size_t *lengths,
                                        float *scores, const ken_sequences *input,
                                        const ken_generation *how);

/* ---- 7. Training ----------------------------------------------------------------------------- */

/* The schedule of the learning rate. In the first `warm_up` steps the rate rises linearly from 0 to
 * `rate`; afterwards it depends on the kind of schedule. */
typedef enum ken_schedule_kind {
    KEN_SCHEDULE_CONSTANT,     /* the rate stays at `rate` */
    KEN_SCHEDULE_INVERSE_ROOT, /* the rate is rate * sqrt(warm_up / step); `steps` is ignored */
    KEN_SCHEDULE_COSINE,       /* the rate falls like a cosine to floor * rate at step `steps` */
    /* The rate stays at `rate`, then falls in a straight line to floor * rate in the last `decay`
     * steps. */
    KEN_SCHEDULE_STABLE_DECAY
} ken_schedule_kind;

/* How to train, with the optimiser AdamW. Start from ken_training_default(). ken_trainer_new()
 * copies the struct. */
typedef struct ken_training {
    size_t size;                /* sizeof(ken_training), set by ken_training_default() */
    ken_schedule_kind schedule; /* kind of schedule. Default KEN_SCHEDULE_COSINE */
    double rate;                /* learning rate at its peak. Default 1e-3; 0 to 1e18 */
    uint64_t warm_up;           /* number of warm-up steps. Default 100; 0 = none */
    /* Number of steps of the whole run, for the schedules cosine and stable-decay. Default 1000;
     * warm_up or more. */
    uint64_t steps;
    /* For the schedule stable-decay: number of steps in which the rate falls. Default 0; at most
     * steps - warm_up. */
    uint64_t decay;
    /* For schedules cosine and stable-decay: final rate divided by `rate`. Default 0; 0 to 1. */
    double floor;

    /* Weight decay of AdamW, for matrices only: biases, norms and embeddings do not decay. Default
     * 0.01; 0 or more. */
    double weight_decay;
    /* L2 regularisation of matrices: l2 times the weight is added to the gradient, as in plain
     * Adam. Default 0 = off; 0 or more. */
    double l2;
    /* Maximum norm of the gradient; a gradient with a larger norm is scaled down to it. Default 1;
     * 0 = no limit. */
    double clip;
    /* Decay of Adam's moving means: beta1 for the gradient, beta2 for its square. Default 0.9 and
     * 0.98; 0 or more and below 1. */
    double beta1, beta2;
    double eps; /* added to the root that Adam divides by. Default 1e-9; 1e-20 or more */

    /* Label smoothing: part of the target probability that is spread evenly over all classes.
     * Default 0 = off; below 1. For classes only. */
    float smoothing;
    /* Decay of the moving average of the weights (EMA), e.g. 0.999. Default 0 = no average; below
     * 1. */
    double average;
    uint64_t seed; /* seed of dropout. Default 1 */
} ken_training;

/* The result of a training step. An untrained model of V classes has a loss of about ln V; 0 is
 * perfect. */
typedef struct ken_report {
    uint64_t step;   /* number of the step, from 1 */
    double loss;     /* mean loss over the counted rows, with label smoothing */
    double accuracy; /* fraction of the counted rows whose most likely label is right */
    double norm;     /* norm of the gradient, before clipping */
    double rate;     /* learning rate of the step */
    size_t rows;     /* number of rows of input and target that went through the model */
    /* number of rows (for numbers and sets: single numbers) with a known target */
    size_t counted;
    size_t peak_bytes; /* memory of the largest step so far, without weights and optimiser */
} ken_report;

/* A trainer holds the state of the optimiser for one model, which must outlive the trainer. A
 * trainer serves one thread at a time. Between two steps the model may predict and generate. */
typedef struct ken_trainer ken_trainer;

/* Sets all fields to their defaults. */
KEN_API void ken_training_init(ken_training *training, size_t size);

static inline ken_training ken_training_default(void)
{
    ken_training training;
    ken_training_init(&training, sizeof training);
    return training;
}

/* Makes a trainer. On success the caller owns *trainer, else *trainer is NULL. */
KEN_API ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model,
                                   const ken_training *training);
/* does not free the model; trainer may be NULL */
KEN_API void ken_trainer_free(ken_trainer *trainer);

/* Makes one update of the weights from a batch of examples.
 *   KEN_EACH      target: a label for each row of `input`, in the same order
 *   KEN_WHOLE     target: a row with one label for each sequence of `input`
 *   KEN_GENERATE  target: the sequences to generate, one for each sequence of `input`, without
 *                 begin and end; `input` is NULL for a language model
 * A label of -1 is unknown and does not count. A failed step leaves the weights as they were, and
 * the next step gives the same bits as if the failed one had not been made. KEN_ERR_DIVERGED: the
 * message names the step and the tensor; try a lower rate.
 * `report` may be NULL. A successful step sets *report to memory of the trainer, which is valid
 * until the next step; a failed step leaves *report as it was. */
KEN_API ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                                    const ken_sequences *target, const ken_report **report);

/* Exchanges the model's weights with their moving average, which often predicts better. Call it
 * before evaluating or saving the model, and again before the next step. If ken_training.average is
 * 0, it does nothing. */
KEN_API void ken_trainer_swap_average(ken_trainer *trainer);

/* ---- 8. A built-in task ---------------------------------------------------------------------- */

/* sizes in bytes of the two buffers of ken_date_example(), including the final 0 */
enum { KEN_DATE_WRITTEN = 64, KEN_DATE_ISO = 11 };

/* Writes example number `index` of generated data: a date from 1970 to 2069 as people write it
 * ("third of March 2021") and in ISO form ("2021-03-03"). In a date with slashes the month comes
 * first, unless the year does; in a date with dots the day comes first. A year of two digits is
 * between 1970 and 2069. One tenth of all days occurs only if `unseen` is 1, so that a model can be
 * tested on days that it was not trained on. */
KEN_API void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO], uint64_t seed,
                              uint64_t index, int unseen);

/* ---- 9. Recipes: from files to a trained model ----------------------------------------------- */

/* A recipe is a text of `[section]` and `key = value` lines that says what to read, what to build
 * and how to train it. docs/RECIPES.md lists all keys; every key has a default. One thread at a
 * time may use a recipe. */
typedef struct ken_recipe ken_recipe;

/* ken_recipe_read() reads a recipe from a file, ken_recipe_parse() from a text. `name` is the name
 * of that text in messages (NULL = "recipe"). On success the caller owns *recipe. */
KEN_API ken_status ken_recipe_read(ken_recipe **recipe, const char *path);
KEN_API ken_status ken_recipe_parse(ken_recipe **recipe, const char *text, const char *name);
KEN_API void ken_recipe_free(ken_recipe *recipe); /* recipe may be NULL */

/* Sets a key of the recipe; `assignment` is "section.key=value". */
KEN_API ken_status ken_recipe_set(ken_recipe *recipe, const char *assignment);

/* Returns the value of the key "section.key", which may be its default; NULL if there is no such
 * key. */
KEN_API const char *ken_recipe_get(const ken_recipe *recipe, const char *key);

/* Returns the whole recipe as text, with all defaults written out; the text is itself a recipe. The
 * text is valid until the recipe changes. Returns NULL if there is not enough memory. */
KEN_API const char *ken_recipe_text(ken_recipe *recipe);

/* A callback that receives text in pieces; a piece has `length` bytes and no 0 byte at its end. */
typedef void ken_text_fn(void *user, const char *text, size_t length);

/* Writes all keys with their defaults, limits and meanings as Markdown tables. */
KEN_API ken_status ken_recipe_keys(ken_text_fn *write, void *user);

/* The moments of a training run at which the callback is called. */
typedef enum ken_moment {
    KEN_AT_START,      /* the data has been read and the model made; training begins */
    KEN_AT_STEP,       /* after each update */
    KEN_AT_EVALUATION, /* after each evaluation on the dev (validation) data */
    KEN_AT_END
} ken_moment;

/* The progress of a run. Pointers are valid during the callback only. */
typedef struct ken_progress {
    ken_moment moment;
    uint64_t step, steps;   /* number of updates made so far, and in the whole run */
    double epoch;           /* passes over the training data so far; may be a fraction */
    double loss;            /* moving mean of the training loss; NaN at the start */
    double rate;            /* current learning rate */
    double rows_per_second; /* number of rows (tokens) of training data per second */
    double seconds;         /* seconds since the start of this process */
    double seconds_left;    /* estimated seconds until the end; NaN before the first step */
    size_t parameters;      /* number of weights of the model */
    size_t examples;        /* number of training examples */
    /* number of examples left out because they have more rows than data.longest */
    size_t left_out;
    /* name of the metric that chooses the best model; NULL without dev data */
    const char *metric;
    double dev, best;  /* last and best value of `metric`; NaN before the first evaluation */
    int improved;      /* whether the last evaluation was the best so far */
    const char *words; /* one line of text about this moment, for a log */
    /* memory of the largest step of this process in bytes, as in ken_report */
    size_t peak_bytes;
    /* A line about the weights copied from another model (train.from); NULL if none were copied or
     * the run was resumed. */
    const char *from;
    size_t tensors; /* number of tensors of the model */
    /* Number of tensors that were copied from the other model wholly or partly, and number of
     * tensors that were copied only partly. */
    size_t taken, partly;
    /* If the run was resumed from previous.ckpt because last.ckpt is missing or damaged: a line
     * that says so; otherwise NULL. */
    const char *recovered;
} ken_progress;

/* A callback, called at each moment of a training run. Return 0 to continue. Return non-zero to
 * stop the run: its state is saved, and ken_train() returns KEN_ERR_STOPPED. */
typedef int ken_progress_fn(void *user, const ken_progress *progress);

/* Trains the model that the recipe describes. `folder` must be new or empty; it gets the files
 * recipe, model.ken (the best model), last.ckpt and previous.ckpt (to resume from), metrics.jsonl
 * and log.txt. `progress` may be NULL. After any interruption, even a power cut, ken_resume()
 * continues the run and gives the same bits as a run that was never interrupted, even if last.ckpt
 * is damaged and previous.ckpt is used. A program with a limit of file sizes (RLIMIT_FSIZE) should
 * ignore SIGXFSZ; a write beyond the limit is then KEN_ERR_SPACE, and the last checkpoint is
 * kept. */
KEN_API ken_status ken_train(const ken_recipe *recipe, const char *folder,
                             ken_progress_fn *progress, void *user);
KEN_API ken_status ken_resume(const char *folder, ken_progress_fn *progress, void *user);

/* Reads the recipe's data without training and writes a report: counts, lengths, labels,
 * duplicates, test examples that are also in the training data, and every bad line as file:line,
 * among them examples that are longer than learned positions allow (model.longest).
 * With `json` the report is one JSON object. KEN_ERR_FORMAT: the data cannot be trained on. */
KEN_API ken_status ken_check(const ken_recipe *recipe, int json, ken_text_fn *write, void *user);

#ifdef __cplusplus
}
#endif

#include "ken_run.h" /* using trained models; includes ken_look.h */

#endif
