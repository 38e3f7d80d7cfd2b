/* made.h - synthetic data that is generated instead of read from files: a table of makers
 * (generators), found by the name of their format in a recipe. Example i is a function of (seed, i)
 * alone.
 *
 * The examples for training, dev and test never overlap: the text itself decides in which of the
 * three parts it can be (for dates, the day decides). */
#ifndef MADE_MADE_H
#define MADE_MADE_H

#include "format/corpus.h"

enum ken_made_part { KEN_MADE_TRAIN, KEN_MADE_DEV, KEN_MADE_TEST };
enum { KEN_DISTANCE_MOST = 4096 };

/* The parameters of a maker. */
struct ken_make {
    uint64_t seed;
    enum ken_made_part part;
    size_t count;    /* number of examples */
    size_t distance; /* maximum distance between related words; 0 = the maker's default */
    bool exact;      /* every distance is exactly `distance`, instead of at most */
    bool each;       /* each row has a target; otherwise the sequence has one */
    enum ken_target_kind target_kind;
    double homophily, noise; /* used by the format social only */
};

/* A text in the making: words with one label each; if the whole text has one label, all labels are
 * equal. The strings are static. */
enum { KEN_DRAFT_MOST = KEN_DISTANCE_MOST + 64 };
struct ken_draft {
    const char *words[KEN_DRAFT_MOST], *labels[KEN_DRAFT_MOST];
    size_t count;
    uint64_t key, choices; /* key of the random numbers, and how many have been drawn */
};
typedef void ken_draft_fn(struct ken_draft *draft, size_t distance, bool exact);

/* ken_draft_below() draws a number below `bound`. ken_draft_distance() draws a distance from 1 to
 * `most`: first a power of two, each equally likely, then a distance from that power up to the
 * next. ken_draft_add() appends a word. */
size_t ken_draft_below(struct ken_draft *draft, size_t bound);
size_t ken_draft_distance(struct ken_draft *draft, size_t most);
void ken_draft_add(struct ken_draft *draft, const char *word, const char *label);

typedef ken_status ken_make_fn(ken_corpus *corpus, const struct ken_make *how, uint64_t first);

struct ken_maker {
    struct ken_format_info info;
    ken_draft_fn *draft; /* makes one text of words with labels; NULL = use `make` */
    size_t distance;     /* default of ken_make.distance, for makers with `draft` */
    ken_make_fn *make;   /* makes all examples; used if `draft` is NULL */
};

/* Returns the maker of a format; NULL if the format is read from files. */
const struct ken_maker *ken_maker_named(const char *format);

/* Returns maker number i, from 0; NULL after the last maker. */
const struct ken_maker *ken_maker_at(size_t i);

/* Returns the table row of a format by its name, whether it is read from files or generated; NULL
 * if there is no such format. */
const struct ken_format_info *ken_format_of(const char *name);

ken_status ken_make(ken_corpus *corpus, const struct ken_maker *maker, const struct ken_make *how);

/* ---- ambiguous.c ----------------------------------------------------------------------------- */

/* Makes sentences in which the tag of a word depends on its neighbours or on a word `distance`
 * words before it; for output.kind=each. ambiguous.c describes the grammar. */
ken_draft_fn ken_ambiguous_draft;

/* ---- recall.c -------------------------------------------------------------------------------- */

/* Makes a task of associative recall. 16 keys are set to values, "c=7", one after another and most
 * of them repeatedly; the last word is a question, "c?". The key of the question was set once,
 * `distance` words before the question, and the label is its value; for output.kind=whole. No word
 * says which key will be asked for, so all values have to be kept. Chance is 1 in 16. */
ken_draft_fn ken_recall_draft;

/* Makes a row of letters. The label of each letter is the letter `distance` places after it, or
 * "none" if there is no such letter; for output.kind=each. A model that sees only the past does
 * little better than chance, 1 in 8: it can guess where the end is. */
ken_draft_fn ken_future_draft;

/* ---- social.c, beads.c: graphs --------------------------------------------------------------- */

/* Makes one network of `count` people, always the same for a seed. Whether a person buys is known
 * for half of the people in training, for a quarter in dev and for a quarter in test; for
 * output.kind=each. */
ken_make_fn ken_social_make;

/* Makes letters on a string: a graph whose nodes are in random order, to be read from the marked
 * end; for output.kind=generate. */
ken_make_fn ken_beads_make;

#endif
