/* compare_draw.c - draws the picture of a comparison. The picture has lines if the tests have
 * distances or if one key has only numbers as values; otherwise it has bars. */
#include "compare/compared.h"

#include "base/memory.h"
#include "base/number.h"
#include "draw/chart.h"

#include <math.h>
#include <string.h>

/* ---- titles ---------------------------------------------------------------------------------- */

struct words {
    ken_buffer title, about, measure;
};

static void set_words(struct words *words, const struct ken_compared *compared)
{
    ken_buffer_format(&words->measure, "%s on %s (%s is better)", compared->metric,
                      compared->on_test ? "test" : "dev", compared->falls ? "lower" : "higher");
    ken_buffer_format(&words->title, "%s by ", compared->metric);
    ken_compared_keys(compared, &words->title);
    if (compared->plan.seeds > 1)
        ken_buffer_format(&words->title, ": mean and deviation of %zu seeds", compared->plan.seeds);
    for (size_t v = 0; v < compared->plan.variants; v++) {
        const struct ken_summary *summary = &compared->summaries[v];
        ken_buffer_format(&words->about, "%s%s: ", v > 0 ? "; " : "",
                          ken_buffer_string(&summary->name));
        if (summary->count > 0) ken_compared_value(compared, v, &words->about);
        else ken_buffer_text(&words->about, "failed");
    }
}

static ken_status words_status(const struct words *words)
{
    KEN_TRY(ken_buffer_status(&words->title));
    KEN_TRY(ken_buffer_status(&words->about));
    return ken_buffer_status(&words->measure);
}

static void words_release(struct words *words)
{
    ken_buffer_release(&words->title);
    ken_buffer_release(&words->about);
    ken_buffer_release(&words->measure);
}

/* ---- bars ------------------------------------------------------------------------------------ */

static ken_status draw_bars(const struct ken_compared *compared, const struct words *words,
                            ken_buffer *out)
{
    size_t variants = compared->plan.variants;
    struct ken_chart chart = { .title = words->title.data,
                               .about = words->about.data,
                               .x_title = words->measure.data };
    struct ken_bar *bars = ken_memory_zeroed(variants, sizeof *bars);
    ken_buffer *labels = ken_memory_zeroed(variants, sizeof *labels);
    ken_status status = KEN_OK;
    if (!bars || !labels) status = ken_fail(KEN_ERR_MEMORY, "no memory for %zu bars", variants);
    for (size_t v = 0; v < variants && !status; v++) {
        const struct ken_summary *summary = &compared->summaries[v];
        if (summary->count > 0) ken_compared_value(compared, v, &labels[v]);
        else ken_buffer_text(&labels[v], "failed");
        status = ken_buffer_status(&labels[v]);
        bars[v] = (struct ken_bar){ ken_buffer_string(&summary->name), summary->mean,
                                    summary->deviation, labels[v].data };
    }
    if (!status) ken_chart_bars(out, &chart, bars, variants);
    for (size_t v = 0; labels && v < variants; v++) ken_buffer_release(&labels[v]);
    ken_memory_free(labels);
    ken_memory_free(bars);
    return status ? status : ken_buffer_status(out);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool number_of(double *number, const char *text)
{
    return ken_number_read(number, text, strlen(text));
}

/* Returns the key for the x axis: the only key whose values are all numbers, provided it has at
 * least three values. Returns SIZE_MAX if there is no such key. */
static size_t number_key(const struct ken_plan *plan)
{
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < plan->key_count; k++) {
        const ken_strings *values = &plan->keys[k].values;
        double number;
        bool numbers = true;
        for (size_t i = 0; i < values->count && numbers; i++)
            numbers = number_of(&number, ken_strings_at(values, i, NULL));
        if (!numbers) continue;
        if (found != SIZE_MAX) return SIZE_MAX;
        found = k;
    }
    return found != SIZE_MAX && plan->keys[found].values.count >= 3 ? found : SIZE_MAX;
}

