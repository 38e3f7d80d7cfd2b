/* compare.h - trains variants of a recipe and keeps the results; compared.h shows them.
 * The folder of a comparison holds:
 *   plan.json               the recipe and the lists of values; resuming needs nothing else
 *   runs/NN-NAME/seed-N     the folder of one training run, with two additional files:
 *     cost.json             time and memory so far, over all processes that worked at the run
 *     result.json           the result, written when the run is finished
 *   compare.json, .md, .svg written at the end, from the results alone */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "base/json.h"
#include "format/corpus.h"
#include "recipe/recipe.h"
#include "task/training.h"

/* ---- compare_plan.c: which variants there are ------------------------------------------------ */

enum { KEN_PLAN_KEYS = 16, KEN_PLAN_RUNS = 10000, KEN_PLAN_TESTS = 64 };

struct ken_plan_key {
    char *key; /* full name of the key, "section.key" */
    ken_strings values;
};

/* The variants of a comparison: all combinations of the values of its keys. They are numbered like
 * the readings of an odometer: the value of the last key changes fastest. */
struct ken_plan {
    ken_recipe *recipe; /* recipe with the settings that all variants have in common */
    char *command;      /* command line that started the comparison; NULL = unknown  */
    struct ken_plan_key keys[KEN_PLAN_KEYS];
    size_t key_count;
    size_t variants, seeds;
    ken_strings tests; /* additional data sets to measure on, at most KEN_PLAN_TESTS */
};

/* Makes a plan from the caller's lists of values. Refuses an unknown key. A bad value in a list is
 * not refused here; only the variants with this value will fail. */
ken_status ken_plan_make(struct ken_plan *plan, const ken_comparison *comparison);
ken_status ken_plan_write(struct ken_plan *plan, const char *folder);
ken_status ken_plan_read(struct ken_plan *plan, const char *path);
void ken_plan_release(struct ken_plan *plan);

const char *ken_plan_value(const struct ken_plan *plan, size_t variant, size_t key);

/* ken_plan_name() writes a variant's name for people, such as "attention, rotary".
 * ken_plan_folder() writes a folder name that no other variant has. */
void ken_plan_name(const struct ken_plan *plan, size_t variant, ken_buffer *name);
void ken_plan_folder(const struct ken_plan *plan, size_t variant, ken_buffer *folder);

/* Makes the recipe of one run, which the caller has to free. `seed` is the index of the seed, from
 * 0; ken_plan_seed() turns it into the value of train.seed. */
ken_status ken_plan_recipe(const struct ken_plan *plan, size_t variant, size_t seed,
                           ken_recipe **recipe);
uint64_t ken_plan_seed(const struct ken_plan *plan, size_t seed);

/* ---- compare_result.c: the result of a run --------------------------------------------------- */

/* The costs of a run. The costs of a variant are means over its runs. */
enum ken_cost {
    KEN_COST_PARAMETERS, /* number of weights of the model                                     */
    KEN_COST_SECONDS,    /* time of training, in seconds                                       */
    KEN_COST_ROWS,       /* number of rows (tokens) per second in training                     */
    KEN_COST_PEAK,       /* memory of the largest step in bytes, without weights and optimiser */
    KEN_COST_FILE,       /* size of the model file in bytes                                    */
    KEN_COSTS
};
extern const char *const ken_cost_names[KEN_COSTS]; /* name of each cost in JSON */

struct ken_result {
    bool there;        /* whether the run has ended, with success or not */
    ken_buffer failed; /* why the run failed; empty if it succeeded      */
    ken_buffer scores; /* JSON object with all metrics                   */
    double value;      /* value of the metric that is compared           */
    double dev; /* best value of the metric on dev during training; NaN if there is no dev data */
    double costs[KEN_COSTS];
    double tests[KEN_PLAN_TESTS]; /* value of the metric on each additional test */
};

void ken_result_release(struct ken_result *result);
ken_status ken_result_write(const struct ken_result *result, const char *folder,
                            const ken_strings *tests);

/* Reads the result of a run from its folder; returns false if there is no complete result. */
bool ken_result_read(struct ken_result *result, const char *folder, const ken_strings *tests);

/* Reads a JSON object from the small file `name` in a folder. Returns NULL if the file does not
 * exist or is damaged. */
json_t *ken_result_object(const char *folder, const char *name);

/* ---- compare_run.c: one training run --------------------------------------------------------- */

/* One run to do. `measures` is called before the model is measured; `progress` is called during
 * training. Both functions may be NULL; if one of them returns a failure, the run ends. */
struct ken_run_job {
    const char *folder;
    const ken_recipe *recipe;
    const ken_strings *tests;
    ken_training_fn *progress;
    ken_status (*measures)(void *user);
    void *user;
};

/* Starts or resumes a run and continues until it has a result. If the run fails, the call still
 * succeeds and the result holds the reason. Only KEN_ERR_STOPPED and KEN_ERR_SPACE are returned as
 * failures, because they end the whole comparison. */
ken_status ken_run_job(struct ken_result *result, const struct ken_run_job *job);

/* Returns the key of the data that a run is measured on: data.test or, if data.test is empty,
 * data.dev. */
enum ken_key ken_run_part(const ken_recipe *recipe);

/* ---- compare_tests.c: additional test data --------------------------------------------------- */

/* ken_tests_check() checks that every additional test can be read, ken_tests_measure() measures a
 * model on each test, and ken_tests_json() writes the values as JSON. */
ken_status ken_tests_check(const ken_strings *tests, const ken_recipe *recipe);
ken_status ken_tests_measure(double *values, const ken_strings *tests, ken_task *task);
void ken_tests_json(ken_buffer *json, const ken_strings *tests, const double *values);

/* Reads the distances from the names of all tests: 64 from "1000@64". The distance is that between
 * related items of generated data. Returns false unless every name has a distance and the distances
 * increase. */
bool ken_tests_distances(double *distances, const ken_strings *tests);

#endif
