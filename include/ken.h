/* ken.h - attention models in C: the whole public interface, to be read from top to bottom.
 *
 * A model reads sequences of ids (words, letters, notes, anything that can be numbered) or of rows
 * of numbers, and gives a label for each, a label for the whole sequence, or another sequence; a
 * label may be a class, numbers or a set. From nothing to an answer it takes a handful of calls:
 *
 *     int32_t ids[]  = { 3, 1, 4,  1, 5 };              // two sequences: 3 1 4 and 1 5
 *     int32_t tags[] = { 0, 1, 0,  1, 0 };              // the labels they should get
 *     size_t start[] = { 0, 3, 5 };                     // where each begins, and the end of all
 *     ken_sequences input = { .ids = ids, .start = start, .count = 2 };
 *     ken_sequences target = { .ids = tags, .start = start, .count = 2 };
 *
 *     ken_config config = ken_config_default(KEN_EACH); // a label for each id
 *     config.input_size = 10;                           // ids are below 10 ...
 *     config.output_size = 2;                           // ... and labels below 2
 *     ken_training training = ken_training_default();
 *
 *     ken_model *model;
 *     ken_trainer *trainer;
 *     const ken_report *report;
 *     float probabilities[5 * 2];                       // of each label for each id
 *     if (ken_model_new(&model, &config)) return 1;
 *     if (ken_trainer_new(&trainer, model, &training)) return 1;
 *     for (int step = 0; step < 1000; step++)           // usually with other sequences each time
 *         if (ken_trainer_step(trainer, &input, &target, &report)) puts(ken_last_error());
 *     ken_model_predict(model, probabilities, &input);
 *     ken_trainer_free(trainer);
 *     ken_model_free(model);
 *
 * Whole programs are in examples/, numbered as a course. Compile with
 * `-lken -lm -pthread` or, with the static library, what `pkg-config --static --libs ken` says.
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
 *   - Programs that were compiled against an older ken.h go on working with a newer library of the
 *     same soname; docs/ABI.md says what that takes. Fields called `size` and `reserved` are there
 *     for this: leave them as ..._default() or an initialiser sets them.
 *   - The same calls with the same seeds give the same bits on the same kind of processor, for any
 *     number of threads. */
#ifndef KEN_H
#define KEN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEN_VERSION "0.2.0"

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
    KEN_ERR_STATE,    /* the call does not fit the object's state               */
    KEN_ERR_SPACE,    /* no room is left on the disk                            */
    KEN_ERR_STOPPED   /* a callback asked to stop; the state was saved          */
} ken_status;

/* Words for the last failed call of this thread: lower-case, cause first. Valid until the next
 * failure in the same thread; "" when nothing failed yet. */
KEN_API const char *ken_last_error(void);

/* Name of a status, e.g. "KEN_ERR_SHAPE". */
KEN_API const char *ken_status_name(ken_status status);

/* The version of the library that runs, as opposed to KEN_VERSION of the header. */
KEN_API const char *ken_version(void);

/* ---- 2. Threads ----------------------------------------------------------------------------- */

/* Uses `count` threads from now on, at most 256; 0 means one per processor that this process may
 * have (a container's limit counts), which is also what happens without this call, unless the
 * environment has KEN_THREADS. Changes the speed, never the results. After fork() the child has
 * threads of its own. */
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
 * sequence has the same bits alone and in any batch.
 *
 * A row need not be an id: models that read or give numbers take `numbers` instead. And a row that
 * is a word may come with its spelling, itself sequences: those of letters, one for each row. Nor
 * need a sequence be one: in a graph the rows are nodes, and links tell which see which. A model
 * looks only at the fields that it reads.
 *
 * `places` says where each row stands. NULL means that a row's place is its index in its sequence;
 * a patch of an image has a line and a column instead. Encoders with the positions sinusoid,
 * learned and rotary read them, see place_axes. */
