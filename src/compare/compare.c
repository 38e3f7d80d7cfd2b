/* compare.c - carries out a comparison: runs its plan, run after run, reports the progress, and
 * writes compare.json, compare.md and compare.svg. compare_run.c does a single run;
 * compare_report.c, compare_json.c and compare_draw.c show the results. */
#include "compare/compared.h"

#include "base/io.h"
#include "base/memory.h"
#include "base/options.h"
#include "task/evaluate.h"
#include "task/run_folder.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct comparison {
    struct ken_compared all;
    const char *folder;
    ken_compare_fn *progress;
    void *user;
    size_t variant, seed; /* index of the variant and index of the seed of the current run */
    ken_buffer name;      /* name of the current variant                                   */
    size_t finished;      /* number of runs that ended without failure                     */
    double spent;         /* seconds of training in all finished runs                      */
    size_t failures;      /* number of runs that failed                                    */
};

static struct ken_result *result_at(const struct comparison *c, size_t variant, size_t seed)
{
    return &c->all.results[variant * c->all.plan.seeds + seed];
}

/* ---- progress -------------------------------------------------------------------------------- */

/* Estimates the seconds until all runs have ended, on the assumption that each remaining run takes
 * as long as the finished runs did on average. */
static double seconds_left(const struct comparison *c, const ken_progress *training)
{
    size_t left = 0, runs = c->all.plan.variants * c->all.plan.seeds;
    for (size_t r = c->variant * c->all.plan.seeds + c->seed + 1; r < runs; r++)
        left += !c->all.results[r].there;
    double here = training ? training->seconds_left : 0;
    double each = c->finished > 0 ? c->spent / (double)c->finished
                  : training      ? training->seconds + training->seconds_left
                                  : NAN;
    return left > 0 ? here + each * (double)left : here;
}

/* Calls the caller's progress function; returns KEN_ERR_STOPPED if that function asks to stop. */
static ken_status report(const struct comparison *c, ken_compare_moment moment,
                         const ken_progress *training)
{
    const struct ken_plan *plan = &c->all.plan;
    const struct ken_result *result = result_at(c, c->variant, c->seed);
    ken_compare_progress p = {
        .moment = moment,
        .variant = c->variant,
        .variants = plan->variants,
        .name = ken_buffer_string(&c->name),
        .run = c->variant * plan->seeds + c->seed,
        .runs = plan->variants * plan->seeds,
        .seed = ken_plan_seed(plan, c->seed),
        .training = training,
        .seconds_left = seconds_left(c, training),
        .metric = c->all.metric,
        .value = NAN,
        .failures = c->failures,
    };
    if (moment == KEN_COMPARE_ENDS) {
        p.value = result->value;
        p.failed = result->failed.size > 0 ? result->failed.data : NULL;
    }
    if (!c->progress || c->progress(c->user, &p) == 0) return KEN_OK;
    return ken_fail(KEN_ERR_STOPPED, moment == KEN_COMPARE_MEASURES
                                         ? "stopped before measuring; the run is saved"
                                         : "stopped between two runs");
}

static ken_status trains(void *user, const ken_progress *training)
{
    return report(user, KEN_COMPARE_TRAINS, training);
}

static ken_status measures(void *user)
{
    return report(user, KEN_COMPARE_MEASURES, NULL);
}

/* ---- before the first run -------------------------------------------------------------------- */

/* Checks a variant as far as this is possible without data: whether its keys fit together, and how
 * its result is measured. */
static ken_status check_variant(struct ken_compared *all, size_t variant, bool first)
{
    ken_recipe *recipe = NULL;
    ken_task *task = NULL;
    ken_status status = ken_plan_recipe(&all->plan, variant, 0, &recipe);
    if (!status) status = ken_task_new(&task, recipe);
    bool on_test = !status && ken_run_part(recipe) == KEN_KEY_DATA_TEST;
    if (!status && ken_recipe_value(recipe, ken_run_part(recipe))[0] == '\0')
        status = ken_recipe_fail(recipe, KEN_KEY_DATA_TEST,
                                 "no file to measure on: set data.test or data.dev");
    if (!status && first) {
        snprintf(all->metric, sizeof all->metric, "%s", ken_metric_name(task));
        all->falls = ken_metric_falls(all->metric);
        all->on_test = on_test;
    }
    if (!status && (strcmp(all->metric, ken_metric_name(task)) != 0 || on_test != all->on_test))
        status = ken_fail(KEN_ERR_ARGUMENT,
                          "this variant is measured by %s on %s, the others by %s on %s",
                          ken_metric_name(task), on_test ? "test" : "dev", all->metric,
                          all->on_test ? "test" : "dev");
    ken_task_free(task);
    ken_recipe_free(recipe);
    return status;
}

