/* schedule.h - the learning rate as a function of the step. */
#ifndef TRAIN_SCHEDULE_H
#define TRAIN_SCHEDULE_H

#include "base/status.h"

#include <stdint.h>

typedef struct ken_schedule {
    enum ken_schedule_kind kind;
    double rate;      /* peak of the learning rate; for the inverse root schedule, a factor */
    uint64_t warm_up; /* number of warm-up steps; 0 = none                                  */
    uint64_t steps; /* number of steps of the run; schedules constant and inverse root ignore it */
    uint64_t decay; /* length of the decay at the end of the run, in steps                       */
    double floor;   /* learning rate at the end, as a share of the peak rate                     */
    /* Only for the inverse root schedule: the rate is divided by sqrt(width). With width 0, `rate`
     * is the peak of the rate. */
    uint64_t width;
} ken_schedule;

/* Checks the options of a schedule. If one is wrong, returns KEN_ERR_ARGUMENT with a message that
 * names the option and its value. */
ken_status ken_schedule_check(const ken_schedule *schedule);

/* Returns the learning rate of step `step`, counted from 1. After the last step the rate is
 * constant. */
double ken_schedule_rate(const ken_schedule *schedule, uint64_t step);

#endif
