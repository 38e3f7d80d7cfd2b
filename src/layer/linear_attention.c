/* linear_attention.c - linear attention, which computes features of queries and keys instead of
 * scores. The vectors of random features (Performer) are not parameters: they are drawn from the
 * model's seed and the layer's number whenever a layer is made. So training cannot change them, and
 * they take no room in a file or an optimiser. A loaded model has the vectors it was trained with,
 * because its seed is part of the file. Attention dropout has no effect, because there are no
 * weights to drop. */
#include "layer/linear_attention.h"

#include "base/memory.h"
#include "base/size.h"
#include "kernel/features.h"
#include "kernel/linear.h"

bool ken_attention_is_linear(const struct ken_attention_config *c)
{
    return c->weigh == KEN_WEIGH_LINEAR || c->weigh == KEN_WEIGH_PERFORMER;
}

const char *ken_attention_linear_wrong(const struct ken_attention_config *c)
{
    if (!ken_attention_is_linear(c)) return NULL;
    if (c->score != KEN_SCORE_DOT) return "weigh linear and performer need the dot score";
    if (c->position == KEN_ATTENTION_ROTARY || c->position == KEN_ATTENTION_ALIBI ||
        c->position == KEN_ATTENTION_RELATIVE)
        return "weigh linear and performer form no scores: positions rotary, alibi and relative "
               "cannot act on them";
    if (c->reach != KEN_REACH_WINDOW || c->left != KEN_UNLIMITED ||
        (c->right != KEN_UNLIMITED && c->right != 0))
        return "weigh linear and performer sum over all rows: they take no window and no other "
               "reach";
    if (c->weigh == KEN_WEIGH_PERFORMER && (c->features == 0 || c->features > KEN_FEATURES_MOST))
        return "weigh performer: features must be 1 to 4096";
    return NULL;
}

ken_status ken_attention_linear_init(struct ken_attention *attention)
{
    const struct ken_attention_config *c = &attention->config;
    if (c->weigh != KEN_WEIGH_PERFORMER) return KEN_OK;
    attention->random = ken_memory_new(c->features * attention->E, sizeof *attention->random);
    if (!attention->random)
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu random features", c->features);
    ken_features_draw(attention->random, c->features, attention->E, c->seed);
    return KEN_OK;
}

/* Returns the number of features per head. */
static size_t features_of(const struct ken_attention *attention)
{
    return attention->random ? attention->config.features : attention->E;
}

static ken_tensor *make_features(ken_tape *tape, ken_tensor **scale,
                                 const struct ken_attention *attention, ken_tensor *x, size_t col,
                                 size_t heads)
{
    struct ken_feature_options options = { .col = col,
                                           .heads = heads,
                                           .width = attention->E,
                                           .random = attention->random,
                                           .features = features_of(attention) };
    return ken_features(tape, scale, x, &options);
}

ken_tensor *ken_attention_linear(ken_tape *tape, const struct ken_attention *attention,
                                 ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                 const struct ken_attend_options *options)
{
    if (options->edges)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "attention: weigh linear and performer cannot follow edges");
    const struct ken_attention_config *c = &attention->config;
    struct ken_linear_attend_options linear = { .queries = options->queries,
                                                .keys = options->keys,
                                                .heads = c->heads,
                                                .kv_heads = c->kv_heads,
                                                .features = features_of(attention),
                                                .value_width = attention->E,
                                                .v_col = options->v_col,
                                                .causal = !c->cross && c->right == 0 };
    ken_tensor *scale;
    ken_tensor *ask = make_features(tape, NULL, attention, q, options->q_col, c->heads);
    ken_tensor *answer = make_features(tape, &scale, attention, k, options->k_col, c->kv_heads);
    return ken_linear_attend(tape, ask, answer, scale, v, &linear);
}

/* ---- with a cache ---------------------------------------------------------------------------- */

