/* input.h - the input of a model: the table of input kinds, with one row and one file per kind.
 *
 *   text      a text, cut into words, subwords, characters or bytes
 *   words     a list of words that a file gives one by one
 *   vectors   rows of numbers
 *   atoms     molecules in SMILES: a row for each atom, links for the bonds
 *   indices   nodes with a list of indices each
 *
 * A kind is a struct of functions: they learn from the training data, turn an example into rows,
 * set the size of the model's input, write and read the note in the model file, and describe the
 * input to people. Other code calls these functions and never asks which kind an input is. A new
 * kind needs one file with its functions, a row in the table of input.c and a declaration at the
 * end of this header. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "data/dataset.h"
#include "format/corpus.h"
#include "input/scaling.h"
#include "recipe/recipe.h"
#include "unit/tokeniser.h"

/* The input side of a task: the input kind, and the data that it has learned from the training
 * data. Each kind uses only the fields that it needs; the other fields stay empty. */
struct ken_input_side {
    /* The input kind; NULL = a language model, which has no input. */
    const struct ken_input_kind *kind;
    bool each;    /* whether output.kind is "each", so that each word of a file is a row */
    bool letters; /* input.letters: whether words come with their letters                */
    bool one_hot; /* whether input.table is "one-hot", so that words are one-hot vectors */
    ken_tokeniser tokeniser;    /* for kinds text and words: splits text and holds the vocabulary */
    struct ken_scaling scaling; /* for kinds vectors and atoms: mean and deviation of each column */
    /* For kind vectors, array of size_t: the columns that have missing numbers in the training
     * data. For each such column, a row has a further number: 1 where the number is missing,
     * else 0. */
    ken_buffer missing;
    size_t index_count; /* for kind indices: the largest index + 1                    */
    size_t link_width;  /* how many numbers each link has in the files; 0 = none      */
};

struct ken_input_kind {
    const char *name;
    const char *reads;   /* name of the input kind in messages: "text", "rows of numbers" */
    const char *units;   /* values of input.unit for this kind, separated by spaces       */
    unsigned carries;    /* formats that the kind can train on: bits of enum ken_carries  */
    unsigned accepts;    /* formats that `ken run` may read: bits of enum ken_carries     */
    const char *outputs; /* supported values of output.kind, separated by spaces          */
    /* Whether an example can be typed as a line of text; otherwise it must come from a file. */
    bool typed;
    bool names;     /* whether rows have names to show, such as words or atoms            */
    bool tokenises; /* whether the kind has a tokeniser with a vocabulary                 */
    bool linked;    /* whether the kind makes links from its rows, as atoms do from bonds */
    /* Recipe keys that must be equal in two models if one is to start from the weights of the
     * other. The list ends with KEN_KEY_COUNT. */
    const enum ken_key *same;

    /* Adjusts `layout`, which says how files are read, to the input. */
    void (*lay_out)(const struct ken_input_side *side, struct ken_layout *layout);

    /* Sets those fields of `side` that follow from the recipe alone. */
    void (*open)(struct ken_input_side *side, const ken_recipe *recipe);

    /* Learns from the training data; called once. `old` is NULL, or the input side (of the same
     * kind) of a model whose weights the run starts from: then all ids of `old` keep their meaning,
     * and new ids come after them. */
    ken_status (*learn)(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old);

    /* Appends the rows of example i to the dataset and, unless `names` is NULL, the names of the
     * rows. If the rows take much more room than their source, the function may set dataset->late
     * and store the source instead of the rows. Then it must also end the sequences of the columns
     * itself. */
    ken_status (*encode)(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names);

    /* Sets config->input_kind and the sizes of the model's input; `links` says whether the model
     * reads links. */
    void (*shape)(const struct ken_input_side *side, ken_config *config, bool links);

    /* `write` and `read` handle the note "input" of the model file. Both are NULL if the kind has
     * no such note. */
    ken_status (*write)(const struct ken_input_side *side, ken_buffer *json);
    ken_status (*read)(struct ken_input_side *side, const char *json, size_t length);

    /* Appends a description of the input, such as "8013 kinds of words", for `ken check`. */
    void (*describe)(const struct ken_input_side *side, ken_buffer *out, const char *unit);
};

/* ken_input_of() returns the input kind for a format and a value of input.unit; NULL if there is
 * none, or if the format has no input. ken_input_units() lists the values of input.unit that are
 * possible with a format. */
const struct ken_input_kind *ken_input_of(const struct ken_format_info *format, const char *unit);
void ken_input_units(ken_buffer *out, const struct ken_format_info *format);

/* ken_input_at() returns kind i of the table; NULL after the last kind. */
const struct ken_input_kind *ken_input_at(size_t i);

/* Initialises the input side of a task for a recipe; `kind` may be NULL (a language model). */
void ken_input_open(struct ken_input_side *side, const struct ken_input_kind *kind,
                    const ken_recipe *recipe);
void ken_input_release(struct ken_input_side *side);

ken_status ken_input_learn(struct ken_input_side *side, const ken_corpus *corpus,
                           const ken_recipe *recipe, const struct ken_input_side *old);

/* Appends the input of example i to the dataset: its rows and, in a graph, its links. Appends an
 * empty input for a language model. */
ken_status ken_input_encode(const struct ken_input_side *side, ken_dataset *dataset,
                            const ken_corpus *corpus, size_t i, ken_strings *names);

/* ---- the kinds ------------------------------------------------------------------------------- */

extern const struct ken_input_kind ken_input_text, ken_input_words; /* defined in input_text.c    */
extern const struct ken_input_kind ken_input_vectors;               /* defined in input_vectors.c */
extern const struct ken_input_kind ken_input_atoms;                 /* defined in input_atoms.c   */
extern const struct ken_input_kind ken_input_indices;               /* defined in input_indices.c */

#endif
