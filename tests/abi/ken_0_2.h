/* ken.h - attention models (Transformers) in C: the public interface, to be read top to bottom.
 *
 * A model reads sequences of ids (words, letters, notes, anything that can be numbered) or of rows
 * of numbers. It gives a label for each row, a label for the whole sequence, or another sequence.
 * A label is a class, some numbers or a set. A first answer takes a handful of calls:
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
 * Complete programs are in examples/, numbered as a course. Link with `-lken -lm -pthread`; for the
 * static library, use the flags that `pkg-config --static --libs ken` prints. This file has
 * sections 1 to 6; ken_task.h (6 to 9), ken_run.h (10) and ken_look.h (11 to 13) are included at
 * its end. docs/GLOSSARY.md lists ken's words beside the terms of the field.
 *
 * Conventions
 *   - A call that can fail returns a ken_status. KEN_OK is 0, so `if (ken_...()) handle();` works,
 *     and ken_last_error() describes the failure. A failed call leaves its objects as they were:
 *     they can be used again or freed. Its result arrays may have been written in part.
 *   - The library never prints, exits or aborts.
 *   - Matrices are dense float arrays in C order, written (rows, columns): the last index is
 *     contiguous. The caller provides the arrays for results and makes them large enough.
 *   - Every object from a ..._new() is freed with the matching ..._free(). All other arrays stay
 *     the caller's; the library reads or writes them only during the call.
 *   - A pointer may be NULL if a comment allows it, or as an array without elements. Any other NULL
 *     is KEN_ERR_ARGUMENT; calls that return no status then return 0 or NULL, or do nothing.
 *   - Option structs begin with `size` and have a ..._default(), which fills in `size` and all
 *     defaults. Flags are int: 0 = off, anything else = on. Ranges include both ends.
 *   - A program that was compiled against an older ken.h works with every newer library of the same
 *     soname (docs/ABI.md). The fields `size` and `reserved` serve this: leave `size` as
 *     ..._default() set it, and `reserved` NULL.
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
    KEN_ERR_FORMAT,   /* a file was read, but its content is not as expected    */
    KEN_ERR_DIVERGED, /* a loss, gradient or answer is not finite               */
    KEN_ERR_STATE,    /* the object's kind or state does not allow the call     */
    KEN_ERR_SPACE,    /* no room is left on the disk                            */
    KEN_ERR_STOPPED   /* a callback asked to stop                               */
} ken_status;

/* Describes the last failure in the calling thread: lower case, cause first. The text is valid
 * until the next failure in the same thread; it is "" if nothing has failed yet. */
KEN_API const char *ken_last_error(void);

/* Returns the name of a status, e.g. "KEN_ERR_SHAPE". */
KEN_API const char *ken_status_name(ken_status status);

/* Returns the version of the library that runs; KEN_VERSION is that of the header. */
KEN_API const char *ken_version(void);

/* ---- 2. Threads ----------------------------------------------------------------------------- */

/* Sets the number of threads of the process, 0 to 256. 0 = one for each processor that the process
 * may use; a container's limit counts. Without this call, the number is that in the environment
 * variable KEN_THREADS, or 0. The number changes the speed, never the results. After fork() the
 * child starts threads of its own. ken_threads() returns the number in use. */
KEN_API ken_status ken_threads_set(size_t count);
KEN_API size_t ken_threads(void);

/* ---- 3. Attention itself --------------------------------------------------------------------- */

/* Computes out = softmax(q k^T / sqrt(width)) v for `heads` heads (1 or more), which lie side by
 * side in a row: q and out are (queries, heads * width), k and v (keys, heads * width); width is 1
 * to 256. With `causal` the last query sees (attends to) all keys, the one before it all but the
 * last key, and so on. A query that sees no key gets zeros. The memory in use does not grow with
 * queries x keys. */
KEN_API ken_status ken_attention(float *out, const float *q, const float *k, const float *v,
                                 size_t queries, size_t keys, size_t heads, size_t width,
                                 int causal);

/* ---- 4. Sequences ---------------------------------------------------------------------------- */

/* A batch of sequences of any lengths, stored one after another without padding (ragged): sequence
 * b is ids[start[b]] .. ids[start[b+1] - 1]. A model gives a sequence the same bits alone and in
 * any batch. The caller owns all arrays.
 *
 * An element of a sequence is called a row (token, frame, node). A row is an id or, for models that
 * read or give numbers, a line of `numbers`. A row that is a word may also have a spelling: its
 * letters are a sequence of their own. A "sequence" may also be a graph: its rows are nodes, and
 * `links` says which nodes attend to which. A model reads only the fields that it needs; the others
 * may be NULL. */
typedef struct ken_sequences {
    const int32_t *ids;   /* ids of all rows (start[count]), 0 or more; in targets -1 = unknown  */
    const size_t *start;  /* (count + 1): where each sequence starts. start[0] = 0, and no entry *
                           * is below the one before; equal entries make an empty sequence       */
    size_t count;         /* number of sequences; 0 is allowed                                   */
    const float *numbers; /* rows: (start[count], input_size); in targets output_size columns    */

    /* One sequence for each row, start[count] in all: the ids of the row's letters (characters) or,
     * with KEN_INPUT_BAGS, the ids in the row's bag. */
    const struct ken_sequences *letters;
    const struct ken_links *links; /* the edges, if the sequences are graphs */

    /* (start[count], place_axes), each 0 to 2^20 - 1: the place of each row (position index). NULL
     * = a row's place is its index in its sequence. A patch of an image has two coordinates, its
     * line and its column: see place_axes. Encoders with the positions sinusoid, learned and rotary
     * read the places. */
    const int32_t *places;
    const void *reserved[4]; /* must be NULL */
} ken_sequences;

/* The links (edges) of a batch of graphs: pairs of nodes, counted from 0 within their graph. The
 * first node of a pair sees (attends to) the second. An undirected edge takes two pairs. */
typedef struct ken_links {
    const int32_t *pairs;    /* (start[count], 2): the node that attends, the node it attends to */
    const size_t *start;     /* (count + 1): graph b has the links start[b] .. start[b+1] - 1    */
    const float *numbers;    /* (start[count], edge_size): edge features; NULL if edge_size is 0 */
    const void *reserved[4]; /* must be NULL                                                     */
} ken_links;

/* ---- 5. Models: what they are made of -------------------------------------------------------- */

/* The output of a model. */
typedef enum ken_output {
    KEN_EACH,    /* a label for each row: tagging, token classification              */
    KEN_WHOLE,   /* a label for each sequence: classification, regression            */
    KEN_GENERATE /* a sequence: translation or, without an encoder, a language model */
} ken_output;

/* The input of an encoder, and how it becomes rows of `width` numbers. */
typedef enum ken_input {
    KEN_INPUT_IDS,     /* ids: a learned embedding for each id, scaled to variance 1            */
    KEN_INPUT_ONE_HOT, /* ids: one-hot rows (zeros and a single 1), through a linear layer      */
    KEN_INPUT_VECTORS, /* rows of input_size numbers, through a linear layer                    */
    KEN_INPUT_BAGS     /* a bag of ids per row, passed in `letters`; the row is the mean of the *
                        * embeddings of these ids                                               */
} ken_input;

/* The kind of a label of KEN_EACH and KEN_WHOLE. Numbers and sets are passed in target.numbers, in
 * rows of output_size numbers; NaN marks an unknown number, which does not count. */
typedef enum ken_value {
    KEN_VALUE_CLASS,  /* one of output_size classes; the loss is cross-entropy            */
    KEN_VALUE_NUMBER, /* output_size numbers (regression); the loss is mean squared error */
    KEN_VALUE_SET     /* a set of labels: output_size flags, 1 or 0; binary cross-entropy */
} ken_value;

