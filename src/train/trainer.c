/* trainer.c - one step of training: loss, gradient, update. All random numbers of a step follow
 * from (seed, step), so a run can be repeated, or resumed at any step, with the same bits. */
#include "train/trainer.h"

#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "kernel/array.h"

#include <math.h>
#include <string.h>

/* Fills in the default options. Betas and eps are those of the first paper on Transformers (Vaswani
 * 2017, 5.3). */
void ken_training_init(ken_training *training, size_t size)
{
    const ken_training defaults = {
        .size = sizeof defaults,
        .schedule = KEN_SCHEDULE_COSINE,
        .rate = 1e-3,
        .warm_up = 100,
        .steps = 1000,
        .weight_decay = 0.01,
        .clip = 1,
        .beta1 = 0.9,
        .beta2 = 0.98,
        .eps = 1e-9,
        .smoothing = 0,
        .seed = 1,
    };
    ken_options_give(training, size, &defaults, sizeof defaults);
}

/* Copies the caller's options. The caller may have been compiled with an older ken.h, whose struct
 * has fewer fields. */
static ken_status take_options(ken_training *own, const ken_training *given)
{
    *own = ken_training_default();
    return ken_options_take(own, sizeof *own, given, KEN_OPTIONS_END(ken_training, seed),
                            "ken_training");
}

/* Makes the optimiser. The list of parameters is freed at the end, because the optimiser copies
 * it. */
static ken_status start_optimiser(ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    const ken_training *t = &trainer->training;
    ken_trained *list = ken_memory_new(parameters->count, sizeof *list);
    if (!list)
        return ken_fail(KEN_ERR_MEMORY, "no memory for a list of %zu parameters",
                        parameters->count);
    for (size_t i = 0; i < parameters->count; i++)
        list[i] = (ken_trained){ parameters->list[i].tensor, parameters->list[i].decays };
    ken_optimiser_options options = { .beta1 = t->beta1,
                                      .beta2 = t->beta2,
                                      .eps = t->eps,
                                      .decay = t->weight_decay,
                                      .l2 = t->l2,
                                      .clip = t->clip };
    ken_status status = ken_optimiser_init(&trainer->optimiser, list, parameters->count, &options);
    ken_memory_free(list);
    return status;
}

/* Makes the moving average of the weights, which starts as a copy of the weights. */
static ken_status start_average(ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    if (trainer->training.average == 0) return KEN_OK;
    float *average = ken_memory_new(parameters->size, sizeof *average);
    if (!average) return ken_fail(KEN_ERR_MEMORY, "no memory for an average of the weights");
    trainer->average = average;
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        memcpy(average, tensor->data, ken_tensor_size(tensor) * sizeof *average);
        average += ken_tensor_size(tensor);
    }
    return KEN_OK;
}

static ken_status check_options(const ken_training *training, const ken_model *model)
{
    if (!(training->smoothing >= 0 && training->smoothing < 1))
        return ken_fail(KEN_ERR_ARGUMENT, "smoothing must be at least 0 and below 1");
    if (training->smoothing > 0 && model->config.value != KEN_VALUE_CLASS)
        return ken_fail(KEN_ERR_ARGUMENT, "smoothing is for classes, not for numbers or sets");
    if (!(training->average >= 0 && training->average < 1))
        return ken_fail(KEN_ERR_ARGUMENT, "average must be at least 0 and below 1");
    return KEN_OK;
}

ken_status ken_trainer_new(ken_trainer **trainer, ken_model *model, const ken_training *training)
{
    ken_training own;
    KEN_TRY(KEN_GIVEN(trainer));
    *trainer = NULL;
    KEN_TRY(KEN_GIVEN(model));
    KEN_TRY(KEN_GIVEN(training));
    KEN_TRY(take_options(&own, training));
    KEN_TRY(check_options(&own, model));
    ken_schedule schedule = { .kind = own.schedule,
                              .rate = own.rate,
                              .warm_up = own.warm_up,
                              .steps = own.steps,
                              .decay = own.decay,
                              .floor = own.floor };
    KEN_TRY(ken_schedule_check(&schedule));
    ken_trainer *made = ken_memory_zeroed(1, sizeof *made);
    if (!made) return ken_fail(KEN_ERR_MEMORY, "no memory for a trainer");
    made->model = model;
    made->training = own;
    made->schedule = schedule;
    made->pass = (struct ken_pass){ .model = model, .tape = &made->tape };
    ken_status status = ken_tape_init(&made->tape);
    if (!status) status = ken_parameters_learn(&model->parameters);
    if (!status) made->learns = true;
    if (!status) status = start_optimiser(made);
    if (!status) status = start_average(made);
    if (status) {
        ken_trainer_free(made);
        return status;
    }
    *trainer = made;
    return KEN_OK;
}

