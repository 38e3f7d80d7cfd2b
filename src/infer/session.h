/* session.h - a session: the memory, threads and tables that inference needs besides the model. A
 * session does not change the model; several sessions may share one model and share nothing
 * else. */
#ifndef INFER_SESSION_H
#define INFER_SESSION_H

#include "base/threads.h"
#include "model/pass.h"

struct ken_session {
    const ken_model *model;
    struct ken_team *team; /* threads of this session; NULL = the threads of the process        */
    ken_tape tape;         /* tape of the current call; a call may clear the tape several times */
    ken_arena arena;       /* memory for arrays that last until the end of the call             */
    /* The forward pass of the model, on `tape`. Its position tables are kept between calls. */
    struct ken_pass pass;
    uint64_t version; /* version of the weights from which the position tables were computed */
};

/* Makes a session in the caller's memory. `options` may be NULL for the defaults. After a failure
 * there is nothing to release. */
ken_status ken_session_init(struct ken_session *session, const ken_model *model,
                            const ken_session_options *options);
void ken_session_release(struct ken_session *session);

/* ken_session_begin() and ken_session_end() enclose the computation of a call. Between them, the
 * calling thread uses the session's threads, and the weights are packed. ken_session_end() must be
 * called even if ken_session_begin() failed: it gives the memory of the call back to the session,
 * so that later calls of similar size take no memory from the system. *before receives the team of
 * threads that the calling thread used before, which ken_session_end() restores. */
ken_status ken_session_begin(struct ken_session *session, bool recording, struct ken_team **before);
void ken_session_end(struct ken_session *session, struct ken_team *before);

/* ---- predict.c: prediction in two steps ------------------------------------------------------ */

/* ken_session_predict() calls these two functions. ken_session_logits() computes logits (for
 * classes and sets) or the predicted numbers. ken_session_conclude() turns `rows` rows of logits
 * into answers: softmax for classes, sigmoid for sets, a copy for numbers. `answers` and `logits`
 * may be the same array. */
ken_status ken_session_logits(ken_session *session, float *logits, const ken_sequences *input);
void ken_session_conclude(ken_session *session, float *answers, const float *logits, size_t rows);

/* ---- look_at.c: the attention weights of several layers and heads at once -------------------- */

/* Returns how many layers have attention of the kind `which`; each has config.heads heads. Returns
 * 0 if the model has no such attention. */
size_t ken_model_layers(const ken_model *model, ken_look which);

/* Copies the attention weights of every layer and head that a glance chooses, after one run of the
 * model. The shape of `weights` is (chosen layers, chosen heads, queries, keys). The chosen layer
 * and head must exist; the fields `rollout` and `relative` are not used. `mask` (queries, keys)
 * receives 1 where a query may attend to a key, else 0; all layers and heads have the same mask.
 * `mask` may be NULL. */
ken_status ken_session_glance(ken_session *session, float *weights, unsigned char *mask,
                              const ken_glance *glance, const ken_sequences *input,
                              const ken_sequences *target);

/* ---- score.c: the log probability of given sequences ----------------------------------------- */

/* Computes log_probability[b], the natural logarithm of the probability of target sequence b given
 * input sequence b, and ids[b], the number of ids whose log probabilities are summed. `input` is
 * NULL for a language model. The first `skip` ids of each target are read but not counted. `ends`
 * says whether the end after the last id counts too. */
ken_status ken_session_score(ken_session *session, double *log_probability, size_t *ids,
                             const ken_sequences *input, const ken_sequences *target, size_t skip,
                             bool ends);

#endif
