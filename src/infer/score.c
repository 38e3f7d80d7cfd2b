/* score.c - computes the log probability of given sequences: one pass of the decoder over the
 * target ids (teacher forcing), then the output projection, some rows at a time. */
#include "infer/session.h"

#include "base/size.h"
#include "kernel/loss.h"

enum { ROWS_AT_ONCE = 256 }; /* maximum number of rows whose logits are in memory at once */

/* A chunk: the logits of the rows first .. end - 1. One matrix product computes a whole chunk, even
 * if it covers many short sequences. */
struct some {
    size_t first, end;
    ken_tensor *logits;
    ken_arena_mark before; /* mark of the tape's arena where the memory of the logits begins */
};

/* Computes the chunk of logits that begins at row `first`, in the memory of the previous chunk.
 * That memory can be reused, because the tape does not record and so nothing points to the old
 * logits. */
static ken_status look_at(struct some *some, struct ken_pass *pass, const ken_tensor *rows,
                          size_t first)
{
    ken_tape *tape = pass->tape;
    ken_arena_rewind(&tape->arena, some->before);
    some->first = first;
    some->end = first + ken_size_min(ROWS_AT_ONCE, rows->rows - first);
    ken_tensor *part = ken_tape_constant(tape, rows->data + first * rows->cols, some->end - first,
                                         rows->cols);
    some->logits = ken_model_logits(pass, part);
    return ken_tape_status(tape);
}

static ken_status score_on(struct ken_pass *pass, double *log_probability, size_t *ids,
                           const ken_sequences *input, const ken_sequences *target, size_t skip,
                           bool ends)
{
    const int32_t *predict = NULL;
    ken_tensor *rows = ken_model_forced(pass, input, target, &predict);
    KEN_TRY(ken_tape_status(pass->tape));
    struct some some = { .before = ken_arena_here(&pass->tape->arena) };
    for (size_t b = 0; b < target->count; b++) {
        /* A target sequence has one row more than ids: the decoder reads `begin` first, and the
         * last row predicts the end. */
        size_t row = target->start[b] + b, to = target->start[b + 1] + b + (ends ? 1 : 0);
        struct ken_tally tally = { 0 };
        row += ken_size_min(skip, to - row); /* the first `skip` rows need no logits */
        while (row < to) {
            if (row >= some.end) KEN_TRY(look_at(&some, pass, rows, row));
            size_t count = ken_size_min(to, some.end) - row, V = some.logits->cols;
            ken_cross_entropy(&tally, some.logits->data + (row - some.first) * V, predict + row,
                              count, V, 0, false, 1);
            row += count;
        }
        log_probability[b] = -tally.loss;
        ids[b] = tally.counted;
    }
    return KEN_OK;
}

ken_status ken_session_score(ken_session *session, double *log_probability, size_t *ids,
                             const ken_sequences *input, const ken_sequences *target, size_t skip,
                             bool ends)
{
    const ken_model *model = session->model;
    struct ken_team *before;
    if (model->config.output != KEN_GENERATE)
        return ken_fail(KEN_ERR_STATE, "score: this model gives labels, not sequences");
    if (model->config.encoder_blocks > 0) KEN_TRY(ken_model_check_input(model, input));
    KEN_TRY(ken_model_check_target(model, target));
    if (model->config.encoder_blocks > 0 && input->count != target->count)
        return ken_fail(KEN_ERR_SHAPE, "score: found %zu target%s, expected %zu", target->count,
                        ken_plural(target->count), input->count);
    ken_status status = ken_session_begin(session, false, &before);
    if (!status) status = score_on(&session->pass, log_probability, ids, input, target, skip, ends);
    ken_session_end(session, before);
    return status;
}
