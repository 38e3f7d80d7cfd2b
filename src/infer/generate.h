/* generate.h - the three parts of generating sequences:
 *   slots    hold the growing sequences, one per slot, and compute the logits of their next ids
 *   choose   picks the ids that may come next from the logits
 *   search   beam search: decides which hypotheses of an input are continued, and when
 *            the search of this input is done
 * generate.c runs the steps that use these parts. */
#ifndef INFER_GENERATE_H
#define INFER_GENERATE_H

#include "infer/session.h"
#include "model/pass.h"

/* ---- generate_read.c ------------------------------------------------------------------------- */

struct ken_slots {
    struct ken_pass *pass; /* the model and the tape; every step clears the tape            */
    ken_arena *arena;      /* arena of all arrays of this struct; lasts until the call ends */
    size_t slots, room;    /* number of slots; maximum number of tokens in a slot           */
    /* tokens of each slot (`begin`, prefix, ids written so far); slots * room entries */
    int32_t *tokens;
    size_t *used;   /* number of tokens in each slot                                           */
    size_t *kept;   /* number of tokens of each slot whose keys and values are cached          */
    bool recompute; /* whether to work without a cache and keep the encoder's rows in `memory` */
    struct ken_cache cache;
    float *memory; /* rows that the encoder computed, if `recompute`; else NULL */
    /* Index of each input's first encoder row; inputs + 1 entries. NULL = no encoder. */
    size_t *memory_start;
};

/* Makes empty slots, and runs the encoder on the input if the model has one. */
ken_status ken_slots_init(struct ken_slots *reader, struct ken_pass *pass, ken_arena *arena,
                          const ken_sequences *input, size_t slots, size_t room, bool recompute);

/* Changes the number of slots to `slots` and their room to `room` tokens. After the change, slot s
 * holds the sequence that slot from[s] held before. */
ken_status ken_slots_resize(struct ken_slots *reader, size_t slots, size_t room,
                            const size_t *from);

void ken_slots_append(struct ken_slots *reader, size_t slot, int32_t token);

/* Copies the sequence in slot `from`, with its cached keys and values, to slot `to`. */
void ken_slots_copy(struct ken_slots *reader, size_t to, size_t from);

/* Computes the logits of the next token for `count` slots: row i of *logits belongs to slot[i],
 * which continues input source[i], and has output_size columns. The logits are on the tape, and the
 * caller may change them. */
ken_status ken_slots_next(struct ken_slots *reader, ken_tensor **logits, const size_t *slot,
                          const size_t *source, size_t count);

/* ---- generate_choose.c ----------------------------------------------------------------------- */

struct ken_candidate {
    double log_p; /* log probability of the hypothesis including `id` */
    int32_t id;
};

/* A hypothesis that needs a next id; ken_choose() gets one for each row of logits. */
struct ken_asking {
    const int32_t *ids; /* prefix and ids written so far; `count` entries */
    size_t count;
    size_t input, sample; /* index of the input, and index of the sample of this input      */
    size_t place;         /* number of ids written so far, without the prefix               */
    double log_p;         /* log probability of the ids written so far                      */
};

/* Returns how many candidates a row has at most: 2 * beam, or 1 if ids are drawn at random. */
size_t ken_choose_most(const ken_generation *how);

/* Chooses candidates for the next id of each hypothesis. Row r of `logits` belongs to asking[r] and
 * gets counts[r] candidates, the most likely one first; they begin at candidates[r * most], where
 * `most` is ken_choose_most(how). Changes the logits. Returns KEN_ERR_DIVERGED if a logit is not
 * finite. */
ken_status ken_choose(struct ken_candidate *candidates, size_t *counts, ken_tape *tape,
                      ken_tensor *logits, const struct ken_asking *asking, const ken_config *config,
                      const ken_generation *how);

/* Returns the log-sum-exp of n logits x: the natural logarithm of the sum of all e^x[i]. The log
 * probability of id i is x[i] minus the log-sum-exp. */
double ken_log_sum(const float *x, size_t n);

/* ---- generate_search.c ----------------------------------------------------------------------- */

struct ken_hypothesis {
    size_t slot; /* the slot of the reader that holds the hypothesis */
    double log_p;
};

/* The beam search for one sample of one input. A search owns `beam` slots of the reader. */
struct ken_search {
    size_t base;   /* number of the first slot that belongs to this search                   */
    size_t limit;  /* maximum number of ids in a result                                      */
    size_t length; /* number of ids in each living hypothesis                                */
    size_t ended;  /* number of hypotheses that have ended; the best of them are the results */
    size_t alive;  /* number of living hypotheses; 0 = the search is done                    */
    struct ken_hypothesis *living; /* living hypotheses, the most likely first; room for `beam` */
};

/* A hypothesis plus one more id that is not the end. It becomes a living hypothesis of the next
 * step. */
struct ken_going {
    double log_p;
    size_t parent; /* index, in `living`, of the hypothesis that is continued */
    size_t slot;
    int32_t id;
};

/* The state of one call of ken_session_generate(). */
struct ken_writing {
    const ken_generation *how;
    const ken_config *config;
    const ken_sequences *prefix; /* ids that each result begins with; NULL = none */
    struct ken_slots reader;
    size_t count;                /* number of searches: inputs * how->samples */
    struct ken_search *searches; /* one for each sample of each input         */
    /* Ids of the results, in the caller's memory; count * best * how->longest entries. */
    int32_t *ids;
    size_t *lengths; /* lengths of the results, in the caller's memory; count * best entries    */
    double *log_ps;  /* log probability of each result; count * best entries                    */
    /* Score of each result, by which results are ranked: the log probability with the length
     * penalty; count * best entries. */
    double *scores;

    /* Arrays of one step. Those from `slots` to `taken` have one row for each living hypothesis of
     * all searches, at most count * beam rows. */
    size_t *slots, *sources; /* the arguments `slot` and `source` of ken_slots_next() */
    struct ken_asking *asking;
    struct ken_candidate *candidates; /* for each row, room for ken_choose_most() candidates */
    /* `counts` is the number of candidates of each row, `taken` the number of them already used. */
    size_t *counts, *taken;
    struct ken_going *going; /* continuations of one search (one input); room for `beam` entries */
    size_t *owner; /* for each slot of a search: index of the entry in `going` that takes it */
};

/* Makes one step of search b: each living hypothesis becomes one id longer. `row` is the first row
 * of `candidates` that belongs to search b. */
void ken_search_step(struct ken_writing *w, size_t b, size_t row);

/* Ends search b before its hypotheses have reached the end id: all living hypotheses become
 * results. */
void ken_search_stop(struct ken_writing *w, size_t b);

#endif
