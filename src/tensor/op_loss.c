/* op_loss.c - losses. The softmax loss includes the projection z = x W^T + b to V classes, so that
 * only a chunk of the N x V matrix of logits z exists at a time. Its gradients, where `counted` is
 * the number of rows that are not ignored:
 *   dz = factor (softmax(z) - target) / counted
 *   dx = dz W,  dW += dz^T x,  db += column sums of dz */
#include "base/size.h"
#include "kernel/array.h"
#include "kernel/matmul.h"
#include "tensor/op_sequence.h"

/* Limits of a chunk of logits. Speeds measured on one core with D = 512 and V = 8000: 72 GFLOP/s
 * with chunks of 128 rows, 79 with 512 rows, 82 with 1024 rows. */
enum { CHUNK_FLOATS = 8 << 20, CHUNK_ROWS = 512 };

struct project_loss {
    const int32_t *targets;
    float smoothing, factor;
    struct ken_tally *tally;
    size_t counted;
    int32_t *rows; /* numbers of the counted rows; NULL = all rows count */
};

enum { X, WEIGHT, BIAS };

/* The rows whose targets are not ignored, as arrays without gaps. */
struct projection {
    const float *x;         /* input of the projection, D columns                  */
    float *dx, *dw, *db;    /* gradients of x, weight and bias; NULL if not wanted */
    const int32_t *targets; /* target class of each row                            */
    size_t rows;
    float *logits; /* one chunk of logits, V columns */
};

/* Returns the number of rows in a chunk of logits. It depends on V alone, and a chunk takes at most
 * 32 MB. */
static size_t chunk_rows(size_t V)
{
    return ken_size_max(ken_size_min(CHUNK_FLOATS / ken_size_max(V, 1), CHUNK_ROWS), 1);
}

static bool targets_fit(ken_tape *tape, const int32_t *targets, size_t N, size_t V)
{
    for (size_t i = 0; i < N; i++) {
        if (targets[i] == KEN_IGNORED || (targets[i] >= 0 && (size_t)targets[i] < V)) continue;
        ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                      "project_loss: target %d at position %zu, %zu classes", (int)targets[i], i,
                      V);
        return false;
    }
    return true;
}

ken_tensor *ken_project_loss(ken_tape *tape, ken_tensor *x, const ken_tensor *weight,
                             const ken_tensor *bias, const int32_t *targets, float smoothing,
                             float factor, struct ken_tally *tally)
{
    if (tape->status) return NULL;
    if (x->cols != weight->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "project_loss: input %zu x %zu, weight %zu x %zu",
                             x->rows, x->cols, weight->rows, weight->cols);
    if (bias && ken_tensor_size(bias) != weight->rows)
        return ken_tape_fail(tape, KEN_ERR_SHAPE, "project_loss: bias of %zu, weight %zu x %zu",
                             ken_tensor_size(bias), weight->rows, weight->cols);
    if (!(smoothing >= 0 && smoothing < 1))
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT, "project_loss: smoothing %g is not in [0, 1)",
                             (double)smoothing);
    if (!targets_fit(tape, targets, x->rows, weight->rows)) return NULL;
    struct project_loss options = { .targets = targets,
                                    .smoothing = smoothing,
                                    .factor = factor,
                                    .tally = tally };
    for (size_t i = 0; i < x->rows; i++) options.counted += targets[i] != KEN_IGNORED;
    struct ken_node *node = KEN_NODE(tape, KEN_OP_PROJECT_LOSS, &options, x, weight, bias);
    ken_tape_output(tape, node, 1, 1);
    return ken_tape_run(tape, node);
}

/* Lists the rows whose targets are not ignored, and copies these rows and their targets into arrays
 * without gaps. So ignored rows cost nothing; in a masked language model most rows are ignored. */
static ken_status leave_out_ignored(ken_tape *tape, struct projection *job, int32_t *rows, size_t N,
                                    size_t D)
{
    float *x;
    int32_t *targets;
    KEN_TRY(ken_tape_take(tape, &x, job->rows * D));
    KEN_TRY(ken_op_take_ids(tape, &targets, job->rows));
    for (size_t i = 0, at = 0; i < N; i++) {
        if (job->targets[i] == KEN_IGNORED) continue;
        rows[at] = (int32_t)i;
        targets[at++] = job->targets[i];
    }
    ken_embed_forward(x, NULL, job->x, rows, 1, job->rows, D);
    job->x = x;
    job->targets = targets;
    return KEN_OK;
}

/* Computes one chunk of rows, beginning with row `at`: logits, loss and, from the logits, the
 * gradients of x, weight and bias. */
static void project_chunk(struct ken_tally *tally, const struct projection *job,
                          const struct ken_node *node, size_t at)
{
    const struct project_loss *options = node->options;
    const ken_tensor *weight = node->in[WEIGHT], *bias = node->in[BIAS];
    size_t D = weight->cols, V = weight->rows;
    size_t rows = ken_size_min(job->rows - at, chunk_rows(V));
    const float *x = job->x + at * D;
    ken_matmul(&(struct ken_matmul){ .c = job->logits,
                                     .a = x,
                                     .b = weight->data,
                                     .bias = bias ? bias->data : NULL,
                                     .layout = KEN_NT,
                                     .m = rows,
                                     .n = V,
                                     .k = D });
    ken_cross_entropy(tally, job->logits, job->targets + at, rows, V, options->smoothing,
                      job->dx || job->dw || job->db, options->factor / (float)options->counted);
    if (job->db) ken_array_column_sums(job->db, job->logits, rows, V);
    if (job->dw)
        ken_matmul(&(struct ken_matmul){ .c = job->dw,
                                         .a = job->logits,
                                         .b = x,
                                         .layout = KEN_TN,
                                         .add = true,
                                         .m = V,
                                         .n = D,
                                         .k = rows });
    if (job->dx)
        ken_matmul(&(struct ken_matmul){ .c = job->dx + at * D,
                                         .a = job->logits,
                                         .b = weight->data,
                                         .layout = KEN_NN,
                                         .m = rows,
                                         .n = D,
                                         .k = V });
}

