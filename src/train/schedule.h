/* schedule.h - the learning rate as a function of the step. */
#ifndef TRAIN_SCHEDULE_H
#define TRAIN_SCHEDULE_H

#include "base/status.h"

#include <stdint.h>

typedef struct ken_schedule {
    enum ken_schedule_kind kind;
    double rate;      /* the peak; for the inverse root a factor                             */
    uint64_t warm_up; /* steps of warm-up; 0 = none                                          */
    uint64_t steps;   /* of the whole run; constant and inverse root do not use it           */
    uint64_t decay;   /* steps of decay at the end                                           */
    double floor;     /* share of the peak that is left at the end                           */
    uint64_t width;   /* d of the inverse root; 0 = `rate` is the peak there too             */
} ken_schedule;

/* Checks the schedule; KEN_ERR_ARGUMENT names the field that is wrong and its value. */
ken_status ken_schedule_check(const ken_schedule *schedule);

/* The learning rate of `step`, counted from 1. After the last step it no longer changes. */
double ken_schedule_rate(const ken_schedule *schedule, uint64_t step);

#endif
