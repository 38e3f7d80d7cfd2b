/* schedule.h - the learning rate as a function of the step. */
#ifndef TRAIN_SCHEDULE_H
#define TRAIN_SCHEDULE_H

#include "base/status.h"

#include <stdint.h>

typedef struct ken_schedule {
    enum ken_schedule_kind kind;
    double rate;      /* the peak; of the inverse root a factor                              */
    uint64_t warm_up; /* steps; 0 means none                                                 */
    uint64_t steps;   /* of the whole run; constant and inverse root need none               */
    uint64_t decay;   /* steps                                                               */
    double floor;     /* share of the peak that is left at the end                           */
    uint64_t width;   /* d of the inverse root; 0: `rate` is the peak there as well          */
} ken_schedule;

/* KEN_ERR_ARGUMENT with the field and its value, unless the schedule can be followed. */
ken_status ken_schedule_check(const ken_schedule *schedule);

/* Learning rate of `step`, counted from 1. After the last step it stays where it is. */
double ken_schedule_rate(const ken_schedule *schedule, uint64_t step);

#endif
