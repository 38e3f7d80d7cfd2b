/* compared.h - the results of a comparison: means over seeds, and how results are shown. */
#ifndef COMPARE_COMPARED_H
#define COMPARE_COMPARED_H

#include "compare/compare.h"

/* ---- compare_summary.c: means over the runs of a variant ------------------------------------- */

/* Computes the mean and the sample standard deviation of the values (n - 1 in the denominator; NaN
 * for fewer than two values). */
void ken_mean(double *mean, double *deviation, const double *values, size_t count);

struct ken_summary {
    ken_buffer name, folder;
    size_t count;           /* runs that did not fail                                  */
    double mean, deviation; /* mean and standard deviation of the metric over the runs */
    double costs[KEN_COSTS];
    double test_mean[KEN_PLAN_TESTS], test_deviation[KEN_PLAN_TESTS];
    const struct ken_result *runs; /* (seeds) results of the runs */
};

/* All results of a comparison. compare.json, compare.md, compare.svg and the printed table are made
 * from them. */
struct ken_compared {
    struct ken_plan plan;
    struct ken_result *results;    /* (variants, seeds) */
    struct ken_summary *summaries; /* (variants)        */
    char metric[32];
    bool falls;   /* a lower value of the metric is better        */
    bool on_test; /* measured on data.test; otherwise on data.dev */
};

ken_status ken_summarise(struct ken_compared *compared);

/* ---- compare_report.c, compare_json.c, compare_draw.c ---------------------------------------- */

/* Append pieces of text: the keys that vary; the mean of a variant with its deviation. */
void ken_compared_keys(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_value(const struct ken_compared *compared, size_t variant, ken_buffer *out);
void ken_escape_markdown(ken_buffer *out, const char *text);
size_t ken_count_characters(const char *text);

/* Appends a table with a row for each test and a column for each variant; nothing if there are no
 * tests. */
void ken_compared_tests(const struct ken_compared *compared, ken_buffer *out, bool markdown);
void ken_compared_test(const struct ken_compared *compared, size_t variant, size_t test,
                       ken_buffer *out);

void ken_compared_table(const struct ken_compared *compared, ken_buffer *out); /* plain columns */
void ken_compared_markdown(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_json(const struct ken_compared *compared, ken_buffer *out); /* JSON, one line */
ken_status ken_compared_draw(const struct ken_compared *compared, ken_buffer *out);

#endif
