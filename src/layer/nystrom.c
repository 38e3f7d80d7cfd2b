/* nystrom.c - Nystrom attention: attention by way of m landmarks, the means of m pieces of each
 * sequence:
 *
 *     softmax(Q Kl^T) pinv(softmax(Ql Kl^T)) softmax(Ql K^T) V,  with the usual scale of scores
 *
 * where Ql and Kl are the landmarks of queries and keys. The three matrices are (n, m), (m, m) and
 * (m, n) for n rows: two ordinary attentions, to the landmarks and from them, and a small matrix
 * between them. In a sequence of at most m rows each row is a landmark, and the result is full
 * attention except for the error of the pseudo-inverse. Unlike in the paper, no convolution of V is
 * added, and there is no attention dropout, because the n x n weights are never formed. */
#include "layer/linear_attention.h"

#include "base/size.h"
#include "kernel/landmarks.h"
#include "kernel/matmul.h"

const char *ken_attention_nystrom_wrong(const struct ken_attention_config *c)
{
    if (c->reach != KEN_REACH_NYSTROM) return NULL;
    if (c->score != KEN_SCORE_DOT || c->weigh != KEN_WEIGH_SOFTMAX)
        return "reach nystrom needs the dot score and softmax weights";
    if (c->cross || c->left != KEN_UNLIMITED || c->right != KEN_UNLIMITED)
        return "reach nystrom is for encoders that see all rows: it takes no window";
    if (c->position == KEN_ATTENTION_ROTARY || c->position == KEN_ATTENTION_ALIBI ||
        c->position == KEN_ATTENTION_RELATIVE)
        return "reach nystrom scores means of rows: it takes no rotary, alibi or relative "
               "positions";
    if (c->kv_heads && c->kv_heads != c->heads)
        return "reach nystrom needs kv_heads equal to heads (or 0)";
    if (c->landmarks == 0 || c->landmarks > KEN_LANDMARKS_MOST)
        return "reach nystrom: landmarks must be 1 to 256";
    return NULL;
}

/* Cuts each sequence into at most `most` pieces, one per landmark. *pieces receives the rows of
 * each piece, and *of the landmarks of each sequence. */
static bool cut(ken_tape *tape, ken_ragged *pieces, ken_ragged *of, ken_ragged rows, size_t most)
{
    size_t count = 0;
    for (size_t b = 0; b < rows.count; b++)
        count += ken_size_min(most, rows.start[b + 1] - rows.start[b]);
    size_t *piece = ken_arena_take(&tape->arena, count + 1, sizeof *piece);
    size_t *first = ken_arena_take(&tape->arena, rows.count + 1, sizeof *first);
    if (!piece || !first) {
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu landmarks", count);
        return false;
    }
    *pieces = (ken_ragged){ piece, count };
    *of = (ken_ragged){ first, rows.count };
    *first = 0;
    for (size_t b = 0; b < rows.count; b++, first++) {
        size_t n = rows.start[b + 1] - rows.start[b], m = ken_size_min(most, n);
        for (size_t s = 0; s < m; s++) *piece++ = rows.start[b] + s * n / m;
        first[1] = first[0] + m;
    }
    *piece = rows.start[rows.count];
    return true;
}

ken_tensor *ken_attention_nystrom(ken_tape *tape, const struct ken_attention *attention,
                                  ken_tensor *q, ken_tensor *k, ken_tensor *v,
                                  const struct ken_attend_options *options, struct ken_seen *seen)
{
    ken_ragged pieces, of;
    if (ken_tape_status(tape)) return NULL;
    if (options->edges)
        return ken_tape_fail(tape, KEN_ERR_ARGUMENT,
                             "attention: reach nystrom cannot follow edges");
    if (!cut(tape, &pieces, &of, options->queries, attention->config.landmarks)) return NULL;
    ken_tensor *lq = ken_pool(tape, q, pieces, KEN_POOL_MEAN, NULL);
    ken_tensor *lk = k == q ? lq : ken_pool(tape, k, pieces, KEN_POOL_MEAN, NULL);
    struct ken_attend_options ends = *options;
    ends.dropout = 0;
    ends.queries = of;
    ken_tensor *far = ken_attend(tape, lq, k, v, NULL, NULL, &ends);
    struct ken_landmark_options middle = { .landmarks = of,
                                           .heads = options->heads,
                                           .width = options->width,
                                           .q_col = options->q_col,
                                           .k_col = options->k_col };
    ken_tensor *between = ken_landmarks(tape, lq, lk, far, &middle);
    seen->far = far;
    seen->middle = between;
    ends.queries = options->queries;
    ends.keys = of;
    ends.v_col = 0;
    return ken_attend(tape, q, lk, between, NULL, NULL, &ends);
}

ken_status ken_attention_nystrom_look(float *weights, ken_tape *tape,
                                      const struct ken_attention *attention,
                                      const struct ken_seen *seen, size_t b, size_t h, size_t n)
{
    size_t m = ken_size_min(attention->config.landmarks, n);
    float *near, *middle, *far, *both;
    ken_arena_mark mark = ken_arena_here(&tape->arena);
    KEN_TRY(ken_tape_take(tape, &near, n * m));
    KEN_TRY(ken_tape_take(tape, &middle, m * m));
    KEN_TRY(ken_tape_take(tape, &far, m * n));
    KEN_TRY(ken_tape_take(tape, &both, m * n));
    KEN_TRY(ken_attend_look(near, tape, seen->out, b, h));
    KEN_TRY(ken_landmarks_look(middle, tape, seen->middle, b, h));
    KEN_TRY(ken_attend_look(far, tape, seen->far, b, h));
    ken_matmul(&(struct ken_matmul){ .c = both,
                                     .a = middle,
                                     .b = far,
                                     .m = m,
                                     .n = n,
                                     .k = m,
                                     .layout = KEN_NN });
    ken_matmul(&(struct ken_matmul){ .c = weights,
                                     .a = near,
                                     .b = both,
                                     .m = n,
                                     .n = n,
                                     .k = m,
                                     .layout = KEN_NN });
    ken_arena_rewind(&tape->arena, mark);
    return KEN_OK;
}
