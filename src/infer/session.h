/* session.h - what answering needs besides the model: memory, threads and tables that are kept. The
 * model is const here; sessions share it, and share nothing else. */
#ifndef INFER_SESSION_H
#define INFER_SESSION_H

#include "base/threads.h"
#include "model/pass.h"

struct ken_session {
    const ken_model *model;
    struct ken_team *team; /* its own, or NULL: that of the process                          */
    ken_tape tape;         /* of what a call computes, cleared by it as often as it likes    */
    ken_arena arena;       /* arrays that last as long as the call                           */
    struct ken_pass pass;  /* on that tape; its tables of places are kept from call to call  */
    uint64_t version;      /* of the weights that these tables are made of                   */
};

/* A session in memory of the caller; options NULL: the usual ones. On failure nothing is held. */
ken_status ken_session_init(struct ken_session *session, const ken_model *model,
                            const ken_session_options *options);
void ken_session_release(struct ken_session *session);

/* Around everything that a call computes. Between them the calling thread uses the session's team,
 * and the weights are packed. The end, which follows a failed beginning as well, gives all memory
 * of the call back to the session: after the first call of its size a call takes none from the
 * system. *before is what the end needs. */
ken_status ken_session_begin(struct ken_session *session, bool recording, struct ken_team **before);
void ken_session_end(struct ken_session *session, struct ken_team *before);

/* ---- predict.c: answers before their last step, and that step -------------------------------- */

/* ken_session_predict() without its last step: logits of classes and sets, numbers as they are.
 * ken_session_conclude() is that step, on `rows` of them: `answers` may be `logits`. */
ken_status ken_session_logits(ken_session *session, float *logits, const ken_sequences *input);
void ken_session_conclude(ken_session *session, float *answers, const float *logits, size_t rows);

/* ---- look_at.c: all attention of a model at once --------------------------------------------- */

/* Layers with attention of this kind, each with config.heads heads; 0: none. */
size_t ken_model_layers(const ken_model *model, ken_look which);

/* ken_session_look() for every head of every layer, the model run once: weights (layers, heads, T,
 * S). */
ken_status ken_session_look_all(ken_session *session, float *weights, ken_look which,
                                const ken_sequences *input, const ken_sequences *target);

/* ---- score.c: how likely a generator finds given sequences ----------------------------------- */

/* log_probability[b], natural, of target sequence b given input sequence b (NULL for a language
 * model), and how many ids it is the sum over. The first `skip` ids of each are only read; `ends`
 * says whether the end that follows counts. */
ken_status ken_session_score(ken_session *session, double *log_probability, size_t *ids,
                             const ken_sequences *input, const ken_sequences *target, size_t skip,
                             bool ends);

#endif
