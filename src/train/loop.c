/* loop.c - the training loop itself. Invariant: between two steps, loop->state and the trainer hold
 * everything that the rest of the run depends on, so a checkpoint after any step is enough to
 * resume the run. */
#include "train/loop.h"

#include "base/memory.h"

#include <math.h>

/* The plan of an epoch: the list of its batches, and memory for the batches of one update. */
struct plan {
    ken_batches batches;
    ken_gathered *gathered; /* the batches of one update; `accumulate` entries */
    struct ken_pair *pairs;
};

static ken_status plan_epoch(struct plan *plan, const struct ken_loop *loop)
{
    ken_batches_release(&plan->batches);
    return ken_batches_make(&plan->batches, loop->dataset, loop->generates, loop->budget, true,
                            loop->seed, loop->state.epoch);
}

static ken_status plan_init(struct plan *plan, const struct ken_loop *loop)
{
    *plan = (struct plan){ 0 };
    plan->gathered = ken_memory_zeroed(loop->accumulate, sizeof *plan->gathered);
    plan->pairs = ken_memory_zeroed(loop->accumulate, sizeof *plan->pairs);
    if (!plan->gathered || !plan->pairs) return ken_fail(KEN_ERR_MEMORY, "no memory for batches");
    return plan_epoch(plan, loop);
}

static void plan_release(struct plan *plan, const struct ken_loop *loop)
{
    for (size_t i = 0; plan->gathered && i < loop->accumulate; i++)
        ken_gathered_release(&plan->gathered[i]);
    ken_memory_free(plan->gathered);
    ken_memory_free(plan->pairs);
    ken_batches_release(&plan->batches);
}

ken_status ken_loop_batches(uint64_t *count, const struct ken_loop *loop)
{
    ken_batches batches = { 0 };
    KEN_TRY(ken_batches_make(&batches, loop->dataset, loop->generates, loop->budget, true,
                             loop->seed, 0));
    *count = batches.count;
    ken_batches_release(&batches);
    return KEN_OK;
}

/* Makes one update from `accumulate` batches; some of them may belong to the next epoch. After a
 * failure loop->state counts batches that have not changed the weights, so the caller must not save
 * loop->state. */
static ken_status step(struct ken_loop *loop, struct plan *plan)
{
    struct ken_loop_state *state = &loop->state;
    for (size_t i = 0; i < loop->accumulate; i++) {
        if (state->batch >= plan->batches.count) {
            state->epoch++;
            state->batch = 0;
            KEN_TRY(plan_epoch(plan, loop));
        }
        size_t from = state->batch > 0 ? plan->batches.ends[state->batch - 1] : 0;
        KEN_TRY(ken_gather(&plan->gathered[i], loop->dataset, plan->batches.order + from,
                           plan->batches.ends[state->batch] - from));
        plan->pairs[i] = (struct ken_pair){ &plan->gathered[i].input, &plan->gathered[i].target };
        state->batch++;
    }
    KEN_TRY(ken_trainer_update(loop->trainer, plan->pairs, loop->accumulate, &loop->report));
    loop->rows += (double)loop->report.rows;
    if (isnan(loop->loss)) loop->loss = loop->report.loss;
    loop->loss += 0.02 * (loop->report.loss - loop->loss); /* moving mean of about 50 steps */
    return KEN_OK;
}

/* Measures the metric with the averaged weights. Keeps the model if its metric is the best so far,
 * or if there is no data to measure on. Even after a failure, the trained weights are put back. */
static ken_status evaluate(struct ken_loop *loop)
{
    struct ken_loop_state *state = &loop->state;
    ken_trainer_swap_average(loop->trainer);
    ken_status status = loop->measure(loop->user, &loop->dev);
    loop->improved = isnan(loop->dev) || isnan(state->best) ||
                     (loop->falls ? loop->dev < state->best : loop->dev > state->best);
    if (!status && loop->improved) status = loop->keep(loop->user);
    ken_trainer_swap_average(loop->trainer);
    KEN_TRY(status);
    if (loop->improved) {
        state->best = loop->dev;
        state->best_step = loop->trainer->optimiser.step;
    }
    state->stale = loop->improved ? 0 : state->stale + 1;
    return KEN_OK;
}

/* Calls the progress function, then saves the state if a checkpoint is due, if the run is done, or
 * if the progress function ends the run. If saving fails, its failure is returned instead of the
 * status of the progress function. */
static ken_status report(struct ken_loop *loop, bool evaluated)
{
    uint64_t made = loop->trainer->optimiser.step;
    ken_status said = loop->progress(loop->user, loop, evaluated ? KEN_AT_EVALUATION : KEN_AT_STEP);
    if (said || loop->state.done || made % loop->checkpoint == 0) KEN_TRY(ken_loop_save(loop));
    if (said != KEN_ERR_STOPPED) return said;
    /* the last step is done, so the request to stop changes nothing */
    if (loop->state.done) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, "stopped at step %llu; the state is saved",
                    (unsigned long long)made);
}

/* Runs the loop. After an evaluation the best model is saved before the checkpoint that records its
 * step. If the run is interrupted between the two saves, the resumed run repeats the evaluation and
 * saves the same model again. */
ken_status ken_loop_run(struct ken_loop *loop)
{
    struct ken_loop_state *state = &loop->state;
    struct plan plan;
    ken_status status = plan_init(&plan, loop);
    while (!status && !state->done) {
        status = step(loop, &plan);
        if (status) break;
        uint64_t made = loop->trainer->optimiser.step;
        bool last = made >= loop->steps, evaluates = last || made % loop->evaluate == 0;
        if (evaluates) status = evaluate(loop);
        state->done = last || (loop->patience > 0 && state->stale >= loop->patience);
        if (!status) status = report(loop, evaluates);
    }
    plan_release(&plan, loop);
    return status;
}
