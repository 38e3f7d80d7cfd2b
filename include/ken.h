/* ken.h - attention models in C: the whole public interface, to be read from top to bottom.
 *
 * A model reads sequences of ids (words, letters, notes, anything that can be numbered) and gives
 * a label for each id, a label for the whole sequence, or another sequence. From nothing to an
 * answer it takes a handful of calls:
 *
 *     int32_t ids[]  = { 3, 1, 4,  1, 5 };              // two sequences: 3 1 4 and 1 5
 *     int32_t tags[] = { 0, 1, 0,  1, 0 };              // the labels they should get
 *     size_t start[] = { 0, 3, 5 };                     // where each begins, and the end of all
 *     ken_sequences input = { ids, start, 2 }, target = { tags, start, 2 };
 *
 *     ken_config config = ken_config_default(KEN_EACH); // a label for each id
 *     config.input_size = 10;                           // ids are below 10 ...
 *     config.output_size = 2;                           // ... and labels below 2
 *     ken_training training = ken_training_default();
 *
 *     ken_model *model;
 *     ken_trainer *trainer;
 *     ken_report report;
 *     float probabilities[5 * 2];                       // of each label for each id
 *     if (ken_model_new(&model, &config)) return 1;
 *     if (ken_trainer_new(&trainer, model, &training)) return 1;
 *     for (int step = 0; step < 1000; step++)           // usually with other sequences each time
 *         if (ken_trainer_step(trainer, &input, &target, &report)) puts(ken_last_error());
 *     ken_model_predict(model, probabilities, &input);
 *     ken_trainer_free(trainer);
 *     ken_model_free(model);
 *
 * Whole programs are in examples/, numbered as a course. Compile with `-lken -lm -pthread`.
 *
 * Conventions
 *   - A call that can fail returns a ken_status; KEN_OK is 0, so `if (ken_...()) handle();` works.
 *     ken_last_error() then tells, in words, what went wrong in the calling thread. A call that
 *     failed has changed nothing that matters: the objects can be used again, or freed.
 *   - The library never prints, exits or aborts.
 *   - Matrices are dense float arrays in C order: (rows, columns), the last index contiguous.
 *     Results are written to arrays of the caller, which are large enough.
 *   - What a ..._new() makes, the matching ..._free() ends. All other arrays stay the caller's and
 *     are only read or written during the call. Pointers are not NULL unless it says so.
 *   - The same calls with the same seeds give the same bits on the same kind of processor, for any
 *     number of threads. */
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

/* Uses `count` threads from now on, at most 256; 0 means one per processor, which is also what
 * happens without this call (unless the environment has KEN_THREADS). Changes the speed, never
 * the results. */
KEN_API ken_status ken_threads_set(size_t count);
KEN_API size_t ken_threads(void);

/* ---- 3. Attention itself --------------------------------------------------------------------- */

/* out = softmax(q k^T / sqrt(width)) v, for `heads` heads side by side in a row: q and out are
 * (queries, heads * width), k and v (keys, heads * width); width is 1 to 256. With `causal` the
 * last query sees all keys, the one before it one fewer, and so on; a query that sees no key gets
 * zeros. Needs no memory that grows with queries x keys. */
KEN_API ken_status ken_attention(float *out, const float *q, const float *k, const float *v,
                                 size_t queries, size_t keys, size_t heads, size_t width,
                                 int causal);

/* ---- 4. Sequences ---------------------------------------------------------------------------- */

/* Sequences of any lengths, one after another: sequence b is ids[start[b]] .. ids[start[b+1] - 1].
 * `start` has count + 1 entries, begins with 0 and never falls; equal neighbours are an empty
 * sequence, which is welcome everywhere. There is no padding in ken: what a model makes of a
 * sequence has the same bits alone and in any batch. */
typedef struct ken_sequences {
    const int32_t *ids;  /* (start[count]), from 0; may be NULL when there are none */
    const size_t *start; /* (count + 1)                                             */
    size_t count;
} ken_sequences;

/* ---- 5. Models: what they are made of -------------------------------------------------------- */

/* What comes out. */
typedef enum ken_output {
    KEN_EACH,    /* a label for each id: tagging                                           */
    KEN_WHOLE,   /* a label for the whole sequence: classification                         */
    KEN_GENERATE /* a sequence: translation or, without an encoder, a language model       */
} ken_output;

/* How a model knows what is where. Without positions a sequence is a bag of ids.
 *   sinusoid, learned   are added to the input. Learned ones end: a sequence of more than `longest`
 *                       ids (in a generator one fewer, it reads `begin`) is KEN_ERR_ARGUMENT
 *   rotary              turns queries and keys so that their product knows the distance; needs the
 *                       dot score and heads of even width
 *   alibi, relative     add to the score: a fall with the distance, or a learned number for each
 *                       head and distance; distances beyond `longest` count as that */
