/* trainer.c - one step of training: loss, gradient, update.
 * Everything random in a step comes from (seed, step), so a run can be repeated or taken up again
 * at any step with the same bits. */
#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"
#include "train/optimiser.h"
#include "train/schedule.h"

#include <math.h>

struct ken_trainer {
    ken_model *model;
    ken_training training;
    ken_schedule schedule;
    ken_optimiser optimiser;
    ken_tape tape;
};

ken_training ken_training_default(void)
{
    return (ken_training){
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
}

static ken_status start_optimiser(ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    const ken_training *t = &trainer->training;
    ken_trained *list = ken_memory_new(parameters->count, sizeof *list);
    if (!list) return ken_fail(KEN_ERR_MEMORY, "no memory for a list of %zu", parameters->count);
    for (size_t i = 0; i < parameters->count; i++)
        list[i] = (ken_trained){ parameters->list[i].tensor, parameters->list[i].decays };
    ken_optimiser_options options = { .beta1 = t->beta1,
                                      .beta2 = t->beta2,
                                      .eps = t->eps,
                                      .decay = t->weight_decay,
                                      .clip = t->clip };
    ken_status status = ken_optimiser_init(&trainer->optimiser, list, parameters->count, &options);
    ken_memory_free(list);
    return status;
}

ken_status ken_trainer_new(ken_trainer **result, ken_model *model, const ken_training *training)
{
    *result = NULL;
    if (!(training->smoothing >= 0 && training->smoothing < 1))
        return ken_fail(KEN_ERR_ARGUMENT, "smoothing must be at least 0 and below 1");
    ken_schedule schedule = { .kind = training->schedule,
                              .rate = training->rate,
                              .warm_up = training->warm_up,
                              .steps = training->steps,
                              .decay = training->decay,
                              .floor = training->floor };
    KEN_TRY(ken_schedule_check(&schedule));
    ken_trainer *trainer = ken_memory_zeroed(1, sizeof *trainer);
    if (!trainer) return ken_fail(KEN_ERR_MEMORY, "no memory for a trainer");
    trainer->model = model;
    trainer->training = *training;
    trainer->schedule = schedule;
    ken_status status = ken_tape_init(&trainer->tape);
    if (!status) status = start_optimiser(trainer);
    if (status) {
        ken_trainer_free(trainer);
        return status;
    }
    *result = trainer;
    return KEN_OK;
}

void ken_trainer_free(ken_trainer *trainer)
{
    if (!trainer) return;
    ken_optimiser_release(&trainer->optimiser);
    ken_tape_release(&trainer->tape);
    ken_memory_free(trainer);
}

/* A failed step may have left part of a gradient behind: the next one must not inherit it. */
static void drop_gradients(ken_trainer *trainer)
{
    const ken_parameters *parameters = &trainer->model->parameters;
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++) tensor->grad[j] = 0;
    }
}

static ken_status diverged(const ken_trainer *trainer, double loss)
{
    const ken_optimiser *optimiser = &trainer->optimiser;
    const char *worst = trainer->model->parameters.list[optimiser->worst].name;
    return ken_fail(KEN_ERR_DIVERGED,
                    "diverged at step %llu: loss %g, gradient norm %g, worst in %s; the weights "
                    "are those of the step before",
                    (unsigned long long)optimiser->step + 1, isnan(loss) ? NAN : loss,
                    fabs(optimiser->norm), worst); /* "nan" without a sign, which it may have */
}

/* Moves the weights, unless something is not finite. A loss can be infinite on its own: where the
 * right answer has probability 0, its gradient is still a number. */
static ken_status update(ken_trainer *trainer, double loss, double rate)
{
    if (!isfinite(loss)) ken_optimiser_measure(&trainer->optimiser);
    ken_status status = isfinite(loss) ? ken_optimiser_step(&trainer->optimiser, rate)
                                       : KEN_ERR_DIVERGED;
    return status == KEN_ERR_DIVERGED ? diverged(trainer, loss) : status;
}

ken_status ken_trainer_step(ken_trainer *trainer, const ken_sequences *input,
                            const ken_sequences *target, ken_report *report)
{
    ken_tape *tape = &trainer->tape;
    uint64_t step = trainer->optimiser.step + 1;
    double rate = ken_schedule_rate(&trainer->schedule, step);
    struct ken_tally tally = { 0 };
    ken_tape_clear(tape); /* the last step's activations end here */
    tape->training = true;
    tape->random_key = ken_random_key(trainer->training.seed, step);
    ken_tensor *loss = ken_model_loss(tape, trainer->model, input, target,
                                      trainer->training.smoothing, &tally);
    ken_status status = ken_tape_backward(tape, loss);
    if (!status) status = update(trainer, loss->data[0], rate);
    if (status) {
        drop_gradients(trainer);
        return status;
    }
    if (report)
        *report = (ken_report){
            .step = step,
            .loss = loss->data[0],
            .accuracy = tally.counted ? (double)tally.correct / (double)tally.counted : 0,
            .norm = trainer->optimiser.norm,
            .rate = rate,
            .rows = (trainer->model->config.encoder_blocks ? input->start[input->count] : 0) +
                    (trainer->model->config.output == KEN_GENERATE
                         ? target->start[target->count] + target->count
                         : 0),
            .peak_bytes = tape->arena.peak,
        };
    return KEN_OK;
}