/* Pooling: how KEN_WHOLE turns a sequence's rows into one row. An empty sequence gives zeros. */
typedef enum ken_pooling {
    KEN_POOL_MEAN,
    KEN_POOL_MAX,       /* the maximum of each column                                     */
    KEN_POOL_FIRST,     /* the first row, e.g. of a special id that begins each sequence  */
    KEN_POOL_ATTENTIVE, /* a weighted mean: softmax of a learned linear score of each row */
    KEN_POOL_LAST,      /* the last row, e.g. the final state of a recurrent network      */
    KEN_POOL_SUM,
    KEN_POOL_COUNT
} ken_pooling;

/* Positions (position encodings): how a model knows the place of each row. With none, a sequence is
 * a bag of rows. Below, d is a distance: the place of the key minus that of the query.
 *   sinusoid    fixed sines and cosines, added to the input
 *   learned     a learned row for each of `longest` places, added to the input. A longer sequence
 *               is KEN_ERR_ARGUMENT; a decoder also needs one place for `begin`
 *   rotary      RoPE: turns queries and keys so that their product depends on d. Needs the dot
 *               score and heads of even width
 *   alibi       subtracts m |d| from each score, with a fixed slope m for each head
 *   relative    adds a learned number for each head and d to the score
 *   shaw        adds a learned vector for each d to the key, and another to the value (Shaw et al.)
 *   buckets     as relative, but for ranges of |d| as in T5: exact up to 8 (decoder: 16), then
 *               wider and wider
 *   quadratic   adds -a ((d - c)^2 - c^2) to the score, a and c learned by each head: attention to
 *               a fixed shift c, as in a convolution
 *   rnn         states of a recurrent network that counts, added to the input
 *   floater     sinusoids, and in each block biases of queries, keys and values that follow a
 *               learned flow along the sequence (FLOATER). Not with the gat score
 *   distance    graphs with reach window without limits: learned numbers for each count of links
 *               between two nodes up to 8, for more, and for no path. They act as the numbers of
 *               links do (see edge_size)
 * Distance-based kinds (relative, shaw, quadratic) clamp d at `longest`, buckets at 128. All other
 * kinds but learned have no limit. */
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

/* The activation function between the two products of the feed-forward part. */
typedef enum ken_activation {
    KEN_ACT_NONE,
    KEN_ACT_RELU,
    KEN_ACT_GELU,      /* x Phi(x), exact                          */
    KEN_ACT_GELU_TANH, /* GELU approximated with tanh, as in GPT-2 */
    KEN_ACT_SILU,      /* x sigma(x), also called swish            */
    KEN_ACT_SIGMOID,
    KEN_ACT_TANH,
    KEN_ACT_ELU, /* x for x > 0, else e^x - 1 */
    KEN_ACT_COUNT
} ken_activation;

/* The attention score: how well a key k fits a query q. `a` is a learned vector of each head. */
typedef enum ken_score {
    KEN_SCORE_DOT,      /* q . k / sqrt(width of a head): scaled dot product          */
    KEN_SCORE_ADDITIVE, /* a . tanh(q + k): additive, Bahdanau                        */
    KEN_SCORE_GAT,      /* LeakyReLU(a . [q ; k]); not in a generator with an encoder */
    KEN_SCORE_GATV2,    /* a . LeakyReLU(q + k)                                       */
    KEN_SCORE_COUNT
} ken_score;

/* Weigh: how attention scores s become attention weights, usually softmax; n is the number of keys
 * that the row sees. */
typedef enum ken_weigh {
    KEN_WEIGH_SOFTMAX,   /* e^s, divided by its sum over the keys                                 */
    KEN_WEIGH_RELU,      /* max(s, 0) / n                                                         */
    KEN_WEIGH_SIGMOID,   /* sigma(s - ln n)                                                       */
    KEN_WEIGH_NONE,      /* s / n                                                                 */
    KEN_WEIGH_SPARSEMAX, /* the nearest point to s whose weights are >= 0 and sum to 1            */
    KEN_WEIGH_LINEAR,    /* linear attention: f(q) . f(k), divided by its sum over the keys, with *
                          * f(x) = elu(x) + 1. The cost grows with n, not n^2, and a generator    *
                          * keeps a state of fixed size                                           */
    KEN_WEIGH_PERFORMER, /* as LINEAR, but f are `features` random features (drawn from `seed`,   *
                          * neither trained nor saved) with f(q) . f(k) = e^s on average. LINEAR, *
                          * PERFORMER: dot score, no window, no positions in the scores           */
    KEN_WEIGH_COUNT
} ken_weigh;

/* Reach: the attention pattern or mask, that is which rows of its own sequence a row sees. In a
 * decoder it never includes rows after the row itself (causal mask). */
typedef enum ken_reach {
    KEN_REACH_WINDOW,   /* window_left rows before the row, itself, window_right rows after it    */
    KEN_REACH_GLOBAL,   /* the window and the first reach_global rows, which see all rows         */
    KEN_REACH_BLOCKS,   /* the rows of the row's block, which has reach_block neighbouring rows   */
    KEN_REACH_RANDOM,   /* the row's block, both neighbouring blocks, the first block (which sees *
                         * all rows) and reach_random blocks that are drawn from `seed`           */
    KEN_REACH_SEGMENTS, /* the row's block, and the block before it, which gets no gradient       */
    KEN_REACH_NYSTROM,  /* all rows, by way of `landmarks` means of neighbouring rows             *
                         * (Nystromformer); for labels, dot scores and softmax only               */
    KEN_REACH_EDGES,    /* graphs in an encoder: the nodes that the row (a node) has a link to    */
    KEN_REACH_COUNT
} ken_reach;

/* Mixing (token mixer; blocks.kind in recipes): the first part of every block, in which the rows of
 * a sequence exchange information. The other parts (norms, feed-forward part, the attention of a
 * decoder to its encoder) are equal for all kinds, so that kinds can be compared. No decoder looks
 * ahead: its windows cover the 2 * neighbours rows before a row, and recurrent networks run
 * forwards only. Kinds without self-attention ignore score, weigh, reach, heads, and the positions
 * that act inside attention. */
typedef enum ken_mixing {
    KEN_MIX_ATTENTION,
    KEN_MIX_FC,        /* no mixing: each row on its own                                     */
    KEN_MIX_FC_WINDOW, /* a linear layer over the row and `neighbours` rows on each side     */
    KEN_MIX_CONV,      /* depthwise convolution over the FC_WINDOW rows, then a linear layer */
    KEN_MIX_RNN,       /* h = tanh(W x + U h'), with h' the state of the row before          */
    KEN_MIX_LSTM,
    KEN_MIX_GRU,
    KEN_MIX_CONFORMER, /* half a feed-forward part, attention, convolution, the other half,  *
                        * norm. It ignores post_norm                                         */
    KEN_MIX_BARE,      /* attention alone, as in graph attention networks: no norm, residual *
                        * connection or feed-forward part; the activation follows the        *
                        * attention, and dropout acts on the rows that a block reads. The    *
                        * first block's projection doubles as the input layer. With KEN_EACH *
                        * the output is the mean of the last block's heads. Encoders only    */
    KEN_MIX_COUNT
} ken_mixing;

#define KEN_UNLIMITED SIZE_MAX /* window_left or window_right: no limit on this side */

/* The shape of a model. Start from ken_config_default() and change what you need; input_size and
 * output_size have no default. ken_model_new() copies the struct. */
