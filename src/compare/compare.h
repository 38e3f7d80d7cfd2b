/* compare.h - variants of a recipe side by side: which ones are trained, and what was measured; how
 * it is shown is in compared.h. A comparison keeps in its folder:
 *   plan.json             the recipe and the lists of values; resuming needs nothing else
 *   runs/NN-NAME/seed-N   one training run each, and beside its own files
 *       cost.json         time and memory so far, over all processes that worked at the run
 *       result.json       written when the run is finished
 *   compare.json, .md, .svg   written at the end, from the results alone */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "base/json.h"
#include "format/corpus.h"
#include "recipe/recipe.h"
#include "task/training.h"

/* ---- compare_plan.c -------------------------------------------------------------------------- */

enum { KEN_PLAN_KEYS = 16, KEN_PLAN_RUNS = 10000, KEN_PLAN_TESTS = 64 };

struct ken_plan_key {
    char *key; /* "section.key" */
    ken_strings values;
};

/* Variants are numbered like the values of an odometer: the last key changes fastest. */
struct ken_plan {
    ken_recipe *recipe; /* with every key that is the same for all variants */
    char *command;      /* how the comparison was called; NULL: unknown     */
    struct ken_plan_key keys[KEN_PLAN_KEYS];
    size_t key_count;
    size_t variants, seeds;
    ken_strings tests; /* more data to measure on, at most KEN_PLAN_TESTS   */
};

/* Splits the lists of values. An unknown key is refused. A bad value in a list is not: its variant
 * will fail on its own. */
ken_status ken_plan_make(struct ken_plan *plan, const ken_comparison *comparison);
ken_status ken_plan_write(struct ken_plan *plan, const char *folder);
ken_status ken_plan_read(struct ken_plan *plan, const char *path);
void ken_plan_release(struct ken_plan *plan);

const char *ken_plan_value(const struct ken_plan *plan, size_t variant, size_t key);

/* A name for people ("attention, rotary"), and a folder name that no other variant has. */
void ken_plan_name(const struct ken_plan *plan, size_t variant, ken_buffer *name);
void ken_plan_folder(const struct ken_plan *plan, size_t variant, ken_buffer *folder);

/* The recipe of a run. `seed` counts from 0; ken_plan_seed() gives the value of train.seed. The
 * caller owns *recipe. */
ken_status ken_plan_recipe(const struct ken_plan *plan, size_t variant, size_t seed,
                           ken_recipe **recipe);
uint64_t ken_plan_seed(const struct ken_plan *plan, size_t seed);

/* ---- compare_result.c ------------------------------------------------------------------------ */

/* What a run costs. A variant has the means over its runs. */
enum ken_cost {
    KEN_COST_PARAMETERS, /* numbers in the model                                             */
    KEN_COST_SECONDS,    /* of training                                                      */
    KEN_COST_ROWS,       /* rows through the model in a second                               */
    KEN_COST_PEAK,       /* bytes of the largest step, without weights and optimiser         */
    KEN_COST_FILE,       /* bytes of the model file                                          */
    KEN_COSTS
};
extern const char *const ken_cost_names[KEN_COSTS]; /* as in JSON */

struct ken_result {
    bool there;        /* the run is finished, with success or not                       */
    ken_buffer failed; /* why the run failed; empty if it did not                        */
    ken_buffer scores; /* JSON object with everything that was measured                  */
    double value;      /* of the metric                                                  */
    double dev;        /* best value on dev during training; NaN if there is no dev data */
    double costs[KEN_COSTS];
    double tests[KEN_PLAN_TESTS]; /* value of the metric on each of the plan's tests     */
};

void ken_result_release(struct ken_result *result);
ken_status ken_result_write(const struct ken_result *result, const char *folder,
                            const ken_strings *tests);

/* Returns false if there is no complete result. */
bool ken_result_read(struct ken_result *result, const char *folder, const ken_strings *tests);

/* The object in a small JSON file of the folder; NULL if there is none, or if it is damaged. */
json_t *ken_result_object(const char *folder, const char *name);

/* ---- compare_run.c --------------------------------------------------------------------------- */

/* One run. `measures` is called before the model is measured, `progress` as in training.h; both may
 * be NULL, and a failure of either ends the run. */
struct ken_run_job {
    const char *folder;
    const ken_recipe *recipe;
    const ken_strings *tests;
    ken_training_fn *progress;
    ken_status (*measures)(void *user);
    void *user;
};

/* Starts the run or continues it, up to its result. A run that fails also has a result, and the
 * call succeeds, except for KEN_ERR_STOPPED and KEN_ERR_SPACE: these end the whole comparison. */
ken_status ken_run_job(struct ken_result *result, const struct ken_run_job *job);

/* The data that a run is measured on: data.test or, if that is empty, data.dev. */
enum ken_key ken_run_part(const ken_recipe *recipe);

/* ---- compare_tests.c ------------------------------------------------------------------------- */

/* Checks that every test can be read; measures a model on each; writes the values by name. */
ken_status ken_tests_check(const ken_strings *tests, const ken_recipe *recipe);
ken_status ken_tests_measure(double *values, const ken_strings *tests, ken_task *task);
void ken_tests_json(ken_buffer *json, const ken_strings *tests, const double *values);

/* The distance between related items in each test, written as "1000@64". Returns false unless every
 * test has a distance and the distances increase. */
bool ken_tests_distances(double *distances, const ken_strings *tests);

#endif
