/* generate_search.c - beam search for one input, as ken.h describes it at ken_model_generate().
 * Greedy decoding and drawing are beam searches with a beam of 1. Invariant: a continuation stays
 * in the slot of the hypothesis that it continues, unless a more likely continuation has taken that
 * slot. */
#include "base/size.h"
#include "infer/generate.h"

#include <math.h>
#include <string.h>

/* Returns the score by which hypotheses are ranked: log_p / length ^ length_penalty. */
static double score_of(const struct ken_writing *w, double log_p, size_t length)
{
    return length > 0 ? log_p / pow((double)length, (double)w->how->length_penalty) : log_p;
}

/* ---- results, sorted by score
 * ----------------------------------------------------------------- */

static void move_result(struct ken_writing *w, size_t to, size_t from)
{
    size_t longest = w->how->longest;
    if (w->lengths[from] > 0)
        memcpy(w->ids + to * longest, w->ids + from * longest, w->lengths[from] * sizeof *w->ids);
    w->lengths[to] = w->lengths[from];
    w->scores[to] = w->scores[from];
    w->log_ps[to] = w->log_ps[from];
}

/* Adds the hypothesis in slot `slot` to the results of search b if its score is good enough. `ends`
 * says that the hypothesis has reached the end id; otherwise it has reached the maximum length. */
static void finish(struct ken_writing *w, size_t b, size_t slot, double log_p, bool ends)
{
    struct ken_search *search = &w->searches[b];
    size_t best = w->how->best, first = b * best, length = search->length;
    size_t have = ken_size_min(search->ended++, best), at = have;
    double score = score_of(w, log_p, length + ends);
    while (at > 0 && score > w->scores[first + at - 1]) at--;
    if (at == best) return;
    for (size_t r = ken_size_min(have, best - 1); r > at; r--)
        move_result(w, first + r, first + r - 1);
    const struct ken_slots *reader = &w->reader;
    const int32_t *ids = reader->tokens + slot * reader->room + reader->used[slot] - length;
    if (length > 0) memcpy(w->ids + (first + at) * w->how->longest, ids, length * sizeof *ids);
    w->lengths[first + at] = length;
    w->scores[first + at] = score;
    w->log_ps[first + at] = log_p;
}

void ken_search_stop(struct ken_writing *w, size_t b)
{
    struct ken_search *search = &w->searches[b];
    for (size_t a = 0; a < search->alive; a++)
        finish(w, b, search->living[a].slot, search->living[a].log_p, false);
    search->alive = 0;
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Finds the row with the most likely unused candidate, among `alive` rows from row `row` on.
 * Returns the index of that row minus `row`, or `alive` if no candidate is left. */
static size_t best_row(const struct ken_writing *w, size_t row, size_t alive)
{
    size_t best = alive, most = ken_choose_most(w->how);
    double log_p = 0;
    for (size_t a = 0; a < alive; a++) {
        size_t at = w->taken[row + a];
        if (at == w->counts[row + a]) continue;
        double here = w->candidates[(row + a) * most + at].log_p;
        if (best < alive && !(here > log_p)) continue;
        best = a;
        log_p = here;
    }
    return best;
}

/* Goes through the candidates of search b, the most likely first. A candidate with the end id
 * becomes a result; any other candidate is added to `going`. Returns the number of entries in
 * `going`. */
static size_t sort_out(struct ken_writing *w, size_t b, size_t row)
{
    const struct ken_search *search = &w->searches[b];
    size_t beam = w->how->beam, most = ken_choose_most(w->how), count = 0;
    for (size_t rank = 0; rank < 2 * beam && count < beam; rank++) {
        size_t a = best_row(w, row, search->alive);
        if (a == search->alive) break;
        struct ken_candidate next = w->candidates[(row + a) * most + w->taken[row + a]++];
        if (next.id != w->config->end)
            w->going[count++] = (struct ken_going){ next.log_p, a, 0, next.id };
        else if (rank < beam) finish(w, b, search->living[a].slot, next.log_p, true);
    }
    return count;
}

/* Gives each continuation a slot that holds its ids so far. The first continuation of a hypothesis
 * keeps the slot of that hypothesis; further continuations get copies in free slots. So a copy
 * never overwrites a slot that is still needed. */
static void take_slots(struct ken_writing *w, size_t b, size_t count)
{
    const struct ken_search *search = &w->searches[b];
    size_t beam = w->how->beam, *owner = w->owner, free = 0;
    /* owner[s] = beam means that slot s is free */
    for (size_t s = 0; s < beam; s++) owner[s] = beam;
    for (size_t i = 0; i < count; i++) {
        size_t slot = search->living[w->going[i].parent].slot - search->base;
        if (owner[slot] == beam) owner[slot] = i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t slot = search->living[w->going[i].parent].slot;
        w->going[i].slot = slot;
        if (owner[slot - search->base] == i) continue;
        while (owner[free] < beam) free++;
        owner[free] = i;
        w->going[i].slot = search->base + free;
        ken_slots_copy(&w->reader, w->going[i].slot, slot);
    }
}

/* Returns whether the search is done: nothing is left to continue, or `beam` hypotheses have ended
 * and no continuation has a better score, at its present length, than the worst result. */
static bool is_done(const struct ken_writing *w, size_t b, size_t count)
{
    const struct ken_search *search = &w->searches[b];
    if (count == 0) return true;
    if (search->ended < w->how->beam) return false;
    double last = w->scores[b * w->how->best + w->how->best - 1];
    return !(score_of(w, w->going[0].log_p, search->length + 1) > last);
}

void ken_search_step(struct ken_writing *w, size_t b, size_t row)
{
    struct ken_search *search = &w->searches[b];
    size_t count = sort_out(w, b, row);
    if (is_done(w, b, count)) {
        search->alive = 0;
        return;
    }
    take_slots(w, b, count);
    search->alive = count;
    search->length++;
    for (size_t i = 0; i < count; i++) {
        const struct ken_going *going = &w->going[i];
        search->living[i] = (struct ken_hypothesis){ going->slot, going->log_p };
        ken_slots_append(&w->reader, going->slot, going->id);
    }
    if (search->length == search->limit) ken_search_stop(w, b);
}
