/* compare.h - variants of a recipe side by side: which ones are trained, and what was measured. How
 * results are shown is in compared.h. A comparison keeps in its folder:
 *   plan.json             the recipe and the lists of values; resuming needs nothing else
 *   runs/NN-NAME/seed-N   the folder of one training run; besides the files of the run it has
 *       cost.json         time and memory so far, over all processes that worked at the run
 *       result.json       written when the run is finished
 *   compare.json, .md, .svg   written at the end, from the results alone */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "base/json.h"
#include "format/corpus.h"
#include "recipe/recipe.h"
#include "task/training.h"

/* ---- compare_plan.c: which variants there are ------------------------------------------------ */

enum { KEN_PLAN_KEYS = 16, KEN_PLAN_RUNS = 10000, KEN_PLAN_TESTS = 64 };

struct ken_plan_key {
    char *key; /* "section.key" */
    ken_strings values;
};

/* The variants of a comparison. They are numbered like the readings of an odometer: the last key
 * changes fastest. */
struct ken_plan {
    ken_recipe *recipe; /* recipe with the keys that all variants have in common */
    char *command;      /* the command line of the comparison; NULL = unknown    */
    struct ken_plan_key keys[KEN_PLAN_KEYS];
    size_t key_count;
    size_t variants, seeds;
    ken_strings tests; /* more data to measure on, at most KEN_PLAN_TESTS */
};

/* Makes a plan: splits the lists of values. An unknown key is refused. A bad value in a list is not
 * refused here: its variant will fail on its own. */
ken_status ken_plan_make(struct ken_plan *plan, const ken_comparison *comparison);
ken_status ken_plan_write(struct ken_plan *plan, const char *folder);
ken_status ken_plan_read(struct ken_plan *plan, const char *path);
void ken_plan_release(struct ken_plan *plan);

const char *ken_plan_value(const struct ken_plan *plan, size_t variant, size_t key);

/* Write a variant's name for people ("attention, rotary"), and a folder name that no other variant
 * has. */
void ken_plan_name(const struct ken_plan *plan, size_t variant, ken_buffer *name);
void ken_plan_folder(const struct ken_plan *plan, size_t variant, ken_buffer *folder);

/* Makes the recipe of one run. `seed` is the index of the seed, from 0; ken_plan_seed() gives the
 * value of train.seed. The caller owns *recipe. */
ken_status ken_plan_recipe(const struct ken_plan *plan, size_t variant, size_t seed,
                           ken_recipe **recipe);
uint64_t ken_plan_seed(const struct ken_plan *plan, size_t seed);

/* ---- compare_result.c: the result of a run --------------------------------------------------- */

/* The costs of a run. For a variant they are means over its runs. */
enum ken_cost {
    KEN_COST_PARAMETERS, /* number of weights (parameters) of the model              */
    KEN_COST_SECONDS,    /* seconds of training                                      */
    KEN_COST_ROWS,       /* rows through the model per second                        */
    KEN_COST_PEAK,       /* bytes of the largest step, without weights and optimiser */
    KEN_COST_FILE,       /* bytes of the model file                                  */
    KEN_COSTS
};
extern const char *const ken_cost_names[KEN_COSTS]; /* the names in JSON */

struct ken_result {
    bool there;        /* the run is finished, with success or not                        */
    ken_buffer failed; /* why the run failed; empty if it did not                         */
    ken_buffer scores; /* JSON object with everything that was measured                   */
    double value;      /* value of the metric                                             */
    double dev;        /* best metric on dev during training; NaN if there is no dev data */
    double costs[KEN_COSTS];
    double tests[KEN_PLAN_TESTS]; /* value of the metric on each of the plan's tests */
};

void ken_result_release(struct ken_result *result);
ken_status ken_result_write(const struct ken_result *result, const char *folder,
                            const ken_strings *tests);

/* Reads the result of a run from its folder; returns false if there is no complete result. */
bool ken_result_read(struct ken_result *result, const char *folder, const ken_strings *tests);

/* Reads the object in a small JSON file of the folder; NULL if there is no such file, or if it is
 * damaged. */
json_t *ken_result_object(const char *folder, const char *name);

/* ---- compare_run.c: one training run --------------------------------------------------------- */

/* One run to do. `measures` is called before the model is measured, and `progress` is the callback
 * of training.h. Either may be NULL, and a failure of either ends the run. */
struct ken_run_job {
    const char *folder;
    const ken_recipe *recipe;
    const ken_strings *tests;
    ken_training_fn *progress;
    ken_status (*measures)(void *user);
    void *user;
};

/* Starts a run or continues it, until it has a result. The call also succeeds if the run fails: the
 * result then has the reason. Only KEN_ERR_STOPPED and KEN_ERR_SPACE are returned, because they end
 * the whole comparison. */
ken_status ken_run_job(struct ken_result *result, const struct ken_run_job *job);

/* Returns which data a run is measured on: data.test or, if that is empty, data.dev. */
enum ken_key ken_run_part(const ken_recipe *recipe);

/* ---- compare_tests.c: additional test data --------------------------------------------------- */

/* Check that every test can be read; measure a model on each test; write the values by name. */
ken_status ken_tests_check(const ken_strings *tests, const ken_recipe *recipe);
ken_status ken_tests_measure(double *values, const ken_strings *tests, ken_task *task);
void ken_tests_json(ken_buffer *json, const ken_strings *tests, const double *values);

/* Reads the distance between related items in each test, written as "1000@64". Returns false unless
 * every test has a distance and the distances increase. */
bool ken_tests_distances(double *distances, const ken_strings *tests);

#endif