typedef struct ken_sequences {
    const int32_t *ids;  /* (start[count]), from 0; may be NULL when there are none */
    const size_t *start; /* (count + 1)                                             */
    size_t count;
    const float *numbers; /* (start[count], input_size), of targets output_size wide */
    const struct ken_sequences *letters; /* start[count] sequences of letter ids,    *
                                          * or of what is in the bags of KEN_INPUT_BAGS */
    const struct ken_links *links;       /* of graphs                                */
    const int32_t *places;   /* (start[count], place_axes), each from 0 to 2^20 - 1; or NULL     */
    const void *reserved[4]; /* NULL: room for later fields           */
} ken_sequences;

/* The edges of graphs: pairs of rows of sequence b, each counted from 0 within it. The first sees
 * the second; where both see each other, there are two pairs. */
typedef struct ken_links {
    const int32_t *pairs;    /* (start[count], 2)                                       */
    const size_t *start;     /* (count + 1): those of b are start[b] .. start[b+1] - 1  */
    const float *numbers;    /* (start[count], edge_size): what kind of edge it is      */
    const void *reserved[4]; /* NULL                                                 */
} ken_links;

/* ---- 5. Models: what they are made of -------------------------------------------------------- */

/* What comes out. */
typedef enum ken_output {
    KEN_EACH,    /* a label for each id: tagging                                           */
    KEN_WHOLE,   /* a label for the whole sequence: classification                         */
    KEN_GENERATE /* a sequence: translation or, without an encoder, a language model       */
} ken_output;

/* What an encoder reads, and how it becomes rows of `width`. */
typedef enum ken_input {
    KEN_INPUT_IDS,     /* ids: a learned row for each, scaled to variance 1                */
    KEN_INPUT_ONE_HOT, /* ids: a row of zeros with one 1, through a linear layer           */
    KEN_INPUT_VECTORS, /* rows of input_size numbers, through a linear layer               */
    KEN_INPUT_BAGS     /* a few ids for each row, as `letters`: the mean of their rows of a  *
                        * learned matrix, that is a linear layer of a sparse row of sum 1  */
} ken_input;

/* What a label of KEN_EACH and KEN_WHOLE is. Numbers and sets come as target.numbers, rows of
 * output_size; NaN among them is unknown and does not count. */
typedef enum ken_value {
    KEN_VALUE_CLASS,  /* one of output_size classes: cross-entropy                         */
    KEN_VALUE_NUMBER, /* output_size numbers: mean squared error                           */
    KEN_VALUE_SET     /* each of output_size labels or not, 1 or 0: binary cross-entropy   */
} ken_value;

/* How the rows of a sequence become the one that KEN_WHOLE judges by; of none it is zeros. */
typedef enum ken_pooling {
    KEN_POOL_MEAN,
    KEN_POOL_MAX,       /* column by column                                                */
    KEN_POOL_FIRST,     /* the first row, e.g. of an id that begins every sequence         */
    KEN_POOL_ATTENTIVE, /* a mean with weights: softmax of learned scores of the rows      */
    KEN_POOL_LAST,      /* the last row, e.g. of a network that ran over all of them       */
    KEN_POOL_SUM,
    KEN_POOL_COUNT
} ken_pooling;

/* How a model knows what is where; without it a sequence is a bag of ids. Of learned places there
 * are `longest`: a longer sequence (in a generator one fewer, for `begin`) is KEN_ERR_ARGUMENT. All
 * others take any length: where distances are told apart, up to `longest` or 128, those beyond
 * count as that, and the rest goes on without end.
 *   sinusoid, learned   are added to the input
 *   rotary              turns queries and keys so that their product knows the distance; needs the
 *                       dot score and heads of even width
 *   alibi, relative     add to the score: a fall with the distance, or a learned number for each
 *                       head and distance up to `longest`
 *   shaw                adds a learned vector for each distance (up to `longest`) to the keys, and
 *                       another to the values
 *   buckets             a learned number for each head and range of distances, as in T5: exact up
 *                       to 8, then wider and wider, one for all beyond 128
 *   quadratic           adds -a ((d - c)^2 - c^2) for distance d up to `longest`, with a and c
 *                       learned by each head: a look at a fixed shift, as a convolution has it
 *   rnn                 are added to the input, made by a recurrent network that counts
 *   floater             adds biases to queries, keys and values of each block that follow a learned
 *                       flow along the sequence, on top of sinusoids; not with the gat score
 *   distance            in a graph, with reach all: learned numbers for each count of edges between
 *                       two nodes up to 8, for more, and for no way at all; they act like edges'
 *                       numbers (see edge_size) */