typedef struct ken_config {
    size_t size; /* sizeof(ken_config), set by ken_config_default() */
    ken_output output;
    ken_input input_kind; /* default KEN_INPUT_IDS                                               */
    size_t input_size;    /* number of input ids (vocabulary size), or of numbers in a row; 1 or *
                           * more. Ignored without an encoder                                    */
    size_t output_size;   /* number of labels, or of target ids with begin and end; 1 or more    */
    ken_value value;      /* default KEN_VALUE_CLASS                                             */
    ken_pooling pooling;  /* default KEN_POOL_MEAN; for KEN_WHOLE only                           */

    /* Spelling: a small convolutional network over the letters of a word (character CNN), whose
     * result is added to the word's row, so that unknown words have at least a form. Words only:
     * KEN_INPUT_IDS and KEN_INPUT_ONE_HOT. */
    size_t letters;       /* number of letter ids. Default 0 = no spelling                        */
    size_t letters_width; /* width of letter embeddings and of each filter. Default 64; 1 or more */
    float word_dropout;   /* fraction of words read as `unknown` in training, so that the model   *
                           * learns to use the spelling. Default 0 = off; below 1                 */
    int32_t unknown;      /* input id of unknown words. Default 2                                 */

    size_t encoder_blocks; /* default 2. 0 makes a generator a language model                 */
    size_t decoder_blocks; /* generators: default 2; 1 or more. Ignored for labels            */
    size_t width;          /* numbers in a row between blocks (model dimension). Default 128; *
                            * with attention a multiple of heads                              */
    size_t hidden;         /* width inside the feed-forward part. Default 512; 1 or more      */
    size_t heads;    /* attention heads, each width / heads <= 256 wide. Default 4; 1 to 256  */
    size_t kv_heads; /* number of key/value heads (grouped-query attention), a divisor of     *
                      * heads. Default 0 = same as `heads`                                    */

    ken_mixing mixing; /* default KEN_MIX_ATTENTION                                               */
    int both_ways;     /* recurrent networks of an encoder also run backwards, each way with half *
                        * of the width, which must be even. Default 1                             */
    size_t neighbours; /* rows on each side for KEN_MIX_FC_WINDOW, KEN_MIX_CONV and               *
                        * KEN_MIX_CONFORMER. Default 2; 0 to 65536                                */

    /* Self-attention. A decoder always sees all rows of its encoder. */
    ken_position position; /* default KEN_POSITION_SINUSOID                                   */
    ken_score score;       /* default KEN_SCORE_DOT                                           */
    ken_weigh weigh;       /* default KEN_WEIGH_SOFTMAX                                       */
    ken_reach reach;       /* default KEN_REACH_WINDOW                                        */
    size_t longest;        /* positions: number of learned places (1 or more), or the largest *
                            * distance (at most 2^24); see ken_position. Default 512          */
    /* Reach window, global: rows seen before and after a row. Default KEN_UNLIMITED; 0 = none. */
    size_t window_left;
    size_t window_right;
    size_t reach_global; /* reach global: number of rows that see all, and all see. Default 1     */
    size_t reach_block;  /* reach blocks, random, segments: rows per block. Default 64; 1 or more */
    size_t reach_random; /* reach random: random blocks that a row sees. Default 3; 0 to 32       */
    size_t landmarks;    /* reach nystrom: means that stand for all rows. Default 32; 1 to 256    */
    size_t features;     /* weigh performer: random features per head. Default 128; 1 to 4096     */
    size_t edge_size;    /* graphs: numbers per link (edge features). They act on the score,      *
                          * and their weighted sum adds to the result. Default 0 = none; 0 to 64  */
    size_t last_heads;   /* KEN_MIX_BARE, KEN_EACH: heads of the last block. Default 1; 1 to 256  */
    int loops;           /* reach edges: each node also sees itself. Default 1                    */

    /* Feed-forward part and norms. */
    ken_activation activation; /* default KEN_ACT_GELU                                     */
    int gated;     /* GLU: W2 (act(W1 x) . W3 x) instead of W2 act(W1 x). Default 0        */
    int rms_norm;  /* RMSNorm instead of LayerNorm. Default 0                              */
    int post_norm; /* norm after each residual connection, not before each part. Default 0 */

    /* Dropout while training. Each rate is 0 or more and below 1; 0 = off. */
    float dropout;           /* on embeddings and sub-layers. Default 0.1                        */
    float attention_dropout; /* on attention weights, except with linear, performer and nystrom, *
                              * which do not form them. Default 0.1                              */
    float hidden_dropout;    /* inside the feed-forward part, after the activation. Default 0    */

    /* Generators. The ids begin and end are below output_size. */
    int32_t begin; /* id that the decoder reads before each sequence. Default 0                 */
    int32_t end;   /* id that ends each sequence. Default 1                                     */
    int tied;      /* the decoder's embedding is also its output projection. Default 0          */
    int shared;    /* the encoder uses the decoder's embedding too: same ids in both. Default 0 */

    uint64_t seed; /* seed of the initial weights, random features and random blocks. Default 1 */

    /* Frame stacking, for KEN_INPUT_VECTORS: `input_stack` neighbouring rows become one row of the
     * encoder, which then has ceil(n / input_stack) rows for a sequence of n. The numbers of a
     * group stand side by side and go through the input layer; zeros complete the last group of a
     * sequence. The place of a group is that of its first row, with the last coordinate divided by
     * input_stack and rounded down. Default 1 = off; 1 to 1024. Not for KEN_EACH and not for
     * graphs: both need every row. */
    size_t input_stack;

    /* Number of coordinates of each row's place in ken_sequences.places, for encoders. Default 1; 1
     * or 2. With 2, `places` is required, and sinusoid gives each coordinate half of the width,
     * rotary half of the pairs of each head, and learned adds one of `longest` rows for each. All
     * other positions but none are refused. The places of a decoder always have one coordinate. */
    size_t place_axes;
} ken_config;

/* Fills a config of `size` bytes with defaults; for languages that cannot call inline functions. */
KEN_API void ken_config_init(ken_config *config, size_t size, ken_output output);

static inline ken_config ken_config_default(ken_output output)
{
    ken_config config;
    ken_config_init(&config, sizeof config, output);
    return config;
}

/* ---- 6. Models: what they do ----------------------------------------------------------------- */

/* A model: its configuration and weights. Calls that take a `const ken_model *` only read it, and
 * any number of threads may make them at the same time. A call that changes the model, such as a
 * trainer's step, must not run at the same time as any other call with it. */
typedef struct ken_model ken_model;

/* Makes a model with random weights. On success the caller owns *model, else *model is NULL. A
 * configuration whose choices do not fit together is KEN_ERR_ARGUMENT; the message names them. */
KEN_API ken_status ken_model_new(ken_model **model, const ken_config *config);
KEN_API void ken_model_free(ken_model *model);         /* NULL is allowed                */
KEN_API size_t ken_model_size(const ken_model *model); /* number of weights (parameters) */

/* Predicts labels: (rows of all sequences, output_size) for KEN_EACH, (count, output_size) for
 * KEN_WHOLE. A row holds probabilities that sum to 1 (classes), a probability for each label (sets)
 * or the numbers. KEN_ERR_DIVERGED: a result is not finite. KEN_ERR_STATE: the model generates. */
KEN_API ken_status ken_model_predict(const ken_model *model, float *probabilities,
                                     const ken_sequences *input);

/* Save a model to a safetensors file with a checksum (docs/FORMAT.md), and load it. The file is
 * replaced atomically: it is complete or as it was before. Loading a file that is damaged or not a
 * ken model is KEN_ERR_FORMAT; nothing in a file is ever executed. A loaded model gives the same
 * bits as the saved one. The caller owns *model. */