typedef enum ken_position {
    KEN_POSITION_NONE,
    KEN_POSITION_SINUSOID,
    KEN_POSITION_LEARNED,
    KEN_POSITION_ROTARY,
    KEN_POSITION_ALIBI,
    KEN_POSITION_RELATIVE
} ken_position;

/* Between the two products of the feed-forward part. */
typedef enum ken_activation {
    KEN_ACT_NONE,
    KEN_ACT_RELU,
    KEN_ACT_GELU,      /* x Phi(x), exact                        */
    KEN_ACT_GELU_TANH, /* its approximation by tanh, as in GPT-2 */
    KEN_ACT_SILU,      /* x sigma(x), also called swish          */
    KEN_ACT_SIGMOID,
    KEN_ACT_TANH,
    KEN_ACT_ELU, /* x for x > 0, else e^x - 1                    */
    KEN_ACT_COUNT
} ken_activation;

/* How well a key fits a query; a is a learned vector of each head. */
typedef enum ken_score {
    KEN_SCORE_DOT,      /* q . k / sqrt(width of a head)                              */
    KEN_SCORE_ADDITIVE, /* a . tanh(q + k)                                            */
    KEN_SCORE_GAT,      /* LeakyReLU(a . [q ; k]); not in a generator with an encoder */
    KEN_SCORE_COUNT
} ken_score;

/* How scores s become weights; n is the number of keys that the row sees. */
typedef enum ken_weigh {
    KEN_WEIGH_SOFTMAX, /* e^s, divided by the sum over all keys */
    KEN_WEIGH_RELU,    /* max(s, 0) / n                         */
    KEN_WEIGH_SIGMOID, /* sigma(s - ln n)                       */
    KEN_WEIGH_NONE,    /* s / n                                 */
    KEN_WEIGH_COUNT
} ken_weigh;

#define KEN_UNLIMITED SIZE_MAX /* of a window: no limit on this side */

/* The shape of a model. Start from ken_config_default() and change what you need; the number
 * behind a colon is the default. The sizes of input and output have none. */
typedef struct ken_config {
    ken_output output;
    size_t input_size;  /* kinds of input ids, which are below it; unused without encoder */
    size_t output_size; /* labels, or kinds of generated ids, begin and end included      */

    /* Blocks. In a generator, no encoder blocks make it a language model. */
    size_t encoder_blocks; /* : 2                                                        */
    size_t decoder_blocks; /* : 2, of a generator only                                   */
    size_t width;          /* numbers per row between blocks: 128                        */
    size_t hidden;         /* and inside their feed-forward part: 512                    */
    size_t heads;          /* attentions side by side, each width / heads wide: 4        */
    size_t kv_heads;       /* of keys and values, a divisor of heads; 0: as many         */

    /* Attention. A row sees `window_left` rows before it and `window_right` behind it; a decoder
     * never looks ahead, whatever stands there, but sees all of what the encoder read. */
    ken_position position; /* : KEN_POSITION_SINUSOID                                    */
    size_t longest;        /* see ken_position: 512                                      */
    ken_score score;       /* : KEN_SCORE_DOT                                            */
    ken_weigh weigh;       /* : KEN_WEIGH_SOFTMAX                                        */
    size_t window_left;    /* : KEN_UNLIMITED                                            */
    size_t window_right;   /* : KEN_UNLIMITED                                            */

    /* Feed-forward part and norms. */
    ken_activation activation; /* : KEN_ACT_GELU                                         */
    int gated;                 /* GLU: W2 (act(W1 x) . W3 x) for W2 act(W1 x)            */
    int rms_norm;              /* by the root mean square instead of layer norm          */
    int post_norm;             /* after the residual connection, as in the first paper   */

    /* Dropout, while training; 0 or more and below 1. */
    float dropout;           /* of embeddings and sub-layers: 0.1                        */
    float attention_dropout; /* of attention weights: 0.1                                */

    /* Of a generator: ids that stand before and behind each sequence, below output_size. */
    int32_t begin; /* : 0                                                                */
    int32_t end;   /* : 1                                                                */
    int tied;      /* its embedding is also its output projection                        */

    uint64_t seed; /* of the initial weights: 1                                          */
} ken_config;

KEN_API ken_config ken_config_default(ken_output output);

/* ---- 6. Models: what they do ----------------------------------------------------------------- */

typedef struct ken_model ken_model; /* opaque. One thread at a time; different models may be used
                                     * by different threads at once */

/* A model with random weights. On success the caller owns *model, else it is NULL. Choices that do
 * not go together are KEN_ERR_ARGUMENT, by name. */
