/* generate.c - generates sequences for many inputs at once: each step adds one id to every living
 * hypothesis, and inputs that are done leave the batch. There is one beam search for each sample of
 * each input: search b is for sample b % samples of input b / samples. Invariant: search b owns
 * `beam` slots of the reader, from slot `base` on, and each living hypothesis of search b has one
 * of these slots to itself. */
#include "infer/generate.h"

#include "base/options.h"
#include "base/size.h"

#include <math.h>

/* Number of generated ids for which a slot has room at first. The room is doubled when a slot is
 * full. */
enum { ROOM_AT_FIRST = 32 };

void ken_generation_init(ken_generation *how, size_t size)
{
    const ken_generation defaults = {
        .size = sizeof defaults,
        .longest = 256,
        .beam = 1,
        .best = 1,
        .length_penalty = 1,
        .top_p = 1,
        .seed = 1,
        .samples = 1,
    };
    ken_options_give(how, size, &defaults, sizeof defaults);
}

/* Copies the caller's options. The caller may have been compiled with an older ken.h, whose struct
 * has fewer fields. */
static ken_status take_options(ken_generation *own, const ken_generation *given)
{
    KEN_TRY(ken_given(given != NULL, "ken_session_generate", "how"));
    *own = ken_generation_default();
    return ken_options_take(own, sizeof *own, given, KEN_OPTIONS_END(ken_generation, first),
                            "ken_generation");
}

static const char *what_is_wrong(const ken_generation *how)
{
    bool draws = how->temperature > 0;
    if (how->beam == 0) return "beam must be 1 or more";
    if (how->best == 0 || how->best > how->beam) return "best must be 1 to beam";
    if (!(how->length_penalty >= 0 && how->length_penalty < INFINITY))
        return "the length penalty must be finite, 0 or more";
    if (!(how->temperature >= 0 && how->temperature < INFINITY))
        return "the temperature must be finite, 0 or more";
    if (draws && how->beam > 1)
        return "beam search does not draw: with a temperature, beam must be 1";
    if (!(how->top_p > 0 && how->top_p <= 1)) return "top_p must be above 0 and at most 1";
    if (!draws && (how->top_k > 0 || how->top_p < 1))
        return "top_k and top_p limit drawing: they need a temperature above 0";
    if (how->samples == 0) return "samples must be 1 or more";
    if (how->samples > 1 && !draws) return "several samples need a temperature above 0";
    if (how->on_id && how->beam > 1) return "beam search decides at the end: on_id needs beam = 1";
    return NULL;
}

static ken_status check(const ken_model *model, const ken_sequences *input,
                        const ken_generation *how)
{
    const char *wrong = what_is_wrong(how);
    size_t slots;
    if (model->config.output != KEN_GENERATE)
        return ken_fail(KEN_ERR_STATE, "generate: this model gives labels; use predict");
    if (wrong) return ken_fail(KEN_ERR_ARGUMENT, "generate: %s", wrong);
    KEN_TRY(ken_model_check_input(model, input));
    size_t each = ken_size_max(how->beam, how->samples); /* `beam` or `samples` is 1 */
    if (!ken_size_mul(&slots, input->count, each) || slots > KEN_ATTEND_SEQUENCES)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "generate: %zu input%s with a %s of %zu; at most %d hypotheses at once",
                        input->count, ken_plural(input->count),
                        how->samples > 1 ? "number of samples" : "beam", each,
                        KEN_ATTEND_SEQUENCES);
    if (!how->prefix) return KEN_OK;
    if (model->config.encoder_blocks == 0)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "generate: a language model continues its input and takes no prefix");
    KEN_TRY(ken_model_check_target(model, how->prefix));
    if (how->prefix->count != input->count)
        return ken_fail(KEN_ERR_SHAPE, "generate: prefix has %zu sequence%s, input has %zu",
                        how->prefix->count, ken_plural(how->prefix->count), input->count);
    return KEN_OK;
}

/* ---- the beginning --------------------------------------------------------------------------- */

/* Returns the ids that search b begins with, and their number. */
static const int32_t *prefix_of(const struct ken_writing *w, size_t b, size_t *length)
{
    *length = 0;
    if (!w->prefix) return NULL;
    const size_t *start = w->prefix->start + b / w->how->samples;
    *length = start[1] - start[0];
    return w->prefix->ids + start[0];
}

/* Allocates the arrays of one ken_session_generate() call, except those of the reader, from an
 * arena that lasts until the call ends. */
