/* made.h - data that is made on the spot, not read: one table of makers, by the recipe's word for
 * the format. Example i is a function of (seed, i) alone.
 *
 * What is made for training, dev and test never overlaps: which of the three a text can be in
 * follows from the text itself (dates: from the day). */
#ifndef MADE_MADE_H
#define MADE_MADE_H

#include "format/corpus.h"

enum ken_made_part { KEN_MADE_TRAIN, KEN_MADE_DEV, KEN_MADE_TEST };
enum { KEN_DISTANCE_MOST = 4096 };

/* What is to be made. */
struct ken_make {
    uint64_t seed;
    enum ken_made_part part;
    size_t count;    /* examples                                                             */
    size_t distance; /* how far apart what belongs together is, at the most; 0: as the maker *
                      * has it                                                               */
    bool exact;      /* exactly so far                                                       */
    bool each;       /* targets of rows, not of sequences                                    */
    enum ken_target_kind target_kind;
    double homophily, noise; /* of social                                                    */
};

/* A text on its way: words and a label for each, or one for all. The strings are static. */
enum { KEN_DRAFT_MOST = KEN_DISTANCE_MOST + 64 };
struct ken_draft {
    const char *words[KEN_DRAFT_MOST], *labels[KEN_DRAFT_MOST];
    size_t count;
    uint64_t key, choices; /* of its random numbers, and how many were drawn */
};
typedef void ken_draft_fn(struct ken_draft *draft, size_t distance, bool exact);

/* Draws below `bound`; a distance from 1 to `most`, every power of two as likely; appends. */
size_t ken_draft_below(struct ken_draft *draft, size_t bound);
size_t ken_draft_distance(struct ken_draft *draft, size_t most);
void ken_draft_add(struct ken_draft *draft, const char *word, const char *label);

typedef ken_status ken_make_fn(ken_corpus *corpus, const struct ken_make *how, uint64_t first);

struct ken_maker {
    struct ken_format_info info;
    ken_draft_fn *draft; /* drafts one text of words with labels; NULL: see `make`             */
    size_t distance;     /* default of `distance` of the draft                                 */
    ken_make_fn *make;   /* makes all examples                                                 */
};

/* The maker of a format; NULL if the format is read from files. */
const struct ken_maker *ken_maker_named(const char *format);

/* Maker number i, from 0; NULL after the last. */
const struct ken_maker *ken_maker_at(size_t i);

/* The row of a format, read or made, by its name; NULL for an unknown name. */
const struct ken_format_info *ken_format_of(const char *name);

ken_status ken_make(ken_corpus *corpus, const struct ken_maker *maker, const struct ken_make *how);

/* ---- ambiguous.c ----------------------------------------------------------------------------- */

/* Sentences whose words have one tag or two, by their neighbours or by a word `distance` before:
 * output each. See the file for the grammar. */
ken_draft_fn ken_ambiguous_draft;

/* ---- recall.c -------------------------------------------------------------------------------- */

/* Associative recall: 16 keys are set to values, "c=7", one after another and most of them again
 * and again, and at the end comes a question, "c?". That key was set once, `distance` words before;
 * the label is its value, output whole. Since no word tells what will be asked, all that was set
 * has to be kept. Chance is 1 in 16. */
ken_draft_fn ken_recall_draft;

/* Letters, and for each the one that comes `distance` behind it, or "none": output each. Who sees
 * only what came before can do little better than chance, 1 in 8: it can guess where the end is. */
ken_draft_fn ken_future_draft;

/* ---- social.c, beads.c: graphs --------------------------------------------------------------- */

/* One network of `count` people, always the same for a seed: which of them buys is known of half of
 * them for training, of a quarter for dev and of a quarter for test; output each. */
ken_make_fn ken_social_make;

/* Letters on a string, nodes in any order: to be read from the marked end; output generate. */
ken_make_fn ken_beads_make;

#endif
