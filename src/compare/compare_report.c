/* compare_report.c - the table of a comparison, in plain columns and as Markdown. */
#include "compare/compared.h"
#include "base/size.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* COLUMNS is the number of columns of the table. METRIC is the index of the column that shows the
 * metric or, if a variant failed, the reason. */
enum { COLUMNS = 8, METRIC = 1 };

/* ---- words ----------------------------------------------------------------------------------- */

static void add_seconds(ken_buffer *out, double seconds)
{
    if (seconds < 100) ken_buffer_format(out, "%.1f s", seconds);
    else if (seconds < 6000) ken_buffer_format(out, "%.1f min", seconds / 60);
    else ken_buffer_format(out, "%.1f h", seconds / 3600);
}

static void add_bytes(ken_buffer *out, double bytes)
{
    if (bytes < 1e6) ken_buffer_format(out, "%.0f kB", bytes / 1e3);
    else if (bytes < 1e9) ken_buffer_format(out, "%.1f MB", bytes / 1e6);
    else ken_buffer_format(out, "%.1f GB", bytes / 1e9);
}

/* Returns how many digits after the decimal point the table shows: so many that the values have
 * about four significant digits. All variants have the same number of digits. */
static int decimals_of(const struct ken_compared *compared)
{
    double most = 0;
    for (size_t v = 0; v < compared->plan.variants; v++)
        if (compared->summaries[v].count > 0) most = fmax(most, fabs(compared->summaries[v].mean));
    return most < 10 ? 4 : most < 1000 ? 2 : 0;
}

static void add_value(const struct ken_compared *compared, double mean, double deviation,
                      ken_buffer *out)
{
    int decimals = decimals_of(compared);
    ken_buffer_format(out, "%.*f", decimals, mean);
    if (!isnan(deviation)) ken_buffer_format(out, " \xc2\xb1 %.*f", decimals, deviation);
}

void ken_compared_value(const struct ken_compared *compared, size_t variant, ken_buffer *out)
{
    const struct ken_summary *summary = &compared->summaries[variant];
    add_value(compared, summary->mean, summary->deviation, out);
}

void ken_compared_test(const struct ken_compared *compared, size_t variant, size_t test,
                       ken_buffer *out)
{
    const struct ken_summary *summary = &compared->summaries[variant];
    if (summary->count == 0) ken_buffer_text(out, "failed");
    else add_value(compared, summary->test_mean[test], summary->test_deviation[test], out);
}

/* Returns the reason why the first failed run of a variant failed; NULL if no run of the variant
 * failed. */
static const char *reason_of(const struct ken_compared *compared, size_t variant)
{
    for (size_t s = 0; s < compared->plan.seeds; s++) {
        const ken_buffer *failed = &compared->summaries[variant].runs[s].failed;
        if (failed->size > 0) return failed->data;
    }
    return NULL;
}

