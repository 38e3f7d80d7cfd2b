/* op_bag.c - the embedding bag: the mean of the rows of a table that a bag of ids lists. */
#include "kernel/bag.h"
#include "tensor/op_table.h"

ken_tensor *ken_bag(ken_tape *tape, const ken_tensor *table, const int32_t *ids, ken_ragged bags,
                    float dropout)
{
    if (tape->status) return NULL;
    if (!(dropout >= 0 && dropout < 1))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "bag: dropout must be at least 0 and below 1");
    for (size_t e = 0; e < bags.start[bags.count]; e++)
        if (ids[e] < 0 || (size_t)ids[e] >= table->rows)
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                                 "bag: id %d at position %zu, table of %zu rows", (int)ids[e], e,
                                 table->rows);
    struct ken_bag bag = { .ids = ids,
                           .start = bags.start,
                           .R = bags.count,
                           .V = table->rows,
                           .D = table->cols,
                           .dropout.p = tape->training ? dropout : 0 };
    struct ken_node *node = KEN_NODE(tape, KEN_OP_BAG, &bag, table);
    ken_tape_output(tape, node, bag.R, bag.D);
    return ken_tape_run(tape, node);
}

ken_status ken_bag_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct ken_bag *bag = node->options;
    (void)tape;
    bag->dropout.key = node->random_key; /* backward uses the same key and drops the same ids */
    ken_bag_forward(node->out[0]->data, node->in[0]->data, bag);
    return KEN_OK;
}

ken_status ken_bag_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_bag *bag = node->options;
    size_t entries = bag->start[bag->R];
    float *dtable;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dtable));
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    struct ken_bag_work work = {
        .start = ken_arena_take(&tape->arena, bag->V + 1, sizeof *work.start),
        .row = ken_arena_take(&tape->arena, entries, sizeof *work.row),
        .factor = ken_arena_take(&tape->arena, entries, sizeof *work.factor),
    };
    if (!work.start || !work.row || !work.factor)
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for a bag of %zu ids", entries);
    else ken_bag_backward(dtable, node->out[0]->grad, bag, &work);
    ken_arena_rewind(&tape->arena, mark);
    return tape->status;
}
