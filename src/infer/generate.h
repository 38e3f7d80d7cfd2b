/* generate.h - the parts of generation, from the logits up:
 *   slots    sequences that grow, one in each slot, and the logits of the next id of each
 *   choose   from logits to the ids that may come next
 *   search   beam search: which hypotheses of an input are continued, and when the input is done
 * The steps themselves are run by generate.c. */
#ifndef INFER_GENERATE_H
#define INFER_GENERATE_H

#include "infer/session.h"
#include "model/pass.h"

/* ---- generate_read.c ------------------------------------------------------------------------- */

struct ken_slots {
    struct ken_pass *pass; /* model and tape; every step clears the tape                    */
    ken_arena *arena;      /* lasts until the call ends; holds all arrays of this struct    */
    size_t slots, room;    /* number of slots, and how many tokens fit into each            */
    int32_t *tokens;       /* (slots, room): begin, prefix, and the ids written so far      */
    size_t *used;          /* (slots): number of tokens in each slot                        */
    size_t *kept;          /* (slots): number of tokens whose keys and values are cached    */
    bool recompute;        /* work without a cache, and keep the encoder's rows in `memory` */
    struct ken_cache cache;
    float *memory;        /* the encoder's rows, if `recompute`; else NULL                    */
    size_t *memory_start; /* (inputs + 1), first encoder row of each input; NULL = no encoder */
};

/* Makes empty slots, and runs the encoder on the input if the model has one. */
ken_status ken_slots_init(struct ken_slots *reader, struct ken_pass *pass, ken_arena *arena,
                          const ken_sequences *input, size_t slots, size_t room, bool recompute);

/* Changes the number of slots and their room. New slot s gets the sequence of old slot from[s]. */
ken_status ken_slots_resize(struct ken_slots *reader, size_t slots, size_t room,
                            const size_t *from);

void ken_slots_append(struct ken_slots *reader, size_t slot, int32_t token);

/* Copies the sequence of slot `from` to slot `to`, with its rows in the cache. */
void ken_slots_copy(struct ken_slots *reader, size_t to, size_t from);

/* Computes logits (count, output_size) for the next token of `count` slots: row a belongs to
 * slot[a], which continues input source[a]. The logits are on the tape, and the caller may change
 * them. */
ken_status ken_slots_next(struct ken_slots *reader, ken_tensor **logits, const size_t *slot,
                          const size_t *source, size_t count);

/* ---- generate_choose.c ----------------------------------------------------------------------- */

struct ken_candidate {
    double log_p; /* log probability of the hypothesis up to and including this id */
    int32_t id;
};

/* A hypothesis that needs its next id. */
struct ken_asking {
    const int32_t *ids; /* (count), the prefix and the ids written so far */
    size_t count;
    size_t input, place; /* index of the input; number of ids written so far */
    double log_p;        /* log probability of the hypothesis so far         */
};

/* Returns the maximum number of candidates per row: 2 * beam, or 1 when drawing. */
size_t ken_choose_most(const ken_generation *how);

/* Chooses candidates for the next id, for each row of logits: row r gets counts[r] candidates, at
 * candidates + r * most, the most likely one first; `most` is ken_choose_most(). Changes the
 * logits. KEN_ERR_DIVERGED if the logits are not finite. */
ken_status ken_choose(struct ken_candidate *candidates, size_t *counts, ken_tape *tape,
                      ken_tensor *logits, const struct ken_asking *asking, const ken_config *config,
                      const ken_generation *how);

/* Returns the log-sum-exp of a row of n logits x, the ln of the sum of e^x_i. The log probability
 * of id i is x_i minus the log-sum-exp. */
double ken_log_sum(const float *x, size_t n);

/* ---- generate_search.c ----------------------------------------------------------------------- */

struct ken_hypothesis {
    size_t slot; /* the slot of the reader that holds the hypothesis */
    double log_p;
};

/* The search for one input. It owns `beam` slots of the reader. */
struct ken_search {
    size_t base;   /* first slot of this search                                      */
    size_t limit;  /* maximum number of ids of a result                              */
    size_t length; /* number of ids that each living hypothesis has                  */
    size_t ended;  /* number of hypotheses that have ended; the best are the results */
    size_t alive;  /* number of living hypotheses; 0 = the search is done            */
    struct ken_hypothesis *living; /* (beam), the most likely first */
};

/* A continuation that has not ended: it becomes a living hypothesis of the next step. */
struct ken_going {
    double log_p;
    size_t parent; /* index of the living hypothesis that is continued */
    size_t slot;
    int32_t id;
};

/* The state of one call of ken_session_generate(). */
struct ken_writing {
    const ken_generation *how;
    const ken_config *config;
    const ken_sequences *prefix; /* ids that each result begins with, or NULL */
    struct ken_slots reader;
    struct ken_search *searches; /* (inputs), one search per input */
    size_t inputs;
    int32_t *ids;    /* results, in the caller's memory: (inputs, best, how->longest)  */
    size_t *lengths; /* lengths of the results, in the caller's memory: (inputs, best) */
    double *log_ps;  /* (inputs, best): log probability of each result                 */
    /* (inputs, best), log probability of each result with the length penalty; results are ranked by
     * it. */
    double *scores;

    /* Arrays of one step, with a row for each living hypothesis; at most inputs * beam rows. */
    size_t *slots, *sources; /* arguments of ken_slots_next() */
    struct ken_asking *asking;
    struct ken_candidate *candidates; /* (rows, most), candidates of each row */
    size_t *counts, *taken;  /* (rows): number of candidates, and how many of them are used */
    struct ken_going *going; /* (beam), the continuations of one search                     */
    size_t *owner;           /* (beam), for each slot: index in `going` of its continuation */
};

/* Makes one step of search b: each living hypothesis becomes one id longer. The rows of its living
 * hypotheses begin at row `row`. */
void ken_search_step(struct ken_writing *w, size_t b, size_t row);

/* Ends search b: its living hypotheses become results, although they have not reached their end. */
void ken_search_stop(struct ken_writing *w, size_t b);

#endif
