/* compare_run.c - one run of a comparison: train or go on, measure, keep the result.
 * Invariant: result.json is written last. Without it, or when it does not fit what lies beside it,
 * the run goes on from its checkpoint, and the same comes out. */
#include "compare/compare.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "task/evaluate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MOST = 1 << 20 }; /* bytes of result.json */

/* Seconds between two saves of cost.json, at steps and at evaluations. */
enum { COST_AT_STEP = 5, COST_AT_EVALUATION = 1 };

/* What the training of a run took, over all processes that worked at it. */
struct cost {
    double step, seconds, rows, peak_bytes;
};

struct job {
    const struct ken_run_job *is;
    struct cost before; /* up to the step that this process went on from */
    struct cost cost;   /* and up to now                                 */
    double saved;       /* when, in seconds of this process; -1: not yet */
    double parameters, dev;
    ken_status failed; /* writing cost.json failed, in these words: */
    char failure[256];
};

void ken_result_release(struct ken_result *result)
{
    ken_buffer_release(&result->failed);
    ken_buffer_release(&result->scores);
    *result = (struct ken_result){ 0 };
}

enum ken_key ken_run_part(const ken_recipe *recipe)
{
    return ken_recipe_value(recipe, KEN_KEY_DATA_TEST)[0] ? KEN_KEY_DATA_TEST : KEN_KEY_DATA_DEV;
}

static ken_status file_is_there(bool *there, const char *folder, const char *name)
{
    ken_buffer path = { 0 };
    enum ken_path_kind kind = KEN_PATH_NONE;
    ken_status status = ken_path_join(&path, folder, name);
    if (!status) status = ken_path_kind(&kind, path.data);
    *there = kind == KEN_PATH_FILE;
    ken_buffer_release(&path);
    return status;
}

/* The object in a small JSON file; NULL when there is none to be had. */
static json_t *read_object(const char *folder, const char *name)
{
    ken_buffer path = { 0 };
    char *text = NULL;
    size_t size = 0;
    json_t *object = NULL;
    bool there = false;
    if (!file_is_there(&there, folder, name) && there && !ken_path_join(&path, folder, name) &&
        !ken_file_read(&text, &size, path.data, FILE_MOST))
        object = ken_json_read(text, size, 0, NULL);
    ken_memory_free(text);
    ken_buffer_release(&path);
    return object;
}

static bool read_number(double *number, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    *number = json_is_null(value) ? NAN : json_number_value(value);
    return json_is_null(value) || json_is_number(value);
}

static void write_number(ken_buffer *json, const char *name, double number)
{
    ken_buffer_format(json, ",\"%s\":", name);
    ken_json_number(json, number);
}

/* ---- what it costs --------------------------------------------------------------------------- */

/* What earlier processes spent, for the steps that are not done again: of time that was spent up to
 * another step than the checkpoint's, its share. */
static void read_cost(struct job *job, double step)
{
    struct cost *cost = &job->before;
    json_t *object = read_object(job->is->folder, "cost.json");
    bool good = read_number(&cost->step, object, "step") &&
                read_number(&cost->seconds, object, "seconds") &&
                read_number(&cost->rows, object, "rows") &&
                read_number(&cost->peak_bytes, object, "peak_bytes") && cost->step > 0;
    json_decref(object);
    if (!good) *cost = (struct cost){ 0 };
    double share = good ? step / cost->step : 0;
    cost->seconds *= share;
    cost->rows *= share;
    cost->step = step;
}

static ken_status write_cost(const struct job *job)
{
    ken_buffer path = { 0 }, json = { 0 };
    ken_buffer_format(&json, "{\"step\":%.0f", job->cost.step);
    write_number(&json, "seconds", job->cost.seconds);
    write_number(&json, "rows", job->cost.rows);
    write_number(&json, "peak_bytes", job->cost.peak_bytes);
    ken_buffer_text(&json, "}\n");
    ken_status status = ken_buffer_status(&json);
    if (!status) status = ken_path_join(&path, job->is->folder, "cost.json");
    if (!status) status = ken_file_replace(path.data, json.data, json.size);
    ken_buffer_release(&path);
    ken_buffer_release(&json);
    return status;
}

