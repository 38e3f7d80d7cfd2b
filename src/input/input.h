/* input.h - the input of a model: the table of input kinds, with one row and one file for each
 * kind.
 *
 *   text      a text, cut into words, subwords, characters or bytes
 *   words     a list of words that a file gives one by one
 *   vectors   rows of numbers
 *   atoms     molecules in SMILES: a row for each atom, links for the bonds
 *   indices   nodes with a list of indices each
 *
 * The table row of a kind has functions that learn from the training data, turn an example into
 * rows, set the size of the model's input, write and read the note in the model file, and describe
 * the input to people. No other code asks which kind an input is: it calls the functions of the
 * row. A new kind is one file with these functions, a row in input.c and a declaration at the end
 * of this header. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "data/dataset.h"
#include "format/corpus.h"
#include "input/scaling.h"
#include "recipe/recipe.h"
#include "unit/tokeniser.h"

/* The input side of a task: its input kind, and the data that the kind has learned from the
 * training data. Each kind uses only the fields that it needs; the other fields stay empty. */
struct ken_input_side {
    const struct ken_input_kind *kind; /* NULL = a language model, which has no input */
    bool each;                         /* output.kind=each: each word of a file is a row */
    bool letters;                      /* input.letters: words come with their letters */
    bool one_hot;                      /* input.table=one-hot: words are one-hot vectors */
    ken_tokeniser tokeniser;           /* text, words: splits text and has the vocabulary */
    struct ken_scaling scaling;        /* vectors, atoms: mean and deviation of columns */
    /* vectors: size_t each: the columns that have missing numbers in the training data. A row has a
     * further number for each of them: 1 where the number is missing, else 0. */
    ken_buffer missing;
    size_t index_count; /* indices: every index is below this number */
    size_t link_width;  /* all kinds: numbers per link in the files */
};

struct ken_input_kind {
    const char *name;
    const char *reads;   /* kind of input, for messages: "text", "rows of numbers" */
    const char *units;   /* values of input.unit for this kind, separated by spaces */
    unsigned carries;    /* bits of enum ken_carries: formats to train on */
    unsigned accepts;    /* bits of enum ken_carries: formats that `ken run` may read */
    const char *outputs; /* supported values of output.kind, separated by spaces */
    bool typed;     /* an example can be typed as a line of text; otherwise it comes from a file */
    bool names;     /* rows have names that can be shown: words, atoms */
    bool tokenises; /* the kind has a tokeniser with a vocabulary */
    bool linked;    /* the kind makes links itself, whatever the format is */
    /* Recipe keys that must be equal in two models if one starts from the weights of the other; the
     * list ends with KEN_KEY_COUNT. */
    const enum ken_key *same;

    /* Adjusts the layout that says how files are read. */
    void (*lay_out)(const struct ken_input_side *side, struct ken_layout *layout);

    /* Sets the fields of `side` that follow from the recipe alone. */
    void (*open)(struct ken_input_side *side, const ken_recipe *recipe);

    /* Learns from the training data; called once. If `old` is not NULL, it is the input side, of
     * the same kind, of a model to continue from: everything that `old` has learned keeps its ids,
     * and new ids come after them. */
    ken_status (*learn)(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old);

    /* Appends the rows of example i and, unless `names` is NULL, the names of the rows. If rows
     * take much more room than their source, a kind sets dataset->late and stores the source
     * instead; it must then end the columns itself. */
    ken_status (*encode)(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names);

    /* Sets config->input_kind and the sizes of the model's input; `links` says whether the model
     * reads links. */
    void (*shape)(const struct ken_input_side *side, ken_config *config, bool links);

    /* Write and read the note "input" of the model file. NULL = the fields that all kinds have are
     * enough. */
    ken_status (*write)(const struct ken_input_side *side, ken_buffer *json);
    ken_status (*read)(struct ken_input_side *side, const char *json, size_t length);

    /* Appends a description such as "8013 kinds of words", for `ken check`. */
    void (*describe)(const struct ken_input_side *side, ken_buffer *out, const char *unit);
};

/* ken_input_of() returns the input kind that reads this format with this value of input.unit; NULL
 * if there is none, or if the format has no input. ken_input_units() lists the values of input.unit
 * that the format supports. */
const struct ken_input_kind *ken_input_of(const struct ken_format_info *format, const char *unit);
void ken_input_units(ken_buffer *out, const struct ken_format_info *format);

const struct ken_input_kind *ken_input_at(size_t i); /* kind i; NULL after the last */

/* Initialises the input side of a task for a recipe; `kind` may be NULL (a language model). */
void ken_input_open(struct ken_input_side *side, const struct ken_input_kind *kind,
                    const ken_recipe *recipe);
void ken_input_release(struct ken_input_side *side);

ken_status ken_input_learn(struct ken_input_side *side, const ken_corpus *corpus,
                           const ken_recipe *recipe, const struct ken_input_side *old);

/* Appends example i to the dataset: its rows and, in a graph, its links. For a language model the
 * input is empty. */
ken_status ken_input_encode(const struct ken_input_side *side, ken_dataset *dataset,
                            const ken_corpus *corpus, size_t i, ken_strings *names);

/* ---- the kinds ------------------------------------------------------------------------------- */

extern const struct ken_input_kind ken_input_text, ken_input_words; /* defined in input_text.c */
extern const struct ken_input_kind ken_input_vectors;               /* defined in input_vectors.c */
extern const struct ken_input_kind ken_input_atoms;                 /* defined in input_atoms.c */
extern const struct ken_input_kind ken_input_indices;               /* defined in input_indices.c */

#endif