KEN_API ken_status ken_model_save(const ken_model *model, const char *path);
KEN_API ken_status ken_model_load(ken_model **model, const char *path);

#ifdef __cplusplus
}
#endif

/* ken_task.h - the second part of ken.h, which includes it: generation, sessions, training, and
 * recipes (from data files to a trained model). */
#ifndef KEN_TASK_H
#define KEN_TASK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 6. Models, continued: generation -------------------------------------------------------- */

/* Called with id after id of the result for sample `sample` of sequence `sequence` of the input;
 * not with `end`. The results of a call grow side by side: each gets its id number n before any
 * gets its id number n + 1. Return 0 to continue. Return non-zero to stop: the call that generates
 * returns KEN_ERR_STOPPED. */
typedef int ken_id_fn(void *user, size_t sequence, size_t sample, int32_t id);

/* How to generate. Start from ken_generation_default(). */
typedef struct ken_generation {
    size_t size;    /* sizeof(ken_generation), set by ken_generation_default()             */
    size_t longest; /* maximum number of ids of a result. Default 256; 0 = no ids          */
    size_t beam;    /* beam size. Default 1 = greedy: always the most likely id; 1 or more */
    size_t best;    /* number of results per input, best first. Default 1; 1 to beam       */

    /* A result of n ids, end included, with probability p is ranked by log p / n ^ length_penalty.
     * Default 1 = by the mean log probability per id; 0 = by log p itself; 0 or more. */
    float length_penalty;

    /* Draws each id with probability softmax(logits / temperature). Default 0 = do not draw; 0 or
     * more. Drawing needs beam = 1. top_k and top_p need a temperature above 0. */
    float temperature;
    size_t top_k; /* draw from the k most likely ids only. Default 0 = from all              */
    float top_p;  /* nucleus sampling: draw from the smallest set of ids whose probabilities *
                   * (after top_k) sum to top_p. Default 1 = off; above 0, at most 1         */

    size_t no_repeat; /* never repeat an n-gram of this length, prefix included. Default 0 = off  */
    int recompute;    /* compute without a KV cache: same results, but slow; for tests. Default 0 */

    const ken_sequences *prefix; /* models with an encoder: ids that each result starts with; *
                                  * they are not part of the result. Default NULL = none      */
    uint64_t seed;               /* seed of the random numbers that draw ids. Default 1       */
    uint64_t first; /* draws for sequence b of `input` use the number first + b. Default 0    */

    /* Number of samples: each sequence is continued this many times, each time with other draws.
     * Default 1; 1 or more. More than 1 needs a temperature above 0, and best = 1. */
    size_t samples;
    uint64_t first_sample; /* draws of sample s also use the number first_sample + s. Default 0 */

    /* Streaming: called with each id as soon as it is chosen. Default NULL = not called. Needs beam
     * = 1, because beam search decides at the end. */
    ken_id_fn *on_id;
    void *on_id_user; /* first argument of on_id. Default NULL */
} ken_generation;

KEN_API void ken_generation_init(ken_generation *how, size_t size); /* sets the defaults */

static inline ken_generation ken_generation_default(void)
{
    ken_generation how;
    ken_generation_init(&how, sizeof how);
    return how;
}

/* Generates sequences id by id, until `end`, how->longest ids or the last learned place. The
 * encoder reads `input`; a language model continues its sequences, which may be empty. A sequence
 * gets n results, with n = best * samples: the `best` results of beam search, or the samples.
 *   ids      (count, n, longest): result r of sequence b starts at ids[(b * n + r) * longest]
 *   lengths  (count, n): ids of each result, without begin, prefix and end
 *   scores   (count, n) or NULL: the log probability of each result, with that of a reached end
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

/* A session answers from one model, again and again. It owns everything that answering writes to:
 * its memory, which it keeps for the next call, and on request its own threads. Any number of
 * sessions in any number of threads may use one model at the same time; one session serves one
 * thread at a time. ken_model_predict(), ken_model_generate() and ken_model_look() make a session
 * for each call.
 *
 * The first answer packs the model's weights once for all sessions, which takes as much memory as
 * the weights. No session may answer while a trainer steps, swaps the average or loads into the
 * model; after that the sessions answer with the new weights. The model must outlive its sessions.
 * Answers have the same bits for any session and any number of threads. */
typedef struct ken_session ken_session;

typedef struct ken_session_options {
    size_t size; /* sizeof(ken_session_options), set by ken_session_options_default() */

    /* Threads of the session's own, including the caller; 0 to 256. 1 = only the calling thread:
     * the best choice where many threads answer at once. A session with threads of its own reserves
     * 20 MB of work space, and 2 MB for each thread. Default 0 = the threads of the process
     * (section 2), with which callers take turns. After fork() the child may use a session that was
     * idle; the session's own threads do not exist there, and the caller does their work. */
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
KEN_API void ken_session_free(ken_session *session); /* NULL is allowed */

/* Predict or generate like ken_model_predict() and ken_model_generate(), in a session. From the
 * second call on, calls of the same or a smaller size take no memory from the system. */
KEN_API ken_status ken_session_predict(ken_session *session, float *probabilities,
                                       const ken_sequences *input);
KEN_API ken_status ken_session_generate(ken_session *session, int32_t *ids, size_t *lengths,
                                        float *scores, const ken_sequences *input,
                                        const ken_generation *how);

/* ---- 7. Training ----------------------------------------------------------------------------- */

/* The schedule of the learning rate. In the first `warm_up` steps the rate rises in a straight line
 * from 0 to `rate`. The kinds say how the rate goes on after that. */
typedef enum ken_schedule_kind {
    KEN_SCHEDULE_CONSTANT,     /* the rate stays at `rate`                                     */
    KEN_SCHEDULE_INVERSE_ROOT, /* the rate is rate * sqrt(warm_up / step), without end         */
    KEN_SCHEDULE_COSINE,       /* the rate falls like a cosine to floor * rate at step `steps` */
    KEN_SCHEDULE_STABLE_DECAY  /* the rate stays at `rate`, then falls in a straight line to   *
                                * floor * rate in the last `decay` steps                       */
} ken_schedule_kind;

/* How to train, with AdamW. Start from ken_training_default(). ken_trainer_new() copies the
 * struct. */
typedef struct ken_training {
    size_t size;                /* sizeof(ken_training), set by ken_training_default()     */
    ken_schedule_kind schedule; /* default KEN_SCHEDULE_COSINE                             */
    double rate;                /* learning rate at its peak. Default 1e-3; 0 to 1e18      */
    uint64_t warm_up;           /* steps of warm-up. Default 100; 0 = none                 */
    uint64_t steps; /* steps of the whole run, for the schedules cosine and stable-decay.  *
                     * Default 1000; warm_up or more                                       */
    uint64_t decay; /* stable-decay: steps of the fall. Default 0; at most steps - warm_up */
    double floor;   /* fraction of `rate` that is left at the end. Default 0; 0 to 1       */

    double weight_decay; /* AdamW's decay of matrices; biases, norms and embeddings have none.   *
                          * Default 0.01; 0 or more                                              */
    double l2;   /* L2 regularisation of matrices: l2 times the weight is added to the gradient, *
                  * as in plain Adam. Default 0 = off; 0 or more                                 */
    double clip; /* gradients with a larger norm are scaled down to this norm. Default 1;        *
                  * 0 = never                                                                    */
    double beta1, beta2; /* Adam's decay of the moving means of the gradient and its square.     *
                          * Default 0.9 and 0.98; 0 or more and below 1                          */
    double eps;          /* added to the root that Adam divides by. Default 1e-9; 1e-20 or more  */

    float smoothing; /* label smoothing: part of the target probability that is spread evenly *
                      * over all classes. Default 0 = off; below 1. Classes only              */
    double average;  /* decay of the moving average of the weights (EMA), e.g. 0.999.         *
                      * Default 0 = no average; below 1                                       */
    uint64_t seed;   /* seed of dropout. Default 1                                            */
} ken_training;

/* The result of a training step. An untrained model of V classes has a loss of about ln V; 0 is
 * perfect. */
typedef struct ken_report {
    uint64_t step;     /* number of the step, from 1                                       */
    double loss;       /* mean loss over the counted rows, with label smoothing            */
    double accuracy;   /* fraction of the counted rows whose most likely label is right    */
    double norm;       /* norm of the gradient, before clipping                            */
    double rate;       /* learning rate of the step                                        */
    size_t rows;       /* rows that went through the model, of input and target            */
    size_t counted;    /* rows (for numbers and sets: single numbers) with a known target  */
    size_t peak_bytes; /* memory of the largest step so far, without weights and optimiser */
} ken_report;

/* A trainer holds the optimiser's state for one model, which must outlive it. A trainer serves one
 * thread at a time. Between two steps the model may predict and generate. */
typedef struct ken_trainer ken_trainer;

KEN_API void ken_training_init(ken_training *training, size_t size); /* sets the defaults */

static inline ken_training ken_training_default(void)
{
    ken_training training;
    ken_training_init(&training, sizeof training);
    return training;
}

/* Makes a trainer. On success the caller owns *trainer, else *trainer is NULL. */
KEN_API ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model,
                                   const ken_training *training);
