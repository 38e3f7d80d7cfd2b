/* made.h - synthetic data, which is generated instead of read from files: a table of makers
 * (generators). A recipe names a maker as its format. Example i depends only on (seed, i).
 *
 * The examples for training, dev and test never overlap: the text itself decides in which of the
 * three parts it can be (for dates, the day decides). */
#ifndef MADE_MADE_H
#define MADE_MADE_H

#include "format/corpus.h"

enum ken_made_part { KEN_MADE_TRAIN, KEN_MADE_DEV, KEN_MADE_TEST };
enum { KEN_DISTANCE_MOST = 4096 };

/* The options of a maker. */
struct ken_make {
    uint64_t seed;
    enum ken_made_part part;
    size_t count;    /* number of examples to make                                          */
    size_t distance; /* maximum distance between related words; 0 = default of the maker    */
    bool exact;      /* whether every distance is `distance`; otherwise it is the maximum   */
    bool each;       /* whether each row has a target; otherwise the whole sequence has one */
    enum ken_target_kind target_kind;
    double homophily, noise; /* options of the format "social" only */
};

/* A text that is being made: words with one label each. If the text has a single label, all words
 * have this label. The strings are static and are not freed. */
enum { KEN_DRAFT_MOST = KEN_DISTANCE_MOST + 64 };
struct ken_draft {
    const char *words[KEN_DRAFT_MOST], *labels[KEN_DRAFT_MOST];
    size_t count;
    uint64_t key, choices; /* random key of the text; number of random numbers drawn so far */
};
typedef void ken_draft_fn(struct ken_draft *draft, size_t distance, bool exact);

/* ken_draft_below() draws a random number from 0 to bound - 1. ken_draft_distance() draws a
 * distance from 1 to `most`, so that short and long distances are equally frequent: first it draws
 * a power of two, then a distance between that power and the next. ken_draft_add() appends a
 * word. */
size_t ken_draft_below(struct ken_draft *draft, size_t bound);
size_t ken_draft_distance(struct ken_draft *draft, size_t most);
void ken_draft_add(struct ken_draft *draft, const char *word, const char *label);

typedef ken_status ken_make_fn(ken_corpus *corpus, const struct ken_make *how, uint64_t first);

struct ken_maker {
    struct ken_format_info info;
    ken_draft_fn *draft; /* makes one text of labelled words; NULL = the maker has `make` */
    size_t distance;     /* default of ken_make.distance; used with `draft` only          */
    ken_make_fn *make;   /* makes all examples at once; NULL = the maker has `draft`      */
};

/* Returns the maker of the format named `format`; NULL if the format is read from files. */
const struct ken_maker *ken_maker_named(const char *format);

/* Returns maker number i, from 0; NULL after the last maker. */
const struct ken_maker *ken_maker_at(size_t i);

/* Returns the description of the format named `name`, whether it is read from files or generated;
 * NULL if there is no such format. */
const struct ken_format_info *ken_format_of(const char *name);

ken_status ken_make(ken_corpus *corpus, const struct ken_maker *maker, const struct ken_make *how);

/* ---- ambiguous.c ----------------------------------------------------------------------------- */

/* Makes sentences in which the tag of a word depends on its neighbours or on a word `distance`
 * words before it (see ambiguous.c); for output.kind=each. */
ken_draft_fn ken_ambiguous_draft;

/* ---- recall.c -------------------------------------------------------------------------------- */

/* Makes a task of associative recall, for output.kind=whole. 16 keys are set to values, such as
 * "c=7", most of them repeatedly. The last word is a question, such as "c?", and the label is the
 * value of this key. The key of the question is set only once, up to `distance` words before the
 * question. No word says beforehand which key will be asked for, so a model has to remember all
 * values. Guessing is right in 1 of 16 cases. */
ken_draft_fn ken_recall_draft;

/* Makes sequences of letters, for output.kind=each. The label of a letter is the letter `distance`
 * places after it, or "none" if the sequence ends before that place. A model that sees only the
 * past is hardly better than guessing (1 in 8), because it cannot see that later letter. */
ken_draft_fn ken_future_draft;

/* ---- social.c, beads.c: graphs --------------------------------------------------------------- */

/* Makes one network of `count` people, which depends only on the seed; for output.kind=each. The
 * label of a person says whether the person buys. Half of the labels belong to training, a quarter
 * to dev and a quarter to test. */
ken_make_fn ken_social_make;

/* Makes graphs that are chains: each node is a letter, and the nodes are listed in random order.
 * One end of the chain is marked; the target is the letters in their order from that end. For
 * output.kind=generate. */
ken_make_fn ken_beads_make;

#endif
