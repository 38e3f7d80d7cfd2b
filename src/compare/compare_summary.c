/* compare_summary.c - means and standard deviations over the runs of a variant. */
#include "compare/compared.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

void ken_mean(double *mean, double *deviation, const double *values, size_t count)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    *mean = count > 0 ? sum / (double)count : NAN;
    for (size_t i = 0; i < count; i++) squares += (values[i] - *mean) * (values[i] - *mean);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
}

/* Collects one number from every run of a variant that did not fail; `first` is the address of this
 * number in the first run. Returns how many numbers were collected. */
static size_t collect(double *values, const struct ken_summary *summary, size_t seeds,
                      const double *first)
{
    size_t count = 0;
    ptrdiff_t offset = (const char *)first - (const char *)summary->runs;
    for (size_t s = 0; s < seeds; s++)
        if (summary->runs[s].failed.size == 0)
            memcpy(&values[count++], (const char *)&summary->runs[s] + offset, sizeof *values);
    return count;
}

static void summarise(struct ken_summary *summary, double *values, size_t seeds, size_t tests)
{
    const struct ken_result *first = summary->runs;
    double unused;
    summary->count = collect(values, summary, seeds, &first->value);
    ken_mean(&summary->mean, &summary->deviation, values, summary->count);
    for (size_t t = 0; t < tests; t++) {
        collect(values, summary, seeds, &first->tests[t]);
        ken_mean(&summary->test_mean[t], &summary->test_deviation[t], values, summary->count);
    }
    for (size_t c = 0; c < KEN_COSTS; c++) {
        collect(values, summary, seeds, &first->costs[c]);
        ken_mean(&summary->costs[c], &unused, values, summary->count);
    }
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