KEN_API void ken_trainer_free(ken_trainer *trainer); /* keeps the model; NULL is allowed */

/* Makes one update of the weights from a batch of examples.
 *   KEN_EACH      target: a label for each row of `input`, in the same order
 *   KEN_WHOLE     target: a label for each sequence of `input`, one row each
 *   KEN_GENERATE  target: the sequences to generate, one for each sequence of `input`, without
 *                 begin and end; `input` is NULL for a language model
 * A label of -1 is unknown and does not count. A failed step leaves the weights as they were, and
 * the next step gives the same bits as if the failed one had not been made. KEN_ERR_DIVERGED: the
 * message names the step and the tensor; try a lower rate.
 * `report` may be NULL. A successful step sets *report to memory of the trainer, which is valid
 * until the next step; a failed step leaves *report as it was. */
KEN_API ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                                    const ken_sequences *target, const ken_report **report);

/* Exchanges the model's weights and their moving average, which often predicts better. Call it
 * before evaluating or saving the model, and again before the next step. If ken_training.average is
 * 0, the call does nothing. */
KEN_API void ken_trainer_swap_average(ken_trainer *trainer);

/* ---- 8. A built-in task ---------------------------------------------------------------------- */

enum { KEN_DATE_WRITTEN = 64, KEN_DATE_ISO = 11 }; /* buffer sizes, with the final 0 */

/* Writes example `index` of an endless supply: a date from 1970 to 2069 as people write it ("third
 * of March 2021") and in ISO form ("2021-03-03"). With slashes the month comes first unless the
 * year does; with dots the day comes first. A year of two digits is 1970 to 2069. One tenth of all
 * days is used only with `unseen` = 1, so that a model can be tested on days it was not trained
 * on. */
KEN_API void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO], uint64_t seed,
                              uint64_t index, int unseen);

/* ---- 9. Recipes: from files to a trained model ----------------------------------------------- */

/* A recipe is a text of `[section]` and `key = value` lines that says what to read, what to build
 * and how to train it. docs/RECIPES.md lists all keys; every key has a default. One thread at a
 * time may use a recipe. */
typedef struct ken_recipe ken_recipe;

/* Read a recipe from a file, or from a text; `name` stands for the file in messages (NULL =
 * "recipe"). On success the caller owns *recipe. */
KEN_API ken_status ken_recipe_read(ken_recipe **recipe, const char *path);
KEN_API ken_status ken_recipe_parse(ken_recipe **recipe, const char *text, const char *name);
KEN_API void ken_recipe_free(ken_recipe *recipe); /* NULL is allowed */

/* Sets a key: "section.key=value". */
KEN_API ken_status ken_recipe_set(ken_recipe *recipe, const char *assignment);

/* Returns the value of "section.key", given or default; NULL if there is no such key. */
KEN_API const char *ken_recipe_get(const ken_recipe *recipe, const char *key);

/* Returns the whole recipe with all defaults written out, itself a recipe. The text is valid until
 * the recipe changes; NULL if memory is short. */
KEN_API const char *ken_recipe_text(ken_recipe *recipe);

/* A callback of the caller that receives text, piece by piece; a piece does not end in a 0 byte. */
typedef void ken_text_fn(void *user, const char *text, size_t length);

/* Writes all keys with their defaults, limits and meanings as Markdown tables. */
KEN_API ken_status ken_recipe_keys(ken_text_fn *write, void *user);

/* The moments of a training run. */
typedef enum ken_moment {
    KEN_AT_START,      /* the data is read and the model is made             */
    KEN_AT_STEP,       /* after each update                                  */
    KEN_AT_EVALUATION, /* after each evaluation on the dev (validation) data */
    KEN_AT_END
} ken_moment;

/* The progress of a run. Pointers are valid during the callback only. */
typedef struct ken_progress {
    ken_moment moment;
    uint64_t step, steps;   /* updates made, and updates in all                                 */
    double epoch;           /* passes over the data so far                                      */
    double loss;            /* moving mean of the training loss; NaN at the start               */
    double rate;            /* learning rate                                                    */
    double rows_per_second; /* rows (tokens) through the model                                  */
    double seconds;         /* seconds since the start of this process                          */
    double seconds_left;    /* estimated seconds until the end; NaN before the first step       */
    size_t parameters;      /* number of weights of the model                                   */
    size_t examples;        /* number of training examples                                      */
    size_t left_out;        /* examples not used: they have more rows than data.longest         */
    const char *metric;     /* the metric that chooses the best model; NULL without dev data    */
    double dev, best;       /* last and best value of `metric`; NaN before the first evaluation */
    int improved;           /* whether the last evaluation was the best so far                  */
    const char *words;      /* one line about this moment, for a log                            */
    size_t peak_bytes;      /* bytes of the largest step of this process, as in ken_report      */
    const char *from;       /* a line about the weights copied from another model (train.from); *
                             * NULL if there is none or the run was resumed                     */
    size_t tensors;         /* number of tensors of the model                                   */
    size_t taken, partly;   /* tensors copied from the other model, wholly or partly; and how   *
                             * many of them only partly                                         */
    const char *recovered;  /* a line that says from where and why, if the run was resumed from *
                             * previous.ckpt because last.ckpt is missing or damaged; else NULL */
} ken_progress;

/* Called at each moment of a run. Return 0 to continue. Return non-zero to stop the run: its state
 * is saved, and the run returns KEN_ERR_STOPPED. */
typedef int ken_progress_fn(void *user, const ken_progress *progress);

/* Trains the model that the recipe describes. `folder` must be new or empty; it gets recipe,
 * model.ken (the best model), last.ckpt and previous.ckpt (to resume from), metrics.jsonl and
 * log.txt. `progress` may be NULL. After any interruption, even a power cut, ken_resume() continues
 * the run and gives the same bits as a run that was never interrupted, also from previous.ckpt if
 * last.ckpt is damaged. A program under a limit of file sizes (RLIMIT_FSIZE) should ignore SIGXFSZ;
 * a write beyond the limit is then KEN_ERR_SPACE, and the last checkpoint is kept. */
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