static int told(void *user, const ken_progress *p)
{
    struct job *job = user;
    if (p->moment == KEN_AT_START) read_cost(job, (double)p->step);
    job->cost.step = (double)p->step;
    job->cost.seconds = job->before.seconds + p->seconds;
    job->cost.rows = job->before.rows + p->rows_per_second * p->seconds;
    job->cost.peak_bytes = fmax(job->before.peak_bytes, (double)p->peak_bytes);
    job->parameters = (double)p->parameters;
    job->dev = p->best;
    int stop = job->is->progress ? job->is->progress(job->is->user, p) : 0;
    bool look = p->moment == KEN_AT_EVALUATION, last = look && p->step >= p->steps;
    bool due = p->seconds - job->saved > (look ? COST_AT_EVALUATION : COST_AT_STEP);
    if (p->moment == KEN_AT_START || !(stop || last || due)) return stop;
    job->saved = p->seconds;
    job->failed = write_cost(job);
    if (job->failed) snprintf(job->failure, sizeof job->failure, "%s", ken_last_error());
    return stop || job->failed;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Whether the folder holds a run of this very recipe; of another it is KEN_ERR_STATE. */
static ken_status has_run(bool *there, const struct ken_run_job *is)
{
    ken_recipe *found = NULL;
    ken_buffer path = { 0 };
    KEN_TRY(file_is_there(there, is->folder, "recipe"));
    if (!*there) return KEN_OK;
    ken_status status = ken_path_join(&path, is->folder, "recipe");
    if (!status) status = ken_recipe_read(&found, path.data);
    for (size_t k = 0; k < KEN_KEY_COUNT && !status; k++) {
        const char *has = ken_recipe_value(found, k), *wants = ken_recipe_value(is->recipe, k);
        if (strcmp(has, wants) != 0)
            status = ken_fail(KEN_ERR_STATE, "%s: %s.%s is \"%s\", this comparison has \"%s\"",
                              path.data, ken_key_table[k].section, ken_key_table[k].name, has,
                              wants);
    }
    ken_recipe_free(found);
    ken_buffer_release(&path);
    return status;
}

/* A process that was killed before its run had a recipe may have left these. */
static ken_status clean(const char *folder)
{
    static const char *const names[] = { "lock", "recipe.ken-tmp" };
    ken_buffer path = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; i < KEN_COUNT(names) && !status; i++) {
        bool there = false;
        status = file_is_there(&there, folder, names[i]);
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
    if (!there) KEN_TRY(clean(is->folder));
    ken_status status = there ? ken_resume(is->folder, told, job)
                              : ken_train(is->recipe, is->folder, told, job);
    return job->failed ? ken_fail(job->failed, "%s", job->failure) : status;
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
    result->file_bytes = (double)size;
    if (!status) status = ken_task_load(&task, path.data);
    if (!status) status = measure(result, task, corpus, is->tests);
    ken_task_free(task);
    ken_buffer_release(&path);
    return status;
}

/* The data to measure on is read first: what is wrong with it should not show after hours. */
static ken_status train_and_measure(struct ken_result *result, struct job *job)
{
    const struct ken_run_job *is = job->is;
    ken_corpus corpus = { 0 };
    ken_status status = ken_part_read(&corpus, is->recipe, ken_run_part(is->recipe), NULL, NULL);
    if (!status) status = ken_tests_check(is->tests, is->recipe);
    if (!status) status = train(job);
    if (!status && is->measures && is->measures(is->user) != 0)
        status = ken_fail(KEN_ERR_STOPPED, "stopped before measuring; the run is saved");
    if (!status) status = measure_model(result, is, &corpus);
    ken_corpus_release(&corpus);
    result->dev = job->dev;
    result->parameters = job->parameters;
    result->seconds = job->cost.seconds;
    result->rows_per_second = job->cost.seconds > 0 ? job->cost.rows / job->cost.seconds : 0;
    result->peak_bytes = job->cost.peak_bytes;
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

static ken_status write_result(const struct ken_result *result, const struct ken_run_job *is)
{
    ken_buffer path = { 0 }, json = { 0 };
    ken_buffer_text(&json, "{\"failed\":");
    if (result->failed.size > 0) ken_json_string(&json, result->failed.data, result->failed.size);
    else ken_buffer_text(&json, "null");
    ken_buffer_format(&json, ",\"scores\":%s", result->scores.size ? result->scores.data : "{}");
    write_number(&json, "value", result->value);
    write_number(&json, "dev", result->dev);
    write_number(&json, "seconds", result->seconds);
    write_number(&json, "rows_per_second", result->rows_per_second);
    write_number(&json, "parameters", result->parameters);
    write_number(&json, "peak_bytes", result->peak_bytes);
    write_number(&json, "file_bytes", result->file_bytes);
    ken_buffer_text(&json, ",\"tests\":");
    ken_tests_json(&json, is->tests, result->tests);
    ken_buffer_text(&json, "}\n");
    ken_status status = ken_buffer_status(&json);
    if (!status) status = ken_path_join(&path, is->folder, "result.json");
    if (!status) status = ken_file_replace(path.data, json.data, json.size);
    ken_buffer_release(&path);
    ken_buffer_release(&json);
    return status;
}

static bool read_scores(struct ken_result *result, json_t *scores)
{
    const char *name;
    json_t *value;
    if (!json_is_object(scores)) return false;
    ken_buffer_text(&result->scores, "{");
    json_object_foreach(scores, name, value)
    {
        if (result->scores.size > 1) ken_buffer_text(&result->scores, ",");
        ken_json_string(&result->scores, name, strlen(name));
        ken_buffer_text(&result->scores, ":");
        ken_json_number(&result->scores, json_is_number(value) ? json_number_value(value) : NAN);
    }
    ken_buffer_text(&result->scores, "}");
    return !ken_buffer_status(&result->scores);
}

/* Whether all that a result needs is there; a run that did not fail has its model beside it. */
static bool read_result(struct ken_result *result, const struct ken_run_job *is)
{
    bool model = false, run = false;
    json_t *object = read_object(is->folder, "result.json");
    const json_t *failed = json_object_get(object, "failed");
    bool good = (json_is_null(failed) || json_is_string(failed)) &&
                read_scores(result, json_object_get(object, "scores")) &&
                read_number(&result->value, object, "value") &&
                read_number(&result->dev, object, "dev") &&
                read_number(&result->seconds, object, "seconds") &&
                read_number(&result->rows_per_second, object, "rows_per_second") &&
                read_number(&result->parameters, object, "parameters") &&
                read_number(&result->peak_bytes, object, "peak_bytes") &&
                read_number(&result->file_bytes, object, "file_bytes");
    const json_t *tests = json_object_get(object, "tests");
    for (size_t i = 0; i < is->tests->count && good; i++)
        good = read_number(&result->tests[i], tests, ken_strings_at(is->tests, i, NULL));
    if (good && json_is_string(failed)) ken_buffer_text(&result->failed, json_string_value(failed));
    json_decref(object);
    good = good && !has_run(&run, is) && run;
    good = good && !file_is_there(&model, is->folder, "model.ken") &&
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
        /* another failure may have gone when the comparison is resumed; this one comes back */
        if (!status || status == KEN_ERR_DIVERGED) KEN_TRY(write_result(result, is));
    }
    result->there = true;
    return ken_buffer_status(&result->failed);
}