/* Computes the loss and, while recording, its gradients: dW and db are added at once, dx (counted,
 * D) is saved, and backward adds it. If all rows are ignored, the loss is 0 and no gradient
 * changes. */
ken_status ken_project_loss_forward(ken_tape *tape, struct ken_node *node)
{
    struct project_loss *options = node->options;
    ken_tensor *x = node->in[X], *weight = node->in[WEIGHT];
    size_t N = x->rows, D = x->cols, counted = options->counted;
    struct projection job = { .x = x->data, .targets = options->targets, .rows = counted };
    struct ken_tally tally = { 0 };
    node->out[0]->data[0] = 0;
    if (counted == 0) return KEN_OK;
    if (counted < N) KEN_TRY(ken_op_take_ids(tape, &options->rows, counted));
    if (ken_tape_keeps(tape, node)) {
        KEN_TRY(ken_tape_grad(tape, weight, &job.dw));
        KEN_TRY(ken_tape_grad(tape, node->in[BIAS], &job.db));
        if (x->needs_grad) KEN_TRY(ken_tape_take(tape, &node->saved, counted * D));
        job.dx = node->saved;
    }
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    if (options->rows) KEN_TRY(leave_out_ignored(tape, &job, options->rows, N, D));
    size_t chunk = ken_size_min(chunk_rows(weight->rows), counted);
    KEN_TRY(ken_tape_take(tape, &job.logits, chunk * weight->rows));
    for (size_t at = 0; at < counted; at += chunk) project_chunk(&tally, &job, node, at);
    ken_arena_rewind(&tape->arena, mark);
    node->out[0]->data[0] = (float)(options->factor * (tally.loss / (double)counted));
    if (options->tally) ken_tally_add(options->tally, &tally);
    return KEN_OK;
}

ken_status ken_project_loss_backward(ken_tape *tape, struct ken_node *node)
{
    const struct project_loss *options = node->options;
    ken_tensor *x = node->in[X];
    float upstream = node->out[0]->grad[0];
    if (upstream != 1) {
        ken_tape_fail(tape, KEN_ERR_STATE,
                      "project_loss: gradient of the loss is %g, must be 1 (use its factor)",
                      (double)upstream);
        return tape->status;
    }
    if (!node->saved) return KEN_OK; /* all rows are ignored, or x is a constant */
    float *dx;
    KEN_TRY(ken_tape_grad(tape, x, &dx));
    if (options->rows)
        ken_embed_backward(dx, node->saved, options->rows, 1, options->counted, x->cols);
    else ken_array_add(dx, node->saved, 1, ken_tensor_size(x));
    return KEN_OK;
}

struct label_loss {
    const float *targets;
    enum ken_label_loss kind;
    float factor;
    struct ken_tally *tally;
    size_t counted; /* number of targets that are not NaN; set by forward */
};

static ken_tensor *label_loss(ken_tape *tape, ken_tensor *x, const struct label_loss *options)
{
    if (tape->status) return NULL;
    struct ken_node *node = KEN_NODE(tape, KEN_OP_LABEL_LOSS, options, x);
    ken_tape_output(tape, node, 1, 1);
    return ken_tape_run(tape, node);
}

ken_tensor *ken_mse(ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally)
{
    return label_loss(tape, x, &(struct label_loss){ targets, KEN_LOSS_SQUARED, factor, tally, 0 });
}

ken_tensor *ken_bce(ken_tape *tape, ken_tensor *x, const float *targets, float factor,
                    struct ken_tally *tally)
{
    return label_loss(tape, x, &(struct label_loss){ targets, KEN_LOSS_BINARY, factor, tally, 0 });
}

ken_status ken_label_loss_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct label_loss *options = node->options;
    const ken_tensor *x = node->in[0];
    struct ken_tally tally = { 0 };
    (void)tape;
    ken_label_loss_forward(&tally, x->data, options->targets, ken_tensor_size(x), options->kind);
    options->counted = tally.counted;
    double mean = tally.counted ? tally.loss / (double)tally.counted : 0;
    node->out[0]->data[0] = (float)(options->factor * mean);
    if (options->tally) ken_tally_add(options->tally, &tally);
    return KEN_OK;
}

ken_status ken_label_loss_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct label_loss *options = node->options;
    float *dx;
    KEN_TRY(ken_tape_grad(tape, node->in[0], &dx));
    if (options->counted > 0)
        ken_label_loss_backward(dx, node->in[0]->data, options->targets,
                                node->out[0]->grad[0] * options->factor / (float)options->counted,
                                ken_tensor_size(node->in[0]), options->kind);
    return KEN_OK;
}
