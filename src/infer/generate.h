/* generate.h - the parts of generation, from the logits up:
 *   slots    sequences that grow, one in each slot, and the logits of the next id of each
 *   choose   from logits to the ids that may come next
 *   search   beam search: which hypotheses of an input are continued, and when the input is done
 * and generate.c, which runs the steps. */
#ifndef INFER_GENERATE_H
#define INFER_GENERATE_H

#include "infer/session.h"
#include "model/pass.h"

/* ---- generate_read.c ------------------------------------------------------------------------- */

struct ken_slots {
    struct ken_pass *pass; /* every step clears its tape                               */
    ken_arena *arena;      /* of the call; all arrays of this struct are in it         */
    size_t slots, room;    /* number of slots, and tokens that fit into each           */
    int32_t *tokens;       /* (slots, room): begin, prefix, and the ids written so far */
    size_t *used;          /* (slots): number of tokens                                */
    size_t *kept;          /* (slots): number of them whose keys and values are cached */
    bool recompute;        /* work without a cache; `memory` has the encoder's rows    */
    struct ken_cache cache;
    float *memory;        /* with `recompute`: the encoder's rows              */
    size_t *memory_start; /* (inputs + 1): the first of them; NULL: no encoder */
};

/* Makes empty slots, and runs the encoder on the input if the model has one. */
ken_status ken_slots_init(struct ken_slots *reader, struct ken_pass *pass, ken_arena *arena,
                          const ken_sequences *input, size_t slots, size_t room, bool recompute);

/* Changes the number of slots and their room; new slot s gets the sequence of old slot from[s]. */
ken_status ken_slots_resize(struct ken_slots *reader, size_t slots, size_t room,
                            const size_t *from);

void ken_slots_append(struct ken_slots *reader, size_t slot, int32_t token);

/* Slot `to` gets the sequence of slot `from`. */
void ken_slots_copy(struct ken_slots *reader, size_t to, size_t from);

/* Computes logits (count, output_size) for the next token of each of `count` slots; source[a] is
 * the input that slot[a] belongs to. The logits are on the tape, and the caller may change them. */
ken_status ken_slots_next(struct ken_slots *reader, ken_tensor **logits, const size_t *slot,
                          const size_t *source, size_t count);

/* ---- generate_choose.c ----------------------------------------------------------------------- */

struct ken_candidate {
    double log_p; /* of the whole hypothesis up to this id */
    int32_t id;
};

/* A hypothesis that asks for its next id. */
struct ken_asking {
    const int32_t *ids; /* (count): the prefix and the ids written so far */
    size_t count;
    size_t input, place; /* number of the input, and of ids written so far */
    double log_p;        /* of the hypothesis so far                       */
};

/* The maximum number of candidates of a row: 2 * beam, or 1 when drawing. */
size_t ken_choose_most(const ken_generation *how);

/* Fills candidates (rows, most) and their number counts (rows); the candidates of a row are in
 * order, the most likely first. Changes the logits. KEN_ERR_DIVERGED if they are not finite. */
ken_status ken_choose(struct ken_candidate *candidates, size_t *counts, ken_tape *tape,
                      ken_tensor *logits, const struct ken_asking *asking, const ken_config *config,
                      const ken_generation *how);

/* Log of the sum of e^x over a row of logits: ln p_i = x_i - this. */
double ken_log_sum(const float *x, size_t n);

/* ---- generate_search.c ----------------------------------------------------------------------- */

struct ken_hypothesis {
    size_t slot; /* slot of the reader that holds it */
    double log_p;
};

/* The search for one input. It owns `beam` slots of the reader. */
struct ken_search {
    size_t base;   /* its first slot                                                 */
    size_t limit;  /* maximum number of ids of a result                              */
    size_t length; /* number of ids of each living hypothesis                        */
    size_t ended;  /* number of hypotheses that have ended; the best are the results */
    size_t alive;  /* number of living hypotheses; 0: the search is done             */
    struct ken_hypothesis *living; /* (beam), the most likely first                  */
};

/* A continuation that has not ended: it becomes a living hypothesis of the next step. */
struct ken_going {
    double log_p;
    size_t parent; /* index of the living hypothesis that it continues */
    size_t slot;
    int32_t id;
};

/* The state of one call of ken_session_generate(). */
struct ken_writing {
    const ken_generation *how;
    const ken_config *config;
    const ken_sequences *prefix; /* or NULL */
    struct ken_slots reader;
    struct ken_search *searches; /* (inputs) */
    size_t inputs;
    int32_t *ids;    /* results, the caller's: (inputs, best, how->longest)          */
    size_t *lengths; /* the caller's: (inputs, best)                                 */
    double *log_ps;  /* (inputs, best): log probability of each result               */
    double *scores;  /* (inputs, best): the same with the length penalty, to rank by */

    /* For one step: a row for each living hypothesis, at most inputs * beam. */
    size_t *slots, *sources; /* arguments of ken_slots_next() */
    struct ken_asking *asking;
    struct ken_candidate *candidates; /* (rows, most)                               */
    size_t *counts, *taken;           /* candidates of a row, and how many are used */
    struct ken_going *going;          /* (beam)                                     */
    size_t *owner;                    /* (beam): index in `going` that has the slot */
};

/* Makes one step of search b: each living hypothesis becomes one id longer. Their rows begin at
 * `row`. */
void ken_search_step(struct ken_writing *w, size_t b, size_t row);

/* Ends search b: its living hypotheses become results as they are. */
void ken_search_stop(struct ken_writing *w, size_t b);

#endif
