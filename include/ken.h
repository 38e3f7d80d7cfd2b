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
 *     they can be used again or freed. The result arrays may have been written in part.
 *   - The library never prints, exits or aborts.
 *   - Matrices are dense float arrays in C order, written (rows, columns): the last index is
 *     contiguous. The caller provides the arrays for results and makes them large enough.
 *   - Every object from a ..._new() is freed with the matching ..._free(). All other arrays stay
 *     the caller's; the library reads or writes them only during the call.
 *   - A pointer may be NULL if a comment allows it, or if it stands for an array without elements.
 *     Any other NULL is KEN_ERR_ARGUMENT; calls that return no status then return 0 or NULL, or
 *     do nothing.
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

/* Returns a description of the last failure in the calling thread: lower case, cause first. The
 * text is valid until the next failure in the same thread; it is "" if nothing has failed yet. */
KEN_API const char *ken_last_error(void);

/* Returns the name of a status, e.g. "KEN_ERR_SHAPE". */
KEN_API const char *ken_status_name(ken_status status);

/* Returns the version of the library at run time; KEN_VERSION is the version of this header. */
KEN_API const char *ken_version(void);

/* ---- 2. Threads ----------------------------------------------------------------------------- */

/* ken_threads_set() sets the number of threads of the process, 0 to 256. 0 = one for each processor
 * that the process may use, within the limit of its container. The default is the environment
 * variable KEN_THREADS, or 0 if it is not set. The number changes the speed, never the results.
 * After fork() the child starts threads of its own. ken_threads() returns the number in use. */
KEN_API ken_status ken_threads_set(size_t count);
KEN_API size_t ken_threads(void);

/* ---- 3. Attention itself --------------------------------------------------------------------- */

/* Computes out = softmax(q k^T / sqrt(width)) v for `heads` heads (1 or more). The heads lie side
 * by side in a row: q and out are (queries, heads * width), k and v (keys, heads * width); width is
 * 1 to 256. With `causal` the last query sees (attends to) all keys, the query before it sees all
 * keys but the last, and so on. A query that sees no key gets zeros. The memory needed does not
 * grow with queries x keys. */
KEN_API ken_status ken_attention(float *out, const float *q, const float *k, const float *v,
                                 size_t queries, size_t keys, size_t heads, size_t width,
                                 int causal);

/* ---- 4. Sequences ---------------------------------------------------------------------------- */

/* A batch of sequences of any lengths, stored one after another without padding (ragged): sequence
 * b is ids[start[b]] .. ids[start[b+1] - 1]. The results for a sequence are the same bits whether
 * it is alone or in any batch. The caller owns all arrays.
 *
 * An element of a sequence is called a row (token, frame, node). A row is an id or, for models that
 * read or give numbers, a line of `numbers`. A row that is a word may also have a spelling: its
 * letters are a sequence of their own. A "sequence" may also be a graph: its rows are nodes, and
 * `links` says which nodes attend to which. A model reads only the fields that it needs; the others
 * may be NULL. */
typedef struct ken_sequences {
    const int32_t *ids; /* start[count] ids, one per row, each 0 or more; in targets -1 = unknown */
    /* count + 1 entries: where each sequence starts. start[0] is 0, and entries never decrease; two
     * equal entries make an empty sequence. */
    const size_t *start;
    size_t count; /* number of sequences; 0 is allowed */
    /* (start[count], input_size), in targets (start[count], output_size): rows of numbers */
    const float *numbers;

    /* One sequence for each row, start[count] sequences in all: the ids of the row's letters
     * (characters) or, with KEN_INPUT_BAGS, the ids in the row's bag. */
    const struct ken_sequences *letters;
    const struct ken_links *links; /* the links (edges) between rows, if the sequences are graphs */

    /* (start[count], place_axes): the place (position index) of each row, with coordinates from 0
     * to 2^20 - 1. A patch of an image has two coordinates, its line and its column (see
     * place_axes). NULL = the place of a row is its index in its sequence. Only encoders with the
     * positions sinusoid, learned and rotary read the places. */
    const int32_t *places;
    const void *reserved[4]; /* for later versions; must be NULL */
} ken_sequences;

/* The links (edges) of a batch of graphs: pairs of nodes, counted from 0 within their graph. The
 * first node of a pair sees (attends to) the second. An undirected edge takes two pairs. */
