/* test_compare.c - the plan of a comparison and its numbers; whole comparisons are in
 * tests/cli/compare.sh. */
#include "base/fault.h"
#include "base/memory.h"
#include "base/size.h"
#include "compare/compared.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char recipe_text[] = "[data]\nformat = signals\ntrain = 50\ntest = 10\n"
                                  "[train]\nseed = 7\n";

static ken_status make_tested(struct ken_plan *plan, const char *const *changes, size_t count,
                              size_t seeds, const char *tests)
{
    ken_recipe *recipe;
    assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
    ken_comparison comparison = { recipe, changes, count, seeds, "ken compare r", tests };
    ken_status status = ken_plan_make(plan, &comparison);
    ken_recipe_free(recipe);
    return status;
}

static ken_status make(struct ken_plan *plan, const char *const *changes, size_t count,
                       size_t seeds)
{
    return make_tested(plan, changes, count, seeds, NULL);
}

static const char *name_of(const struct ken_plan *plan, size_t variant)
{
    static char name[512];
    ken_buffer words = { 0 };
    ken_plan_name(plan, variant, &words);
    snprintf(name, sizeof name, "%s", ken_buffer_string(&words));
    ken_buffer_release(&words);
    return name;
}

static void means_and_deviations(void **state)
{
    (void)state;
    static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    double mean, deviation;
    ken_mean(&mean, &deviation, values, 8);
    assert_true(mean == 5);
    /* the sample deviation; that of a population would be 2 */
    assert_true(fabs(deviation - sqrt(32.0 / 7)) < 1e-15);
    ken_mean(&mean, &deviation, values, 1);
    assert_true(mean == 2 && isnan(deviation));
    ken_mean(&mean, &deviation, values, 0);
    assert_true(isnan(mean) && isnan(deviation));
    /* sums of squares would lose all digits */
    static const double far[] = { 1e9 + 1, 1e9 + 2, 1e9 + 3 };
    ken_mean(&mean, &deviation, far, 3);
    assert_true(mean == 1e9 + 2 && fabs(deviation - 1) < 1e-12);
}

static void every_combination_once(void **state)
{
    (void)state;
    static const char *const changes[] = { "model.width=16,32", "train.epochs=3",
                                           "model.position=none,rotary,alibi" };
    static const char *const names[] = { "16, none", "16, rotary", "16, alibi",
                                         "32, none", "32, rotary", "32, alibi" };
    struct ken_plan plan;
    assert_int_equal(make(&plan, changes, 3, 2), KEN_OK);
    assert_int_equal(plan.variants, 6);
    for (size_t v = 0; v < 6; v++) {
        ken_recipe *recipe;
        assert_string_equal(name_of(&plan, v), names[v]);
        assert_int_equal(ken_plan_recipe(&plan, v, 1, &recipe), KEN_OK);
        assert_string_equal(ken_recipe_get(recipe, "model.width"), v < 3 ? "16" : "32");
        assert_string_equal(ken_recipe_get(recipe, "model.position"), strchr(names[v], ' ') + 1);
        assert_string_equal(ken_recipe_get(recipe, "train.epochs"), "3");
        assert_string_equal(ken_recipe_get(recipe, "train.seed"), "8");
        ken_recipe_free(recipe);
    }
    ken_plan_release(&plan);
}

static void values_and_their_commas(void **state)
{
    (void)state;
    static const char *const changes[] = { "data.train=a/b\\,c.tsv,d\\e,", "data.dev=x\\,y" };
    struct ken_plan plan;
    assert_int_equal(make(&plan, changes, 2, 1), KEN_OK);
    assert_int_equal(plan.variants, 3);
    assert_string_equal(ken_plan_value(&plan, 0, 0), "a/b,c.tsv");
    assert_string_equal(ken_plan_value(&plan, 1, 0), "d\\e");
    assert_string_equal(ken_plan_value(&plan, 2, 0), "");
    assert_string_equal(name_of(&plan, 2), "(nothing)");
    assert_string_equal(ken_recipe_get(plan.recipe, "data.dev"), "x,y");
    ken_plan_release(&plan);
}

