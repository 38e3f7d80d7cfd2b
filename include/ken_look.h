/* ken_look.h - the fourth part of ken.h, which includes it: comparing variants of a recipe, looking
 * at attention weights and positions, and the names of choices. */
#ifndef KEN_LOOK_H
#define KEN_LOOK_H

#include "ken.h"

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
