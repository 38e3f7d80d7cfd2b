/* predict.c - predicts labels (classes, sets, numbers) with a model. */
#include "infer/session.h"

#include <math.h>
#include <string.h>

static ken_status predict(struct ken_pass *pass, float *logits, const ken_sequences *input)
{
    struct ken_encoded encoded = ken_model_encode(pass, input);
    bool whole = pass->model->config.output == KEN_WHOLE;
    ken_tensor *rows = whole ? ken_model_pool(pass, &encoded) : encoded.rows;
    const ken_tensor *results = ken_model_logits(pass, rows);
    KEN_TRY(ken_tape_status(pass->tape));
    size_t size = ken_tensor_size(results);
    if (size > 0) memcpy(logits, results->data, size * sizeof *logits);
    return KEN_OK;
}

ken_status ken_session_logits(ken_session *session, float *logits, const ken_sequences *input)
{
    struct ken_team *before;
    if (session->model->config.output == KEN_GENERATE)
        return ken_fail(KEN_ERR_STATE, "predict: a generator has no labels; use generate");
    KEN_TRY(ken_model_check_input(session->model, input));
    ken_status status = ken_session_begin(session, false, &before);
    if (!status) status = predict(&session->pass, logits, input);
    ken_session_end(session, before);
    return status;
}

void ken_session_conclude(ken_session *session, float *answers, const float *logits, size_t rows)
{
    size_t width = session->model->config.output_size;
    struct ken_team *before = ken_team_use(session->team);
    switch (session->model->config.value) {
    case KEN_VALUE_CLASS: ken_softmax_forward(answers, logits, rows, width); break;
    case KEN_VALUE_SET:
        ken_activation_forward(answers, logits, rows * width, KEN_ACT_SIGMOID);
        break;
    case KEN_VALUE_NUMBER:
        if (answers != logits) memcpy(answers, logits, rows * width * sizeof *answers);
    }
    ken_team_use(before);
}

/* Returns the number of rows of labels that the model gives for a valid batch. */
static size_t rows_of(const ken_model *model, const ken_sequences *input)
{
    return model->config.output == KEN_EACH ? input->start[input->count] : input->count;
}

/* Fails unless all logits are finite. The input has been checked and has only finite numbers, so
 * either a weight is not finite, or the numbers became too large on the way. */
static ken_status check_finite(const float *logits, size_t rows, size_t width)
{
    for (size_t i = 0; i < rows * width; i++)
        if (!isfinite(logits[i]))
            return ken_fail(KEN_ERR_DIVERGED,
                            "predict: the model's answer is not finite (row %zu, column %zu)",
                            i / width, i % width);
    return KEN_OK;
}

ken_status ken_session_predict(ken_session *session, float *probabilities,
                               const ken_sequences *input)
{
    KEN_TRY(KEN_GIVEN(session));
    const ken_model *model = session->model;
    if (!probabilities) { /* NULL is allowed only if there is nothing to predict */
        KEN_TRY(ken_model_check_input(model, input));
        if (rows_of(model, input) > 0) return KEN_GIVEN(probabilities);
    }
    KEN_TRY(ken_session_logits(session, probabilities, input));
    size_t rows = rows_of(model, input);
    KEN_TRY(check_finite(probabilities, rows, model->config.output_size));
    ken_session_conclude(session, probabilities, probabilities, rows);
    return KEN_OK;
}