void ken_compared_keys(const struct ken_compared *compared, ken_buffer *out)
{
    const struct ken_plan *plan = &compared->plan;
    for (size_t k = 0; k < plan->key_count; k++)
        ken_buffer_format(out, "%s%s", k > 0 ? ", " : "", plan->keys[k].key);
    if (plan->key_count == 0) ken_buffer_text(out, "variant");
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void end_cell(ken_strings *cells, ken_buffer *words)
{
    ken_strings_add(cells, ken_buffer_string(words), words->size);
    if (words->failed) cells->text.failed = true;
    ken_buffer_clear(words);
}

static void add_head(ken_strings *cells, const struct ken_compared *compared)
{
    static const char *const names[] = {
        "n", "parameters", "training", "rows/s", "memory", "file"
    };
    ken_buffer words = { 0 };
    ken_compared_keys(compared, &words);
    end_cell(cells, &words);
    ken_buffer_format(&words, "%s (%s)", compared->metric, compared->on_test ? "test" : "dev");
    end_cell(cells, &words);
    for (size_t i = 0; i < COLUMNS - 2; i++) ken_strings_add(cells, names[i], strlen(names[i]));
    ken_buffer_release(&words);
}

static void add_row(ken_strings *cells, const struct ken_compared *compared, size_t variant)
{
    const struct ken_summary *summary = &compared->summaries[variant];
    ken_buffer words = { 0 };
    ken_strings_add(cells, ken_buffer_string(&summary->name), summary->name.size);
    if (summary->count == 0) {
        ken_buffer_format(&words, "failed: %s", reason_of(compared, variant));
        end_cell(cells, &words);
        for (size_t i = 2; i < COLUMNS; i++) ken_strings_add(cells, "", 0);
        ken_buffer_release(&words);
        return;
    }
    ken_compared_value(compared, variant, &words);
    end_cell(cells, &words);
    ken_buffer_format(&words, "%zu", summary->count);
    end_cell(cells, &words);
    ken_buffer_format(&words, "%.0f", summary->costs[KEN_COST_PARAMETERS]);
    end_cell(cells, &words);
    add_seconds(&words, summary->costs[KEN_COST_SECONDS]);
    end_cell(cells, &words);
    ken_buffer_format(&words, "%.0f", summary->costs[KEN_COST_ROWS]);
    end_cell(cells, &words);
    add_bytes(&words, summary->costs[KEN_COST_PEAK]);
    end_cell(cells, &words);
    add_bytes(&words, summary->costs[KEN_COST_FILE]);
    end_cell(cells, &words);
    ken_buffer_release(&words);
}

/* Fills the cells of the table row by row, beginning with the heading. If memory is short, returns
 * false and marks `out` as failed. */
static bool fill(ken_strings *cells, const struct ken_compared *compared, ken_buffer *out)
{
    add_head(cells, compared);
    for (size_t v = 0; v < compared->plan.variants; v++) add_row(cells, compared, v);
    bool good = !ken_strings_status(cells) &&
                cells->count == COLUMNS * (compared->plan.variants + 1);
    if (!good) out->failed = true;
    return good;
}

static const char *cell(const ken_strings *cells, size_t row, size_t column)
{
    return ken_strings_at(cells, row * COLUMNS + column, NULL);
}

static void add_about(const struct ken_compared *compared, ken_buffer *out, const char *code)
{
    const struct ken_plan *plan = &compared->plan;
    uint64_t first = ken_plan_seed(plan, 0);
    ken_buffer_format(out, "%s%s%s on %s, %s is better; ", code, compared->metric, code,
                      compared->on_test ? "data.test" : "data.dev",
                      compared->falls ? "lower" : "higher");
    if (plan->seeds == 1) ken_buffer_format(out, "one run each, seed %" PRIu64 ".", first);
    else
        ken_buffer_format(out,
                          "mean \xc2\xb1 sample deviation of n runs, seeds %" PRIu64 " to %" PRIu64
                          ".",
                          first, first + plan->seeds - 1);
}

/* Lists the failed runs that the table does not show, because other runs of the same variant
 * succeeded. */
static void add_failures(const struct ken_compared *compared, ken_buffer *out, const char *before)
{
    for (size_t v = 0; v < compared->plan.variants; v++) {
        const struct ken_summary *summary = &compared->summaries[v];
        for (size_t s = 0; s < compared->plan.seeds && summary->count > 0; s++)
            if (summary->runs[s].failed.size > 0)
                ken_buffer_format(out, "%s%s, seed %" PRIu64 ": failed: %s\n", before,
                                  summary->name.data, ken_plan_seed(&compared->plan, s),
                                  summary->runs[s].failed.data);
    }
}

/* ---- the table in plain columns -------------------------------------------------------------- */

size_t ken_count_characters(const char *text)
{
    size_t count = 0, length = strlen(text);
    for (size_t i = 0; i < length; count++) i += ken_text_step(text + i, length - i);
    return count;
}

static void print_table(const struct ken_compared *compared, ken_buffer *out)
{
    ken_strings cells = { 0 };
    size_t widths[COLUMNS] = { 0 }, rows = compared->plan.variants + 1;
    bool good = fill(&cells, compared, out);
    for (size_t r = 0; r < rows && good; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            size_t width = ken_count_characters(cell(&cells, r, c));
            bool words = r > 0 && c == METRIC && compared->summaries[r - 1].count == 0;
            if (!words && width > widths[c]) widths[c] = width;
        }
    for (size_t r = 0; r < rows && good; r++) {
        bool words = r > 0 && compared->summaries[r - 1].count == 0;
        for (size_t c = 0; c < (words ? METRIC + 1 : COLUMNS); c++) {
            const char *text = cell(&cells, r, c);
            size_t width = ken_count_characters(text),
                   pad = widths[c] > width ? widths[c] - width : 0;
            bool left = c <= METRIC, last = c == COLUMNS - 1 || (words && c == METRIC);
            if (c > 0) ken_buffer_text(out, "  ");
            ken_buffer_format(out, "%*s%s%*s", left ? 0 : (int)pad, "", text,
                              left && !last ? (int)pad : 0, "");
        }
        ken_buffer_text(out, "\n");
    }
    ken_strings_release(&cells);
    if (compared->plan.seeds > 1) add_failures(compared, out, "");
    add_about(compared, out, "");
    ken_buffer_text(out, "\n");
    ken_compared_tests(compared, out, false);
}

/* Prints the table with control characters escaped. The table is shown in a terminal, and contains
 * values of keys and reasons of failures that come from files. */
void ken_compared_table(const struct ken_compared *compared, ken_buffer *out)
{
    ken_buffer table = { 0 };
    print_table(compared, &table);
    ken_text_escape(out, ken_buffer_string(&table), table.size, "\\\n");
    if (table.failed) out->failed = true;
    ken_buffer_release(&table);
}

/* ---- the table as Markdown ------------------------------------------------------------------- */

void ken_escape_markdown(ken_buffer *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("|\\<*_`", *text)) ken_buffer_text(out, "\\");
        ken_buffer_append(out, *text == '\n' ? " " : text, 1);
    }
}