/* Checks all variants. A variant that is refused gets the reason as its result at once. Fails if
 * every variant is refused. */
static ken_status check_variants(struct comparison *c)
{
    const struct ken_plan *plan = &c->all.plan;
    size_t good = 0;
    for (size_t v = 0; v < plan->variants; v++) {
        ken_status status = check_variant(&c->all, v, good == 0);
        if (status == KEN_ERR_MEMORY) return status;
        if (!status) good++;
        for (size_t s = 0; status && s < plan->seeds; s++) {
            struct ken_result *result = result_at(c, v, s);
            ken_buffer_text(&result->failed, ken_last_error());
            result->there = true;
            result->value = NAN;
            KEN_TRY(ken_buffer_status(&result->failed));
        }
    }
    if (good > 0) return KEN_OK;
    char words[512];
    snprintf(words, sizeof words, "%s", ken_buffer_string(&result_at(c, 0, 0)->failed));
    if (plan->variants == 1) return ken_fail(KEN_ERR_ARGUMENT, "%s", words);
    return ken_fail(KEN_ERR_ARGUMENT, "none of the %zu variants can be trained; the first: %s",
                    plan->variants, words);
}

/* ---- the runs -------------------------------------------------------------------------------- */

static ken_status work_at_run(struct comparison *c)
{
    ken_recipe *recipe = NULL;
    ken_buffer folder = { 0 };
    ken_buffer_format(&folder, "%s/runs/", c->folder);
    ken_plan_folder(&c->all.plan, c->variant, &folder);
    ken_buffer_format(&folder, "/seed-%" PRIu64, ken_plan_seed(&c->all.plan, c->seed));
    ken_status status = ken_buffer_status(&folder);
    if (!status) status = ken_plan_recipe(&c->all.plan, c->variant, c->seed, &recipe);
    struct ken_run_job job = { folder.data, recipe, &c->all.plan.tests, trains, measures, c };
    if (!status) status = ken_run_job(result_at(c, c->variant, c->seed), &job);
    ken_recipe_free(recipe);
    ken_buffer_release(&folder);
    return status;
}

static ken_status run_one(struct comparison *c)
{
    struct ken_result *result = result_at(c, c->variant, c->seed);
    KEN_TRY(report(c, KEN_COMPARE_BEGINS, NULL));
    if (!result->there) KEN_TRY(work_at_run(c));
    bool failed = result->failed.size > 0;
    c->failures += failed;
    c->finished += !failed;
    c->spent += failed ? 0 : result->costs[KEN_COST_SECONDS];
    return report(c, KEN_COMPARE_ENDS, NULL);
}

static ken_status run_all(struct comparison *c)
{
    const struct ken_plan *plan = &c->all.plan;
    for (c->variant = 0; c->variant < plan->variants; c->variant++) {
        ken_buffer_clear(&c->name);
        ken_plan_name(plan, c->variant, &c->name);
        KEN_TRY(ken_buffer_status(&c->name));
        for (c->seed = 0; c->seed < plan->seeds; c->seed++) KEN_TRY(run_one(c));
    }
    return KEN_OK;
}

/* ---- the files ------------------------------------------------------------------------------- */

/* Reports the end of the comparison to the caller. The value that the caller's function returns is
 * ignored, because nothing is left to stop. */
static void report_done(const struct comparison *c, const char *table, const char *json)
{
    size_t runs = c->all.plan.variants * c->all.plan.seeds;
    ken_compare_progress p = { .moment = KEN_COMPARE_DONE,
                               .variants = c->all.plan.variants,
                               .run = runs,
                               .runs = runs,
                               .metric = c->all.metric,
                               .failures = c->failures,
                               .table = table,
                               .json = json };
    if (c->progress) c->progress(c->user, &p);
}

