/* ken.h - attention models in C: the whole public interface.
 *
 * Conventions
 *   - A call that can fail returns a ken_status; KEN_OK is 0, so `if (ken_...()) handle();` works.
 *     ken_last_error() then tells, in words, what went wrong in the calling thread.
 *   - The library never prints, exits or aborts.
 *   - Matrices are dense float arrays in C order: the last index is contiguous. */
#ifndef KEN_H
#define KEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEN_VERSION "0.1.0"

#if defined(__GNUC__)
#define KEN_API __attribute__((visibility("default")))
#else
#define KEN_API
#endif

/* ---- 1. Errors ------------------------------------------------------------------------------ */

typedef enum ken_status {
    KEN_OK = 0,
    KEN_ERR_ARGUMENT, /* an argument is out of its documented range             */
    KEN_ERR_SHAPE,    /* two arrays do not fit together; the message names both */
    KEN_ERR_MEMORY,   /* an allocation failed                                   */
    KEN_ERR_IO,       /* reading or writing failed; the message has the path    */
    KEN_ERR_FORMAT,   /* a file was read but its content is not as expected     */
    KEN_ERR_DIVERGED, /* a loss or gradient is not finite                       */
    KEN_ERR_STATE     /* the call does not fit the object's state               */
} ken_status;

/* Words for the last failed call of this thread: lower-case, cause first. Valid until the next
 * failure in the same thread; "" when nothing failed yet. */
KEN_API const char *ken_last_error(void);

/* Name of a status, e.g. "KEN_ERR_SHAPE". */
KEN_API const char *ken_status_name(ken_status status);

/* The version of the library that runs, as opposed to KEN_VERSION of the header. */
KEN_API const char *ken_version(void);

/* ---- 2. Threads ----------------------------------------------------------------------------- */

/* Uses `count` threads from now on; 0 means one per processor (the default, or KEN_THREADS).
 * Results have the same bits for every count. */
KEN_API ken_status ken_threads_set(size_t count);
KEN_API size_t ken_threads(void);

/* ---- 3. Attention itself --------------------------------------------------------------------- */

/* out = softmax(q k^T / sqrt(width)) v, for `heads` heads side by side in a row: q and out are
 * (queries, heads * width), k and v (keys, heads * width). With `causal` the last query sees all
 * keys, the one before it one fewer, and so on. Needs no memory that grows with queries x keys. */
KEN_API ken_status ken_attention(float *out, const float *q, const float *k, const float *v,
                                 size_t queries, size_t keys, size_t heads, size_t width,
                                 int causal);

/* ---- 4. Sequences ---------------------------------------------------------------------------- */

/* Sequences of any lengths, one after another: sequence b is ids[start[b]] .. ids[start[b+1] - 1].
 * start has count + 1 entries and start[0] is 0. There is no padding anywhere in ken. */
typedef struct ken_sequences {
    const int32_t *ids;
    const size_t *start;
    size_t count;
} ken_sequences;

/* ---- 5. Models ------------------------------------------------------------------------------- */

typedef enum ken_activation {
    KEN_ACT_NONE,
    KEN_ACT_RELU,
    KEN_ACT_GELU,      /* x Phi(x), exact                        */
    KEN_ACT_GELU_TANH, /* its approximation by tanh, as in GPT-2 */
    KEN_ACT_SILU,      /* x sigma(x), also called swish          */
    KEN_ACT_SIGMOID,
    KEN_ACT_TANH,
    KEN_ACT_ELU,       /* x for x > 0, else e^x - 1              */
    KEN_ACT_COUNT
} ken_activation;

typedef enum ken_score {
    KEN_SCORE_DOT,      /* q . k / sqrt(width)                       */
    KEN_SCORE_ADDITIVE, /* a . tanh(q + k)                           */
    KEN_SCORE_GAT,      /* LeakyReLU(a . [q ; k])                    */
    KEN_SCORE_COUNT
} ken_score;

typedef enum ken_weigh {
    KEN_WEIGH_SOFTMAX,
    KEN_WEIGH_RELU,    /* max(s, 0) / n, n the number of keys seen */
    KEN_WEIGH_SIGMOID, /* sigma(s - ln n)                          */
    KEN_WEIGH_NONE,    /* s / n                                    */
    KEN_WEIGH_COUNT
} ken_weigh;

#define KEN_UNLIMITED SIZE_MAX /* of a window: no limit on this side */

/* What comes out: a label for each input, one for the whole sequence, or a sequence. */
typedef enum ken_output { KEN_EACH, KEN_WHOLE, KEN_GENERATE } ken_output;

/* How a model knows what is where. */
typedef enum ken_position {
    KEN_POSITION_NONE,
    KEN_POSITION_SINUSOID, /* added to the input; any length                       */
    KEN_POSITION_LEARNED,  /* added to the input; up to `longest`                  */
    KEN_POSITION_ROTARY,   /* turns queries and keys                               */
    KEN_POSITION_ALIBI,    /* scores fall with the distance                        */
    KEN_POSITION_RELATIVE  /* a learned number for each distance up to `longest`   */
} ken_position;