typedef struct ken_links {
    /* (start[count], 2): the node that attends, and the node that it attends to */
    const int32_t *pairs;
    /* count + 1 entries: graph b has the links start[b] .. start[b+1] - 1 */
    const size_t *start;
    const float *numbers;    /* (start[count], edge_size): edge features; NULL if edge_size is 0 */
    const void *reserved[4]; /* for later versions; must be NULL */
} ken_links;

/* ---- 5. Models: what they are made of -------------------------------------------------------- */

/* The kind of output of a model. */
typedef enum ken_output {
    KEN_EACH,  /* a label for each row: token classification, tagging */
    KEN_WHOLE, /* a label for each sequence: classification, regression */
    /* another sequence: translation or, without an encoder, text of a language model */
    KEN_GENERATE
} ken_output;

/* The input of an encoder, and how it becomes rows of `width` numbers. */
typedef enum ken_input {
    KEN_INPUT_IDS,     /* ids; each id has a learned embedding, scaled to variance 1 */
    KEN_INPUT_ONE_HOT, /* ids as one-hot rows (zeros and a single 1), followed by a linear layer */
    KEN_INPUT_VECTORS, /* rows of input_size numbers, followed by a linear layer */
    /* several ids per row (a bag), passed in `letters`; a row is the mean of their embeddings */
    KEN_INPUT_BAGS
} ken_input;

/* The kind of label that KEN_EACH and KEN_WHOLE give. Numbers and sets are passed in
 * target.numbers, in rows of output_size numbers. A number that is NaN is unknown and does not
 * count. */
typedef enum ken_value {
    KEN_VALUE_CLASS,  /* one of output_size classes; the loss is cross-entropy */
    KEN_VALUE_NUMBER, /* output_size numbers (regression); the loss is mean squared error */
    /* a set of labels: output_size flags, 1 or 0; the loss is binary cross-entropy */
    KEN_VALUE_SET
} ken_value;

/* Pooling: how KEN_WHOLE turns the rows of a sequence into one row. An empty sequence gives
 * zeros. */
