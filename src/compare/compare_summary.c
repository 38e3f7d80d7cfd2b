/* compare_summary.c - the runs of a variant in a few numbers. */
#include "compare/compare.h"

#include "base/memory.h"

#include <math.h>

void ken_mean(double *mean, double *deviation, const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    *mean = count > 0 ? sum / (double)count : NAN;
    for (size_t i = 0; i < count; i++) squares += (values[i] - *mean) * (values[i] - *mean);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
}

/* The mean of a field of all runs that went well. */
static double mean_of(const struct ken_summary *summary, size_t seeds, size_t offset)
{
    double sum = 0;
    for (size_t s = 0; s < seeds; s++) {
        const struct ken_result *run = &summary->runs[s];
        if (run->failed.size == 0)
            sum += *(const double *)(const void *)((const char *)run + offset);
    }
    return summary->count > 0 ? sum / (double)summary->count : NAN;
}

static void summarise(struct ken_summary *summary, double *values, size_t seeds, size_t tests)
{
    for (size_t s = 0; s < seeds; s++)
        if (summary->runs[s].failed.size == 0) values[summary->count++] = summary->runs[s].value;
    ken_mean(&summary->mean, &summary->deviation, values, summary->count);
    for (size_t t = 0; t < tests; t++) {
        size_t count = 0;
        for (size_t s = 0; s < seeds; s++)
            if (summary->runs[s].failed.size == 0) values[count++] = summary->runs[s].tests[t];
        ken_mean(&summary->test_mean[t], &summary->test_deviation[t], values, count);
    }
    summary->seconds = mean_of(summary, seeds, offsetof(struct ken_result, seconds));
    summary->rows_per_second = mean_of(summary, seeds,
                                       offsetof(struct ken_result, rows_per_second));
    summary->parameters = mean_of(summary, seeds, offsetof(struct ken_result, parameters));
    summary->peak_bytes = mean_of(summary, seeds, offsetof(struct ken_result, peak_bytes));
    summary->file_bytes = mean_of(summary, seeds, offsetof(struct ken_result, file_bytes));
}

ken_status ken_summarise(struct ken_compared *compared)
{
    const struct ken_plan *plan = &compared->plan;
    ken_status status = KEN_OK;
    double *values = ken_memory_new(plan->seeds, sizeof *values);
    compared->summaries = ken_memory_zeroed(plan->variants, sizeof *compared->summaries);
    if (!values || !compared->summaries)
        status = ken_fail(KEN_ERR_MEMORY, "no memory for %zu results", plan->variants);
    for (size_t v = 0; v < plan->variants && !status; v++) {
        struct ken_summary *summary = &compared->summaries[v];
        ken_plan_name(plan, v, &summary->name);
        ken_buffer_text(&summary->folder, "runs/");
        ken_plan_folder(plan, v, &summary->folder);
        status = ken_buffer_status(&summary->name);
        if (!status) status = ken_buffer_status(&summary->folder);
        summary->runs = compared->results + v * plan->seeds;
        summarise(summary, values, plan->seeds, plan->tests.count);
    }
    ken_memory_free(values);
    return status;
}