KEN_API ken_status ken_model_new(ken_model **model, const ken_config *config);
KEN_API void ken_model_free(ken_model *model);         /* NULL is fine      */
KEN_API size_t ken_model_size(const ken_model *model); /* number of weights */

/* Labels, as probabilities that add up to 1 in each row: of KEN_EACH (all ids, output_size), of
 * KEN_WHOLE (count, output_size). A generator has none: KEN_ERR_STATE. */
KEN_API ken_status ken_model_predict(ken_model *model, float *probabilities,
                                     const ken_sequences *input);

/* Writes the most likely continuation, id by id, until `end` or `longest`: sequence b is
 * ids[b * longest] .. and has lengths[b] ids (without begin and end), so `ids` has room for
 * count * longest. `input` is what the encoder reads; of a language model it is what the sequences
 * begin with (and may be empty sequences). A model that gives labels: KEN_ERR_STATE. */
KEN_API ken_status ken_model_generate(ken_model *model, int32_t *ids, size_t *lengths,
                                      const ken_sequences *input, size_t longest);

/* Which attention to look at: within the encoder, within the decoder, or from the decoder to what
 * the encoder read. */
typedef enum ken_look { KEN_LOOK_ENCODER, KEN_LOOK_DECODER, KEN_LOOK_CROSS } ken_look;
#define KEN_ALL_HEADS SIZE_MAX /* their mean */

/* The weights of one head of one block (both from 0), exactly as used, for the first sequence of
 * `input` (n ids) and, in a generator, of `target` (m ids): encoder (n, n); decoder (m + 1, m + 1);
 * cross (m + 1, n), where row t is what was looked at to choose id t, and row m to choose the end.
 * `target` may be what ken_model_generate() wrote, or anything else. It is NULL for a model that
 * gives labels, `input` is NULL for a language model. */
KEN_API ken_status ken_model_look(ken_model *model, float *weights, ken_look which, size_t block,
                                  size_t head, const ken_sequences *input,
                                  const ken_sequences *target);

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
    ken_schedule_kind schedule; /* : KEN_SCHEDULE_COSINE                                 */
    double rate;                /* learning rate at its peak: 1e-3                       */
    uint64_t warm_up;           /* steps: 100                                            */
    uint64_t steps;             /* of the whole run, for schedules that end: 1000        */
    uint64_t decay;             /* steps, see KEN_SCHEDULE_STABLE_DECAY                  */
    double floor;               /* share of the rate that is left at the end: 0          */

    double weight_decay; /* of matrices, not of biases, norms and embeddings: 0.01       */
    double clip;         /* larger gradients are scaled to this norm; 0: never. : 1      */
    double beta1, beta2; /* share of the old in the moving means: 0.9 and 0.98           */
    double eps;          /* added to the root that is divided by: 1e-9                   */

    float smoothing; /* share of a label that is spread evenly over all labels: 0        */
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
    size_t peak_bytes; /* of the largest step so far, without weights and optimiser      */
} ken_report;

typedef struct ken_trainer ken_trainer; /* opaque; uses its model, which must outlive it. The model
                                         * may predict and generate between two steps */

KEN_API ken_training ken_training_default(void);
KEN_API ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model,
                                   const ken_training *training);
KEN_API void ken_trainer_free(ken_trainer *trainer); /* the model stays; NULL is fine */

/* One update of the weights from a batch of examples.
 *   KEN_EACH      target: the labels of all input ids, in the same order
 *   KEN_WHOLE     target: the labels of all input sequences, one id for each
 *   KEN_GENERATE  target: the sequences to generate, as many as in `input`, without begin and end;
 *                 `input` is NULL for a language model
 * A label of -1 is unknown and does not count. After a failure the weights are as before the step,
 * and the next step gives the bits that it would have given without. KEN_ERR_DIVERGED names the
 * step and the tensor: try a lower rate. `report` may be NULL. */
KEN_API ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                                    const ken_sequences *target, ken_report *report);

/* ---- 8. A built-in task ---------------------------------------------------------------------- */

enum { KEN_DATE_WRITTEN = 64, KEN_DATE_ISO = 11 }; /* sizes of the buffers, with their final 0 */

/* Example `index` of an endless supply: a date as people write it ("third of March 2021") and in
 * ISO form ("2021-03-03"), from 1970 to 2069. With slashes the month comes first unless the year
 * does, with dots the day; a year of two digits is 1970 to 2069. With `unseen` from the tenth of
 * all days that the others never use, to test on what was not trained on. */
KEN_API void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO], uint64_t seed,
                              uint64_t index, int unseen);

#ifdef __cplusplus
}
#endif
#endif
