/* compared.h - the results of a comparison: means over the runs of each variant, and functions that
 * show the results. */
#ifndef COMPARE_COMPARED_H
#define COMPARE_COMPARED_H

#include "compare/compare.h"

/* ---- compare_summary.c: means over the runs of a variant ------------------------------------- */

/* Computes the mean and the sample standard deviation of `count` values. The deviation divides by
 * count - 1, and is NaN for fewer than two values. */
void ken_mean(double *mean, double *deviation, const double *values, size_t count);

struct ken_summary {
    ken_buffer name, folder;
    size_t count; /* number of runs that did not fail */
    /* Mean and standard deviation of the metric, over the runs that did not fail. */
    double mean, deviation;
    double costs[KEN_COSTS];
    double test_mean[KEN_PLAN_TESTS], test_deviation[KEN_PLAN_TESTS];
    const struct ken_result *runs; /* results of the variant's runs, one for each seed */
};

/* All results of a comparison, from which compare.json, compare.md, compare.svg and the printed
 * table are made. */
struct ken_compared {
    struct ken_plan plan;
    struct ken_result *results;    /* results of all runs: results[variant * seeds + seed] */
    struct ken_summary *summaries; /* one summary for each variant                         */
    char metric[32];
    bool falls;   /* whether a lower value of the metric is better                    */
    bool on_test; /* whether models were measured on data.test; otherwise on data.dev */
};

ken_status ken_summarise(struct ken_compared *compared);

/* ---- compare_report.c, compare_json.c, compare_draw.c ---------------------------------------- */

/* ken_compared_keys() appends the names of the keys that vary; ken_compared_value() appends the
 * mean of a variant with its deviation. */
void ken_compared_keys(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_value(const struct ken_compared *compared, size_t variant, ken_buffer *out);
void ken_escape_markdown(ken_buffer *out, const char *text);
size_t ken_count_characters(const char *text);

/* Appends a table with a row for each test and a column for each variant. Appends nothing if the
 * comparison has no tests. */
void ken_compared_tests(const struct ken_compared *compared, ken_buffer *out, bool markdown);
void ken_compared_test(const struct ken_compared *compared, size_t variant, size_t test,
                       ken_buffer *out);

/* ken_compared_table() appends a table in plain columns, ken_compared_markdown() a Markdown
 * table. */
void ken_compared_table(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_markdown(const struct ken_compared *compared, ken_buffer *out);
/* ken_compared_json() appends a JSON object on one line, ken_compared_draw() an SVG picture. */
void ken_compared_json(const struct ken_compared *compared, ken_buffer *out);
ken_status ken_compared_draw(const struct ken_compared *compared, ken_buffer *out);

#endif