void ken_trainer_free(ken_trainer *trainer)
{
    if (!trainer) return;
    if (trainer->learns) ken_parameters_drop_gradients(&trainer->model->parameters);
    ken_optimiser_release(&trainer->optimiser);
    ken_memory_free(trainer->average);
    ken_pass_release(&trainer->pass);
    ken_tape_release(&trainer->tape);
    ken_memory_free(trainer);
}

/* Clears all gradients after a failed step. The step may have added to some of the gradients, and
 * the next step must not use these incomplete sums. */
static void drop_gradients(ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++) tensor->grad[j] = 0;
    }
}

static ken_status diverged(const ken_trainer *trainer, double loss, double rate)
{
    const ken_optimiser *optimiser = &trainer->optimiser;
    const char *worst = trainer->model->parameters.list[optimiser->worst].name;
    return ken_fail(KEN_ERR_DIVERGED,
                    "diverged at step %llu: learning rate %g, loss %g, gradient norm %g, worst in "
                    "%s; the weights are those of the step before",
                    (unsigned long long)optimiser->step + 1, rate, isnan(loss) ? NAN : loss,
                    /* fabs() removes the sign with which a NaN may be printed. */
                    fabs(optimiser->norm), worst);
}

/* Updates the moving average: average = d * average + (1 - d) * weights. In the first steps d is
 * smaller than the option `average`; otherwise the random initial weights would influence the
 * average for long. d grows with the steps as in TensorFlow. */
static void move_average(ken_trainer *trainer)
{
    double step = (double)trainer->optimiser.step;
    double d = fmin(trainer->training.average, (1 + step) / (10 + step));
    const ken_parameters *parameters = &trainer->model->parameters;
    float *average = trainer->average;
    for (size_t i = 0; average && i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        size_t size = ken_tensor_size(tensor);
        ken_array_scale(average, average, (float)d, size);
        ken_array_add(average, tensor->data, (float)(1 - d), size);
        average += size;
    }
}

/* Exchanges the weights and their moving average, without extra memory. A second call restores
 * every bit. */
void ken_trainer_swap_average(ken_trainer *trainer)
{
    if (KEN_GIVEN(trainer)) return;
    const ken_parameters *parameters = &trainer->model->parameters;
    float *average = trainer->average;
    if (!average) return;
    ken_model_changed(trainer->model);
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++, average++) {
            float weight = tensor->data[j];
            tensor->data[j] = *average;
            *average = weight;
        }
    }
    trainer->swapped = !trainer->swapped;
}

/* Updates the weights, unless the loss or the gradient is infinite or NaN. The loss has its own
 * test, because it can be infinite while its gradient is finite: when the right answer has
 * probability 0. */
static ken_status move(ken_trainer *trainer, double loss, double rate)
{
    ken_model_changed(trainer->model);
    if (!isfinite(loss)) ken_optimiser_measure(&trainer->optimiser);
    ken_status status = isfinite(loss) ? ken_optimiser_step(&trainer->optimiser, rate)
                                       : KEN_ERR_DIVERGED;
    if (status == KEN_ERR_DIVERGED) return diverged(trainer, loss, rate);
    if (!status) move_average(trainer);
    return status;
}

/* Counts the known answers of all batches of an update. They must be counted before the first batch
 * is computed, because the loss of each batch is multiplied by its share of all answers. */
