/* forward.c - runs a batch of sequences through a model, up to its loss. */
#include "model/pass.h"

#include "tensor/sequence_ops.h"

#include <assert.h>
#include <string.h>

void ken_pass_release(struct ken_pass *pass)
{
    ken_place_tables_drop(&pass->input_tables);
    ken_place_tables_drop(&pass->target_tables);
}

ken_tensor *ken_model_place(struct ken_pass *pass, const struct ken_places *places,
                            struct ken_place_tables *tables, ken_tensor *x,
                            const struct ken_where *where)
{
    const ken_config *c = &pass->model->config;
    float dropout = c->mixing == KEN_MIX_BARE ? 0 : c->dropout;
    x = ken_places_add(pass->tape, places, tables, x, where);
    return dropout > 0 ? ken_dropout(pass->tape, x, dropout) : x;
}

/* Copies the numbers and the shape of `from` to `to`, whose memory is large enough. */
static ken_tensor *move(ken_tensor *to, const ken_tensor *from)
{
    assert(from->rows * from->cols <= to->rows * to->cols);
    memcpy(to->data, from->data, ken_tensor_size(from) * sizeof(float));
    to->rows = from->rows;
    to->cols = from->cols;
    return to;
}

/* Frees the results of a block when the next block has its input; without recording, no code reads
 * them again. Only the rows of the stream are kept: they are moved back to the memory that they had
 * before the first block. So peak memory does not grow with the number of blocks. */
static void give_back(ken_tape *tape, struct ken_stream *stream, ken_tensor *sum,
                      ken_tensor *normed, ken_arena_mark mark)
{
    bool one = stream->sum == stream->normed;
    if (ken_tape_status(tape) || tape->recording) return;
    stream->normed = move(normed, stream->normed);
    stream->sum = one ? stream->normed : move(sum, stream->sum);
    ken_arena_rewind(&tape->arena, mark);
}

ken_tensor *ken_model_run_blocks(ken_tape *tape, const struct ken_block *blocks, size_t count,
                                 const struct ken_norm_layer *last, struct ken_stream *stream,
                                 ken_tensor *x)
{
    ken_block_open(tape, &blocks[0], stream, x);
    ken_tensor *sum = stream->sum, *normed = stream->normed;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    for (size_t i = 0; i < count; i++) {
        bool more = i + 1 < count;
        ken_block_apply(tape, &blocks[i], stream,
                        more ? ken_block_first_norm(&blocks[i + 1]) : last);
        if (more) give_back(tape, stream, sum, normed, mark);
    }
    return stream->normed;
}

/* Turns the links of a graph into lists of edges. The lists lie on the tape, because backward reads
 * them too. */
static struct ken_graph *read_links(ken_tape *tape, const ken_model *model,
                                    const ken_sequences *input)
{
    struct ken_graph_options options = ken_model_graph_options(&model->config);
    struct ken_graph *graph = ken_arena_take(&tape->arena, 1, sizeof *graph);
    ken_status status = graph ? ken_graph_make(graph, &tape->arena, input, &options)
                              : ken_fail(KEN_ERR_MEMORY, "no memory for a graph");
    return status ? ken_tape_fail(tape, status, "%s", ken_last_error()) : graph;
}

/* Makes the rows that the first block reads. Without recording, all intermediate results are
 * freed. */
static ken_tensor *read_rows(struct ken_pass *pass, const struct ken_where *where,
                             const ken_sequences *input)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    ken_tensor *rows = NULL;
    if (!tape->recording)
        rows = ken_tape_tensor(tape, where->rows.start[where->rows.count], model->input_layer.out);
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    ken_tensor *x = ken_model_front(pass, where, input);
    x = ken_model_place(pass, &model->input_places, &pass->input_tables, x, where);
    if (ken_tape_status(tape) || !rows) return x;
    move(rows, x);
    ken_arena_rewind(&tape->arena, mark);
    return rows;
}

struct ken_encoded ken_model_encode(struct ken_pass *pass, const ken_sequences *input)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    struct ken_stream stream = { .seen = pass->encoder_seen };
    if (ken_config_graph(&model->config)) stream.graph = read_links(tape, model, input);
    struct ken_where where = ken_model_where(pass, input);
    if (ken_tape_status(tape)) return (struct ken_encoded){ 0 };
    ken_tensor *x = read_rows(pass, &where, input);
    stream.rows = where.rows;
    stream.places = where.places;
    stream.shift = ken_places_shift(tape, &model->input_places, &pass->input_tables, &where);
    return (struct ken_encoded){
        .rows = ken_model_run_blocks(tape, model->encoder, model->config.encoder_blocks,
                                     &model->encoder_norm, &stream, x),
        .ragged = where.rows,
    };
}

/* Returns whether the generator's embedding is also its output projection (tied weights). A tied
 * projection has no bias. */
static bool is_tied(const ken_model *model)
{
    return model->config.tied && model->config.output == KEN_GENERATE;
}

const ken_tensor *ken_model_target_table(const ken_model *model)
{
    return model->config.shared ? &model->input_table : &model->target_table;
}

const ken_tensor *ken_model_head(const ken_model *model)
{
    return is_tied(model) ? ken_model_target_table(model) : &model->head.weight;
}

static const ken_tensor *head_bias(const ken_model *model)
{
    return is_tied(model) ? NULL : &model->head.bias;
}

ken_tensor *ken_model_logits(struct ken_pass *pass, ken_tensor *rows)
{
    const ken_model *model = pass->model;
    if (ken_config_answers(&model->config)) return rows;
    return ken_linear(pass->tape, rows, ken_model_head(model), head_bias(model), KEN_ACT_NONE);
}

ken_tensor *ken_model_pool(struct ken_pass *pass, const struct ken_encoded *encoded)
{
    ken_pooling kind = pass->model->config.pooling;
    ken_tensor *score = NULL;
    if (kind == KEN_POOL_ATTENTIVE)
        score = ken_linear(pass->tape, encoded->rows, &pass->model->pool_score, NULL, KEN_ACT_NONE);
    return ken_pool(pass->tape, encoded->rows, encoded->ragged, kind, score);
}

ken_tensor *ken_model_loss(struct ken_pass *pass, const ken_sequences *input,
                           const ken_sequences *target, float smoothing, float factor,
                           struct ken_tally *tally)
{
    const ken_model *model = pass->model;
    ken_tape *tape = pass->tape;
    ken_status status = ken_model_check_batch(model, input, target);
    if (status) return ken_tape_fail(tape, status, "%s", ken_last_error());
    const int32_t *predict = target->ids;
    ken_tensor *rows;
    if (model->config.output == KEN_GENERATE) {
        rows = ken_model_forced(pass, input, target, &predict);
    } else {
        struct ken_encoded encoded = ken_model_encode(pass, input);
        rows = model->config.output == KEN_WHOLE ? ken_model_pool(pass, &encoded) : encoded.rows;
    }
    if (model->config.value == KEN_VALUE_NUMBER)
        return ken_mse(tape, ken_model_logits(pass, rows), target->numbers, factor, tally);
    if (model->config.value == KEN_VALUE_SET)
        return ken_bce(tape, ken_model_logits(pass, rows), target->numbers, factor, tally);
    if (ken_config_answers(&model->config))
        return ken_class_loss(tape, rows, predict, smoothing, factor, tally);
    return ken_project_loss(tape, rows, ken_model_head(model), head_bias(model), predict, smoothing,
                            factor, tally);
}
