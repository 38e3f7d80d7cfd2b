/* session.c - makes and frees sessions, and begins and ends calls in a session. Functions of ken.h
 * that take a model instead of a session make a temporary session. */
#include "infer/session.h"

#include "base/memory.h"
#include "base/options.h"
#include "kernel/kernels.h"

void ken_session_options_init(ken_session_options *options, size_t size)
{
    const ken_session_options defaults = { .size = sizeof defaults };
    ken_options_give(options, size, &defaults, sizeof defaults);
}

ken_status ken_session_init(struct ken_session *session, const ken_model *model,
                            const ken_session_options *options)
{
    ken_session_options o = ken_session_options_default();
    if (options)
        KEN_TRY(ken_options_take(&o, sizeof o, options,
                                 KEN_OPTIONS_END(ken_session_options, threads),
                                 "ken_session_options"));
    *session = (struct ken_session){ .model = model };
    if (o.threads > 0) KEN_TRY(ken_team_new(&session->team, o.threads));
    struct ken_team *before = ken_team_use(session->team);
    ken_status status = ken_tape_init(&session->tape);
    ken_team_use(before);
    ken_arena_init(&session->arena);
    session->pass = (struct ken_pass){ .model = model, .tape = &session->tape };
    if (status) ken_session_release(session);
    return status;
}

void ken_session_release(struct ken_session *session)
{
    ken_pass_release(&session->pass);
    ken_tape_release(&session->tape);
    ken_arena_release(&session->arena);
    ken_team_free(session->team);
    session->team = NULL;
}

ken_status ken_session_new(ken_session **session, const ken_model *model,
                           const ken_session_options *options)
{
    KEN_TRY(KEN_GIVEN(session));
    *session = NULL;
    KEN_TRY(KEN_GIVEN(model));
    ken_session *made = ken_memory_new(1, sizeof *made);
    if (!made) return ken_fail(KEN_ERR_MEMORY, "no memory for a session");
    ken_status status = ken_session_init(made, model, options);
    if (!status) *session = made;
    else ken_memory_free(made);
    return status;
}

void ken_session_free(ken_session *session)
{
    if (!session) return;
    ken_session_release(session);
    ken_memory_free(session);
}

ken_status ken_session_begin(struct ken_session *session, bool recording, struct ken_team **before)
{
    uint64_t version;
    *before = ken_team_use(session->team);
    session->tape.recording = recording;
    KEN_TRY(ken_kernels_start()); /* starts the threads of the process, if they do not run yet */
    KEN_TRY(ken_model_pack(session->model, &version));
    if (version != session->version) ken_pass_release(&session->pass);
    session->version = version;
    return KEN_OK;
}

void ken_session_end(struct ken_session *session, struct ken_team *before)
{
    ken_tape_clear(&session->tape);
    ken_arena_clear(&session->arena);
    session->pass.encoder_seen = session->pass.decoder_seen = NULL;
    ken_team_use(before);
}

/* ---- calls that take a model ----------------------------------------------------------------- */

ken_status ken_model_predict(const ken_model *model, float *probabilities,
                             const ken_sequences *input)
{
    struct ken_session session;
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(ken_session_init(&session, model, NULL));
    ken_status status = ken_session_predict(&session, probabilities, input);
    ken_session_release(&session);
    return status;
}

ken_status ken_model_generate(const ken_model *model, int32_t *ids, size_t *lengths, float *scores,
                              const ken_sequences *input, const ken_generation *how)
{
    struct ken_session session;
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(ken_session_init(&session, model, NULL));
    ken_status status = ken_session_generate(&session, ids, lengths, scores, input, how);
    ken_session_release(&session);
    return status;
}

ken_status ken_model_look(const ken_model *model, float *weights, ken_look which, size_t block,
                          size_t head, const ken_sequences *input, const ken_sequences *target)
{
    struct ken_session session;
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(ken_session_init(&session, model, NULL));
    ken_status status = ken_session_look(&session, weights, which, block, head, input, target);
    ken_session_release(&session);
    return status;
}
