/* convolve.c - the layers of convolve.h: projection, filter, projection. The conformer's module
 * normalises each row, where the paper normalises over the batch: statistics over a batch would
 * make the result of a sequence depend on the other sequences. */
#include "layer/convolve.h"

#include "base/size.h"

#include <math.h>
#include <string.h>

ken_status ken_convolve_init(struct ken_convolve *convolve,
                             const struct ken_convolve_config *config)
{
    size_t D = config->width, cols;
    if (config->neighbours > KEN_NEIGHBOURS_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "convolve: %zu neighbours; at most %d are possible",
                        config->neighbours, KEN_NEIGHBOURS_MOST);
    if (!ken_size_mul(&cols, 2 * config->neighbours + 1, D))
        return ken_fail(KEN_ERR_ARGUMENT,
                        "convolve: a window over rows of %zu numbers is too large", D);
    *convolve = (struct ken_convolve){ .config = *config, .taps = 2 * config->neighbours + 1 };
    convolve->in = (struct ken_dense){ .in = D, .out = 2 * D, .biased = true };
    convolve->norm = (struct ken_norm_layer){ .kind = config->norm,
                                              .width = D,
                                              .eps = config->eps };
    convolve->out = (struct ken_dense){ .in = D, .out = D, .biased = true };
    return KEN_OK;
}

void ken_convolve_visit(struct ken_convolve *convolve, ken_visitor *visitor, const char *name)
{
    size_t D = convolve->config.width, taps = convolve->taps;
    bool module = convolve->config.kind == KEN_MIX_CONFORMER;
    bool window = convolve->config.kind == KEN_MIX_FC_WINDOW;
    struct ken_parameter all = { D, taps * D, KEN_INIT_XAVIER, 0 };
    /* A depth-wise filter sums `taps` products, so its weights get variance 1 / taps. */
    struct ken_parameter own = { taps, D, KEN_INIT_XAVIER,
                                 sqrtf((float)(taps + D) / (float)(2 * taps)) };
    size_t entered = ken_visit_enter(visitor, "%s", name);
    if (module) ken_dense_visit(&convolve->in, visitor, "in");
    ken_visit(visitor, "taps", &convolve->weight, window ? all : own);
    ken_visit(visitor, "bias", &convolve->bias, (struct ken_parameter){ 1, D, KEN_INIT_ZERO, 0 });
    if (module) ken_norm_visit(&convolve->norm, visitor, "norm");
    if (!window) ken_dense_visit(&convolve->out, visitor, "out");
    ken_visit_leave(visitor, entered);
}

static ken_tensor *before_taps(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x)
{
    if (convolve->config.kind != KEN_MIX_CONFORMER) return x;
    return ken_glu(tape, ken_dense_apply(tape, &convolve->in, x, KEN_ACT_NONE), KEN_ACT_SIGMOID);
}

static ken_tensor *through_taps(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x,
                                ken_ragged rows)
{
    enum ken_padding padding = convolve->config.causal ? KEN_PAD_CAUSAL : KEN_PAD_CENTRED;
    if (convolve->config.kind == KEN_MIX_FC_WINDOW)
        return ken_conv(tape, x, &convolve->weight, &convolve->bias, rows, padding);
    return ken_conv_depth(tape, x, &convolve->weight, &convolve->bias, rows, padding);
}

static ken_tensor *after_taps(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x)
{
    bool module = convolve->config.kind == KEN_MIX_CONFORMER;
    if (convolve->config.kind == KEN_MIX_FC_WINDOW) return x;
    if (module) x = ken_norm_apply(tape, &convolve->norm, x);
    x = ken_activate(tape, x, module ? KEN_ACT_SILU : convolve->config.activation);
    return ken_dense_apply(tape, &convolve->out, x, KEN_ACT_NONE);
}

ken_tensor *ken_convolve_apply(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x,
                               ken_ragged rows)
{
    x = through_taps(tape, convolve, before_taps(tape, convolve, x), rows);
    return after_taps(tape, convolve, x);
}

/* ---- with a cache ---------------------------------------------------------------------------- */

/* Makes a tensor that has, for each sequence, the kept rows that the filter still reads, followed
 * by the new rows. *wide receives the index of the first row of each sequence in this tensor. */
static ken_tensor *with_kept(ken_tape *tape, const struct ken_convolve *convolve,
                             const ken_tensor *x, ken_ragged rows,
                             const struct ken_cache_batch *batch, const struct ken_cache_part *part,
                             size_t **wide)
{
    size_t D = x->cols, B = rows.count;
    size_t *start = *wide = ken_arena_take_zeroed(&tape->arena, B + 1, sizeof *start);
    if (!start) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu sequences", B);
    for (size_t b = 0; b < B; b++)
        start[b + 1] = start[b] + ken_size_min(batch->kept[b], convolve->taps - 1) +
                       rows.start[b + 1] - rows.start[b];
    ken_tensor *all = ken_tape_tensor(tape, start[B], D);
    for (size_t b = 0; all && b < B; b++) {
        size_t before = ken_size_min(batch->kept[b], convolve->taps - 1);
        float *to = all->data + start[b] * D;
        const float *kept = part->rows + (batch->first[b] + batch->kept[b] - before) * D;
        memcpy(to, kept, before * D * sizeof *to);
        memcpy(to + before * D, x->data + rows.start[b] * D,
               (rows.start[b + 1] - rows.start[b]) * D * sizeof *to);
    }
    return all;
}

ken_tensor *ken_convolve_go_on(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x,
                               ken_ragged rows, const struct ken_cache_batch *batch,
                               const struct ken_cache_part *part)
{
    size_t D = convolve->config.width, B = rows.count, *wide;
    x = before_taps(tape, convolve, x);
    if (ken_tape_status(tape)) return NULL;
    ken_tensor *all = with_kept(tape, convolve, x, rows, batch, part, &wide);
    ken_cache_keep(part, 0, batch, x, rows);
    ken_tensor *seen = through_taps(tape, convolve, all, (ken_ragged){ wide, B });
    ken_tensor *y = ken_tape_tensor(tape, x->rows, D);
    for (size_t b = 0; seen && y && b < B; b++) {
        size_t new = rows.start[b + 1] - rows.start[b];
        memcpy(y->data + rows.start[b] * D, seen->data + (wide[b + 1] - new) * D,
               new *D * sizeof(float));
    }
    return after_taps(tape, convolve, y);
}