typedef enum ken_position {
    KEN_POSITION_NONE,
    KEN_POSITION_SINUSOID,
    KEN_POSITION_LEARNED,
    KEN_POSITION_ROTARY,
    KEN_POSITION_ALIBI,
    KEN_POSITION_RELATIVE,
    KEN_POSITION_SHAW,
    KEN_POSITION_BUCKETS,
    KEN_POSITION_QUADRATIC,
    KEN_POSITION_RNN,
    KEN_POSITION_FLOATER,
    KEN_POSITION_DISTANCE,
    KEN_POSITION_COUNT
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
    KEN_SCORE_GATV2,    /* a . LeakyReLU(q + k)                                       */
    KEN_SCORE_COUNT
} ken_score;

/* How scores s become weights; n is the number of keys that the row sees. */
typedef enum ken_weigh {
    KEN_WEIGH_SOFTMAX,   /* e^s, divided by the sum over all keys                        */
    KEN_WEIGH_RELU,      /* max(s, 0) / n                                                */
    KEN_WEIGH_SIGMOID,   /* sigma(s - ln n)                                              */
    KEN_WEIGH_NONE,      /* s / n                                                        */
    KEN_WEIGH_SPARSEMAX, /* the nearest point to s whose weights are >= 0 and sum to 1   */
    KEN_WEIGH_LINEAR,    /* f(q) . f(k), divided by the sum, f(x) = elu(x) + 1: cost     *
                          * grows with n, not n^2, and with a fixed state while writing  */
    KEN_WEIGH_PERFORMER, /* the same with `features` random features, which stand for    *
                          * e^s on average; drawn from `seed`, neither trained nor saved. *
                          * Both: dot score, no window, no positions in the scores       */
    KEN_WEIGH_COUNT
} ken_weigh;

/* Which rows a row sees, of its own sequence; a decoder never looks ahead, whatever it says. */
typedef enum ken_reach {
    KEN_REACH_WINDOW,   /* window_left before it, window_right behind it                 */
    KEN_REACH_GLOBAL,   /* the same, and the first reach_global rows, which see all      */
    KEN_REACH_BLOCKS,   /* those of its block of reach_block rows                        */
    KEN_REACH_RANDOM,   /* its block, both neighbours, the first block (which sees all)  *
                         * and reach_random others, drawn once                           */
    KEN_REACH_SEGMENTS, /* its block and the one before, which gets no gradient          */
    KEN_REACH_NYSTROM,  /* all, by way of `landmarks` means of neighbouring rows; in an  *
                         * encoder that gives labels, with softmax of dot scores         */
    KEN_REACH_EDGES,    /* in the graphs of an encoder: those it has a link to           */
    KEN_REACH_COUNT
} ken_reach;

/* What lets rows of a sequence know of each other, as the first part of every block. All but
 * attention are what it replaced; to compare like with like, everything else stays as it is: norms,
 * feed-forward, and the attention of a decoder to what its encoder read. A decoder never looks
 * ahead: it has its 2 * neighbours rows all before it, and runs forwards only.
 *
 * Where there is no self-attention, choices about it are not used: score, weigh, reach, heads, and
 * the positions that act inside it. Nor is post_norm used by conformers, which have an order of
 * their own: half a feed-forward, attention, convolution, the other half, norm. */