static ken_status take_arrays(struct ken_writing *w, ken_arena *arena)
{
    size_t B = w->count, rows = B * w->how->beam, results = B * w->how->best, all;
    struct ken_hypothesis *living = ken_arena_take(arena, rows, sizeof *living);
    w->searches = ken_arena_take_zeroed(arena, B, sizeof *w->searches);
    w->log_ps = ken_arena_take(arena, results, sizeof *w->log_ps);
    w->scores = ken_arena_take(arena, results, sizeof *w->scores);
    w->slots = ken_arena_take(arena, rows, sizeof *w->slots);
    w->sources = ken_arena_take(arena, rows, sizeof *w->sources);
    w->asking = ken_arena_take(arena, rows, sizeof *w->asking);
    w->counts = ken_arena_take(arena, rows, sizeof *w->counts);
    w->taken = ken_arena_take(arena, rows, sizeof *w->taken);
    w->going = ken_arena_take(arena, w->how->beam, sizeof *w->going);
    w->owner = ken_arena_take(arena, w->how->beam, sizeof *w->owner);
    w->candidates = ken_size_mul(&all, rows, ken_choose_most(w->how))
                        ? ken_arena_take(arena, all, sizeof *w->candidates)
                        : NULL;
    /* Only checks that the size of the caller's array `ids`, in bytes, does not overflow. */
    bool fits = ken_size_mul(&all, results, w->how->longest) &&
                ken_size_mul(&all, all, sizeof *w->ids);
    if (!fits || !living || !w->searches || !w->log_ps || !w->scores || !w->slots || !w->sources ||
        !w->asking || !w->counts || !w->taken || !w->going || !w->owner || !w->candidates)
        return ken_fail(KEN_ERR_MEMORY, "no memory to write %zu sequences", B);
    for (size_t b = 0; b < B; b++) w->searches[b].living = living + b * w->how->beam;
    return KEN_OK;
}

/* Starts each search with one hypothesis, which holds `begin` and the prefix of the input. */
static void begin(struct ken_writing *w)
{
    const ken_config *c = w->config;
    for (size_t b = 0; b < w->count; b++) {
        struct ken_search *search = &w->searches[b];
        size_t given;
        const int32_t *prefix = prefix_of(w, b, &given);
        search->base = b * w->how->beam;
        search->limit = w->how->longest;
        /* With learned positions, the decoder can read at most c->longest ids. To write id n of a
         * result, it reads `begin`, the prefix and n - 1 ids. So prefix and result together have at
         * most c->longest ids. A prefix that is too long by itself is refused later, where
         * positions are added. */
        if (c->position == KEN_POSITION_LEARNED && given < c->longest)
            search->limit = ken_size_min(search->limit, c->longest - given);
        search->alive = 1;
        search->living[0] = (struct ken_hypothesis){ search->base, 0 };
        ken_slots_append(&w->reader, search->base, c->begin);
        for (size_t i = 0; i < given; i++) ken_slots_append(&w->reader, search->base, prefix[i]);
        if (search->limit == 0) ken_search_stop(w, b);
    }
    /* Results that a search does not find have no ids and a log probability of -infinity. */
    for (size_t r = 0; r < w->count * w->how->best; r++) {
        if (r % w->how->best < w->searches[r / w->how->best].ended) continue;
        w->lengths[r] = 0;
        w->log_ps[r] = -INFINITY;
    }
}

/* ---- the steps ------------------------------------------------------------------------------- */

/* Makes sure that every slot in use has room for one more id. When the slots have to grow, the
 * slots of inputs that are done are dropped. */
static ken_status make_room(struct ken_writing *w)
{
    size_t most = 0, slots = 0, beam = w->how->beam;
    for (size_t b = 0; b < w->count; b++)
        for (size_t a = 0; a < w->searches[b].alive; a++)
            most = ken_size_max(most, w->reader.used[w->searches[b].living[a].slot]);
    if (most < w->reader.room) return KEN_OK;
    for (size_t b = 0; b < w->count; b++) {
        struct ken_search *search = &w->searches[b];
        if (search->alive == 0) continue;
        for (size_t a = 0; a < search->alive; a++)
            search->living[a].slot = search->living[a].slot - search->base + slots;
        for (size_t s = 0; s < beam; s++) w->slots[slots + s] = search->base + s;
        search->base = slots;
        slots += beam;
    }
    return ken_slots_resize(&w->reader, slots, 2 * w->reader.room, w->slots);
}

