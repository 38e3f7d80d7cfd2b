/* made.h - synthetic data that is made on the spot instead of read: a table of makers, found by the
 * name of their format in a recipe. Example i is a function of (seed, i) alone.
 *
 * The examples made for training, dev and test never overlap: the text itself decides which of the
 * three it can be in (for dates, the day). */
#ifndef MADE_MADE_H
#define MADE_MADE_H

#include "format/corpus.h"

enum ken_made_part { KEN_MADE_TRAIN, KEN_MADE_DEV, KEN_MADE_TEST };
enum { KEN_DISTANCE_MOST = 4096 };

/* What to make. */
struct ken_make {
    uint64_t seed;
    enum ken_made_part part;
    size_t count;    /* number of examples                                              */
    size_t distance; /* maximum distance between related words; 0 = the maker's default */
    bool exact;      /* every distance is exactly `distance`                            */
    bool each;       /* targets are for each row, not for the sequence                  */
    enum ken_target_kind target_kind;
    double homophily, noise; /* only for the format social */
};

/* A text in the making: words with a label for each, or one label for all. The strings are
 * static. */
enum { KEN_DRAFT_MOST = KEN_DISTANCE_MOST + 64 };
struct ken_draft {
    const char *words[KEN_DRAFT_MOST], *labels[KEN_DRAFT_MOST];
    size_t count;
    uint64_t key, choices; /* key of its random numbers; how many were drawn */
};
typedef void ken_draft_fn(struct ken_draft *draft, size_t distance, bool exact);

/* ken_draft_below() draws a number below `bound`. ken_draft_distance() draws a distance from 1 to
 * `most`; each power of two is equally likely. ken_draft_add() appends a word. */
size_t ken_draft_below(struct ken_draft *draft, size_t bound);
size_t ken_draft_distance(struct ken_draft *draft, size_t most);
void ken_draft_add(struct ken_draft *draft, const char *word, const char *label);

typedef ken_status ken_make_fn(ken_corpus *corpus, const struct ken_make *how, uint64_t first);

struct ken_maker {
    struct ken_format_info info;
    ken_draft_fn *draft; /* drafts one text of words with labels; NULL = use `make` */
    size_t distance;     /* default distance of `draft`                             */
    ken_make_fn *make;   /* makes all examples                                      */
};

/* The maker of a format; NULL if the format is read from files. */
const struct ken_maker *ken_maker_named(const char *format);

/* Maker number i, from 0; NULL after the last. */
const struct ken_maker *ken_maker_at(size_t i);

/* The row of a format, read or made, by its name; NULL for an unknown name. */
const struct ken_format_info *ken_format_of(const char *name);

ken_status ken_make(ken_corpus *corpus, const struct ken_maker *maker, const struct ken_make *how);

/* ---- ambiguous.c ----------------------------------------------------------------------------- */

/* Sentences in which the tag of a word depends on its neighbours or on a word `distance` words
 * before it; for output.kind=each. The grammar is described in the file. */
ken_draft_fn ken_ambiguous_draft;

/* ---- recall.c -------------------------------------------------------------------------------- */

/* Associative recall: 16 keys are set to values, "c=7", one after another and most of them
 * repeatedly; the last word is a question, "c?". That key was set once, `distance` words before the
 * question, and the label is its value; for output.kind=whole. No word says what will be asked, so
 * all values have to be kept. Chance is 1 in 16. */
ken_draft_fn ken_recall_draft;

/* Letters; the label of each is the letter `distance` places after it, or "none"; for
 * output.kind=each. A model that sees only the past does little better than chance, 1 in 8: it can
 * guess where the end is. */
ken_draft_fn ken_future_draft;

/* ---- social.c, beads.c: graphs --------------------------------------------------------------- */

/* One network of `count` people, always the same for a seed. Whether a person buys is known for
 * half of the people in training, a quarter in dev and a quarter in test; for output.kind=each. */
ken_make_fn ken_social_make;

/* Letters on a string, nodes in random order, to be read from the marked end; for
 * output.kind=generate. */
ken_make_fn ken_beads_make;

#endif
