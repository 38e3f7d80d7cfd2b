/* scaling.c - computes the mean and the standard deviation of columns, and scales rows with
 * them. */
#include "input/scaling.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static ken_status take(struct ken_scaling *scaling, size_t width)
{
    scaling->width = width;
    scaling->mean = ken_memory_zeroed(width, sizeof(float));
    scaling->deviation = ken_memory_zeroed(width, sizeof(float));
    if (scaling->mean && scaling->deviation) return KEN_OK;
    return ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", width);
}

/* Computes mean and standard deviation of column j. The variance of n numbers is the sum of
 * their squared distances from the mean, divided by n, not by n - 1. Two passes are made, because a
 * single pass would lose precision if the numbers are far from 0. */
static void learn_column(struct ken_scaling *scaling, size_t j, const float *rows, size_t count)
{
    double sum = 0, squares = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        double x = rows[i * scaling->width + j];
        if (isnan(x)) continue;
        sum += x;
        known++;
    }
    double mean = known > 0 ? sum / known : 0;
    for (size_t i = 0; i < count; i++) {
        double x = rows[i * scaling->width + j] - mean;
        if (!isnan(x)) squares += x * x;
    }
    double deviation = known > 0 ? sqrt(squares / known) : 0;
    scaling->mean[j] = (float)mean;
    /* A constant column has deviation 0 and is divided by 1 instead. */
    scaling->deviation[j] = deviation > 1e-12 ? (float)deviation : 1;
}

ken_status ken_scaling_learn(struct ken_scaling *scaling, const float *rows, size_t count,
                             size_t width)
{
    KEN_TRY(take(scaling, width));
    for (size_t j = 0; j < width; j++) learn_column(scaling, j, rows, count);
    return KEN_OK;
}

ken_status ken_scaling_copy(struct ken_scaling *scaling, const struct ken_scaling *other)
{
    KEN_TRY(take(scaling, other->width));
    memcpy(scaling->mean, other->mean, other->width * sizeof(float));
    memcpy(scaling->deviation, other->deviation, other->width * sizeof(float));
    return KEN_OK;
}

void ken_scaling_release(struct ken_scaling *scaling)
{
    ken_memory_free(scaling->mean);
    ken_memory_free(scaling->deviation);
    *scaling = (struct ken_scaling){ 0 };
}

void ken_scaling_apply(const struct ken_scaling *scaling, ken_buffer *out, const float *rows,
                       size_t count)
{
    for (size_t i = 0; i < count * scaling->width; i++) {
        size_t j = i % scaling->width;
        float x = (rows[i] - scaling->mean[j]) / scaling->deviation[j];
        ken_buffer_append(out, &x, sizeof x);
    }
}