static ken_status write_files(struct comparison *c)
{
    ken_buffer json = { 0 }, table = { 0 }, page = { 0 }, picture = { 0 };
    ken_status status = ken_summarise(&c->all);
    if (!status) {
        ken_compared_json(&c->all, &json);
        ken_compared_table(&c->all, &table);
        ken_compared_markdown(&c->all, &page);
        status = ken_compared_draw(&c->all, &picture);
    }
    if (!status) status = ken_folder_write(c->folder, "compare.json", &json);
    if (!status) status = ken_folder_write(c->folder, "compare.md", &page);
    if (!status) status = ken_folder_write(c->folder, "compare.svg", &picture);
    if (!status) status = ken_buffer_status(&table);
    if (!status) report_done(c, table.data, json.data);
    ken_buffer_release(&json);
    ken_buffer_release(&table);
    ken_buffer_release(&page);
    ken_buffer_release(&picture);
    return status;
}

static void release(struct comparison *c)
{
    const struct ken_plan *plan = &c->all.plan;
    for (size_t r = 0; c->all.results && r < plan->variants * plan->seeds; r++)
        ken_result_release(&c->all.results[r]);
    for (size_t v = 0; c->all.summaries && v < plan->variants; v++) {
        ken_buffer_release(&c->all.summaries[v].name);
        ken_buffer_release(&c->all.summaries[v].folder);
    }
    ken_memory_free(c->all.results);
    ken_memory_free(c->all.summaries);
    ken_buffer_release(&c->name);
    ken_plan_release(&c->all.plan);
}

static ken_status work(struct comparison *c, bool resumes)
{
    ken_lock *lock = NULL;
    ken_status status = ken_folder_take(&lock, c->folder, "comparison", resumes);
    if (!status && !resumes) status = ken_plan_write(&c->all.plan, c->folder);
    if (!status) status = run_all(c);
    if (!status) status = write_files(c);
    ken_lock_free(lock);
    return status;
}

/* Carries out the plan in c->all and releases it. The caller has made the plan or read it from
 * plan.json. */
static ken_status compare(struct comparison *c, bool resumes)
{
    const struct ken_plan *plan = &c->all.plan;
    ken_status status = KEN_OK;
    c->all.results = ken_memory_zeroed(plan->variants * plan->seeds, sizeof *c->all.results);
    if (!c->all.results) status = ken_fail(KEN_ERR_MEMORY, "no memory for a comparison");
    if (!status) status = check_variants(c);
    if (!status) status = work(c, resumes);
    release(c);
    return status;
}

ken_status ken_compare(const ken_comparison *comparison, const char *folder,
                       ken_compare_fn *progress, void *user)
{
    struct comparison c = { .folder = folder, .progress = progress, .user = user };
    KEN_TRY(KEN_GIVEN(comparison));
    KEN_TRY(KEN_GIVEN(folder));
    KEN_TRY(KEN_GIVEN(comparison->recipe));
    if (comparison->change_count > 0) KEN_TRY(KEN_GIVEN(comparison->changes));
    for (size_t i = 0; i < comparison->change_count; i++)
        KEN_TRY(KEN_GIVEN(comparison->changes[i]));
    KEN_TRY(KEN_OPTIONS_UNUSED(comparison, "ken_comparison"));
    KEN_TRY(ken_folder_check(folder, "comparison"));
    KEN_TRY(ken_plan_make(&c.all.plan, comparison));
    return compare(&c, false);
}

ken_status ken_compare_resume(const char *folder, ken_compare_fn *progress, void *user)
{
    struct comparison c = { .folder = folder, .progress = progress, .user = user };
    ken_buffer path = { 0 };
    enum ken_path_kind kind = KEN_PATH_NONE;
    KEN_TRY(KEN_GIVEN(folder));
    ken_status status = ken_path_join(&path, folder, "plan.json");
    if (!status) status = ken_path_kind(&kind, path.data);
    if (!status && kind == KEN_PATH_NONE)
        status = ken_fail(KEN_ERR_FORMAT, "%s does not exist: no comparison was begun here",
                          path.data);
    if (!status) status = ken_plan_read(&c.all.plan, path.data);
    ken_buffer_release(&path);
    return status ? status : compare(&c, true);
}
