/* schedule.h - the learning rate as a function of the step. */
#ifndef TRAIN_SCHEDULE_H
#define TRAIN_SCHEDULE_H

#include "base/status.h"

#include <stdint.h>

typedef struct ken_schedule {
    enum ken_schedule_kind kind;
    double rate;      /* peak of the learning rate; for the inverse root, a factor             */
    uint64_t warm_up; /* number of warm-up steps; 0 = none                                     */
    uint64_t steps;   /* number of steps of the whole run; unused by constant and inverse root */
    uint64_t decay;   /* number of steps of decay, at the end of the run                       */
    double floor;     /* share of the peak rate that is left at the end                        */
    uint64_t width;   /* inverse root: divides the rate by sqrt(width); 0 = `rate` is the peak */
} ken_schedule;

/* Checks the schedule; KEN_ERR_ARGUMENT names the field that is wrong and its value. */
ken_status ken_schedule_check(const ken_schedule *schedule);

/* Returns the learning rate of `step`, counted from 1. It no longer changes after the last step. */
double ken_schedule_rate(const ken_schedule *schedule, uint64_t step);

#endif