/* ken_run.h - the third part of ken.h, which includes it: the trained model at work. */
#ifndef KEN_RUN_H
#define KEN_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 10. A trained model at work ------------------------------------------------------------- */

/* A task (pipeline): a trained model with everything that it needs to read and write text: recipe,
 * vocabularies, labels. One thread at a time may use a task. */
typedef struct ken_task ken_task;

/* Loads a task from a model file of ken_train(). On success the caller owns *task. */
KEN_API ken_status ken_task_load(ken_task **task, const char *path);
KEN_API void ken_task_free(ken_task *task); /* NULL is allowed */

/* Returns the model of the task; the task owns it. */
KEN_API ken_model *ken_task_model(ken_task *task);

/* Set a key of section [generate] or [run], e.g. "generate.beam=5", or the key data.separator or
 * data.decimal; or `count` keys at once, which are checked together, so that their order does not
 * matter. If a value is refused, no key is changed. */
KEN_API ken_status ken_task_set(ken_task *task, const char *assignment);
KEN_API ken_status ken_task_set_all(ken_task *task, const char *const *assignments, size_t count);

/* Returns the value of "section.key" of the task's recipe; NULL if there is no such key. */
KEN_API const char *ken_task_get(const ken_task *task, const char *key);

/* The answer to one example, which may consist of several labels, numbers or texts. Pointers are
 * valid during the callback only. */
typedef struct ken_answer {
    size_t index; /* number of the example, counted from ken_request.first */

    /* Number of entries of `tokens`, `labels` and `scores`. Output each: one for each row; whole:
     * 1, or one for each label in the set; generate: one for each result, best first, or one for
     * each sample. */
    size_t count;

    /* (count): the text of each row, or the node's name, for output each; NULL for other outputs,
     * and if rows are numbers. */
    const char *const *tokens;
    const char *const *labels; /* (count): labels or generated texts; NULL if answers are numbers */

    /* (count): the probability of each label, the log probability of each generated text, or the
     * number itself. */
    const double *scores;

    /* The reason why a bad example has no answer, with file and line; `count` is then 0 and the
     * other pointers are NULL. NULL = the example has an answer. There are errors only if
     * ken_request.keep_going is set. */
    const char *error;

    /* (count): number of bytes of each label or text; a text may contain a 0 byte if the model
     * writes bytes. NULL if `labels` is NULL. */
    const size_t *lengths;

    /* The distribution over all labels, if labels are classes or sets; else 0 and NULL. */
    size_t class_count;         /* number of labels that the model knows                          */
    const char *const *classes; /* (class_count): their names, in the model's order               */
    size_t rows;                /* rows of `probabilities`: `count` for output each, 1 for whole  */
    const float *probabilities; /* (rows, class_count): the probabilities of ken_model_predict(), *
                                 * which sum to 1 in each row for classes, but not for sets       */

    /* The most likely labels of each row. Their number is that of ken_request.best, but at most
     * class_count; without ken_request.best it is class_count for output whole, and 0 for each. */
    size_t best_count;
    const int32_t *best; /* (rows, best_count): indices into `classes`, the most likely label first;
                          * among equal probabilities the lower index first */
} ken_answer;

/* Called with the answer to each example. Return 0 to continue. Return non-zero to stop, for
 * instance because the answers cannot be written; ken_task_run() then returns KEN_ERR_STOPPED. */
typedef int ken_answer_fn(void *user, const ken_answer *answer);

/* Writes an answer as a JSON object on one line, in one call of `write`. The members of the object
 * are "index"; "tokens", unless answer->tokens is NULL; "answers", the labels, texts or numbers;
 * "scores", unless the answers are numbers; and "probabilities", unless answer->best_count is 0: an
 * array with an object for each row, whose members are the most likely labels with their
 * probabilities, the most likely first. For a bad example they are "index" and "error". */
KEN_API ken_status ken_answer_json(const ken_answer *answer, ken_text_fn *write, void *user);

/* A piece of a text that a generator is writing. Pointers are valid during the callback only. */
typedef struct ken_fragment {
    size_t index;     /* number of the example, counted from ken_request.first                    */
    size_t sample;    /* number of the sample, counted from 0                                     */
    const char *text; /* a piece of the text, at least one byte unless `last`. No 0 follows it.   *
                       * It never ends within a character of UTF-8 that is completed later        */
    size_t length;    /* number of bytes of `text`                                                */
    int last;         /* 1 = the text ends with this piece, 0 = more pieces follow                */
    double score;     /* with `last`: the log probability of the whole text, as in ken_answer;    *
                       * else NaN                                                                 */
} ken_fragment;

/* Called with each piece of a text. Return 0 to continue. Return non-zero to stop; ken_task_run()
 * then returns KEN_ERR_STOPPED. */
typedef int ken_fragment_fn(void *user, const ken_fragment *fragment);

/* A text with examples to answer. Targets in the text are not read. The caller owns all memory. */
typedef struct ken_request {
    const char *text;
    size_t size;       /* number of bytes of `text`                       */
    const char *name;  /* stands for the text in messages. NULL = "input" */
    size_t first_line; /* messages count lines from this. 0 = from 1      */

    /* Name of a recipe format (data.format). NULL = one example per line, or the recipe's format if
     * the model reads rows of numbers. */
    const char *format;

    /* Generators: number of results per example, at most generate.beam; 0 = 1. Labels: number of
     * most likely labels in ken_answer.best; 0 = all for output whole, none for each. A model that
     * answers with numbers takes 0 or 1. */
    size_t best;
    size_t first; /* number of the first example (ken_answer.index); random draws depend on it    */

    /* Format nodes: the links of the one graph whose nodes are in `text`; else NULL. */
    const char *links;
    size_t links_size;      /* number of bytes of `links`                      */
    const char *links_name; /* stands for `links` in messages. NULL = "links" */

    /* Whether a bad example stops the run. An example is bad if its lines cannot be read (wrong
     * number of columns, not a number, not UTF-8, not a molecule ...), if it has more rows than
     * run.longest or than the model has learned positions, if it needs more memory than there is,
     * or if its answer is not finite. Default 0: the first bad example ends the run, and
     * ken_task_run() returns its error; bad lines are found before the first answer is given. 1:
     * the callback gets an answer with `error` set in place of each bad example, and all other
     * examples are answered; ken_task_run() returns KEN_OK. A text that cannot be divided into
     * examples (a damaged NPY file, a wrong line of column names, the one graph of format nodes)
     * fails as a whole. */
    size_t keep_going;

    /* Generators with generate.temperature above 0: number of samples per example (ken_generation).
     * 0 = 1. More than 1 excludes `best` above 1. */
    size_t samples;

    /* Generators with generate.beam = 1: called with each piece of text as soon as it is written
     * (streaming), with the `user` of ken_task_run(); then the answer follows as usual. Examples
     * and samples are written one after another, which is slower than many at once; the texts are
     * the same. NULL = not called. */
    ken_fragment_fn *stream;
    const void *reserved[4]; /* must be NULL */
} ken_request;

/* Answers every example of a request, in order: each example, good or bad, gets one call of
 * `answer`. KEN_ERR_DIVERGED: an answer is not finite. */
KEN_API ken_status ken_task_run(ken_task *task, const ken_request *request, ken_answer_fn *answer,
                                void *user);

/* Returns the format of a file by its name: the recipe's format if the name has the ending of that
 * format ("x.tsv", "x.CSV", "x.conllu.gz"), else NULL, which is the model's usual format. */
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
 * name, or NULL for standard input. `text` has `size` bytes and ends with a line or with the input;
 * 65536 bytes are enough. */