/* Makes the list of the living hypotheses of all inputs, one row for each, and returns the number
 * of rows. */
static size_t list_rows(struct ken_writing *w)
{
    size_t row = 0;
    for (size_t b = 0; b < w->count; b++) {
        const struct ken_search *search = &w->searches[b];
        for (size_t a = 0; a < search->alive; a++, row++) {
            size_t slot = search->living[a].slot;
            w->slots[row] = slot;
            w->sources[row] = b / w->how->samples;
            w->taken[row] = 0;
            /* `ids` points after `begin`, the first token of every slot, because `begin` is not
             * part of a hypothesis. */
            w->asking[row] = (struct ken_asking){ .ids = w->reader.tokens + slot * w->reader.room +
                                                         1,
                                                  .count = w->reader.used[slot] - 1,
                                                  .input = b / w->how->samples,
                                                  .sample = b % w->how->samples,
                                                  .place = search->length,
                                                  .log_p = search->living[a].log_p };
        }
    }
    return row;
}

/* Passes the newest id of search b, whose beam is 1, to the caller. */
static ken_status report_id(const struct ken_writing *w, size_t b)
{
    const ken_generation *how = w->how;
    const struct ken_slots *reader = &w->reader;
    size_t slot = w->searches[b].living[0].slot;
    int32_t id = reader->tokens[slot * reader->room + reader->used[slot] - 1];
    if (how->on_id(how->on_id_user, b / how->samples, b % how->samples, id) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "generate: the caller stopped at id %zu of a result",
                    w->searches[b].length);
}

/* Runs steps until all searches are done. This loop ends, because every step makes each living
 * hypothesis one id longer and the length of a hypothesis is limited. */
static ken_status run_steps(struct ken_writing *w)
{
    for (;;) {
        KEN_TRY(make_room(w));
        size_t rows = list_rows(w);
        if (rows == 0) return KEN_OK;
        ken_tensor *logits;
        KEN_TRY(ken_slots_next(&w->reader, &logits, w->slots, w->sources, rows));
        KEN_TRY(ken_choose(w->candidates, w->counts, w->reader.pass->tape, logits, w->asking,
                           w->config, w->how));
        for (size_t b = 0, row = 0; b < w->count; b++) {
            size_t alive = w->searches[b].alive, length = w->searches[b].length;
            if (alive > 0) ken_search_step(w, b, row);
            if (w->how->on_id && w->searches[b].length > length) KEN_TRY(report_id(w, b));
            row += alive;
        }
    }
}

static ken_status write_all(struct ken_writing *w, ken_session *session, const ken_sequences *input,
                            float *scores)
{
    ken_arena *arena = &session->arena;
    size_t most = 0, slots = w->count * w->how->beam;
    KEN_TRY(take_arrays(w, arena));
    for (size_t b = 0; b < w->count; b++) {
        size_t given;
        prefix_of(w, b, &given);
        most = ken_size_max(most, given);
    }
    /* Besides prefix and ids, a slot needs room for `begin` and one spare token, so that results of
     * ROOM_AT_FIRST ids need no resizing. */
    size_t room = most + 2 + ken_size_min(w->how->longest, ROOM_AT_FIRST);
    KEN_TRY(
        ken_slots_init(&w->reader, &session->pass, arena, input, slots, room, w->how->recompute));
    begin(w);
    KEN_TRY(run_steps(w));
    for (size_t r = 0; scores && r < w->count * w->how->best; r++) scores[r] = (float)w->log_ps[r];
    return KEN_OK;
}

ken_status ken_session_generate(ken_session *session, int32_t *ids, size_t *lengths, float *scores,
                                const ken_sequences *input, const ken_generation *given)
{
    ken_generation own, *how = &own;
    KEN_TRY(KEN_GIVEN(session));
    KEN_TRY(take_options(how, given));
    const ken_model *model = session->model;
    struct ken_team *before;
    KEN_TRY(check(model, input, how));
    if (input->count > 0) KEN_TRY(KEN_GIVEN(lengths));
    if (input->count > 0 && how->longest > 0) KEN_TRY(KEN_GIVEN(ids));
    struct ken_writing w = { .how = how,
                             .config = &model->config,
                             .prefix = model->config.encoder_blocks > 0 ? how->prefix : input,
                             .count = input->count * how->samples,
                             .ids = ids,
                             .lengths = lengths };
    ken_status status = ken_session_begin(session, false, &before);
    if (!status) status = write_all(&w, session, input, scores);
    ken_session_end(session, before);
    return status;
}
