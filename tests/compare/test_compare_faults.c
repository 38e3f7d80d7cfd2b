/* test_compare_faults.c - a comparison whose disk or memory fails at any moment reports it, leaks
 * nothing and, resumed, ends with the results of an undisturbed one. */
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "compare/compare.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char recipe_text[] = "[data]\nformat = signals\ntrain = 6\ndev = 2\ntest = 3\n"
                                  "[model]\nwidth = 4\nhidden = 4\nheads = 1\nencoder_blocks = 1\n"
                                  "[train]\nsteps = 2\nevaluate = 1\nbatch = 64\nwarm_up = 0\n";

static ken_status compare(const char *folder)
{
    static const char *const changes[] = { "model.heads=1,3" }; /* the second is refused */
    ken_recipe *recipe;
    ken_status status = ken_recipe_parse(&recipe, recipe_text, "r");
    ken_comparison comparison = { recipe, changes, 1, 1, NULL };
    if (!status) status = ken_compare(&comparison, folder, NULL, NULL);
    ken_recipe_free(recipe);
    return status;
}

/* The measured value; also checks that the refused variant failed for its own reason. */
static double value_in(const char *folder)
{
    char path[600], *text;
    size_t size;
    snprintf(path, sizeof path, "%s/compare.json", folder);
    assert_int_equal(ken_file_read(&text, &size, path, SIZE_MAX), KEN_OK);
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    json_t *variants = json_object_get(object, "variants");
    json_t *good = json_object_get(json_array_get(variants, 0), "mean");
    json_t *runs = json_object_get(json_array_get(variants, 1), "runs");
    const char *failed = json_string_value(json_object_get(json_array_get(runs, 0), "failed"));
    if (!json_is_real(good) || !failed || !strstr(failed, "heads")) fail_msg("%s", text);
    double value = json_real_value(good);
    json_decref(object);
    ken_memory_free(text);
    return value;
}

/* Resumes a comparison; one that had not even begun starts again in another folder. */
static double finish(const char *folder)
{
    char path[600];
    enum ken_path_kind kind;
    snprintf(path, sizeof path, "%s/plan.json", folder);
    assert_int_equal(ken_path_kind(&kind, path), KEN_OK);
    if (kind == KEN_PATH_NONE) folder = folder_path("anew");
    ken_status status = kind == KEN_PATH_NONE ? compare(folder)
                                              : ken_compare_resume(folder, NULL, NULL);
    if (status) fail_msg("%s", ken_last_error());
    return value_in(folder);
}

static void walk(enum ken_fault kind, bool forever, uint64_t step)
{
    assert_int_equal(folder_make_fast(NULL), 0);
    const char *whole = folder_path("whole");
    assert_int_equal(compare(whole), KEN_OK);
    double wanted = value_in(whole);
    size_t descriptors = open_descriptors();
    folder_remove(NULL);
    for (uint64_t k = 1;; k += step) {
        assert_int_equal(folder_make_fast(NULL), 0);
        const char *folder = folder_path("run");
        ken_fault_arm(kind, k, forever);
        ken_status status = compare(folder);
        bool fired = ken_fault_calls(kind) >= k;
        ken_fault_arm(kind, 0, false);
        if (!fired) assert_int_equal(status, KEN_OK);
        assert_true(finish(folder) == wanted);
        assert_int_equal(open_descriptors(), descriptors);
        folder_remove(NULL);
        if (!fired) break;
    }
}

static void a_disk_that_fails_once(void **state)
{
    (void)state;
    walk(KEN_FAULT_IO, false, 2);
}

static void a_disk_that_dies(void **state)
{
    (void)state;
    walk(KEN_FAULT_IO, true, 7);
}

static void memory_that_fails_once(void **state)
{
    (void)state;
    walk(KEN_FAULT_MEMORY, false, 47);
}

/* Makes a folder in place of cost.json, so that the file cannot be written. */
static ken_status block(void *user, const ken_progress *progress)
{
    return progress->moment == KEN_AT_START ? ken_directory_make(user) : KEN_OK;
}

/* If a run stops because of an error, the message gives the error, not that the run stopped. */
static void the_reason_is_kept(void **state)
{
    (void)state;
    char cost[600];
    ken_recipe *recipe;
    ken_strings tests = { 0 };
    struct ken_result result = { 0 };
    assert_int_equal(folder_make_fast(NULL), 0);
    const char *folder = folder_path("run");
    snprintf(cost, sizeof cost, "%s/cost.json", folder);
    assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
    struct ken_run_job job = { folder, recipe, &tests, block, NULL, cost };
    assert_int_equal(ken_run_job(&result, &job), KEN_OK); /* a run that fails is a result */
    if (!strstr(ken_buffer_string(&result.failed), "cost.json"))
        fail_msg("%s", ken_buffer_string(&result.failed));
    ken_result_release(&result);
    ken_recipe_free(recipe);
    folder_remove(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disk_that_fails_once),
        cmocka_unit_test(a_disk_that_dies),
        cmocka_unit_test(memory_that_fails_once),
        cmocka_unit_test(the_reason_is_kept),
    };
    /* beside other tests, two threads would wait for each other */
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
