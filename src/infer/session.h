/* session.h - a session: the memory, threads and tables that inference needs besides the model. The
 * model is const in a session; sessions share the model and nothing else. */
#ifndef INFER_SESSION_H
#define INFER_SESSION_H

#include "base/threads.h"
#include "model/pass.h"

struct ken_session {
    const ken_model *model;
    struct ken_team *team; /* its own threads; NULL = the threads of the process              */
    ken_tape tape;         /* tape of the current call, which may clear it several times     */
    ken_arena arena;       /* for arrays that last until the end of the call                 */
    struct ken_pass pass;  /* uses `tape`; its position tables are kept from call to call    */
    uint64_t version;      /* version of the weights that the position tables were made from */
};

/* Makes a session in the caller's memory. `options` may be NULL for the defaults. After a failure
 * there is nothing to release. */
ken_status ken_session_init(struct ken_session *session, const ken_model *model,
                            const ken_session_options *options);
void ken_session_release(struct ken_session *session);

/* ken_session_begin() and ken_session_end() enclose the computation of a call. In between, the
 * calling thread uses the session's team of threads, and the weights are packed. ken_session_end()
 * must be called even if ken_session_begin() failed. It gives the memory of the call back to the
 * session, so that later calls of the same size take none from the system. *before receives the
 * thread's former team, which ken_session_end() restores. */
ken_status ken_session_begin(struct ken_session *session, bool recording, struct ken_team **before);
void ken_session_end(struct ken_session *session, struct ken_team *before);

/* ---- predict.c: prediction in two steps ------------------------------------------------------ */

/* The two steps of ken_session_predict(). ken_session_logits() computes logits for classes and
 * sets, and the numbers themselves for numbers. ken_session_conclude() applies softmax (classes) or
 * sigmoid (sets) to `rows` rows; `answers` may be the same array as `logits`. */
ken_status ken_session_logits(ken_session *session, float *logits, const ken_sequences *input);
void ken_session_conclude(ken_session *session, float *answers, const float *logits, size_t rows);

/* ---- look_at.c: all attention weights of a model at once ------------------------------------- */

/* Returns the number of layers with attention of the kind `which`, each with config.heads heads; 0
 * if there are none. */
size_t ken_model_layers(const ken_model *model, ken_look which);

/* Does ken_session_look() for every head of every layer in one run of the model: weights are
 * (layers, heads, T, S), for T queries and S keys. `mask` (T, S), which may be NULL, receives 1
 * where a query may attend to a key, else 0; all layers and heads have the same mask. */
ken_status ken_session_look_all(ken_session *session, float *weights, unsigned char *mask,
                                ken_look which, const ken_sequences *input,
                                const ken_sequences *target);

/* ---- score.c: the log probability of given sequences ----------------------------------------- */

/* Computes log_probability[b], the natural logarithm of the probability of target sequence b given
 * input sequence b (`input` is NULL for a language model), and ids[b], the number of ids whose log
 * probabilities are summed. The first `skip` ids of each target are read but not counted; `ends`
 * says whether the end after the last id counts. */
ken_status ken_session_score(ken_session *session, double *log_probability, size_t *ids,
                             const ken_sequences *input, const ken_sequences *target, size_t skip,
                             bool ends);

#endif
