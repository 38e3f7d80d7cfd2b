/* schedule.c - the formulas of the learning rate schedules. The rate depends only on the options
 * and the number of the step, so a resumed run has the same rates as a run that never stopped. */
#include "train/schedule.h"
#include "base/size.h"

#include <math.h>
#include <stdbool.h>

ken_status ken_schedule_check(const ken_schedule *schedule)
{
    bool ends = schedule->kind == KEN_SCHEDULE_COSINE ||
                schedule->kind == KEN_SCHEDULE_STABLE_DECAY;
    if (schedule->kind < KEN_SCHEDULE_CONSTANT || schedule->kind > KEN_SCHEDULE_STABLE_DECAY)
        return ken_fail(KEN_ERR_ARGUMENT, "unknown schedule %d", (int)schedule->kind);
    /* The limit of 1e18 prevents overflow: a gradient with a finite norm is below 2e19, and its
     * product with a rate of 1e18 still fits a float. */
    if (!(schedule->rate >= 0 && schedule->rate <= 1e18))
        return ken_fail(KEN_ERR_ARGUMENT, "learning rate %g is not a number from 0 to 1e18",
                        schedule->rate);
    if (!(schedule->floor >= 0 && schedule->floor <= 1))
        return ken_fail(KEN_ERR_ARGUMENT, "schedule floor %g is not within 0 and 1",
                        schedule->floor);
    if (ends && schedule->warm_up > schedule->steps)
        return ken_fail(KEN_ERR_ARGUMENT, "warm_up is %llu, more than the %llu step%s of the run",
                        (unsigned long long)schedule->warm_up, (unsigned long long)schedule->steps,
                        ken_plural(schedule->steps));
    if (schedule->kind == KEN_SCHEDULE_STABLE_DECAY &&
        schedule->decay > schedule->steps - schedule->warm_up)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "decay is %llu, more than the %llu steps after the warm-up",
                        (unsigned long long)schedule->decay,
                        (unsigned long long)(schedule->steps - schedule->warm_up));
    return KEN_OK;
}

/* Returns how far `step` is on the way from step `from` to step `to`, as a number from 0 to 1. */
static double progress(uint64_t step, uint64_t from, uint64_t to)
{
    if (step >= to) return 1;
    return step <= from ? 0 : (double)(step - from) / (double)(to - from);
}

/* Computes the inverse root schedule (Vaswani 2017, 5.3): width^-1/2 * min(step^-1/2, step *
 * warm_up^-3/2). It has its peak at step `warm_up`. If schedule->width is 0, the width is set to 1
 * / warm_up, which makes the peak 1. */
static double inverse_root(const ken_schedule *schedule, double step)
{
    double warm_up = schedule->warm_up > 0 ? (double)schedule->warm_up : 1;
    double width = schedule->width > 0 ? (double)schedule->width : 1 / warm_up;
    return fmin(1 / sqrt(step), step / (warm_up * sqrt(warm_up))) / sqrt(width);
}

double ken_schedule_rate(const ken_schedule *schedule, uint64_t step)
{
    if (step < 1) step = 1;
    if (schedule->kind == KEN_SCHEDULE_INVERSE_ROOT)
        return schedule->rate * inverse_root(schedule, (double)step);
    if (step < schedule->warm_up) return schedule->rate * (double)step / (double)schedule->warm_up;
    double fall = 0; /* how far the rate has fallen: 0 = peak, 1 = floor */
    if (schedule->kind == KEN_SCHEDULE_COSINE)
        fall = 0.5 - 0.5 * cos(M_PI * progress(step, schedule->warm_up, schedule->steps));
    else if (schedule->kind == KEN_SCHEDULE_STABLE_DECAY)
        fall = progress(step, schedule->steps - schedule->decay, schedule->steps);
    return schedule->rate * (1 - (1 - schedule->floor) * fall);
}
