/* compare_run.c - one run of a comparison: trains or resumes it, measures its model, and keeps the
 * result. Invariant: result.json is written last. If result.json is missing or does not fit the
 * other files of the folder, the run continues from its checkpoint and gives the same result. */
#include "compare/compare.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "task/evaluate.h"
#include "task/run_folder.h"

#include <math.h>
#include <string.h>

/* Minimum number of seconds after which cost.json is saved again: COST_AT_STEP after a step,
 * COST_AT_EVALUATION after an evaluation. */
enum { COST_AT_STEP = 5, COST_AT_EVALUATION = 1 };

/* The cost of training a run, summed over all processes that worked at the run. */
struct spent {
    double step, seconds, rows, peak_bytes;
};

struct job {
    const struct ken_run_job *is;
    struct spent before; /* cost of the steps that earlier processes made */
    struct spent spent;  /* total cost up to now, including `before`      */
    double saved; /* time of the last save of cost.json, in seconds since this process started */
    double parameters, dev;
};

enum ken_key ken_run_part(const ken_recipe *recipe)
{
    return ken_recipe_value(recipe, KEN_KEY_DATA_TEST)[0] ? KEN_KEY_DATA_TEST : KEN_KEY_DATA_DEV;
}

/* ---- cost.json ------------------------------------------------------------------------------- */

/* Reads the cost that earlier processes had, when a run is resumed at step `step`. The earlier
 * processes may have made more steps, which are repeated now; so only the share of the cost that
 * belongs to the first `step` steps is counted. */
static void read_spent(struct job *job, double step)
{
    struct spent *spent = &job->before;
    json_t *object = ken_result_object(job->is->folder, "cost.json");
    bool good = ken_json_read_member(&spent->step, object, "step") &&
                ken_json_read_member(&spent->seconds, object, "seconds") &&
                ken_json_read_member(&spent->rows, object, "rows") &&
                ken_json_read_member(&spent->peak_bytes, object, "peak_bytes") && spent->step > 0;
    json_decref(object);
    if (!good) *spent = (struct spent){ 0 };
    double share = good ? step / spent->step : 0;
    spent->seconds *= share;
    spent->rows *= share;
    spent->step = step;
}

static ken_status write_spent(const struct job *job)
{
    ken_buffer json = { 0 };
    ken_buffer_format(&json, "{\"step\":%.0f", job->spent.step);
    ken_json_member(&json, "seconds", job->spent.seconds);
    ken_json_member(&json, "rows", job->spent.rows);
    ken_json_member(&json, "peak_bytes", job->spent.peak_bytes);
    ken_buffer_text(&json, "}\n");
    ken_status status = ken_folder_write(job->is->folder, "cost.json", &json);
    ken_buffer_release(&json);
    return status;
}

static ken_status follow(void *user, const ken_progress *p)
{
    struct job *job = user;
    if (p->moment == KEN_AT_START) read_spent(job, (double)p->step);
    job->spent.step = (double)p->step;
    job->spent.seconds = job->before.seconds + p->seconds;
    job->spent.rows = job->before.rows + p->rows_per_second * p->seconds;
    job->spent.peak_bytes = fmax(job->before.peak_bytes, (double)p->peak_bytes);
    job->parameters = (double)p->parameters;
    job->dev = p->best;
    ken_status status = job->is->progress ? job->is->progress(job->is->user, p) : KEN_OK;
    bool evaluated = p->moment == KEN_AT_EVALUATION, last = evaluated && p->step >= p->steps;
    bool due = p->seconds - job->saved > (evaluated ? COST_AT_EVALUATION : COST_AT_STEP);
    if (p->moment == KEN_AT_START || !(status || last || due)) return status;
    job->saved = p->seconds;
    KEN_TRY(write_spent(job));
    return status;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Sets *there to whether the folder holds a run of the job's recipe. Returns KEN_ERR_STATE if the
 * folder holds a run of another recipe. */
static ken_status has_run(bool *there, const struct ken_run_job *is)
{
    ken_recipe *found = NULL;
    ken_buffer path = { 0 };
    KEN_TRY(ken_folder_has(there, is->folder, "recipe"));
    if (!*there) return KEN_OK;
    ken_status status = ken_path_join(&path, is->folder, "recipe");
    if (!status) status = ken_recipe_read(&found, path.data);
    for (size_t k = 0; k < KEN_KEY_COUNT && !status; k++) {
        const char *has = ken_recipe_value(found, k), *wants = ken_recipe_value(is->recipe, k);
        if (strcmp(has, wants) != 0)
            status = ken_fail(KEN_ERR_STATE,
                              "%s: %s.%s is \"%s\" here, but \"%s\" in this comparison", path.data,
                              ken_key_table[k].section, ken_key_table[k].name, has, wants);
    }
    ken_recipe_free(found);
    ken_buffer_release(&path);
    return status;
}

/* Removes incomplete files from the folder of a run: those of a process that was killed before it
 * saved the recipe. */
static ken_status clean(const char *folder)
{
    static const char *const names[] = { "lock", "recipe.ken-tmp" };
    ken_buffer path = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; i < KEN_COUNT(names) && !status; i++) {
        bool there = false;
        status = ken_folder_has(&there, folder, names[i]);
        if (!status) status = ken_path_join(&path, folder, names[i]);
        if (!status && there) status = ken_file_remove(path.data);
    }
    ken_buffer_release(&path);
    return status;
}

