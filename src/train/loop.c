/* loop.c - the training loop itself.
 * Invariant: between two steps `state` and the trainer are all there is; the plan follows from
 * them. So a save at any step is enough to go on from. */
#include "train/loop.h"

#include "base/memory.h"

#include <math.h>

/* An epoch's batches and the arrays that they are gathered in. */
struct plan {
    ken_batches batches;
    ken_gathered *gathered; /* (accumulate) */
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

/* One update of `accumulate` batches, which may reach over the end of an epoch. After a failure
 * `state` is ahead of the weights, so it must not be saved. */
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
    loop->loss += 0.02 * (loop->report.loss - loop->loss); /* of about the last 50 steps */
    return KEN_OK;
}

/* Measures with the averaged weights and keeps the model when it is the best so far, or when there
 * is nothing to measure on. Whatever happens, the weights are swapped back. */
static ken_status look_at_dev(struct ken_loop *loop)
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

/* The order matters: the best model is on the disk before the checkpoint that says when it was the
 * best, so a run that ends in between looks at dev again and keeps the same bytes. */
ken_status ken_loop_run(struct ken_loop *loop)
{
    struct ken_loop_state *state = &loop->state;
    struct plan plan;
    ken_status status = plan_init(&plan, loop);
    bool stop = false;
    while (!status && !state->done && !stop) {
        status = step(loop, &plan);
        if (status) break;
        uint64_t made = loop->trainer->optimiser.step;
        bool last = made >= loop->steps, look = last || made % loop->evaluate == 0;
        if (look) status = look_at_dev(loop);
        state->done = last || (loop->patience > 0 && state->stale >= loop->patience);
        if (!status && loop->told(loop->user, loop, look ? KEN_AT_EVALUATION : KEN_AT_STEP) != 0)
            stop = true;
        if (!status && (stop || state->done || made % loop->checkpoint == 0))
            status = ken_loop_save(loop);
    }
    plan_release(&plan, loop);
    if (!status && stop && !state->done)
        return ken_fail(KEN_ERR_STOPPED, "stopped at step %llu; the state is saved",
                        (unsigned long long)loop->trainer->optimiser.step);
    return status;
}