/* Returns the index of the variant with the best mean; SIZE_MAX if all variants failed. */
static size_t best_of(const struct ken_compared *compared)
{
    size_t best = SIZE_MAX;
    for (size_t v = 0; v < compared->plan.variants; v++) {
        const struct ken_summary *one = &compared->summaries[v];
        if (one->count == 0) continue;
        double lead = best == SIZE_MAX ? 1 : one->mean - compared->summaries[best].mean;
        if (best == SIZE_MAX || (compared->falls ? lead < 0 : lead > 0)) best = v;
    }
    return best;
}

void ken_compared_markdown(const struct ken_compared *compared, ken_buffer *out)
{
    const struct ken_plan *plan = &compared->plan;
    ken_strings cells = { 0 };
    size_t best = best_of(compared);
    bool good = fill(&cells, compared, out);
    ken_buffer_format(out, "# Comparison of %zu variant%s\n\n", plan->variants,
                      ken_plural(plan->variants));
    if (plan->command) ken_buffer_format(out, "```\n%s\n```\n\n", plan->command);
    add_about(compared, out, "`");
    ken_buffer_text(out, " Everything else is the same.\n\n");
    for (size_t r = 0; r <= plan->variants && good; r++) {
        for (size_t c = 0; c < COLUMNS; c++) {
            const char *bold = c == METRIC && r == best + 1 && best != SIZE_MAX ? "**" : "";
            ken_buffer_format(out, "| %s", bold);
            ken_escape_markdown(out, cell(&cells, r, c));
            ken_buffer_format(out, "%s ", bold);
        }
        ken_buffer_text(out, r == 0 ? "|\n|---|---|---|---|---|---|---|---|\n" : "|\n");
    }
    ken_strings_release(&cells);
    if (plan->seeds > 1) add_failures(compared, out, "\n- ");
    ken_compared_tests(compared, out, true);
    ken_buffer_text(
        out, "\nTraining and rows/s: time and rows per second of one run, evaluations on dev "
             "included; they depend on the machine. Memory: what the largest step needed "
             "in addition to weights and optimiser. File: size of the model "
             "file.\n\n![](compare.svg)\n");
}
