/* op_embed.c - looks up rows of a table by number: embeddings of ids, and positions that are added
 * to rows. */
#include "kernel/array.h"
#include "tensor/op_sequence.h"

struct embed {
    const int32_t *ids; /* id of each row of the result; the caller owns the array */
    float scale;
};

ken_tensor *ken_embed(ken_tape *tape, const ken_tensor *table, const int32_t *ids, size_t rows,
                      float scale)
{
    if (tape->status) return NULL;
    for (size_t i = 0; i < rows; i++)
        if (ids[i] < 0 || (size_t)ids[i] >= table->rows)
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                                 "embed: id %d at position %zu, table of %zu rows", (int)ids[i], i,
                                 table->rows);
    struct embed options = { ids, scale };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_EMBED, &options, table);
    ken_tape_output(tape, node, rows, table->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_embed_op_forward(ken_tape *tape, struct ken_node *node)
{
    const struct embed *options = node->options;
    ken_tensor *y = node->out[0];
    (void)tape;
    ken_embed_forward(y->data, NULL, node->in[0]->data, options->ids, options->scale, y->rows,
                      y->cols);
    return KEN_OK;
}

/* Adds scale * dy to dtable, row by row: row i goes to dtable[ids[i]]. The gradients of an id that
 * occurs several times are added in the order of the rows. */
ken_status ken_embed_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct embed *options = node->options;
    ken_tensor *y = node->out[0];
    float *dtable;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dtable));
    ken_embed_backward(dtable, y->grad, options->ids, options->scale, y->rows, y->cols);
    return KEN_OK;
}

struct add_position {
    ken_ragged ragged;     /* sequences of the rows; empty if `places` are given    */
    const size_t *offset;  /* place of each sequence's first row; NULL = all 0      */
    const int32_t *places; /* place of each row, from the caller or made by forward */
};

/* Adds to each row of x the row of `table` for its place; the caller has checked the shapes. */
static ken_tensor *add_rows(ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                            const struct add_position *options)
{
    struct ken_node *node = KEN_NODE(tape, KEN_OP_ADD_POSITION, options, x, table);
    ken_tape_output(tape, node, x->rows, x->cols);
    return ken_tape_run(tape, node);
}

static ken_tensor *wrong_width(ken_tape *tape, const ken_tensor *x, const ken_tensor *table)
{
    return ken_tape_fail(tape, KEN_ERR_SHAPE, "add_position: input %zu x %zu, table %zu x %zu",
                         x->rows, x->cols, table->rows, table->cols);
}

ken_tensor *ken_add_place(ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                          const int32_t *places)
{
    if (tape->status) return NULL;
    if (x->cols != table->cols) return wrong_width(tape, x, table);
    for (size_t i = 0; i < x->rows; i++)
        if (places[i] < 0 || (size_t)places[i] >= table->rows)
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                                 "row %zu is at place %d, but learned positions have only %zu "
                                 "places (longest)",
                                 i, (int)places[i], table->rows);
    return add_rows(tape, x, table, &(struct add_position){ .places = places });
}

/* Returns the index of the first sequence with a place (position) beyond the P rows of the table,
 * or ragged.count if there is none. */
static size_t find_too_long(ken_ragged ragged, const size_t *offset, size_t P)
{
    size_t b = 0;
    for (; b < ragged.count; b++) {
        size_t length = ragged.start[b + 1] - ragged.start[b];
        size_t from = offset ? offset[b] : 0;
        if (length > 0 && (length > P || from > P - length)) break;
    }
    return b;
}

ken_tensor *ken_add_position(ken_tape *tape, ken_tensor *x, const ken_tensor *table,
                             ken_ragged ragged, const size_t *offset)
{
    if (tape->status || !ken_op_covers(tape, "add_position", x, ragged)) return NULL;
    if (x->cols != table->cols) return wrong_width(tape, x, table);
    size_t b = find_too_long(ragged, offset, table->rows);
    if (b < ragged.count)
        return ken_tape_fail(
            tape, KEN_ERR_ARGUMENT,
            "sequence %zu has %zu rows, but learned positions have only %zu places (longest)", b,
            ragged.start[b + 1] - ragged.start[b] + (offset ? offset[b] : 0), table->rows);
    return add_rows(tape, x, table, &(struct add_position){ ragged, offset, NULL });
}

ken_status ken_add_position_forward(ken_tape *tape, struct ken_node *node)
{
    struct add_position *options = node->options;
    ken_tensor *y = node->out[0];
    if (!options->places) {
        int32_t *counted;
        KEN_TRY(ken_op_places(tape, &counted, options->ragged, options->offset));
        options->places = counted;
    }
    ken_embed_forward(y->data, node->in[0]->data, node->in[1]->data, options->places, 1, y->rows,
                      y->cols);
    return KEN_OK;
}

/* Adds the gradients of y = x + table[place]: dx += dy, and dtable[place] += dy unless the table is
 * fixed (sinusoid). */
ken_status ken_add_position_backward(ken_tape *tape, struct ken_node *node)
{
    const struct add_position *options = node->options;
    ken_tensor *y = node->out[0];
    float *dx, *dtable;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    KEN_TRY(ken_tape_grad(tape, node->in[1], &dtable));
    if (dx) ken_array_add(dx, y->grad, 1, ken_tensor_size(y));
    if (dtable) ken_embed_backward(dtable, y->grad, options->places, 1, y->rows, y->cols);
    return KEN_OK;
}