size_t ken_attention_linear_state(const struct ken_attention *attention)
{
    size_t KV = attention->config.kv_heads, M = features_of(attention), E = attention->E;
    return attention->config.cross ? KV * ken_linear_state(M, E) : ken_linear_slot(KV, M, E);
}

/* Makes a job for the kernel: the sizes of the layer, the sequences `rows`, the keys k with their
 * `scale`, and the values v from column v_col on. k, scale and v may be NULL. */
static struct ken_linear_attend make_job(const struct ken_attention *attention, const ken_tensor *k,
                                         const ken_tensor *scale, const ken_tensor *v, size_t v_col,
                                         ken_ragged rows)
{
    return (struct ken_linear_attend){ .k = k ? k->data : NULL,
                                       .v = v ? v->data + v_col : NULL,
                                       .scale = scale ? scale->data : NULL,
                                       .k_stride = k ? k->cols : 0,
                                       .v_stride = v ? v->cols : 0,
                                       .q_start = rows.start,
                                       .k_start = rows.start,
                                       .B = rows.count,
                                       .H = attention->config.heads,
                                       .KV = attention->config.kv_heads,
                                       .M = features_of(attention),
                                       .Ev = attention->E,
                                       .causal = !attention->config.cross };
}

ken_status ken_attention_linear_remember(float *states, ken_tape *tape,
                                         const struct ken_attention *attention, ken_tensor *made,
                                         ken_ragged rows)
{
    size_t KV = attention->config.kv_heads;
    ken_tensor *scale, *k = make_features(tape, &scale, attention, made, 0, KV);
    KEN_TRY(ken_tape_status(tape));
    struct ken_linear_attend job = make_job(attention, k, scale, made, KV * attention->E, rows);
    KEN_TRY(ken_tape_take(tape, &job.states, ken_linear_space(&job)));
    ken_linear_totals(states, &job);
    return KEN_OK;
}

/* Finds the sequence of the memory (the encoder's result) that begins at row `row`. If several
 * sequences begin at this row, all but the last have no rows. The flag `empty` chooses the first of
 * these sequences; without the flag the last one is returned. */
static size_t find_memory(ken_ragged memory, size_t row, bool empty)
{
    /* Invariant of the binary search: memory.start[low] <= row. If `empty` is true, it is stricter:
     * low is 0, or memory.start[low] < row. */
    size_t low = 0, high = memory.count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (memory.start[middle] < row || (!empty && memory.start[middle] == row)) low = middle;
        else high = middle;
    }
    return memory.start[low] < row ? high : low;
}

ken_tensor *ken_attention_linear_go_on(ken_tape *tape, const struct ken_attention *attention,
                                       ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                       const struct ken_attend_options *options,
                                       const struct ken_cache_batch *batch,
                                       const struct ken_cache_part *part)
{
    const struct ken_attention_config *c = &attention->config;
    ken_ragged rows = options->queries;
    ken_tensor *scale = NULL, *answer = NULL;
    ken_tensor *ask = make_features(tape, NULL, attention, q, options->q_col, c->heads);
    if (!c->cross) answer = make_features(tape, &scale, attention, k, options->k_col, c->kv_heads);
    ken_tensor *out = ken_tape_tensor(tape, rows.start[rows.count], c->width);
    size_t *from = ken_arena_take(&tape->arena, rows.count, sizeof *from);
    if (!from) ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu sequences", rows.count);
    if (ken_tape_status(tape)) return NULL;
    struct ken_linear_attend job = make_job(attention, answer, scale, v, options->v_col, rows);
    job.q = ask->data;
    job.q_stride = ask->cols;
    job.out = out->data;
    job.out_stride = out->cols;
    for (size_t b = 0; b < rows.count; b++)
        from[b] = c->cross ? find_memory(batch->cache->memory, batch->memory_first[b],
                                         batch->memory_count[b] == 0)
                           : batch->first[b] / batch->cache->room;
    if (c->cross) ken_linear_ask(&job, part->rows, from);
    else ken_linear_go_on(&job, part->rows, from, batch->kept);
    return out;
}
