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
/* ken_task.h - the second part of ken.h, which includes it: generation, sessions, training, and
 * recipes (from data files to a trained model). */
#ifndef KEN_TASK_H
#define KEN_TASK_H

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

/* ken_run.h - the third part of ken.h, which includes it: using a trained model. */
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

/* ken_look.h - the fourth part of ken.h, which includes it: comparing variants of a recipe, looking
 * at attention weights and positions, and the names of choices. */
#ifndef KEN_LOOK_H
#define KEN_LOOK_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 11. Comparing variants of a recipe ------------------------------------------------------ */

/* The variants of a recipe to compare (ablation study): every combination of the listed values,
 * each trained with every seed. Seed i of every variant is train.seed + i, so that all variants
 * have the same data, seeds and budget. At most 10000 runs. The caller owns all memory. */
typedef struct ken_comparison {
    const ken_recipe *recipe;

    /* change_count strings, at most 16: "section.key=a,b,c" lists the values of a key to compare;
     * "\," is a comma inside a value. A change with a single value applies to all variants. */
    const char *const *changes;
    size_t change_count;
    size_t seeds;        /* number of runs (seeds) of each variant; 0 means 1 */
    const char *command; /* the command line, which the report shows; NULL = none */
    /* More data to measure each model on: up to 64 values, each written as for data.test, separated
     * by commas; NULL = none. */
    const char *tests;
    const void *reserved[4]; /* for later versions; must be NULL */
} ken_comparison;

/* The moments of a comparison at which the callback is called. */
typedef enum ken_compare_moment {
    /* a run begins; if its result already exists from an earlier call, KEN_COMPARE_ENDS follows */
    KEN_COMPARE_BEGINS,
    KEN_COMPARE_TRAINS,   /* a run is being trained; see ken_compare_progress.training */
    KEN_COMPARE_MEASURES, /* the model of a run is measured */
    KEN_COMPARE_ENDS,     /* a run has ended; see `value` or `failed` */
    KEN_COMPARE_DONE      /* all runs have ended; see `table` and `json` */
} ken_compare_moment;

/* The progress of a comparison. Pointers are valid during the callback only. */
typedef struct ken_compare_progress {
    ken_compare_moment moment;
    size_t variant, variants; /* number of the variant, from 0, and number of variants */
    const char *name;         /* name of the variant, made of its values */
    /* number of the run, from 0, and number of all runs (variants x seeds) */
    size_t run, runs;
    uint64_t seed;                /* seed of the run */
    const ken_progress *training; /* progress of training at KEN_COMPARE_TRAINS, else NULL */
    double seconds_left;          /* estimated seconds until all runs have ended; NaN if unknown */
    const char *metric;           /* name of the metric that is measured */
    double value;                 /* value of the metric, at KEN_COMPARE_ENDS */
    /* reason of a failure, at KEN_COMPARE_ENDS; NULL = the run succeeded */
    const char *failed;
    size_t failures; /* number of runs that have failed so far */
    /* all results as a table and as JSON, at KEN_COMPARE_DONE; else NULL */
    const char *table, *json;
} ken_compare_progress;

/* A callback, called at each moment of a comparison. Return 0 to continue. Return non-zero to stop:
 * the state is saved, and ken_compare() returns KEN_ERR_STOPPED. */
typedef int ken_compare_fn(void *user, const ken_compare_progress *progress);

/* Compares variants of a recipe. Each variant is trained with each seed, as a run of its own (see
 * ken_train()). The best model of a run is measured by the recipe's metric, on data.test (or on
 * data.dev if there is no test) and on each of `tests`. `folder` must be new or empty; it gets
 * compare.json, compare.md, compare.svg and the folders of the runs.
 *
 * A run that fails (an invalid configuration, divergence) does not stop the others: its row in the
 * table has the reason, and ken_compare() still returns KEN_OK. KEN_ERR_ARGUMENT: no variant can be
 * made, so nothing was started. After any interruption ken_compare_resume() continues without
 * repeating finished runs, and the results are the same. */
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
#define KEN_ALL_HEADS SIZE_MAX /* value of `head`: the mean over all heads */

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
    /* (count, width): numbers added to the input. With place_axes = 2 the shape is (2 count,
     * width): first the numbers for the first coordinate, then those for the second. */
    KEN_PLACE_INPUT,
    /* Position floater only: the numbers added to queries, keys and values, each (count, width of
     * all their heads together). */
    KEN_PLACE_QUERY,
    KEN_PLACE_KEY,
    KEN_PLACE_VALUE,
    /* (heads, 2 count - 1): numbers added to attention scores. Column count - 1 + d is for a key
     * that is d rows after the query; d < 0 means before it. */
    KEN_PLACE_SCORE
} ken_place;

