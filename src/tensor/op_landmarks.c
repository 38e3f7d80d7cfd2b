/* op_landmarks.c - the middle part of Nystrom attention as an operation. Forward keeps nothing:
 * backward computes the small matrices between landmarks again, one at a time in each thread. */
#include "kernel/landmarks.h"

#include "base/size.h"
#include "kernel/attend.h"
#include "tensor/op_sequence.h"

#include <math.h>

enum { Q, K, Y };

static struct ken_landmarks make_job(const struct ken_node *node)
{
    const struct ken_landmark_options *o = node->options;
    return (struct ken_landmarks){ .q = node->in[Q]->data + o->q_col,
                                   .k = node->in[K]->data + o->k_col,
                                   .y = node->in[Y]->data,
                                   .q_stride = node->in[Q]->cols,
                                   .k_stride = node->in[K]->cols,
                                   .start = o->landmarks.start,
                                   .B = o->landmarks.count,
                                   .H = o->heads,
                                   .E = o->width,
                                   .Ev = node->in[Y]->cols / o->heads,
                                   .scale = o->scale,
                                   .out = node->out[0]->data };
}

ken_tensor *ken_landmarks(ken_tape *tape, ken_tensor *q, ken_tensor *k, ken_tensor *y,
                          const struct ken_landmark_options *options)
{
    if (tape->status || !ken_op_covers(tape, "landmarks", y, options->landmarks)) return NULL;
    struct ken_landmark_options o = *options;
    if (o.scale == 0) o.scale = 1 / sqrtf((float)o.width);
    for (size_t b = 0; b < o.landmarks.count; b++)
        if (o.landmarks.start[b + 1] - o.landmarks.start[b] > KEN_LANDMARKS_MOST)
            return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                                 "landmarks: %zu in a sequence; at most %d are possible",
                                 o.landmarks.start[b + 1] - o.landmarks.start[b],
                                 KEN_LANDMARKS_MOST);
    if (o.heads == 0 || o.width == 0 || o.width > KEN_ATTEND_WIDEST || y->cols % o.heads ||
        y->cols / o.heads > KEN_ATTEND_WIDEST)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "landmarks: the width of a head must be 1 to 256");
    if (q->rows != y->rows || k->rows != y->rows || o.q_col + o.heads * o.width > q->cols ||
        o.k_col + o.heads * o.width > k->cols)
        return ken_tape_fail(tape, KEN_ERR_SHAPE,
                             "landmarks: q is %zu x %zu, k %zu x %zu, y %zu x %zu", q->rows,
                             q->cols, k->rows, k->cols, y->rows, y->cols);
    struct ken_node *node = KEN_NODE(tape, KEN_OP_LANDMARKS, &o, q, k, y);
    ken_tape_output(tape, node, y->rows, y->cols);
    return ken_tape_run(tape, node);
}

ken_status ken_landmarks_op_forward(ken_tape *tape, struct ken_node *node)
{
    struct ken_landmarks job = make_job(node);
    (void)tape;
    ken_landmarks_forward(&job);
    return KEN_OK;
}

ken_status ken_landmarks_op_backward(ken_tape *tape, struct ken_node *node)
{
    const struct ken_landmark_options *o = node->options;
    struct ken_landmarks job = make_job(node);
    struct ken_landmarks_grad grad = { .dout = node->out[0]->grad };
    KEN_TRY(ken_tape_grad(tape, node->in[Q], &grad.dq));
    KEN_TRY(ken_tape_grad(tape, node->in[K], &grad.dk));
    KEN_TRY(ken_tape_grad(tape, node->in[Y], &grad.dy));
    if (grad.dq) grad.dq += o->q_col;
    if (grad.dk) grad.dk += o->k_col;
    grad.workers = ken_size_min(job.B * job.H, ken_threads());
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &grad.work, grad.workers * ken_landmarks_space(&job)));
    ken_landmarks_backward(&job, &grad);
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}

ken_status ken_landmarks_look(float *matrix, const ken_tape *tape, const ken_tensor *out, size_t b,
                              size_t h)
{
    for (const struct ken_node *node = tape->last; node; node = node->before) {
        if (node->op != KEN_OP_LANDMARKS || node->out[0] != out) continue;
        struct ken_landmarks job = make_job(node);
        if (b >= job.B || h >= job.H)
            return ken_fail(KEN_ERR_ARGUMENT, "look: no head %zu in a sequence %zu", h, b);
        ken_landmarks_matrix(matrix, &job, b, h);
        return KEN_OK;
    }
    return ken_fail(KEN_ERR_STATE, "look: not the output of recorded landmarks");
}
