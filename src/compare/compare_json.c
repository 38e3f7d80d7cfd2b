/* compare_json.c - all results of a comparison as one JSON object on one line. */
#include "compare/compared.h"

#include "base/json.h"

#include <inttypes.h>
#include <string.h>

static void add_text(ken_buffer *out, const char *name, const char *text)
{
    ken_buffer_format(out, "\"%s\":", name);
    if (text) ken_json_string(out, text, strlen(text));
    else ken_buffer_text(out, "null");
}

static void add_costs(ken_buffer *out, const double *costs)
{
    for (size_t c = 0; c < KEN_COSTS; c++) ken_json_member(out, ken_cost_names[c], costs[c]);
}

static void add_tests(ken_buffer *out, const char *name, const struct ken_plan *plan,
                      const double *values)
{
    ken_buffer_format(out, ",\"%s\":", name);
    ken_tests_json(out, &plan->tests, values);
}

static void add_run(ken_buffer *out, const struct ken_plan *plan, const struct ken_result *run,
                    uint64_t seed)
{
    bool failed = run->failed.size > 0;
    ken_buffer_format(out, "{\"seed\":%" PRIu64 ",", seed);
    add_text(out, "failed", failed ? run->failed.data : NULL);
    if (!failed) {
        ken_json_member(out, "value", run->value);
        ken_json_member(out, "dev", run->dev);
        add_costs(out, run->costs);
        ken_buffer_format(out, ",\"scores\":%s", run->scores.size ? run->scores.data : "{}");
        if (plan->tests.count > 0) add_tests(out, "tests", plan, run->tests);
    }
    ken_buffer_text(out, "}");
}

static void add_variant(ken_buffer *out, const struct ken_compared *compared, size_t variant)
{
    const struct ken_plan *plan = &compared->plan;
    const struct ken_summary *summary = &compared->summaries[variant];
    ken_buffer_text(out, "{");
    add_text(out, "name", ken_buffer_string(&summary->name));
    ken_buffer_text(out, ",\"values\":{");
    for (size_t k = 0; k < plan->key_count; k++) {
        if (k > 0) ken_buffer_text(out, ",");
        add_text(out, plan->keys[k].key, ken_plan_value(plan, variant, k));
    }
    ken_buffer_text(out, "},");
    add_text(out, "folder", ken_buffer_string(&summary->folder));
    ken_buffer_format(out, ",\"n\":%zu", summary->count);
    ken_json_member(out, "mean", summary->mean);
    ken_json_member(out, "deviation", summary->deviation);
    add_costs(out, summary->costs);
    if (plan->tests.count > 0) {
        add_tests(out, "tests", plan, summary->test_mean);
        add_tests(out, "tests_deviation", plan, summary->test_deviation);
    }
    ken_buffer_text(out, ",\"runs\":[");
    for (size_t s = 0; s < plan->seeds; s++) {
        if (s > 0) ken_buffer_text(out, ",");
        add_run(out, plan, &summary->runs[s], ken_plan_seed(plan, s));
    }
    ken_buffer_text(out, "]}");
}

void ken_compared_json(const struct ken_compared *compared, ken_buffer *out)
{
    const struct ken_plan *plan = &compared->plan;
    ken_buffer_text(out, "{");
    add_text(out, "command", plan->command);
    ken_buffer_text(out, ",");
    add_text(out, "recipe", plan->recipe->name);
    ken_buffer_text(out, ",");
    add_text(out, "metric", compared->metric);
    ken_buffer_format(out, ",\"lower_is_better\":%s,", compared->falls ? "true" : "false");
    add_text(out, "measured_on", compared->on_test ? "test" : "dev");
    ken_buffer_format(out, ",\"seed\":%" PRIu64 ",\"seeds\":%zu,\"variants\":[",
                      ken_plan_seed(plan, 0), plan->seeds);
    for (size_t v = 0; v < plan->variants; v++) {
        if (v > 0) ken_buffer_text(out, ",");
        add_variant(out, compared, v);
    }
    ken_buffer_text(out, "]}\n");
}