static void folders_are_safe_and_different(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "data.train=../x,.._x,/etc/x,a b,a_b,\xc3\xa4,\xc3\xb6,-o,.,..", "model.width=1,2"
    };
    struct ken_plan plan;
    char folders[20][256];
    assert_int_equal(make(&plan, changes, 2, 1), KEN_OK);
    assert_int_equal(plan.variants, 20);
    for (size_t v = 0; v < 20; v++) {
        ken_buffer folder = { 0 };
        ken_plan_folder(&plan, v, &folder);
        snprintf(folders[v], sizeof folders[v], "%s", folder.data);
        assert_null(strpbrk(folder.data, "/ \\\"'$*?"));
        assert_true(folder.data[0] >= '0' && folder.data[0] <= '9' && folder.size < 100);
        for (size_t u = 0; u < v; u++) assert_string_not_equal(folders[u], folders[v]);
        ken_buffer_release(&folder);
    }
    ken_plan_release(&plan);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *changes[2], *words;
    } cases[] = {
        { { "model.widht=1,2" }, "did you mean \"width\"" },
        { { "model.widht=1" }, "did you mean \"width\"" },
        { { "modle.width=1,2" }, "did you mean \"model\"" },
        { { "model.width" }, "expected section.key=value" },
        { { "width=1,2" }, "expected section.key=value" },
        /* a single value is for all variants, so it is checked */
        { { "model.width=0" }, "model.width is \"0\"" },
        { { "model.width=1,2,1" }, "\"1\" is listed twice" },
        { { "model.width=1,2", "model.width=3,4" }, "model.width is given twice" },
        { { "train.seed=1,2" }, "--seeds" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        struct ken_plan plan;
        size_t count = cases[i].changes[1] ? 2 : 1;
        assert_int_equal(make(&plan, cases[i].changes, count, 1), KEN_ERR_ARGUMENT);
        if (!strstr(ken_last_error(), cases[i].words)) fail_msg("%s", ken_last_error());
    }
    struct ken_plan plan;
    static const char *const many[] = { "model.width=1,2", "model.heads=1,2" };
    assert_int_equal(make(&plan, many, 2, 2501), KEN_ERR_ARGUMENT);
    assert_int_equal(make(&plan, many, 2, SIZE_MAX), KEN_ERR_ARGUMENT);
    assert_int_equal(make(&plan, many, 2, 2500), KEN_OK);
    ken_plan_release(&plan);
    char tests[65 * 4] = "0";
    for (int i = 1; i < 64; i++) snprintf(tests + strlen(tests), 5, ",%d", i);
    assert_int_equal(make_tested(&plan, many, 2, 1, tests), KEN_OK);
    ken_plan_release(&plan);
    strcat(tests, ",64");
    assert_int_equal(make_tested(&plan, many, 2, 1, tests), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "65 tests are too many, at most 64 are allowed");
    assert_int_equal(make_tested(&plan, many, 2, 1, "5,3,5"), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "the test \"5\" is listed twice");
    assert_int_equal(make_tested(&plan, many, 2, 1, "5,"), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "a test in the list is empty");
}

static void tests_that_are_distances(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool rising;
    } cases[] = { { "9@1,9@8,9@64", true }, { "9@1,8@4", true }, { "9@8,9@1", false },
                  { "9@1,9@1", false },     { "9@1,9", false },  { "a@b", false },
                  { "9@", false },          { "9@1x", false } };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_strings tests = { 0 };
        double distances[KEN_PLAN_TESTS];
        char list[64], *rest = list, *one;
        snprintf(list, sizeof list, "%s", cases[i].list);
        while ((one = strsep(&rest, ","))) ken_strings_add(&tests, one, strlen(one));
        if (ken_tests_distances(distances, &tests) != cases[i].rising)
            fail_msg("%s", cases[i].list);
        if (i == 0) assert_true(distances[0] == 1 && distances[1] == 8 && distances[2] == 64);
        ken_strings_release(&tests);
    }
}

/* A bad value in a list makes only its variant fail, later. */
static void bad_values_wait(void **state)
{
    (void)state;
    static const char *const changes[] = { "model.position=none,sideways" };
    struct ken_plan plan;
    ken_recipe *recipe;
    assert_int_equal(make(&plan, changes, 1, 1), KEN_OK);
    assert_int_equal(ken_plan_recipe(&plan, 0, 0, &recipe), KEN_OK);
    ken_recipe_free(recipe);
    assert_int_equal(ken_plan_recipe(&plan, 1, 0, &recipe), KEN_ERR_ARGUMENT);
    assert_null(recipe);
    ken_plan_release(&plan);
}

