/* input.h - what a model reads: the table of input kinds, one row and one file for each.
 *
 *   text      a text, cut into words, subwords, characters or bytes
 *   words     a list of words that a file gives one by one
 *   vectors   rows of numbers
 *   atoms     molecules in SMILES: a row for each atom, links for the bonds
 *   indices   nodes with a list of indices each
 *
 * A kind says what it learns from the training data, how an example becomes rows, how large the
 * model's input is, what the model file keeps of it, and how it is described to people. No other
 * code asks which kind it is: it calls the functions of the row. A new input is one file with
 * these functions, its row in input.c and its declaration at the end of this header. */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "data/dataset.h"
#include "format/corpus.h"
#include "input/scaling.h"
#include "recipe/recipe.h"
#include "unit/tokeniser.h"

/* The input side of a task: its kind, and what that has learned from the training data. Each kind
 * uses the fields that it needs; the others stay empty. */
struct ken_input_side {
    const struct ken_input_kind *kind; /* NULL = a language model, which has no input */
    bool each;                         /* output.kind=each: the words of a file stay rows of
                                        * their own */
    bool letters;                      /* input.letters: words come with their letters */
    bool one_hot;                      /* input.table=one-hot                          */
    ken_tokeniser tokeniser;           /* text, words                                  */
    struct ken_scaling scaling;        /* vectors, atoms                               */
    size_t index_count;                /* indices: all are below this number           */
    size_t link_width;                 /* all kinds: numbers per link in the files     */
};

struct ken_input_kind {
    const char *name;
    const char *reads;   /* for messages: "text", "rows of numbers"                              */
    const char *units;   /* values of input.unit that select it, separated by spaces             */
    unsigned carries;    /* bits of enum ken_carries: formats that a recipe may train it on      */
    unsigned accepts;    /* the same for `ken run`, which may read other formats                 */
    const char *outputs; /* values of output.kind that it supports, separated by spaces          */
    bool typed;          /* an example can be typed as a line of text; else it comes from a file */
    bool names;          /* rows have names to show: words, atoms                                */
    bool tokenises;      /* has a vocabulary                                                     */
    bool linked;         /* makes links itself, whatever the format is                           */
    const enum ken_key *same; /* keys that must be equal if one model starts from the weights of
                               * another; ends with KEN_KEY_COUNT */

    /* Adjusts how files are read. */
    void (*lay_out)(const struct ken_input_side *side, struct ken_layout *layout);

    /* Sets the fields that follow from the recipe alone. */
    void (*open)(struct ken_input_side *side, const ken_recipe *recipe);

    /* Learns from the training data, once. `old` is the input side, of the same kind, of a model to
     * continue from, or NULL: what it has learned stays unchanged, and new things come after it. */
    ken_status (*learn)(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old);

    /* Appends the rows of example i and, unless `names` is NULL, their names. A kind whose rows
     * take much more room than their source sets dataset->late and stores the source instead; it
     * then ends the columns itself. */
    ken_status (*encode)(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names);

    /* Sets input_kind and the sizes of the model's input; `links` says whether the model reads
     * links. */
    void (*shape)(const struct ken_input_side *side, ken_config *config, bool links);

    /* Write and read the note "input" of the model file. NULL = the common fields are enough. */
    ken_status (*write)(const struct ken_input_side *side, ken_buffer *json);
    ken_status (*read)(struct ken_input_side *side, const char *json, size_t length);

    /* Prints a description like "8013 kinds of words" for `ken check`. */
    void (*describe)(const struct ken_input_side *side, ken_buffer *out, const char *unit);
};

/* The kind that reads this format with this input.unit; NULL if there is none, or if the format has
 * no input. ken_input_units() lists the units that the format supports. */
const struct ken_input_kind *ken_input_of(const struct ken_format_info *format, const char *unit);
void ken_input_units(ken_buffer *out, const struct ken_format_info *format);

const struct ken_input_kind *ken_input_at(size_t i); /* NULL after the last */

/* Makes the input side for a recipe; `kind` may be NULL. */
void ken_input_open(struct ken_input_side *side, const struct ken_input_kind *kind,
                    const ken_recipe *recipe);
void ken_input_release(struct ken_input_side *side);

ken_status ken_input_learn(struct ken_input_side *side, const ken_corpus *corpus,
                           const ken_recipe *recipe, const struct ken_input_side *old);

/* Appends example i: its rows and, in a graph, its links. A language model has an empty input. */
ken_status ken_input_encode(const struct ken_input_side *side, ken_dataset *dataset,
                            const ken_corpus *corpus, size_t i, ken_strings *names);

/* ---- the kinds ------------------------------------------------------------------------------- */

extern const struct ken_input_kind ken_input_text, ken_input_words; /* input_text.c    */
extern const struct ken_input_kind ken_input_vectors;               /* input_vectors.c */
extern const struct ken_input_kind ken_input_atoms;                 /* input_atoms.c   */
extern const struct ken_input_kind ken_input_indices;               /* input_indices.c */

#endif
