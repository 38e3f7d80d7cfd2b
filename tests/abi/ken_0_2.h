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

/* ken_task.h - the second half of ken.h, which includes it: answers in many threads, training, from
 * files of data to a trained model, and the trained model at work. */
#ifndef KEN_TASK_H
#define KEN_TASK_H

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

#endif