/* Chooses the scale of an axis: logarithmic if the values grow by factors, otherwise linear. */
static enum ken_scale scale_for(const double *values, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    bool doubling = true;
    for (size_t i = 0; i < count; i++) {
        double steps = log2(values[i] / values[0]);
        doubling = doubling && fabs(steps - round(steps)) < 1e-9;
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    if (!(low > 0) || high / low < 4) return KEN_SCALE_LINEAR;
    if (doubling) return KEN_SCALE_LOG2;
    return high / low >= 20 ? KEN_SCALE_LOG10 : KEN_SCALE_LINEAR;
}

/* The points of one line of the picture, sorted by x. */
struct line {
    ken_buffer name;
    size_t count;
    /* The coordinates of the points and their error bars; one entry for each value on the x
     * axis. */
    double *x, *y, *error;
};

static void add_point(struct line *line, double x, const struct ken_summary *summary)
{
    size_t at = line->count++;
    for (; at > 0 && line->x[at - 1] > x; at--) {
        line->x[at] = line->x[at - 1];
        line->y[at] = line->y[at - 1];
        line->error[at] = line->error[at - 1];
    }
    line->x[at] = x;
    line->y[at] = summary->mean;
    line->error[at] = summary->deviation;
}

/* Names a line after the values that its variants have in common: those of all keys except the key
 * of the x axis. */
static void name_line(ken_buffer *name, const struct ken_plan *plan, size_t variant, size_t key)
{
    ken_buffer_clear(name);
    for (size_t k = 0; k < plan->key_count; k++)
        if (k != key)
            ken_buffer_format(name, "%s%s", name->size > 0 ? ", " : "",
                              ken_plan_value(plan, variant, k));
}

/* Fills the lines of the picture; variants that differ only in the key of the x axis are on one
 * line. `inner` is the number of consecutive variants that have the same value of this key. */
static ken_status fill_lines(struct line *lines, double *numbers,
                             const struct ken_compared *compared, size_t key)
{
    const struct ken_plan *plan = &compared->plan;
    size_t points = plan->keys[key].values.count, inner = 1;
    for (size_t k = key + 1; k < plan->key_count; k++) inner *= plan->keys[k].values.count;
    for (size_t v = 0; v < plan->variants; v++) {
        size_t l = v / (inner * points) * inner + v % inner;
        double x = 0;
        lines[l].x = numbers + 3 * l * points;
        lines[l].y = lines[l].x + points;
        lines[l].error = lines[l].y + points;
        number_of(&x, ken_plan_value(plan, v, key));
        add_point(&lines[l], x, &compared->summaries[v]);
        name_line(&lines[l].name, plan, v, key);
        KEN_TRY(ken_buffer_status(&lines[l].name));
    }
    return KEN_OK;
}

static ken_status draw_lines(const struct ken_compared *compared, const struct words *words,
                             size_t key, ken_buffer *out)
{
    const struct ken_plan_key *x = &compared->plan.keys[key];
    size_t points = x->values.count, count = compared->plan.variants / points;
    struct ken_chart chart = { .title = words->title.data,
                               .about = words->about.data,
                               .x_title = x->key,
                               .y_title = words->measure.data };
    struct line *lines = ken_memory_zeroed(count, sizeof *lines);
    struct ken_series *series = ken_memory_zeroed(count, sizeof *series);
    double *numbers = ken_memory_zeroed(3 * count * points, sizeof *numbers);
    ken_status status = lines && series && numbers
                            ? fill_lines(lines, numbers, compared, key)
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu lines", count);
    for (size_t l = 0; l < count && !status; l++)
        series[l] = (struct ken_series){ lines[l].name.size > 0 ? lines[l].name.data : NULL,
                                         lines[l].x, lines[l].y, lines[l].error, points };
    if (!status) chart.x_scale = scale_for(lines[0].x, points);
    if (!status) ken_chart_lines(out, &chart, series, count);
    for (size_t l = 0; lines && l < count; l++) ken_buffer_release(&lines[l].name);
    ken_memory_free(lines);
    ken_memory_free(series);
    ken_memory_free(numbers);
    return status ? status : ken_buffer_status(out);
}

/* ---- lines over tests ------------------------------------------------------------------------ */

static ken_status draw_tests(const struct ken_compared *compared, const struct words *words,
                             const double *distances, ken_buffer *out)
{
    size_t variants = compared->plan.variants, points = compared->plan.tests.count;
    struct ken_chart chart = { .title = words->title.data,
                               .about = words->about.data,
                               .x_title = "distance",
                               .y_title = words->measure.data,
                               .x_scale = scale_for(distances, points) };
    struct ken_series *series = ken_memory_zeroed(variants, sizeof *series);
    if (!series) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu lines", variants);
    for (size_t v = 0; v < variants; v++) {
        const struct ken_summary *summary = &compared->summaries[v];
        series[v] = (struct ken_series){ ken_buffer_string(&summary->name), distances,
                                         summary->test_mean, summary->test_deviation, points };
    }
    ken_chart_lines(out, &chart, series, variants);
    ken_memory_free(series);
    return ken_buffer_status(out);
}

ken_status ken_compared_draw(const struct ken_compared *compared, ken_buffer *out)
{
    struct words words = { 0 };
    double distances[KEN_PLAN_TESTS];
    size_t key = number_key(&compared->plan);
    set_words(&words, compared);
    ken_status status = words_status(&words);
    if (!status && compared->plan.tests.count >= 3 &&
        ken_tests_distances(distances, &compared->plan.tests))
        status = draw_tests(compared, &words, distances, out);
    else if (!status)
        status = key == SIZE_MAX ? draw_bars(compared, &words, out)
                                 : draw_lines(compared, &words, key, out);
    words_release(&words);
    return status;
}
