/* position.c - makes the tables of each kind of position, and decides how long a table is kept. */
#include "layer/position.h"

#include "base/memory.h"
#include "base/size.h"
#include "tensor/sequence_ops.h"

#include <string.h>

/* PACE is floater's time from one place (position) to the next, STEPS the number of integration
 * steps between them. The time of a whole sequence must be short: a field of slope 1 changes its
 * states by a factor e^t, and gradients grow as fast. With 1/64 per place a sequence of 512 rows
 * takes a time of 8, which training can handle; with 1 per place it could not. 1/64 is also exact
 * in float. One step per place is enough: a field that rotates a state once within 40 places has
 * slope 10, and the error of a step is (10/64)^5 / 120 = 1e-6. */
#define PACE 0x1p-6f
enum { STEPS = 1 };

enum { GATES = 3, PARTS = 3 }; /* a GRU has 3 gates; q, k and v make 3 parts */

enum ken_attention_position ken_places_inside(enum ken_position kind)
{
    static const enum ken_attention_position inside[KEN_POSITION_COUNT] = {
        [KEN_POSITION_ROTARY] = KEN_ATTENTION_ROTARY,
        [KEN_POSITION_ALIBI] = KEN_ATTENTION_ALIBI,
        [KEN_POSITION_RELATIVE] = KEN_ATTENTION_RELATIVE,
        [KEN_POSITION_SHAW] = KEN_ATTENTION_SHAW,
        [KEN_POSITION_BUCKETS] = KEN_ATTENTION_BUCKETS,
        [KEN_POSITION_QUADRATIC] = KEN_ATTENTION_QUADRATIC,
        [KEN_POSITION_FLOATER] = KEN_ATTENTION_FLOATER,
    };
    return inside[kind];
}

void ken_places_init(struct ken_places *places, const struct ken_places_config *config)
{
    *places = (struct ken_places){ .config = *config };
}

static void drop(struct ken_kept *kept)
{
    ken_memory_free(kept->data);
    *kept = (struct ken_kept){ 0 };
}