KEN_API ken_status ken_task_recognise(const ken_task *task, const char **format, const char *file,
                                      const char *text, size_t size);

/* Returns the name of format number i (from 0) that ken_task_run() can read; NULL after the
 * last. */
KEN_API const char *ken_format_word(size_t i);

/* Returns 1 if every line is an example of its own in a format (NULL = the usual one), so that
 * lines can be answered one by one as they arrive; else 0. */
KEN_API int ken_task_line_by_line(const ken_task *task, const char *format);

/* Returns 1 if an example can be typed as a line of text; 0 if it takes a file, as rows of numbers
 * do. */
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

/* ken_look.h - the fourth part of ken.h, which includes it: comparing variants of a recipe, looking
 * at attention weights and positions, and the names of choices. */
#ifndef KEN_LOOK_H
#define KEN_LOOK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 11. Comparing variants of a recipe ------------------------------------------------------ */

/* The variants to compare (ablation study): every combination of the listed values, each trained
 * with every seed. Seed i of every variant is train.seed + i, so all variants have the same data,
 * seeds and budget. At most 10000 runs. The caller owns all memory. */
typedef struct ken_comparison {
    const ken_recipe *recipe;

    /* (change_count), at most 16: "section.key=a,b,c" lists values to compare; "\," is a comma
     * inside a value. A change with a single value applies to all variants. */
    const char *const *changes;
    size_t change_count;
    size_t seeds;            /* runs of each variant. Default 0 = 1                          */
    const char *command;     /* the command line, to be shown in the report; or NULL         */
    const char *tests;       /* more data to measure each model on: values as for data.test, *
                              * separated by commas, at most 64; or NULL                     */
    const void *reserved[4]; /* must be NULL                                                 */
} ken_comparison;

/* The moments of a comparison. */
typedef enum ken_compare_moment {
    KEN_COMPARE_BEGINS,   /* a run begins; if it was finished before, KEN_COMPARE_ENDS is next */
    KEN_COMPARE_TRAINS,   /* a run trains: see `training`                                      */
    KEN_COMPARE_MEASURES, /* the model of a run is measured                                    */
    KEN_COMPARE_ENDS,     /* a run has ended: see `value`, or `failed`                         */
    KEN_COMPARE_DONE      /* all runs have ended: see `table` and `json`                       */
} ken_compare_moment;

/* The progress of a comparison. Pointers are valid during the callback only. */
typedef struct ken_compare_progress {
    ken_compare_moment moment;
    size_t variant, variants;     /* number of the variant, from 0, and number of variants        */
    const char *name;             /* name of the variant: its values                              */
    size_t run, runs;             /* number of the run, from 0, and of all runs: variants x seeds */
    uint64_t seed;                /* seed of the run                                              */
    const ken_progress *training; /* progress of training at KEN_COMPARE_TRAINS, else NULL        */
    double seconds_left;          /* estimated seconds until all runs have ended; NaN if unknown  */
    const char *metric;           /* name of the metric that is measured                          */
    double value;                 /* value of the metric, at KEN_COMPARE_ENDS                     */
    const char *failed;           /* why the run failed, at KEN_COMPARE_ENDS; or NULL             */
    size_t failures;              /* runs that have failed so far                                 */
    const char *table, *json;     /* all results as text, at KEN_COMPARE_DONE                     */
} ken_compare_progress;

/* Called at each moment of a comparison. Return 0 to continue. Return non-zero to stop the
 * comparison: its state is saved, and it returns KEN_ERR_STOPPED. */
typedef int ken_compare_fn(void *user, const ken_compare_progress *progress);

/* Compares variants: trains each with each seed as a run of its own (see ken_train) and measures
 * its best model by the recipe's metric, on data.test (or on data.dev if there is no test) and on
 * each of `tests`. `folder` must be new or empty; it gets compare.json, compare.md, compare.svg and
 * the folders of the runs.
 *
 * A run that fails (a refused configuration, divergence) does not stop the others: its row in the
 * table has the reason, and the call still returns KEN_OK. If no variant can be made, the call
 * fails with KEN_ERR_ARGUMENT before anything starts. After any interruption ken_compare_resume()
 * continues: it does not repeat finished runs, and the results are the same. */
KEN_API ken_status ken_compare(const ken_comparison *comparison, const char *folder,
                               ken_compare_fn *progress, void *user);
KEN_API ken_status ken_compare_resume(const char *folder, ken_compare_fn *progress, void *user);

/* ---- 12. Looking at attention ---------------------------------------------------------------- */

/* Three words: a look is attention weights that are shown; a view is one example, prepared for
 * looking; a glance says which weights of a view to show.
 *
 * ken_look says which attention: within the encoder, within the decoder, or from the decoder to the
 * encoder's rows (cross-attention). */
typedef enum ken_look { KEN_LOOK_ENCODER, KEN_LOOK_DECODER, KEN_LOOK_CROSS } ken_look;
#define KEN_ALL_HEADS SIZE_MAX /* in place of a head: the mean of all heads */

/* Copies the attention weights of one head of one block (both from 0), exactly as the model uses
 * them, for the first sequence of `input` (n rows) and, in a generator, of `target` (m ids).
 *   encoder  (n, n)           row t: the weights with which row t sees the rows
 *   decoder  (m + 1, m + 1)   row t: the weights that choose id t; row m: those that choose the end
 *   cross    (m + 1, n)       row t and row m as for the decoder
 * With input_stack, n is the number of the encoder's rows. `target` may be a result of
 * ken_model_generate() or any other sequence; it is NULL for a model that gives labels. `input` is
 * NULL for a language model. KEN_ERR_STATE: the blocks have no self-attention. ken_session_look()
 * does the same in a session. */
KEN_API ken_status ken_model_look(const ken_model *model, float *weights, ken_look which,
                                  size_t block, size_t head, const ken_sequences *input,
                                  const ken_sequences *target);
KEN_API ken_status ken_session_look(ken_session *session, float *weights, ken_look which,
                                    size_t block, size_t head, const ken_sequences *input,
                                    const ken_sequences *target);

/* Places: positions as numbers. ken_place says which part of a model the numbers are added to. */
typedef enum ken_place {
    KEN_PLACE_INPUT, /* (count, width): added to the input. With place_axes = 2, (2 count,       *
                      * width): for the first coordinate, then for the second                    */
    KEN_PLACE_QUERY, /* (count, width of all query heads): added to queries (floater)            */
    KEN_PLACE_KEY,   /* (count, width of all key heads): added to keys (floater)                 */
    KEN_PLACE_VALUE, /* (count, width of all value heads): added to values (floater)             */
    KEN_PLACE_SCORE  /* (heads, 2 count - 1): added to attention scores; column count - 1 + d is *
                      * for a key that is d rows after the query (before it, if d < 0)           */
} ken_place;

/* Copies the numbers that the model's positions add for the first `count` places (1 or more) in the
 * encoder or decoder (`side`). `block` counts from 0 and is not used for KEN_PLACE_INPUT.
 * KEN_ERR_ARGUMENT: the model's kind of position has no such part. */
KEN_API ken_status ken_model_places(const ken_model *model, float *numbers, ken_look side,
                                    ken_place what, size_t block, size_t count);

/* A picture (heat map): matrices of one size with names, to be drawn or saved. The call that fills
 * a picture says how long its memory is valid. Names are UTF-8; invisible characters in them are
 * made visible when drawn. A picture with too many values is KEN_ERR_ARGUMENT before anything is
 * computed: at most 4,000,000 for SVG, 2^24 for JSON, and 2^26 in a terminal. */