typedef enum ken_pooling {
    KEN_POOL_MEAN,
    KEN_POOL_MAX, /* the maximum of each column over all rows */
    /* the first row, for example that of a special id at the start of each sequence */
    KEN_POOL_FIRST,
    /* a weighted mean of the rows, with the softmax of a learned linear score as weights */
    KEN_POOL_ATTENTIVE,
    KEN_POOL_LAST, /* the last row, for example the final state of a recurrent network */
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
 *   buckets     as relative, but for ranges of distances as in T5: single distances up to 8
 *               (decoder: 16), then wider and wider ranges
 *   quadratic   adds -a ((d - c)^2 - c^2) to the score, a and c learned by each head: attention to
 *               a fixed shift c, as in a convolution
 *   rnn         states of a recurrent network that counts, added to the input
 *   floater     sinusoids, and in each block biases of queries, keys and values that follow a
 *               learned flow along the sequence (FLOATER). Not with the gat score
 *   distance    for graphs, with an unlimited window: learned numbers that depend on how many links
 *               lie between two nodes (0 to 8, more, or no path). They act like the numbers of a
 *               link (see edge_size)
 * The kinds relative, shaw and quadratic clamp d at `longest`, buckets clamps d at 128. The other
 * kinds have no limit, except learned. */
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

/* The activation function between the two linear layers of the feed-forward part. */
typedef enum ken_activation {
    KEN_ACT_NONE,
    KEN_ACT_RELU,
    KEN_ACT_GELU,      /* exact GELU: x Phi(x), Phi = the normal distribution function */
    KEN_ACT_GELU_TANH, /* GELU approximated with tanh, as in GPT-2 */
    KEN_ACT_SILU,      /* x sigmoid(x), also called swish */
    KEN_ACT_SIGMOID,
    KEN_ACT_TANH,
    KEN_ACT_ELU, /* x for x > 0, else e^x - 1 */
    KEN_ACT_COUNT
} ken_activation;

/* The attention score: how well a key k fits a query q. Each head has a learned vector a. */
typedef enum ken_score {
    KEN_SCORE_DOT,      /* scaled dot product: q . k / sqrt(width of a head) */
    KEN_SCORE_ADDITIVE, /* additive (Bahdanau): a . tanh(q + k), with a learned vector a */
    KEN_SCORE_GAT,      /* GAT: LeakyReLU(a . [q ; k]), a learned; not in encoder-decoders */
    KEN_SCORE_GATV2,    /* GATv2: a . LeakyReLU(q + k), with a learned vector a */
    KEN_SCORE_COUNT
} ken_score;

/* Weigh: how the attention scores of a row become attention weights, usually by softmax. */
typedef enum ken_weigh {
    KEN_WEIGH_SOFTMAX, /* weight = e^score, divided by the sum of e^score over the keys */
    KEN_WEIGH_RELU,    /* weight = max(score, 0) / number of keys */
    KEN_WEIGH_SIGMOID, /* weight = sigmoid(score - ln(number of keys)) */
    KEN_WEIGH_NONE,    /* weight = score / number of keys */
    /* sparsemax: of all weights that are >= 0 and sum to 1, those nearest to the scores */
    KEN_WEIGH_SPARSEMAX,
    /* Linear attention: weight = f(q) . f(k), divided by its sum over the keys, with f(x) = elu(x)
     * + 1. The cost grows with the number of rows, not with its square, and a generator keeps a
     * state of fixed size. Needs the dot score. Not with a window, and not with positions that are
     * added to scores. */
    KEN_WEIGH_LINEAR,
    /* Performer: like KEN_WEIGH_LINEAR, with the same restrictions, but f(x) is a vector of
     * `features` random features, so that f(q) . f(k) = e^score on average. The features are drawn
     * from `seed`, and neither trained nor saved. */
    KEN_WEIGH_PERFORMER,
    KEN_WEIGH_COUNT
} ken_weigh;

/* Reach: the attention pattern or mask, that is which rows of its own sequence a row sees. In a
 * decoder it never includes rows after the row itself (causal mask). */
typedef enum ken_reach {
    /* window_left rows before the row, the row itself, window_right rows after it */
    KEN_REACH_WINDOW,
    KEN_REACH_GLOBAL, /* the window and the first reach_global rows; those rows see all rows */
    KEN_REACH_BLOCKS, /* the rows of the row's block; a block is reach_block neighbouring rows */
    /* The row's block, both neighbouring blocks, the first block (which sees all rows) and
     * reach_random blocks that are drawn from `seed`. */
    KEN_REACH_RANDOM,
    KEN_REACH_SEGMENTS, /* the row's block and the block before it; the latter gets no gradient */
    /* All rows, approximated by `landmarks` landmarks, each the mean of neighbouring rows
     * (Nystromformer). Only for models that give labels, with the dot score and softmax. */
    KEN_REACH_NYSTROM,
    KEN_REACH_EDGES, /* graphs, encoders only: the nodes to which the row (a node) has a link */
    KEN_REACH_COUNT
} ken_reach;

/* Mixing (token mixer; blocks.kind in recipes): the first part of every block, in which the rows of
 * a sequence exchange information. The other parts (norms, feed-forward part, the attention of a
 * decoder to its encoder) are the same for all kinds, so that kinds can be compared. No decoder
 * looks ahead: its windows cover the 2 * neighbours rows before a row, and recurrent networks run
 * forwards only. Kinds without self-attention ignore score, weigh, reach, heads, and the positions
 * that act inside attention. */
typedef enum ken_mixing {
    KEN_MIX_ATTENTION,
    KEN_MIX_FC,        /* no mixing: each row is processed on its own */
    KEN_MIX_FC_WINDOW, /* a linear layer over the row and `neighbours` rows on each side */
    /* depthwise convolution over the row and `neighbours` rows on each side, then a linear layer */
    KEN_MIX_CONV,
    KEN_MIX_RNN, /* h = tanh(W x + U h'), where h' is the state of the row before */
    KEN_MIX_LSTM,
    KEN_MIX_GRU,
    /* A Conformer block: half of a feed-forward part, attention, convolution, the other half of the
     * feed-forward part, norm. post_norm is ignored. */
    KEN_MIX_CONFORMER,
    /* Attention alone, as in graph attention networks: no norm, residual connection or feed-forward
     * part; the activation follows the attention, and dropout acts on the rows that a block reads.
     * The first block's projection doubles as the input layer. With KEN_EACH the output is the mean
     * of the last block's heads. Encoders only. */
    KEN_MIX_BARE,
    KEN_MIX_COUNT
} ken_mixing;

#define KEN_UNLIMITED SIZE_MAX /* value of window_left and window_right: no limit on this side */

/* The shape of a model. Start from ken_config_default() and change what you need; input_size and
 * output_size have no default. ken_model_new() copies the struct. */
typedef struct ken_config {
    size_t size; /* sizeof(ken_config), set by ken_config_default() */
    ken_output output;
    ken_input input_kind; /* kind of input. Default KEN_INPUT_IDS */
    /* Number of input ids (vocabulary size), or of numbers in an input row; 1 or more. Ignored
     * without an encoder. */
    size_t input_size;
    /* number of labels, or of target ids including begin and end; 1 or more */
    size_t output_size;
    ken_value value;     /* kind of label. Default KEN_VALUE_CLASS */
    ken_pooling pooling; /* for KEN_WHOLE: how rows become one row. Default KEN_POOL_MEAN */

    /* Spelling: a small convolutional network over the letters of a word (character CNN). Its
     * result is added to the word's row, so that an unknown word is represented by its letters. For
     * KEN_INPUT_IDS and KEN_INPUT_ONE_HOT only. */
    size_t letters;       /* number of letter ids. Default 0 = no spelling */
    size_t letters_width; /* width of letter embeddings and of each filter. Default 64; 1 or more */
    /* Fraction of words read as `unknown` in training, so that the model learns to use the
     * spelling. Default 0 = off; below 1. */
    float word_dropout;
    int32_t unknown; /* input id of unknown words. Default 2 */

    /* number of encoder blocks. Default 2; a generator with 0 is a language model */
    size_t encoder_blocks;
    size_t decoder_blocks; /* for generators: number of decoder blocks. Default 2; 1 or more */
    /* Width of the rows between blocks (model dimension). Default 128; with attention it must be a
     * multiple of `heads`. */
    size_t width;
    size_t hidden; /* width inside the feed-forward part. Default 512; 1 or more */
    /* Number of attention heads, each of width / heads numbers (at most 256). Default 4; 1 to
     * 256. */
    size_t heads;
    /* Number of key/value heads (grouped-query attention), a divisor of heads. Default 0 = same as
     * `heads`. */
    size_t kv_heads;

    ken_mixing mixing; /* kind of token mixer. Default KEN_MIX_ATTENTION */
    /* For encoders with recurrent networks: whether the networks also run backwards. Each direction
     * then has half of the width, so `width` must be even. Default 1. */
    int both_ways;
    /* Rows on each side for KEN_MIX_FC_WINDOW, KEN_MIX_CONV and KEN_MIX_CONFORMER. Default 2; 0 to
     * 65536. */
    size_t neighbours;

    /* Self-attention. The cross-attention of a decoder always sees all rows of the encoder. */
    ken_position position; /* how places are encoded. Default KEN_POSITION_SINUSOID */
    ken_score score;       /* how well keys fit queries. Default KEN_SCORE_DOT */
    ken_weigh weigh;       /* how scores become weights. Default KEN_WEIGH_SOFTMAX */
    ken_reach reach;       /* which rows a row sees. Default KEN_REACH_WINDOW */
    /* Number of places of learned positions (1 or more), or largest distance of the positions
     * relative, shaw and quadratic (at most 2^24); see ken_position. Default 512. */
    size_t longest;
    /* For reach window and global: number of rows that a row sees before itself (window_left) and
     * after itself (window_right). Default KEN_UNLIMITED; 0 = none. */
    size_t window_left;
    size_t window_right;
    /* for reach global: number of rows that see, and are seen by, all rows. Default 1 */
    size_t reach_global;
    size_t
        reach_block; /* for reach blocks, random, segments: rows per block. Default 64; 1 or more */
    size_t
        reach_random; /* for reach random: random blocks that each row sees. Default 3; 0 to 32 */
    /* for reach nystrom: number of landmarks (means of rows). Default 32; 1 to 256 */
    size_t landmarks;
    size_t features; /* for weigh performer: random features per head. Default 128; 1 to 4096 */
    /* For graphs: how many numbers each link has (edge features). The numbers act on the score, and
     * their weighted sum is added to the result. Default 0 = none; 0 to 64. */
    size_t edge_size;
    /* For KEN_MIX_BARE with KEN_EACH: number of heads of the last block. Default 1; 1 to 256. */
    size_t last_heads;
    int loops; /* for reach edges: whether each node also sees itself. Default 1 */

    /* Activation, feed-forward part and norms. */
    ken_activation activation; /* function in the feed-forward part. Default KEN_ACT_GELU */
    /* Whether the feed-forward part is gated (GLU): W2 (act(W1 x) * W3 x) instead of W2 act(W1 x).
     * Default 0. */
    int gated;
    int rms_norm; /* whether RMSNorm replaces LayerNorm. Default 0 */
    /* Whether norms come after each residual connection instead of before each part. Default 0. */
    int post_norm;

    /* Dropout rates in training, each 0 or more and below 1; 0 = off. */
    float dropout; /* dropout on embeddings and on outputs of sub-layers. Default 0.1 */
    /* Dropout on attention weights. Default 0.1. Ignored with weigh linear, weigh performer and
     * reach nystrom, which do not compute the weights. */
    float attention_dropout;
    float hidden_dropout; /* dropout after the activation of the feed-forward part. Default 0 */

    /* Ids and embeddings of generators. begin and end must be below output_size. */
    int32_t begin; /* id that the decoder reads before each sequence. Default 0 */
    int32_t end;   /* id that ends each sequence. Default 1 */
    int tied;      /* whether the decoder's embedding is also its output projection. Default 0 */
    /* Whether encoder and decoder share one embedding, for models with the same ids on both sides.
     * Default 0. */
    int shared;

    uint64_t seed; /* seed of the initial weights, random features and random blocks. Default 1 */

    /* Frame stacking, for KEN_INPUT_VECTORS: `input_stack` neighbouring rows are joined, side by
     * side, into one row of the encoder. A sequence of n rows becomes ceil(n / input_stack) rows;
     * zeros complete the last one. The place of a joined row is that of its first row, with the
     * last coordinate divided by input_stack and rounded down. Default 1 = off; 1 to 1024. Not for
     * KEN_EACH and not for graphs, because they need every row. */
    size_t input_stack;

    /* Number of coordinates of each row's place in ken_sequences.places, for encoders. Default 1; 1
     * or 2. With 2, `places` is required: sinusoid uses half of the width for each coordinate,
     * rotary half of the pairs of each head, and learned adds a learned row for each coordinate.
     * Other kinds of position (except none) are refused. The places of a decoder always have one
     * coordinate. */
    size_t place_axes;
} ken_config;

/* Sets all fields of a config, a struct of `size` bytes, to defaults. Meant for languages that
 * cannot call inline functions. */
KEN_API void ken_config_init(ken_config *config, size_t size, ken_output output);

static inline ken_config ken_config_default(ken_output output)
{
    ken_config config;
    ken_config_init(&config, sizeof config, output);
    return config;
}

/* ---- 6. Models: what they do ----------------------------------------------------------------- */

/* A model: its configuration and weights. Calls with a `const ken_model *` only read the model, and
 * any number of threads may make them at the same time. A call that changes the model, such as a
 * step of a trainer, must not run at the same time as any other call with the model. */
typedef struct ken_model ken_model;

/* Makes a model with random weights. On success the caller owns *model, otherwise *model is NULL.
 * KEN_ERR_ARGUMENT: options do not fit together; the message names them. */
KEN_API ken_status ken_model_new(ken_model **model, const ken_config *config);
KEN_API void ken_model_free(ken_model *model); /* model may be NULL */
/* Returns the number of weights (parameters). */
KEN_API size_t ken_model_size(const ken_model *model);

/* Predicts labels. `probabilities` is (rows of all sequences, output_size) for KEN_EACH and (count,
 * output_size) for KEN_WHOLE. Each of its rows holds probabilities that sum to 1 (classes), a
 * probability for each label (sets) or the predicted numbers. KEN_ERR_DIVERGED: a result is not
 * finite. KEN_ERR_STATE: the model is a generator. */
KEN_API ken_status ken_model_predict(const ken_model *model, float *probabilities,
                                     const ken_sequences *input);

/* ken_model_save() saves a model to a safetensors file with a checksum (docs/FORMAT.md). The file
 * is replaced atomically: after a failure the old file is unchanged. ken_model_load() loads a
 * model, which gives the same bits as the saved one; the caller owns *model. KEN_ERR_FORMAT: the
 * file is damaged or not a ken model. Nothing in a file is ever executed. */
KEN_API ken_status ken_model_save(const ken_model *model, const char *path);
KEN_API ken_status ken_model_load(ken_model **model, const char *path);

#ifdef __cplusplus
}
#endif

/* generation, sessions, training, recipes; includes ken_run.h and ken_look.h */
#include "ken_task.h"

#endif