static void a_plan_comes_back_as_it_was(void **state)
{
    (void)state;
    static const char *const changes[] = { "data.train=a\\,b,\"q\",\xc3\xa4 ", "model.width=8,16" };
    struct ken_plan plan, again;
    const char *path = folder_path("plan.json");
    assert_int_equal(make_tested(&plan, changes, 2, 3, "10@1,a\\,b"), KEN_OK);
    assert_int_equal(ken_plan_write(&plan, folder_path("")), KEN_OK);
    assert_int_equal(ken_plan_read(&again, path), KEN_OK);
    assert_int_equal(again.tests.count, 2);
    assert_string_equal(ken_strings_at(&again.tests, 0, NULL), "10@1");
    assert_string_equal(ken_strings_at(&again.tests, 1, NULL), "a,b");
    assert_int_equal(again.variants, plan.variants);
    assert_int_equal(again.seeds, 3);
    assert_string_equal(again.command, "ken compare r");
    assert_string_equal(ken_recipe_text(again.recipe), ken_recipe_text(plan.recipe));
    for (size_t v = 0; v < plan.variants; v++)
        for (size_t k = 0; k < 2; k++)
            assert_string_equal(ken_plan_value(&again, v, k), ken_plan_value(&plan, v, k));
    ken_plan_release(&again);
    ken_plan_release(&plan);
}

static void plans_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{}",
        "[]",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":0,\"keys\":[]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":1,\"keys\":[{\"key\":\"a.b\",\"values\":[\"1\","
        "\"2\"]}]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":1,\"keys\":[{\"key\":\"model.width\",\"values\":"
        "[\"1\"]}]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":1,\"keys\":[{\"key\":\"model.width\",\"values\":"
        "[1,2]}]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":99999999,\"keys\":[]}",
        "{\"name\":\"r\",\"recipe\":\"[modle]\",\"seeds\":1,\"keys\":[]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":1,\"keys\":[],\"tests\":[1]}",
        "{\"name\":\"r\",\"recipe\":\"\",\"seeds\":1,\"keys\":[],\"tests\":[\"a\",\"a\"]}",
    };
    for (size_t i = 0; i < KEN_COUNT(texts); i++) {
        struct ken_plan plan;
        const char *path = folder_path("bad.json");
        file_of(path, texts[i], strlen(texts[i]));
        assert_int_not_equal(ken_plan_read(&plan, path), KEN_OK);
    }
}

static void memory_that_fails(void **state)
{
    (void)state;
    static const char *const changes[] = { "model.width=16,32", "model.position=none,rotary" };
    ken_recipe *recipe;
    assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
    ken_comparison comparison = { recipe, changes, 2, 2, "ken compare r", "1@1,1@2" };
    for (uint64_t k = 1;; k++) {
        struct ken_plan plan;
        ken_fault_arm(KEN_FAULT_MEMORY, k, false);
        ken_status status = ken_plan_make(&plan, &comparison);
        bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= k;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, fired ? KEN_ERR_MEMORY : KEN_OK);
        if (!status) ken_plan_release(&plan);
        if (!fired) break;
    }
    ken_recipe_free(recipe);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Two variants with three seeds each; some runs failed. */
static void fake(struct ken_compared *all, struct ken_result results[6])
{
    static const char *const changes[] = { "model.position=none,rotary" };
    *all = (struct ken_compared){ .metric = "accuracy", .on_test = true, .results = results };
    assert_int_equal(make_tested(&all->plan, changes, 1, 3, "9@1,9@2,9@4"), KEN_OK);
    for (size_t r = 0; r < 6; r++) {
        results[r] = (struct ken_result){ .there = true,
                                          .value = 0.5 + 0.1 * (double)r,
                                          .costs[KEN_COST_SECONDS] = 10 + (double)r,
                                          .costs[KEN_COST_PARAMETERS] = 1000,
                                          .costs[KEN_COST_PEAK] = 2.5e6,
                                          .costs[KEN_COST_FILE] = 4000,
                                          .tests = { 1, 0.5, 0.25 + 0.125 * (double)r },
                                          .costs[KEN_COST_ROWS] = 123456 };
        if (r != 1 && r < 3) continue;
        ken_buffer_text(&results[r].failed, "diverged | at step 3");
        results[r].value = NAN;
    }
}

static void release(struct ken_compared *all)
{
    for (size_t r = 0; r < 6; r++) ken_result_release(&all->results[r]);
    for (size_t v = 0; v < 2; v++) {
        ken_buffer_release(&all->summaries[v].name);
        ken_buffer_release(&all->summaries[v].folder);
    }
    ken_memory_free(all->summaries);
    ken_plan_release(&all->plan);
}