typedef enum ken_mixing {
    KEN_MIX_ATTENTION,
    KEN_MIX_FC,        /* nothing: each row on its own                                   */
    KEN_MIX_FC_WINDOW, /* a linear layer over `neighbours` rows before and behind        */
    KEN_MIX_CONV,      /* the same for each column, then a linear layer                  */
    KEN_MIX_RNN,       /* h = tanh(W x + U h before); LSTM and GRU, which forget less    */
    KEN_MIX_LSTM,
    KEN_MIX_GRU,
    KEN_MIX_CONFORMER, /* attention and convolution between two halves of feed-forward   */
    KEN_MIX_BARE,      /* attention alone, as in graph attention networks: no norm, no   *
                        * residual connection, no feed-forward; the activation behind it. *
                        * What makes rows of the input is the first block's projection;  *
                        * of KEN_EACH, the last block's mean over last_heads heads is    *
                        * the answer. For encoders; dropout acts on what a block reads   */
    KEN_MIX_COUNT
} ken_mixing;

#define KEN_UNLIMITED SIZE_MAX /* of a window: no limit on this side */

/* The shape of a model. Start from ken_config_default() and change what you need; the number
 * behind a colon is the default. The sizes of input and output have none. */
typedef struct ken_config {
    size_t size; /* sizeof(ken_config), set by ken_config_default() */
    ken_output output;
    ken_input input_kind; /* : KEN_INPUT_IDS                                                 */
    size_t input_size;    /* kinds of input ids, or numbers in a row; unused without encoder */
    size_t output_size;   /* labels, or kinds of generated ids, begin and end included       */
    ken_value value;      /* : KEN_VALUE_CLASS                                               */
    ken_pooling pooling;  /* : KEN_POOL_MEAN                                                 */

    /* Words with their spelling: a small convolutional network over the letters of a word, whose
     * result is added to its row. Unknown words then have at least a form; to learn to use it,
     * words are read as `unknown` now and then. */
    size_t letters;       /* kinds of letter ids; 0: none                                */
    size_t letters_width; /* of each letter and each kind of filter: 64                  */
    float word_dropout;   /* while training, share of words read as `unknown`: 0         */
    int32_t unknown;      /* an input id: 2                                              */

    /* Blocks. In a generator, no encoder blocks make it a language model. */
    size_t encoder_blocks; /* : 2                                                        */
    size_t decoder_blocks; /* : 2, of a generator only                                   */
    size_t width;          /* numbers per row between blocks: 128                        */
    size_t hidden;         /* and inside their feed-forward part: 512                    */
    size_t heads;          /* attentions side by side, each width / heads wide: 4        */
    size_t kv_heads;       /* of keys and values, a divisor of heads; 0: as many         */

    ken_mixing mixing; /* : KEN_MIX_ATTENTION                                            */
    int both_ways;     /* recurrent networks of an encoder also run backwards, each with  *
                        * half of the width, which is even: 1                            */
    size_t neighbours; /* on each side, of KEN_MIX_FC_WINDOW, _CONV and _CONFORMER: 2    */

    /* Attention. A decoder never looks ahead, but sees all of what the encoder read. */
    ken_position position; /* : KEN_POSITION_SINUSOID                                    */
    ken_score score;       /* : KEN_SCORE_DOT                                            */
    ken_weigh weigh;       /* : KEN_WEIGH_SOFTMAX                                        */
    ken_reach reach;       /* : KEN_REACH_WINDOW                                         */
    size_t longest;        /* see ken_position: 512                                      */
    size_t window_left;    /* : KEN_UNLIMITED                                            */
    size_t window_right;   /* : KEN_UNLIMITED                                            */
    size_t reach_global;   /* : 1                                                        */
    size_t reach_block;    /* : 64                                                       */
    size_t reach_random;   /* at most 32: 3                                              */
    size_t landmarks;      /* : 32                                                       */
    size_t features;       /* : 128                                                      */
    size_t edge_size;      /* numbers of each link, of reach edges or position distance; they *
                            * act on the score, and their weighed sum adds to the result: 0 */
    size_t last_heads;     /* see KEN_MIX_BARE: 1                                        */
    int loops;             /* of reach edges: each row sees itself as well: 1            */

    /* Feed-forward part and norms. */
    ken_activation activation; /* : KEN_ACT_GELU                                         */
    int gated;                 /* GLU: W2 (act(W1 x) . W3 x) for W2 act(W1 x)            */
    int rms_norm;              /* by the root mean square instead of layer norm          */
    int post_norm;             /* after the residual connection, as in the first paper   */

    /* Dropout, while training; 0 or more and below 1. */
    float dropout;           /* of embeddings and sub-layers: 0.1                        */
    float attention_dropout; /* of attention weights, if they are formed: not of linear, *
                              * performer and nystrom: 0.1                               */
    float hidden_dropout;    /* inside the feed-forward part, after the activation: 0    */

    /* Of a generator: ids that stand before and behind each sequence, below output_size. */
    int32_t begin; /* : 0                                                                */
    int32_t end;   /* : 1                                                                */
    int tied;      /* its embedding is also its output projection                        */
    int shared;    /* its encoder uses that embedding too: the same ids on both sides    */

    uint64_t seed; /* of the initial weights: 1                                          */

    /* Frame stacking, for KEN_INPUT_VECTORS: `input_stack` neighbouring rows become one row of the
     * encoder, which then has ceil(n / input_stack) rows for a sequence of n. The numbers of a
     * group stand side by side and go through the input layer; zeros complete the last group of a
     * sequence. 1 to 1024; default 1 = off. Not for KEN_EACH and not for graphs: both need every
     * row. The place of a group is that of its first row, with the last coordinate divided by
     * input_stack and rounded down. */
    size_t input_stack;

    /* Coordinates of each row's place in ken_sequences.places, which the encoder reads: 1 or 2;
     * default 1. With 2, `places` is required, and the positions sinusoid, learned and rotary code
     * the first coordinate in one half and the second in the other: sinusoid in the halves of the
     * width, rotary in the halves of the pairs of each head; learned adds a row of `longest` for
     * each coordinate. Positions that count rows (alibi, relative, shaw, buckets, quadratic, rnn,
     * floater) and distance are refused. What a decoder writes has one coordinate always. */
    size_t place_axes;
} ken_config;