/* Copies the numbers that the model's positions add for the first `count` places (1 or more) in the
 * encoder or decoder (`side`). `block` counts from 0 and is not used for KEN_PLACE_INPUT.
 * KEN_ERR_ARGUMENT: the model's kind of position has no such part. */
KEN_API ken_status ken_model_places(const ken_model *model, float *numbers, ken_look side,
                                    ken_place what, size_t block, size_t count);

/* A picture (heat map): matrices of one size with names, to be drawn or saved. The call that fills
 * a picture says how long its memory is valid. Names are UTF-8; invisible characters in them are
 * made visible when drawn. A picture may have at most 4,000,000 values for SVG, 2^24 for JSON and
 * 2^26 for a terminal. One with more is refused with KEN_ERR_ARGUMENT before anything is
 * computed. */
typedef struct ken_picture {
    const char *title;            /* title of the picture, one line */
    const char *about;            /* one line that says what rows and columns are, or NULL */
    size_t count;                 /* number of matrices; all have one colour scale */
    const char *const *titles;    /* (count): titles of the matrices, or NULL */
    size_t rows, cols;            /* size of each matrix */
    const float *values;          /* (count, rows, cols) */
    const char *const *row_names; /* (rows): names of the rows; NULL = numbers from 0 */
    const char *const *col_names; /* (cols): names of the columns; NULL = numbers from 0 */
    size_t shape[4];   /* shape of `values` when saved, e.g. (layers, heads, rows, cols) */
    size_t dimensions; /* number of entries of `shape` in use, 0 to 4; 0 = (count, rows, cols) */

    /* The colour scale. 0 (default) = colours grow with the square root of the value or, if there
     * are negative values, linearly in both directions from 0. 1 = the values are ratios to uniform
     * attention: colours grow with their logarithm in both directions from 1, and a value NaN means
     * that the query of the row may not attend to the key of the column. */
    size_t relative;
    const void *reserved[3]; /* for later versions; must be NULL */
} ken_picture;

/* The colours of a terminal: none, 256 colours, or 24-bit colours. */
typedef enum ken_terminal { KEN_TERMINAL_PLAIN, KEN_TERMINAL_256, KEN_TERMINAL_FULL } ken_terminal;

/* Draws a picture for a terminal that is `columns` columns wide (0 = no limit). A cell is two
 * characters wide, in shades of colour or, without colours, as characters of different darkness.
 * Columns that do not fit are left out, and a line says so. */
KEN_API ken_status ken_picture_text(const ken_picture *picture, size_t columns,
                                    ken_terminal colours, ken_text_fn *write, void *user);

/* Draws a picture as SVG; several matrices become a grid. A cell shows its value when the reader
 * points at it. */
KEN_API ken_status ken_picture_svg(const ken_picture *picture, ken_text_fn *write, void *user);

/* ken_picture_json() writes a picture as one JSON object. ken_picture_npy() saves it as a NumPy
 * array (float32) in a file, which is replaced atomically. */
KEN_API ken_status ken_picture_json(const ken_picture *picture, ken_text_fn *write, void *user);
KEN_API ken_status ken_picture_npy(const ken_picture *picture, const char *path);

/* A view: one example as a trained model sees it, with its tokens, its answer and all attention
 * weights. A view uses its task, which must outlive the view, and serves one thread at a time. */
typedef struct ken_view ken_view;

/* Makes a view of example number `example` (from 0) of a request; request->best is ignored. For a
 * generator, the view shows how the model writes a text: `target` or, if `target` is NULL, the text
 * that the model generates with the keys of [generate]. A language model reads the example before
 * it writes. On success the caller owns *view. */
KEN_API ken_status ken_view_new(ken_view **view, ken_task *task, const ken_request *request,
                                size_t example, const char *target);
KEN_API void ken_view_free(ken_view *view); /* view may be NULL */
/* Returns the answer of a view, which is valid as long as the view exists. */
KEN_API const ken_answer *ken_view_answer(const ken_view *view);

/* Returns the kind of attention that is most useful to look at: cross-attention if the model has
 * it, otherwise the attention within the decoder or the encoder. */