static void failures_are_shown_and_not_counted(void **state)
{
    (void)state;
    struct ken_compared all;
    struct ken_result results[6];
    ken_buffer table = { 0 }, page = { 0 }, json = { 0 };
    fake(&all, results);
    assert_int_equal(ken_summarise(&all), KEN_OK);
    assert_int_equal(all.summaries[0].count, 2);
    assert_true(fabs(all.summaries[0].mean - 0.6) < 1e-12);
    assert_true(fabs(all.summaries[0].deviation - 0.2 / sqrt(2)) < 1e-12);
    assert_true(fabs(all.summaries[0].costs[KEN_COST_SECONDS] - 11) < 1e-12);
    assert_int_equal(all.summaries[1].count, 0);
    ken_compared_table(&all, &table);
    assert_string_equal(
        table.data,
        "model.position  accuracy (test)  n  parameters  training  rows/s  memory  file\n"
        "none            0.6000 \xc2\xb1 0.1414  2        1000    11.0 s  123456  2.5 MB  4 kB\n"
        "rotary          failed: diverged | at step 3\n"
        "none, seed 8: failed: diverged | at step 3\n"
        "accuracy on data.test, higher is better; mean \xc2\xb1 sample deviation of n runs, "
        "seeds 7 to 9.\n\n"
        "accuracy  none             rotary\n"
        "9@1       1.0000 \xc2\xb1 0.0000  failed\n"
        "9@2       0.5000 \xc2\xb1 0.0000  failed\n"
        "9@4       0.3750 \xc2\xb1 0.1768  failed\n");
    ken_compared_markdown(&all, &page);
    assert_non_null(strstr(page.data, "| none | **0.6000 \xc2\xb1 0.1414** | 2 |"));
    assert_non_null(strstr(page.data, "failed: diverged \\| at step 3"));
    assert_non_null(strstr(page.data, "ken compare r"));
    assert_non_null(
        strstr(page.data, "| accuracy | none | rotary |\n|---|---|---|\n| 9@1 | 1.0000"));
    ken_compared_json(&all, &json);
    json_t *object = json_loads(json.data, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    json_t *runs = json_object_get(json_array_get(json_object_get(object, "variants"), 0), "runs");
    assert_int_equal(json_array_size(runs), 3);
    assert_true(json_is_string(json_object_get(json_array_get(runs, 1), "failed")));
    assert_true(json_is_null(json_object_get(json_array_get(runs, 2), "failed")));
    assert_true(json_real_value(json_object_get(json_array_get(runs, 2), "value")) == 0.7);
    json_t *tests = json_object_get(json_array_get(runs, 2), "tests");
    assert_true(json_number_value(json_object_get(tests, "9@4")) == 0.5);
    tests = json_object_get(json_array_get(json_object_get(object, "variants"), 0), "tests");
    assert_true(json_number_value(json_object_get(tests, "9@4")) == 0.375);
    json_decref(object);
    ken_buffer_release(&table);
    ken_buffer_release(&page);
    ken_buffer_release(&json);
    release(&all);
}

static void reports_without_memory(void **state)
{
    (void)state;
    struct ken_compared all;
    struct ken_result results[6];
    fake(&all, results);
    assert_int_equal(ken_summarise(&all), KEN_OK);
    for (int kind = 0; kind < 4; kind++)
        for (uint64_t k = 1;; k++) {
            ken_buffer out = { 0 };
            ken_fault_arm(KEN_FAULT_MEMORY, k, false);
            if (kind == 0) ken_compared_table(&all, &out);
            else if (kind == 1) ken_compared_markdown(&all, &out);
            else if (kind == 2) ken_compared_json(&all, &out);
            else if (ken_compared_draw(&all, &out)) out.failed = true;
            bool fired = ken_fault_calls(KEN_FAULT_MEMORY) >= k;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_int_equal(out.failed, fired);
            ken_buffer_release(&out);
            if (!fired) break;
        }
    release(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_and_deviations),
        cmocka_unit_test(every_combination_once),
        cmocka_unit_test(values_and_their_commas),
        cmocka_unit_test(folders_are_safe_and_different),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(tests_that_are_distances),
        cmocka_unit_test(bad_values_wait),
        cmocka_unit_test(a_plan_comes_back_as_it_was),
        cmocka_unit_test(plans_that_are_none),
        cmocka_unit_test(memory_that_fails),
        cmocka_unit_test(failures_are_shown_and_not_counted),
        cmocka_unit_test(reports_without_memory),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