void ken_place_tables_drop(struct ken_place_tables *tables)
{
    drop(&tables->rows);
    drop(&tables->biases);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* Visits the parameters of rnn positions. A GRU that always reads 1 converges, and the speed of
 * each unit depends on its update gate. The input weights have standard deviation 3, so the units
 * have time constants from one to some hundred places. So before training every place has different
 * states, and places near 0 differ most. */
static void visit_rnn(struct ken_places *places, ken_visitor *visitor)
{
    size_t D = places->config.width;
    ken_visit(visitor, "input", &places->rnn_input,
              (struct ken_parameter){ GATES * D, 1, KEN_INIT_NORMAL, 3 });
    ken_visit(visitor, "hidden", &places->rnn_hidden,
              (struct ken_parameter){ GATES * D, D, KEN_INIT_XAVIER, 0 });
    ken_visit(visitor, "bias", &places->rnn_bias,
              (struct ken_parameter){ 1, GATES * D, KEN_INIT_ZERO, 0 });
}

/* Visits the parameters of floater's flow. The start states and the field's output start at 0, so
 * the network starts like one with sinusoids alone. Yet every parameter can learn: the start states
 * and the biases of the field have gradients from the first step on, and so has flow_out, because
 * the hidden numbers that it multiplies include the time. */
static void visit_flow(struct ken_places *places, ken_visitor *visitor)
{
    size_t D = places->config.width;
    struct ken_parameter bias = { 1, D, KEN_INIT_ZERO, 0 };
    ken_visit(visitor, "start", &places->flow_start,
              (struct ken_parameter){ PARTS * places->config.blocks, D, KEN_INIT_ZERO, 0 });
    ken_visit(visitor, "in.weight", &places->flow_in,
              (struct ken_parameter){ D, D + 1, KEN_INIT_XAVIER, 0 });
    ken_visit(visitor, "in.bias", &places->flow_in_bias, bias);
    ken_visit(visitor, "out.weight", &places->flow_out,
              (struct ken_parameter){ D, D + 1, KEN_INIT_ZERO, 0 });
    ken_visit(visitor, "out.bias", &places->flow_out_bias, bias);
}

void ken_places_visit(struct ken_places *places, ken_visitor *visitor, const char *name)
{
    const struct ken_places_config *c = &places->config;
    if (c->kind == KEN_POSITION_LEARNED)
        ken_visit(visitor, name, &places->learned,
                  (struct ken_parameter){ c->axes * c->longest, c->width, KEN_INIT_NORMAL, 0.02f });
    size_t entered = ken_visit_enter(visitor, "%s", name);
    if (c->kind == KEN_POSITION_RNN) visit_rnn(places, visitor);
    if (c->kind == KEN_POSITION_FLOATER) visit_flow(places, visitor);
    ken_visit_leave(visitor, entered);
}

/* ---- tables ---------------------------------------------------------------------------------- */

typedef const ken_tensor *make_fn(ken_tape *tape, const struct ken_places *places, size_t count);

/* Makes the sinusoid table. If places have two coordinates, each coordinate uses one half of the
 * columns; the other half is 0. */
static const ken_tensor *make_sinusoid(ken_tape *tape, const struct ken_places *places,
                                       size_t count)
{
    size_t D = places->config.width, axes = places->config.axes, part = D / axes;
    ken_tensor *table = ken_tape_tensor(tape, axes * count, D);
    if (!table) return NULL;
    if (axes == 1) {
        ken_sinusoid_fill(table->data, count, D);
        return table;
    }
    float *half;
    if (ken_tape_take(tape, &half, count * part)) return NULL;
    ken_sinusoid_fill(half, count, part);
    memset(table->data, 0, ken_tensor_size(table) * sizeof(float));
    for (size_t i = 0; i < axes * count; i++)
        memcpy(table->data + i * D + i / count * part, half + i % count * part,
               part * sizeof(float));
    return table;
}

/* Computes the states of the GRU after it has read the input 1 once, twice, three times and so
 * on. */
static const ken_tensor *make_rnn(ken_tape *tape, const struct ken_places *places, size_t count)
{
    ken_tensor *ones = ken_tape_tensor(tape, count, 1);
    size_t *start = ken_arena_take(&tape->arena, 2, sizeof *start);
    if (!ones || !start)
        return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu positions", count);
    for (size_t i = 0; i < count; i++) ones->data[i] = 1;
    start[0] = 0;
    start[1] = count;
    return ken_gru(tape, ones, &places->rnn_input, &places->rnn_hidden, NULL, &places->rnn_bias,
                   (ken_ragged){ start, 1 }, false);
}

static const ken_tensor *make_flow(ken_tape *tape, const struct ken_places *places, size_t count)
{
    size_t kv = places->config.kv_width;
    struct ken_flow_options options = { .places = count,
                                        .steps = STEPS,
                                        .pace = PACE,
                                        .activation = KEN_ACT_RELU,
                                        .parts = PARTS,
                                        .cols = { places->config.width, kv, kv } };
    return ken_flow(tape, &places->flow_start, &places->flow_in, &places->flow_in_bias,
                    &places->flow_out, &places->flow_out_bias, &options);
}

/* Returns a kept table. If the table has too few places, a new one is made with at least twice as
 * many; so the total cost for a sequence that grows place by place is at most a constant times the
 * cost of reading it at once. */
static const ken_tensor *kept_table(ken_tape *tape, const struct ken_places *places,
                                    struct ken_kept *kept, make_fn *make, size_t *count)
{
    if (kept->places < *count) {
        size_t wanted = ken_size_max(*count, 2 * kept->places);
        ken_arena_mark mark = ken_arena_here(&tape->arena);
        const ken_tensor *made = make(tape, places, wanted);
        if (!made) return NULL;
        float *data = ken_memory_new(made->rows, made->cols * sizeof *data);
        if (!data)
            return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu positions", wanted);
        memcpy(data, made->data, ken_tensor_size(made) * sizeof *data);
        ken_memory_free(kept->data);
        *kept = (struct ken_kept){ data, made->rows, made->cols, wanted };
        ken_arena_rewind(&tape->arena, mark);
    }
    *count = kept->places;
    return ken_tape_constant(tape, kept->data, kept->rows, kept->cols);
}

const ken_tensor *ken_places_rows(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, size_t *count)
{
    if (tape->status) return NULL;
    switch (places->config.kind) {
    case KEN_POSITION_SINUSOID:
    case KEN_POSITION_FLOATER: return kept_table(tape, places, &tables->rows, make_sinusoid, count);
    case KEN_POSITION_RNN:
        return tape->recording ? make_rnn(tape, places, *count)
                               : kept_table(tape, places, &tables->rows, make_rnn, count);
    case KEN_POSITION_LEARNED: *count = places->config.longest; return &places->learned;
    default: return NULL;
    }
}

const ken_tensor *ken_places_biases(ken_tape *tape, const struct ken_places *places,
                                    struct ken_place_tables *tables, size_t *count)
{
    if (tape->status || places->config.kind != KEN_POSITION_FLOATER) return NULL;
    return tape->recording ? make_flow(tape, places, *count)
                           : kept_table(tape, places, &tables->biases, make_flow, count);
}

/* ---- adding positions ------------------------------------------------------------------------ */

/* Returns the number of places that tables must have for the rows of `where`; at least 1. */
static size_t places_of(const struct ken_where *where, size_t axes)
{
    ken_ragged rows = where->rows;
    size_t most = 1;
    if (where->places)
        for (size_t i = 0; i < rows.start[rows.count] * axes; i++)
            most = ken_size_max(most, (size_t)where->places[i] + 1);
    else
        for (size_t b = 0; b < rows.count; b++)
            most = ken_size_max(most, rows.start[b + 1] - rows.start[b] +
                                          (where->offset ? where->offset[b] : 0));
    return most;
}

/* Returns, for each row of the batch, the row of the table that encodes coordinate `axis` of its
 * place. */
static const int32_t *table_rows(ken_tape *tape, const struct ken_where *where, size_t axis,
                                 size_t axes, size_t count)
{
    size_t N = where->rows.start[where->rows.count];
    if (axes == 1) return where->places;
    int32_t *rows = ken_arena_take(&tape->arena, N, sizeof *rows);
    if (!rows) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu places", N);
    for (size_t i = 0; i < N; i++)
        rows[i] = where->places[i * axes + axis] + (int32_t)(axis * count);
    return rows;
}

ken_tensor *ken_places_add(ken_tape *tape, const struct ken_places *places,
                           struct ken_place_tables *tables, ken_tensor *x,
                           const struct ken_where *where)
{
    size_t axes = places->config.axes, count = places_of(where, axes);
    const ken_tensor *table = ken_places_rows(tape, places, tables, &count);
    if (!table) return x;
    if (!where->places) return ken_add_position(tape, x, table, where->rows, where->offset);
    for (size_t axis = 0; axis < axes && x; axis++)
        x = ken_add_place(tape, x, table, table_rows(tape, where, axis, axes, count));
    return x;
}

/* Makes floater's biases for all blocks. The part of block i begins at row i * count of the table;
 * ken_add_position() gets this row as an offset. */
struct ken_shift ken_places_shift(ken_tape *tape, const struct ken_places *places,
                                  struct ken_place_tables *tables, const struct ken_where *where)
{
    struct ken_where counted = { where->rows, where->offset, NULL };
    size_t count = places_of(&counted, 1), blocks = places->config.blocks, B = where->rows.count;
    const ken_tensor *table = ken_places_biases(tape, places, tables, &count);
    if (!table) return (struct ken_shift){ 0 };
    size_t *first = ken_arena_take(&tape->arena, blocks * B, sizeof *first);
    if (!first) {
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for places of %zu sequences", B);
        return (struct ken_shift){ 0 };
    }
    for (size_t i = 0; i < blocks; i++)
        for (size_t b = 0; b < B; b++)
            first[i * B + b] = i * count + (where->offset ? where->offset[b] : 0);
    return (struct ken_shift){ table, first };
}
