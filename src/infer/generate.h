/* generate.h - the parts of generation, from the logits up:
 *   slots    sequences that grow in slots, and the logits of what follows each
 *   choose   from logits to the ids that may come next
 *   search   which hypotheses of an input live on, and when it is done
 * and generate.c, which runs the steps. */
#ifndef INFER_GENERATE_H
#define INFER_GENERATE_H

#include "infer/session.h"
#include "model/pass.h"

/* ---- generate_read.c ------------------------------------------------------------------------- */

struct ken_slots {
    struct ken_pass *pass; /* a step clears its tape                                 */
    ken_arena *arena;      /* of the call: everything here lies in it                */
    size_t slots, room;
    int32_t *tokens; /* (slots, room): begin, prefix, what was written               */
    size_t *used;    /* (slots): how many tokens there are,                          */
    size_t *kept;    /* and how many of them the cache has as keys and values        */
    bool recompute;  /* then there is no cache, and `memory` are the encoder's rows  */
    struct ken_cache cache;
    float *memory;
    size_t *memory_start; /* where the encoder's rows of each input begin; NULL: no encoder  */
};

/* Reads the input with the encoder, if there is one. */
ken_status ken_slots_init(struct ken_slots *reader, struct ken_pass *pass, ken_arena *arena,
                          const ken_sequences *input, size_t slots, size_t room, bool recompute);

/* Other numbers of slots and tokens; new slot s gets the sequence of old slot from[s]. */
ken_status ken_slots_resize(struct ken_slots *reader, size_t slots, size_t room,
                            const size_t *from);

void ken_slots_append(struct ken_slots *reader, size_t slot, int32_t token);

/* Slot `to` gets the sequence of slot `from`. */
void ken_slots_copy(struct ken_slots *reader, size_t to, size_t from);

/* Logits (count, output_size) of the next token of each of these slots; source[a] is the input that
 * it is about. They are on the tape, and the caller may write to them. */
ken_status ken_slots_next(struct ken_slots *reader, ken_tensor **logits, const size_t *slot,
                          const size_t *source, size_t count);

/* ---- generate_choose.c ----------------------------------------------------------------------- */

struct ken_candidate {
    double log_p; /* of everything up to this id */
    int32_t id;
};

/* A hypothesis that asks for its next id. */
struct ken_asking {
    const int32_t *ids; /* (count): prefix and what was written       */
    size_t count;
    size_t input, place; /* which input, and how many ids were written */
    double log_p;
};

/* Candidates that a row can have: the most likely ones in twice the beam's number, or one draw. */
size_t ken_choose_most(const ken_generation *how);

/* candidates (rows, most) with counts (rows), of each row the most likely first. Changes the
 * logits. KEN_ERR_DIVERGED when they are not finite. */
ken_status ken_choose(struct ken_candidate *candidates, size_t *counts, ken_tape *tape,
                      ken_tensor *logits, const struct ken_asking *asking, const ken_config *config,
                      const ken_generation *how);

/* Log of the sum of e^x over a row of logits: ln p_i = x_i - this. */
double ken_log_sum(const float *x, size_t n);

/* ---- generate_search.c ----------------------------------------------------------------------- */

struct ken_hypothesis {
    size_t slot; /* where the reader has it */
    double log_p;
};

/* The search for one input. It owns `beam` slots of the reader. */
struct ken_search {
    size_t base;   /* its first slot                                                 */
    size_t limit;  /* ids, at the most                                               */
    size_t length; /* ids that each living hypothesis has                            */
    size_t ended;  /* hypotheses so far; the best of them are the results            */
    size_t alive;
    struct ken_hypothesis *living; /* (beam), the most likely first                   */
};

/* A continuation that goes on. */
struct ken_going {
    double log_p;
    size_t parent; /* which of the living it continues */
    size_t slot;
    int32_t id;
};

/* Everything that one call of generate has. */
struct ken_writing {
    const ken_generation *how;
    const ken_config *config;
    const ken_sequences *prefix; /* or NULL */
    struct ken_slots reader;
    struct ken_search *searches; /* (inputs)                                          */
    size_t inputs;
    int32_t *ids; /* results: the caller's (inputs, best, longest)                    */
    size_t *lengths;
    double *log_ps, *scores; /* (inputs, best)                                        */

    /* Of a step: a row for each living hypothesis, at most inputs * beam. */
    size_t *slots, *sources;
    struct ken_asking *asking;
    struct ken_candidate *candidates; /* (rows, most)                                 */
    size_t *counts, *taken;           /* candidates of a row, and how many are used   */
    struct ken_going *going;          /* (beam) */
    size_t *owner;                    /* (beam): who goes on in each slot of an input */
};

/* Moves search b by one id; the rows of its living hypotheses begin at `row`. */
void ken_search_step(struct ken_writing *w, size_t b, size_t row);

/* The living hypotheses become results as they are. */
void ken_search_stop(struct ken_writing *w, size_t b);

#endif