static ken_status count_answers(const ken_trainer *trainer, const struct ken_pair *batches,
                                size_t count, size_t *answers)
{
    *answers = 0;
    for (size_t i = 0; i < count; i++) {
        KEN_TRY(ken_model_check_batch(trainer->model, batches[i].input, batches[i].target));
        *answers += ken_model_counted(trainer->model, batches[i].target);
    }
    return KEN_OK;
}

/* Returns the number of rows (tokens) of a batch that go through the blocks. A decoder reads
 * `begin` before every target. */
static size_t rows_of(const ken_model *model, const struct ken_pair *batch)
{
    size_t rows = 0;
    for (size_t b = 0; model->config.encoder_blocks > 0 && b < batch->input->count; b++)
        rows += ken_config_rows(&model->config,
                                batch->input->start[b + 1] - batch->input->start[b]);
    if (model->config.output == KEN_GENERATE)
        rows += batch->target->start[batch->target->count] + batch->target->count;
    return rows;
}

/* Adds the gradients of batch i of an update to those of the model, and adds the batch's loss,
 * tally and rows to the report. The random keys of the batch's operations (for dropout) are derived
 * from `key` if i is 0, otherwise from a new key made of `key` and i. So no two operations of an
 * update have the same random key. */
static ken_status add_batch(ken_trainer *trainer, const struct ken_pair *batch, size_t i,
                            double share, struct ken_tally *tally, ken_report *report)
{
    ken_tape *tape = &trainer->tape;
    uint64_t key = ken_random_key(trainer->training.seed, trainer->optimiser.step + 1);
    ken_tape_clear(tape); /* frees the activations of the previous batch */
    tape->training = true;
    tape->random_key = i == 0 ? key : ken_random_key(key, ~(uint64_t)i);
    ken_tensor *loss = ken_model_loss(&trainer->pass, batch->input, batch->target,
                                      trainer->training.smoothing, (float)share, tally);
    KEN_TRY(ken_tape_backward(tape, loss));
    report->loss += loss->data[0];
    report->rows += rows_of(trainer->model, batch);
    return KEN_OK;
}

/* Adds the gradients of all batches of an update. The loss of a batch is the mean over its own
 * answers. It is multiplied by the batch's share of all answers, so that the sum over the batches
 * is the mean over all answers. If no answer is known, every loss is 0 and the shares do not
 * matter. */
static ken_status add_batches(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              struct ken_tally *tally, ken_report *report)
{
    size_t answers = 0;
    if (count > 1) KEN_TRY(count_answers(trainer, batches, count, &answers));
    for (size_t i = 0; i < count; i++) {
        double share = 1; /* a single batch has a share of exactly 1, without rounding */
        if (answers > 0)
            share = (double)ken_model_counted(trainer->model, batches[i].target) / (double)answers;
        KEN_TRY(add_batch(trainer, &batches[i], i, share, tally, report));
    }
    return KEN_OK;
}

ken_status ken_trainer_update(ken_trainer *trainer, const struct ken_pair *batches, size_t count,
                              ken_report *report)
{
    ken_report made = { .step = trainer->optimiser.step + 1 };
    struct ken_tally tally = { 0 };
    if (count == 0) return ken_fail(KEN_ERR_ARGUMENT, "an update needs at least one batch");
    if (trainer->swapped)
        return ken_fail(KEN_ERR_STATE,
                        "the model holds its averaged weights: swap them back before a step");
    made.rate = ken_schedule_rate(&trainer->schedule, made.step);
    ken_status status = add_batches(trainer, batches, count, &tally, &made);
    if (!status) status = move(trainer, made.loss, made.rate);
    if (status) {
        drop_gradients(trainer);
        return status;
    }
    made.accuracy = tally.counted ? (double)tally.correct / (double)tally.counted : 0;
    made.counted = tally.counted;
    made.norm = trainer->optimiser.norm;
    made.peak_bytes = trainer->tape.arena.peak;
    if (report) *report = made;
    return KEN_OK;
}

ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                            const ken_sequences *target, const ken_report **report)
{
    const struct ken_pair pair = { input, target };
    KEN_TRY(KEN_GIVEN(trainer));
    KEN_TRY(ken_trainer_update(trainer, &pair, 1, &trainer->report));
    if (report) *report = &trainer->report;
    return KEN_OK;
}