/* Fills in the defaults of a struct of this size; for languages without ken_config_default(). */
KEN_API void ken_config_init(ken_config *config, size_t size, ken_output output);

static inline ken_config ken_config_default(ken_output output)
{
    ken_config config;
    ken_config_init(&config, sizeof config, output);
    return config;
}

/* ---- 6. Models: what they do ----------------------------------------------------------------- */

/* Opaque. Answering only reads a model: any number of threads may take a `const ken_model *` at the
 * same time. Whatever changes it, a trainer's step above all, needs it alone. */
typedef struct ken_model ken_model;

/* A model with random weights. On success the caller owns *model, else it is NULL. Choices that do
 * not go together are KEN_ERR_ARGUMENT, by name. */
KEN_API ken_status ken_model_new(ken_model **model, const ken_config *config);
KEN_API void ken_model_free(ken_model *model);         /* NULL is fine      */
KEN_API size_t ken_model_size(const ken_model *model); /* number of weights */

/* Labels: of KEN_EACH (all rows, output_size), of KEN_WHOLE (count, output_size). Classes come as
 * probabilities that add up to 1 in each row, sets as a probability for each label, numbers as they
 * are. A generator has none: KEN_ERR_STATE. */
KEN_API ken_status ken_model_predict(const ken_model *model, float *probabilities,
                                     const ken_sequences *input);

/* A model as a file, which any reader of safetensors opens too: written all or not at all, and with
 * a checksum. A file that was damaged, tampered with or made for something else is KEN_ERR_FORMAT;
 * nothing in it is ever executed. What was loaded gives the bits that the saved model gave. */
KEN_API ken_status ken_model_save(const ken_model *model, const char *path);
KEN_API ken_status ken_model_load(ken_model **model, const char *path); /* caller owns *model */

