/* recurrent.c - the parameters of a recurrent network in one or two directions. A cache keeps the
 * state after every row, not only after the last row: if a hypothesis of a beam search shares its
 * beginning with another, it only needs to copy rows, as with keys and values. */
#include "layer/recurrent.h"

#include "base/size.h"

#include <math.h>
#include <string.h>

ken_status ken_recurrent_init(struct ken_recurrent *recurrent, enum ken_cell cell, size_t D,
                              bool both_ways)
{
    if (both_ways && D % 2)
        return ken_fail(KEN_ERR_ARGUMENT, "recurrent: both_ways needs an even width, not %zu", D);
    size_t ways = both_ways ? 2 : 1, H = D / ways;
    *recurrent = (struct ken_recurrent){ .cell = cell, .D = D, .H = H, .ways = ways };
    for (size_t w = 0; w < ways; w++)
        recurrent->way[w].out = (struct ken_dense){ .in = H, .out = D, .biased = w == 0 };
    return KEN_OK;
}

void ken_recurrent_visit(struct ken_recurrent *recurrent, ken_visitor *visitor, const char *name)
{
    static const char *const names[] = { "forwards", "backwards" };
    size_t D = recurrent->D, H = recurrent->H, GH = ken_recur_gates(recurrent->cell) * H;
    /* Xavier's limit applies to each gate separately, not to the matrix of all gates. */
    float input = sqrtf((float)(GH + D) / (float)(H + D));
    float hidden = sqrtf((float)(GH + H) / (float)(2 * H));
    /* The forget gate starts open: an LSTM that remembers at first can learn when to forget, but
     * one that forgets at first never learns to use distant rows. */
    enum ken_init bias = recurrent->cell == KEN_LSTM ? KEN_INIT_SECOND_QUARTER : KEN_INIT_ZERO;
    size_t entered = ken_visit_enter(visitor, "%s", name);
    for (size_t w = 0; w < recurrent->ways; w++) {
        struct ken_way *way = &recurrent->way[w];
        size_t side = ken_visit_enter(visitor, "%s", names[w]);
        ken_visit(visitor, "w_input", &way->w_input,
                  (struct ken_parameter){ GH, D, KEN_INIT_XAVIER, input });
        ken_visit(visitor, "w_hidden", &way->w_hidden,
                  (struct ken_parameter){ GH, H, KEN_INIT_XAVIER, hidden });
        ken_visit(visitor, "bias_input", &way->bias_input,
                  (struct ken_parameter){ 1, GH, bias, 0 });
        if (recurrent->cell == KEN_GRU)
            ken_visit(visitor, "bias_hidden", &way->bias_hidden,
                      (struct ken_parameter){ 1, GH, KEN_INIT_ZERO, 0 });
        ken_dense_visit(&way->out, visitor, "out");
        ken_visit_leave(visitor, side);
    }
    ken_visit_leave(visitor, entered);
}

static struct ken_recurrence recurrence_of(const struct ken_recurrent *recurrent, size_t w,
                                           ken_tensor *x, ken_ragged rows)
{
    const struct ken_way *way = &recurrent->way[w];
    return (struct ken_recurrence){ .cell = recurrent->cell,
                                    .x = x,
                                    .w_input = &way->w_input,
                                    .w_hidden = &way->w_hidden,
                                    .bias_input = &way->bias_input,
                                    .bias_hidden = recurrent->cell == KEN_GRU ? &way->bias_hidden
                                                                              : NULL,
                                    .ragged = rows,
                                    .reversed = w == 1 };
}

ken_tensor *ken_recurrent_apply(ken_tape *tape, const struct ken_recurrent *recurrent,
                                ken_tensor *x, ken_ragged rows)
{
    ken_tensor *y = NULL;
    for (size_t w = 0; w < recurrent->ways; w++) {
        struct ken_recurrence recurrence = recurrence_of(recurrent, w, x, rows);
        ken_tensor *h = ken_recurrence(tape, &recurrence, NULL);
        ken_tensor *part = ken_dense_apply(tape, &recurrent->way[w].out, h, KEN_ACT_NONE);
        y = w == 0 ? part : ken_add(tape, y, part);
    }
    return y;
}

/* ---- with a cache ---------------------------------------------------------------------------- */

size_t ken_recurrent_cache_cols(const struct ken_recurrent *recurrent)
{
    return recurrent->cell == KEN_LSTM ? 2 * recurrent->H : recurrent->H;
}

/* Copies columns col .. col + H - 1 of the last kept row of each sequence; 0 for a sequence without
 * kept rows. */
static const float *last_states(ken_tape *tape, const struct ken_cache_batch *batch,
                                const struct ken_cache_part *part, size_t col, size_t H, size_t B)
{
    float *states = ken_arena_take_zeroed(&tape->arena, B * H, sizeof *states);
    if (!states) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu states", B);
    for (size_t b = 0; b < B; b++)
        if (batch->kept[b] > 0)
            memcpy(states + b * H,
                   part->rows + (batch->first[b] + batch->kept[b] - 1) * part->cols + col,
                   H * sizeof *states);
    return states;
}

ken_tensor *ken_recurrent_go_on(ken_tape *tape, const struct ken_recurrent *recurrent,
                                ken_tensor *x, ken_ragged rows, const struct ken_cache_batch *batch,
                                const struct ken_cache_part *part)
{
    bool lstm = recurrent->cell == KEN_LSTM;
    size_t H = recurrent->H;
    struct ken_recurrence recurrence = recurrence_of(recurrent, 0, x, rows);
    recurrence.h = last_states(tape, batch, part, 0, H, rows.count);
    if (lstm) recurrence.c = last_states(tape, batch, part, H, H, rows.count);
    ken_tensor *cells = NULL;
    ken_tensor *h = ken_recurrence(tape, &recurrence, lstm ? &cells : NULL);
    if (ken_tape_status(tape)) return NULL;
    ken_cache_keep(part, 0, batch, h, rows);
    if (lstm) ken_cache_keep(part, H, batch, cells, rows);
    return ken_dense_apply(tape, &recurrent->way[0].out, h, KEN_ACT_NONE);
}