/* The shape of a model. Start from ken_config_default() and change what you need. */
typedef struct ken_config {
    ken_output output;
    size_t input_size;      /* kinds of input ids; unused by a generator without encoder    */
    size_t output_size;     /* labels, or kinds of generated ids                            */
    size_t width;           /* numbers per row: D                                           */
    size_t heads;           /* width must be a multiple                                     */
    size_t kv_heads;        /* fewer key and value heads than heads; 0: as many             */
    size_t hidden;          /* width inside the feed-forward part: F                        */
    size_t encoder_blocks;  /* 0 in a generator: a language model                           */
    size_t decoder_blocks;  /* of a generator                                               */
    ken_position position;
    size_t longest;         /* see ken_position                                             */
    ken_activation activation;
    ken_score score;        /* how a query meets a key                                      */
    ken_weigh weigh;        /* how scores become weights                                    */
    size_t window_left, window_right; /* keys an encoder row sees to each side; KEN_UNLIMITED */
    int gated;              /* feed-forward with a gate (GLU)                               */
    int rms_norm;           /* root mean square instead of layer norm                       */
    int post_norm;          /* norm after the residual connection, as in the first paper    */
    int tied;               /* of a generator: embedding and output projection are one      */
    float dropout;          /* of embeddings and sub-layers                                 */
    float attention_dropout;
    int32_t begin, end;     /* ids that a generator puts before, and expects after, a sequence */
    uint64_t seed;          /* of the initial weights                                       */
} ken_config;

typedef struct ken_model ken_model; /* opaque; one thread at a time */

KEN_API ken_config ken_config_default(ken_output output);

/* A model with random weights. On success the caller owns *model. */
KEN_API ken_status ken_model_new(ken_model **model, const ken_config *config);
KEN_API void ken_model_free(ken_model *model); /* NULL is fine */
KEN_API size_t ken_model_size(const ken_model *model); /* number of weights */

/* Probabilities: of KEN_EACH (all rows, output_size), of KEN_WHOLE (count, output_size). */
KEN_API ken_status ken_model_predict(ken_model *model, float *probabilities,
                                     const ken_sequences *input);

/* Writes the most likely continuation, id by id, until `end` or `longest`: sequence b is
 * ids[b * longest] .. and has lengths[b] ids (without begin and end). `input` is what the encoder
 * reads; of a language model it is what the sequences begin with. */
KEN_API ken_status ken_model_generate(ken_model *model, int32_t *ids, size_t *lengths,
                                      const ken_sequences *input, size_t longest);

/* Which attention to look at. */
typedef enum ken_look { KEN_LOOK_ENCODER, KEN_LOOK_DECODER, KEN_LOOK_CROSS } ken_look;
#define KEN_ALL_HEADS SIZE_MAX /* their mean */

/* The weights of one head of one block, exactly as used, for the first sequence of `input` (n ids)
 * and, in a generator, of `target` (m ids): encoder (n, n); decoder (m + 1, m + 1); cross
 * (m + 1, n), where row t is what was looked at to choose id t. */
KEN_API ken_status ken_model_look(ken_model *model, float *weights, ken_look which, size_t block,
                                  size_t head, const ken_sequences *input,
                                  const ken_sequences *target);

/* ---- 6. Training ----------------------------------------------------------------------------- */

typedef enum ken_schedule_kind {
    KEN_SCHEDULE_CONSTANT,
    KEN_SCHEDULE_INVERSE_ROOT, /* after the warm-up falls with the root of the step         */
    KEN_SCHEDULE_COSINE,       /* half a cosine down to floor * rate at `steps`             */
    KEN_SCHEDULE_STABLE_DECAY  /* constant, then straight down in the last `decay` steps    */
} ken_schedule_kind;

typedef struct ken_training {
    ken_schedule_kind schedule;
    double rate;       /* learning rate at its peak                                         */
    uint64_t warm_up;  /* steps in which it rises to it                                     */
    uint64_t steps;    /* of the whole run                                                  */
    uint64_t decay;
    double floor;
    double weight_decay, clip; /* clip: largest norm of the gradient; 0: none               */
    double beta1, beta2, eps;  /* of AdamW                                                  */
    float smoothing;   /* of labels                                                         */
    uint64_t seed;     /* of dropout                                                        */
} ken_training;

/* What a step did. */
typedef struct ken_report {
    uint64_t step;
    double loss;       /* mean over the counted rows, smoothing included                    */
    double accuracy;   /* share of counted rows whose most likely id was right              */
    double norm;       /* of the gradient, before clipping                                  */
    double rate;
    size_t rows;       /* that went through the model, input and target                     */
    size_t peak_bytes; /* memory of a step, without weights and optimiser                   */
} ken_report;

typedef struct ken_trainer ken_trainer; /* opaque; holds on to its model */

KEN_API ken_training ken_training_default(void);
KEN_API ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model,
                                   const ken_training *training);
KEN_API void ken_trainer_free(ken_trainer *trainer); /* the model stays; NULL is fine */

/* One update. `target`: for KEN_EACH one label per input id, -1 where none is known; for KEN_WHOLE
 * one label a sequence; for KEN_GENERATE the sequences to generate (`input` is NULL for a language
 * model). After KEN_ERR_DIVERGED the weights are as before the step. `report` may be NULL. */
KEN_API ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                                    const ken_sequences *target, ken_report *report);

/* ---- 7. A built-in task ---------------------------------------------------------------------- */

enum { KEN_DATE_WRITTEN = 64, KEN_DATE_ISO = 11 }; /* sizes of the buffers, with their final 0 */

/* Example `index` of an endless supply: a date as people write it ("third of March 2021") and in
 * ISO form ("2021-03-03"). With `unseen` from the tenth of all days that the others never use. */
KEN_API void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO],
                              uint64_t seed, uint64_t index, int unseen);

#ifdef __cplusplus
}
#endif
#endif