typedef struct ken_picture {
    const char *title;            /* one line                                                  */
    const char *about;            /* one line: what rows and columns are; or NULL              */
    size_t count;                 /* number of matrices, drawn to one scale                    */
    const char *const *titles;    /* (count) titles of the matrices, or NULL                   */
    size_t rows, cols;            /* size of each matrix                                       */
    const float *values;          /* (count, rows, cols)                                       */
    const char *const *row_names; /* (rows); NULL = numbers from 0                             */
    const char *const *col_names; /* (cols); NULL = numbers from 0                             */
    size_t shape[4];   /* shape of `values` when saved, e.g. (layers, heads, rows, cols) */
    size_t dimensions; /* entries of `shape` in use, 0 to 4; 0 = (count, rows, cols)     */

    /* Default 0: colours go from 0 up by the square root of the value or, if there are negative
     * values, linearly in both directions from 0. 1: the values are ratios to uniform attention, so
     * colours go by the logarithm in both directions from 1; NaN = a pair that may not attend. */
    size_t relative;
    const void *reserved[3]; /* must be NULL */
} ken_picture;

/* The number of colours of a terminal: none, 256, or 24 bits each. */
typedef enum ken_terminal { KEN_TERMINAL_PLAIN, KEN_TERMINAL_256, KEN_TERMINAL_FULL } ken_terminal;

/* Draws a picture for a terminal of `columns` columns (0 = any width): two characters for each
 * cell, in shades of colour or, without colours, of characters. Cells that do not fit are left out,
 * and a line says so. */
KEN_API ken_status ken_picture_text(const ken_picture *picture, size_t columns,
                                    ken_terminal colours, ken_text_fn *write, void *user);

/* Draws a picture as SVG; several matrices become a grid. A cell shows its value when pointed
 * at. */
KEN_API ken_status ken_picture_svg(const ken_picture *picture, ken_text_fn *write, void *user);

/* Save a picture as one JSON object, or as a NumPy array (float32) in a file, which is replaced
 * atomically. */
KEN_API ken_status ken_picture_json(const ken_picture *picture, ken_text_fn *write, void *user);
KEN_API ken_status ken_picture_npy(const ken_picture *picture, const char *path);

/* A view: one example as a trained model sees it, with its tokens, its answer and all attention
 * weights. The task must outlive the view. A view serves one thread at a time, and uses its
 * task. */
typedef struct ken_view ken_view;

/* Makes a view of example number `example` (from 0) of a request, whose `best` is not used. For a
 * generator, the view shows how it writes `target` or, if that is NULL, its own result by section
 * [generate]; a language model reads the example first. On success the caller owns *view. */
KEN_API ken_status ken_view_new(ken_view **view, ken_task *task, const ken_request *request,
                                size_t example, const char *target);
KEN_API void ken_view_free(ken_view *view);                      /* NULL is allowed           */
KEN_API const ken_answer *ken_view_answer(const ken_view *view); /* valid as long as the view */

/* Returns the kind of attention that is usually looked at: cross-attention if the model has it,
 * else the attention within the decoder or the encoder. */
KEN_API ken_look ken_task_usual_look(const ken_task *task);

/* Return the number of layers (blocks) with attention of kind `which`, and the number of heads in
 * each layer; 0 if the model has none: no such blocks, or mixing without self-attention (fc, conv,
 * lstm and others). */
KEN_API size_t ken_view_layers(const ken_view *view, ken_look which);
KEN_API size_t ken_view_heads(const ken_view *view, ken_look which);

#define KEN_EVERY (SIZE_MAX - 1) /* every layer or every head, one matrix each */

/* A glance: which weights of a view to show. Rollout follows attention from the input up to a layer
 * (KEN_EVERY = the last): the product over the layers of (A + I) / 2, with rows normalised to sum
 * to 1 and A the mean of the heads. For cross-attention, rollout is A of that layer times the
 * encoder's rollout, and KEN_ERR_ARGUMENT if the encoder has no attention. */
typedef struct ken_glance {
    ken_look which;
    size_t layer; /* from 0, or KEN_EVERY                                       */
    size_t head;  /* from 0, KEN_EVERY, or KEN_ALL_HEADS. Not used with rollout */
    int rollout;  /* default 0 = the weights themselves, 1 = rollout            */

    /* Default 0 = weights. 1 = ratios to uniform attention: each weight times the number of keys
     * that its query may attend to, so that 1 is the weight that uniform attention has; NaN for
     * keys that the query may not attend to. Not with rollout. */
    int relative;
    const void *reserved[4]; /* must be NULL */
} ken_glance;

/* Fills *picture with the weights that `glance` chooses, exactly as the model uses them, or with
 * their ratios to uniform attention. More than 2^26 weights (256 MB) are KEN_ERR_ARGUMENT; rollout
 * counts those of all layers, of one head. In the
 * decoder's matrices row t has the weights that choose token t, and the last row those that choose
 * the end. The picture is valid until the next call with the view, or until the view is freed. */
KEN_API ken_status ken_view_show(ken_view *view, ken_picture *picture, const ken_glance *glance);

/* Write a view: its chosen weights with tokens and answer as JSON (like ken_picture_json(); with
 * glance->relative the member "weights" becomes "ratios"), or the whole view as one HTML page,
 * which needs no other file and first shows `glance`. A page with more than 4,000,000 weights is
 * KEN_ERR_ARGUMENT; it has those of all layers and heads. */
KEN_API ken_status ken_view_json(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);
KEN_API ken_status ken_view_html(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);

/* Makes a picture of the positions of the encoder or decoder (`which`). Positions that are added to
 * the input have a row for each of the first `rows` places and a column for each dimension.
 * Positions that are added to attention scores have a row for each head of the first block and a
 * column for each distance. rows = 0 means 64, or fewer if the model has learned fewer. The caller
 * owns *view, a view without an example: it only keeps the picture, which is valid as long as
 * *view. KEN_ERR_ARGUMENT: the model has no such side; its positions add no numbers; they are added
 * to scores, but its blocks have no self-attention; or it has learned fewer positions than
 * `rows`. */
KEN_API ken_status ken_view_places(ken_view **view, ken_picture *picture, ken_task *task,
                                   ken_look which, size_t rows);

/* ---- 13. The names of choices ---------------------------------------------------------------- */

/* Recipes and model files write choices as words, such as "softmax" or "rotary". ken_choice names
 * the enum or field that the words stand for. */
typedef enum ken_choice {
    KEN_CHOICE_OUTPUT, /* the values of ken_output; the next: of ken_input, and so on */
    KEN_CHOICE_INPUT,
    KEN_CHOICE_VALUE,
    KEN_CHOICE_POOLING,
    KEN_CHOICE_POSITION,
    KEN_CHOICE_ACTIVATION,
    KEN_CHOICE_SCORE,
    KEN_CHOICE_WEIGH,
    KEN_CHOICE_REACH,
    KEN_CHOICE_MIXING,
    KEN_CHOICE_NORM,     /* ken_config.rms_norm, 0 or 1     */
    KEN_CHOICE_SCHEDULE, /* the values of ken_schedule_kind */
    KEN_CHOICE_LOOK,     /* the values of ken_look          */
    KEN_CHOICE_COUNT
} ken_choice;

/* Return the word for a value of a choice, and one line of help about it; NULL if the choice has no
 * such value. */
KEN_API const char *ken_word(ken_choice choice, int value);
KEN_API const char *ken_word_about(ken_choice choice, int value);

/* Returns the value that a word stands for; -1 if the choice has no such word. */
KEN_API int ken_word_value(ken_choice choice, const char *word);

#ifdef __cplusplus
}
#endif
#endif

#endif

#endif

#endif
