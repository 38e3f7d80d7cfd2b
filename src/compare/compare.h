/* compare.h - variants of a recipe side by side: what is to be trained, what came out, how it is
 * shown. In its folder a comparison keeps
 *   plan.json             the recipe and the lists of values: all that resuming needs
 *   runs/NN-NAME/seed-N   a training run each, and with it
 *       cost.json         time and memory so far, over all processes that worked at it
 *       result.json       when it is finished
 *   compare.json, .md, .svg   at the end, from the results alone */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "format/corpus.h"
#include "recipe/recipe.h"

/* ---- compare_plan.c -------------------------------------------------------------------------- */

enum { KEN_PLAN_KEYS = 16, KEN_PLAN_RUNS = 10000, KEN_PLAN_TESTS = 64 };

struct ken_plan_key {
    char *key; /* "section.key" */
    ken_strings values;
};

/* Variants count through the lists like a number through its digits: the last key runs fastest. */
struct ken_plan {
    ken_recipe *recipe; /* with all that is the same for every variant */
    char *command;      /* NULL: unknown                               */
    struct ken_plan_key keys[KEN_PLAN_KEYS];
    size_t key_count;
    size_t variants, seeds;
    ken_strings tests; /* more to measure on, at most KEN_PLAN_TESTS    */
};

/* Takes the lists apart. An unknown key is refused, a bad value of a list is not: its variant will
 * fail on its own. */
ken_status ken_plan_make(struct ken_plan *plan, const ken_comparison *comparison);
ken_status ken_plan_write(struct ken_plan *plan, const char *path);
ken_status ken_plan_read(struct ken_plan *plan, const char *path);
void ken_plan_release(struct ken_plan *plan);

const char *ken_plan_value(const struct ken_plan *plan, size_t variant, size_t key);

/* A name for people ("attention, rotary"), and one for a folder that no other variant has. */
void ken_plan_name(const struct ken_plan *plan, size_t variant, ken_buffer *name);
void ken_plan_folder(const struct ken_plan *plan, size_t variant, ken_buffer *folder);

/* What is trained; with the seeds counted from train.seed. The caller owns *recipe. */
ken_status ken_plan_recipe(const struct ken_plan *plan, size_t variant, size_t seed,
                           ken_recipe **recipe);
uint64_t ken_plan_seed(const struct ken_plan *plan, size_t seed);

/* ---- compare_run.c --------------------------------------------------------------------------- */

struct ken_result {
    bool there;        /* finished, well or not                                         */
    ken_buffer failed; /* why; empty: it did not                                        */
    ken_buffer scores; /* JSON object: everything that was measured                     */
    double value;      /* of the metric                                                 */
    double dev;        /* the best on dev, while training; NaN without                  */
    double seconds;    /* of training                                                   */
    double rows_per_second;
    double parameters, peak_bytes, file_bytes;
    double tests[KEN_PLAN_TESTS]; /* the metric on each of the plan's tests             */
};

void ken_result_release(struct ken_result *result);

/* One run from where it is to its result, in its own folder. A run that fails is a result, too, and
 * KEN_OK: all but KEN_ERR_STOPPED and KEN_ERR_SPACE, which end the comparison. */
struct ken_run_job {
    const char *folder;
    const ken_recipe *recipe;
    const ken_strings *tests;
    ken_progress_fn *progress;
    int (*measures)(void *user); /* told before it is measured */
    void *user;
};
ken_status ken_run_job(struct ken_result *result, const struct ken_run_job *job);

/* The part that is measured on: data.test, else data.dev. */
enum ken_key ken_run_part(const ken_recipe *recipe);

/* ---- compare_tests.c ------------------------------------------------------------------------- */

/* Whether all of them can be read; what a model makes of each; values by name, as JSON. */
ken_status ken_tests_check(const ken_strings *tests, const ken_recipe *recipe);
ken_status ken_tests_measure(double *values, const ken_strings *tests, ken_task *task);
void ken_tests_json(ken_buffer *json, const ken_strings *tests, const double *values);

/* How far apart what belongs together is in each ("1000@64"), rising; false if that is not so. */
bool ken_tests_distances(double *distances, const ken_strings *tests);

/* ---- compare_summary.c ----------------------------------------------------------------------- */

/* Mean and sample standard deviation (n - 1 in the denominator; NaN below two values). */
void ken_mean(double *mean, double *deviation, const double *values, size_t count);

struct ken_summary {
    ken_buffer name, folder;
    size_t count; /* runs that did not fail */
    double mean, deviation;
    double seconds, rows_per_second, parameters, peak_bytes, file_bytes; /* means */
    double test_mean[KEN_PLAN_TESTS], test_deviation[KEN_PLAN_TESTS];    /* of the metric */
    const struct ken_result *runs;                                       /* (seeds) */
};

/* All results, as the three files and the table show them. */
struct ken_compared {
    struct ken_plan plan;
    struct ken_result *results;    /* (variants, seeds) */
    struct ken_summary *summaries; /* (variants)        */
    char metric[32];
    bool falls;   /* lower is better   */
    bool on_test; /* else on dev       */
};

ken_status ken_summarise(struct ken_compared *compared);

/* ---- compare_report.c, compare_json.c, compare_draw.c ---------------------------------------- */

/* Pieces of words: the keys that vary; the mean with its deviation; why it failed, or NULL. */
void ken_compared_keys(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_value(const struct ken_compared *compared, size_t variant, ken_buffer *out);
void ken_escape_markdown(ken_buffer *out, const char *text);
size_t ken_count_characters(const char *text);

/* Rows are tests, columns variants; nothing without tests. */
void ken_compared_tests(const struct ken_compared *compared, ken_buffer *out, bool markdown);
void ken_compared_test(const struct ken_compared *compared, size_t variant, size_t test,
                       ken_buffer *out);
const char *ken_compared_reason(const struct ken_compared *compared, size_t variant);

void ken_compared_table(const struct ken_compared *compared, ken_buffer *out); /* plain columns */
void ken_compared_markdown(const struct ken_compared *compared, ken_buffer *out);
void ken_compared_json(const struct ken_compared *compared, ken_buffer *out); /* one line */
ken_status ken_compared_draw(const struct ken_compared *compared, ken_buffer *out);

#endif