static ken_status train(struct job *job)
{
    const struct ken_run_job *is = job->is;
    bool there;
    KEN_TRY(has_run(&there, is));
    if (there) return ken_training_resume(is->folder, follow, job);
    KEN_TRY(clean(is->folder));
    return ken_training_start(is->recipe, is->folder, follow, job);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static ken_status measure(struct ken_result *result, ken_task *task, const ken_corpus *corpus,
                          const ken_strings *tests)
{
    struct ken_scores scores;
    KEN_TRY(ken_task_measure(task, &scores, corpus, true, false, NULL));
    ken_buffer_clear(&result->scores);
    ken_scores_json(&scores, &result->scores);
    result->value = ken_scores_find(&scores, ken_metric_name(task));
    KEN_TRY(ken_tests_measure(result->tests, tests, task));
    if (!isnan(result->value)) return ken_buffer_status(&result->scores);
    return ken_metric_fail(task, KEN_KEY_TRAIN_METRIC);
}

static ken_status measure_model(struct ken_result *result, const struct ken_run_job *is,
                                const ken_corpus *corpus)
{
    ken_buffer path = { 0 };
    ken_task *task = NULL;
    char *bytes = NULL;
    size_t size = 0;
    ken_status status = ken_path_join(&path, is->folder, "model.ken");
    if (!status) status = ken_file_read(&bytes, &size, path.data, SIZE_MAX);
    ken_memory_free(bytes);
    result->costs[KEN_COST_FILE] = (double)size;
    if (!status) status = ken_task_load(&task, path.data);
    if (!status) status = measure(result, task, corpus, is->tests);
    ken_task_free(task);
    ken_buffer_release(&path);
    return status;
}

/* Trains a run and measures its model. The data for measuring is read before the training, so that
 * an error in the data is found at once and not after hours. */
static ken_status train_and_measure(struct ken_result *result, struct job *job)
{
    const struct ken_run_job *is = job->is;
    ken_corpus corpus = { 0 };
    ken_status status = ken_part_read(&corpus, is->recipe, ken_run_part(is->recipe), NULL, NULL);
    if (!status) status = ken_tests_check(is->tests, is->recipe);
    if (!status) status = train(job);
    if (!status && is->measures) status = is->measures(is->user);
    if (!status) status = measure_model(result, is, &corpus);
    ken_corpus_release(&corpus);
    result->dev = job->dev;
    result->costs[KEN_COST_PARAMETERS] = job->parameters;
    result->costs[KEN_COST_SECONDS] = job->spent.seconds;
    result->costs[KEN_COST_ROWS] = job->spent.seconds > 0 ? job->spent.rows / job->spent.seconds
                                                          : 0;
    result->costs[KEN_COST_PEAK] = job->spent.peak_bytes;
    return status;
}

/* ---- result.json ----------------------------------------------------------------------------- */

/* Returns whether an earlier process has finished the run. This requires a complete result, a run
 * of the job's recipe in the folder and, unless the run failed, a model. */
static bool read_result(struct ken_result *result, const struct ken_run_job *is)
{
    bool model = false, run = false;
    bool good = ken_result_read(result, is->folder, is->tests) && !has_run(&run, is) && run &&
                !ken_folder_has(&model, is->folder, "model.ken") &&
                (result->failed.size > 0 || (model && isfinite(result->value)));
    if (!good) ken_result_release(result);
    return good;
}

ken_status ken_run_job(struct ken_result *result, const struct ken_run_job *is)
{
    struct job job = { .is = is, .dev = NAN, .saved = -COST_AT_EVALUATION };
    ken_result_release(result);
    if (!read_result(result, is)) {
        ken_status status = train_and_measure(result, &job);
        if (status == KEN_ERR_STOPPED || status == KEN_ERR_SPACE) return status;
        if (status) {
            ken_buffer_text(&result->failed, ken_last_error());
            result->value = NAN;
        }
        /* A result is kept for a run that succeeded or diverged, because a diverged run would
         * diverge again. Other failures may be gone when the comparison is resumed. */
        if (!status || status == KEN_ERR_DIVERGED)
            KEN_TRY(ken_result_write(result, is->folder, is->tests));
    }
    result->there = true;
    return ken_buffer_status(&result->failed);
}