KEN_API ken_look ken_task_usual_look(const ken_task *task);

/* ken_view_layers() returns the number of layers (blocks) with attention of kind `which`,
 * ken_view_heads() the number of heads in each layer. They return 0 if the model has no such
 * blocks, or if its blocks have no self-attention (fc, conv, lstm and others). */
KEN_API size_t ken_view_layers(const ken_view *view, ken_look which);
KEN_API size_t ken_view_heads(const ken_view *view, ken_look which);

/* As the value of `layer` or `head`, KEN_EVERY chooses all layers or all heads; each gives a
 * matrix. */
#define KEN_EVERY (SIZE_MAX - 1)

/* A glance: which weights of a view to show. Rollout follows attention from the input up to a layer
 * (KEN_EVERY = up to the last): it is the product over the layers of (A + I) / 2, with rows scaled
 * to sum to 1, where A is the mean of a layer's weights over its heads. For cross-attention,
 * rollout is A of the chosen layer times the encoder's rollout; KEN_ERR_ARGUMENT if the encoder has
 * no attention. */
typedef struct ken_glance {
    ken_look which;
    size_t layer; /* layer to show, from 0, or KEN_EVERY */
    size_t head;  /* head to show, from 0; or KEN_EVERY, or KEN_ALL_HEADS. Ignored with rollout */
    int rollout;  /* 0 (default) = show the weights themselves, 1 = show their rollout */

    /* 0 (default) = weights. 1 = ratios to uniform attention: each weight times the number of keys
     * that its query may attend to, so that 1 is the weight in uniform attention; NaN for keys that
     * the query may not attend to. Not with rollout. */
    int relative;
    const void *reserved[4]; /* for later versions; must be NULL */
} ken_glance;

/* Fills *picture with the weights that `glance` chooses, exactly as the model uses them, or with
 * their ratios to uniform attention. KEN_ERR_ARGUMENT: there would be more than 2^26 weights (256
 * MB); for rollout, one matrix for each layer counts. In the decoder's matrices row t has the
 * weights that choose token t, and the last row those that choose the end. The picture is valid
 * until the next call with the view, or until the view is freed. */
KEN_API ken_status ken_view_show(ken_view *view, ken_picture *picture, const ken_glance *glance);

/* ken_view_json() writes the weights that `glance` chooses, with tokens and answer, as JSON like
 * that of ken_picture_json(); with glance->relative the member "weights" becomes "ratios".
 * ken_view_html() writes the whole view, with the weights of all layers and heads, as one HTML
 * page, which needs no other file and first shows `glance`. KEN_ERR_ARGUMENT: the page would have
 * more than 4,000,000 weights. */
KEN_API ken_status ken_view_json(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);
KEN_API ken_status ken_view_html(ken_view *view, const ken_glance *glance, ken_text_fn *write,
                                 void *user);

/* Makes a picture of the positions of the encoder or decoder (`which`). Positions that are added to
 * the input have a row for each of the first `rows` places and a column for each dimension.
 * Positions that are added to attention scores have a row for each head of the first block and a
 * column for each distance. rows = 0 means 64, or fewer if the model has fewer learned positions.
 * The caller owns *view, a view without an example: it only keeps the picture, which is valid as
 * long as *view. The call fails with KEN_ERR_ARGUMENT
 *   - if the model has no encoder or decoder as `which` asks for;
 *   - if the positions of the model add no numbers to the input or to scores;
 *   - if the positions are added to scores, but the blocks have no self-attention;
 *   - if the model has fewer learned positions than `rows`. */
KEN_API ken_status ken_view_places(ken_view **view, ken_picture *picture, ken_task *task,
                                   ken_look which, size_t rows);

/* ---- 13. The names of choices ---------------------------------------------------------------- */

/* The options that recipes and model files write as words, such as "softmax" or "rotary". Each
 * value names the enum or field whose values the words stand for. */
typedef enum ken_choice {
    /* the values of ken_output; in the same way KEN_CHOICE_INPUT is for ken_input, and so on */
    KEN_CHOICE_OUTPUT,
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
    KEN_CHOICE_SCHEDULE, /* the values of ken_schedule_kind */
    KEN_CHOICE_LOOK,     /* the values of ken_look */
    KEN_CHOICE_COUNT
} ken_choice;

/* ken_word() returns the word for a value of a choice, ken_word_about() one line of help about the
 * value; NULL if the choice has no such value. */
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