/* How to write. Start from ken_generation_default(). */
typedef struct ken_generation {
    size_t size;    /* sizeof(ken_generation), set by ken_generation_default()        */
    size_t longest; /* ids of a result, at the most: 256                              */
    size_t beam;    /* hypotheses that are followed at once: 1, the most likely id    */
    size_t best;    /* results of each input, the best first; 1 to beam: 1            */

    /* The score of n ids, the end included, is log p / n ^ length_penalty; 0 or more: 1 */
    float length_penalty;

    /* 0: the most likely ids. Else ids are drawn, with probability softmax(logits / temperature),
     * and not with a beam: 0 */
    float temperature;
    size_t top_k; /* drawn from the k most likely ids; 0: from all. : 0                 */
    float top_p;  /* and of those from the fewest with this share together, above 0: 1  */

    size_t no_repeat; /* so many ids in a row are not written twice, prefix included; 0: any. : 0 */
    /* Everything again at each id, without keeping keys and values: the same results, slowly; to
     * measure and to test: 0 */
    int recompute;

    const ken_sequences *prefix; /* with an encoder: what each target begins with, or NULL */
    uint64_t seed;               /* of drawing: 1                                          */
    uint64_t first; /* number of the first sequence of `input`; each draws by its number: 0 */
} ken_generation;

KEN_API void ken_generation_init(ken_generation *how, size_t size); /* as ken_config_init() */

static inline ken_generation ken_generation_default(void)
{
    ken_generation how;
    ken_generation_init(&how, sizeof how);
    return how;
}

/* Writes sequences id by id until `end` or `longest`, or where learned positions end. `input` is
 * what the encoder reads; of a language model it is what the sequences begin with (and may be empty
 * sequences). Result r of sequence b is ids[(b * best + r) * longest] .. and has
 * lengths[b * best + r] ids, without begin, prefix and end; scores, NULL or count * best, get its
 * log probability, the end included if it came to it. `begin` is never written.
 *
 * A beam keeps the `beam` most likely beginnings. Of their 2 * beam most likely continuations those
 * that end are finished if they are among the first `beam`, and the first `beam` others go on. An
 * input is done when `beam` have finished and none that goes on has a better score, as it stands,
 * than the `best`-th of them. (As it stands: with a length penalty of 0 that is exact, since log p
 * only falls; else it takes that the mean does not rise.) What `longest` cuts off counts as
 * finished. A result that does not exist has no ids and a score of -infinity.
 *
 * What is drawn is a function of (seed, b, place), and everything else of its own input alone: no
 * result depends on what else is in the batch. A model that gives labels: KEN_ERR_STATE; choices
 * that do not go together: KEN_ERR_ARGUMENT, by name. */
KEN_API ken_status ken_model_generate(const ken_model *model, int32_t *ids, size_t *lengths,
                                      float *scores, const ken_sequences *input,
                                      const ken_generation *how);

/* Which attention to look at: within the encoder, within the decoder, or from the decoder to what
 * the encoder read. */
typedef enum ken_look { KEN_LOOK_ENCODER, KEN_LOOK_DECODER, KEN_LOOK_CROSS } ken_look;
#define KEN_ALL_HEADS SIZE_MAX /* their mean */

/* The weights of one head of one block (both from 0), exactly as used, for the first sequence of
 * `input` (n ids) and, in a generator, of `target` (m ids): encoder (n, n); decoder (m + 1, m + 1);
 * cross (m + 1, n), where row t is what was looked at to choose id t, and row m to choose the end.
 * With input_stack, n is the number of the encoder's rows.
 * `target` may be what ken_model_generate() wrote, or anything else. It is NULL for a model that
 * gives labels, `input` is NULL for a language model. Without self-attention: KEN_ERR_STATE. */
KEN_API ken_status ken_model_look(const ken_model *model, float *weights, ken_look which,
                                  size_t block, size_t head, const ken_sequences *input,
                                  const ken_sequences *target);

#ifdef __cplusplus
}
#endif

#include "ken_task.h" /* the rest: sessions, training, recipes, trained models at work ... */

#endif
