/* test_recipe.c - recipes as text: what is read, what is refused, and the messages. */
#include "base/fault.h"
#include "recipe/recipe.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static ken_recipe *parse(const char *text)
{
    ken_recipe *recipe;
    assert_int_equal(ken_recipe_parse(&recipe, text, "r"), KEN_OK);
    return recipe;
}

static void every_default_is_a_legal_value(void **state)
{
    (void)state;
    ken_recipe *recipe = parse("");
    for (size_t k = 0; k < KEN_KEY_COUNT; k++) {
        const struct ken_key_info *info = &ken_key_table[k];
        char assignment[256];
        assert_non_null(info->section);
        assert_non_null(info->about);
        snprintf(assignment, sizeof assignment, "%s.%s=%s", info->section, info->name, info->value);
        if (ken_recipe_set(recipe, assignment)) fail_msg("%s", ken_last_error());
        assert_false(ken_recipe_given(recipe, k));
    }
    ken_recipe_free(recipe);
}

static void values_are_found_with_their_types(void **state)
{
    (void)state;
    ken_recipe *recipe = parse(
        "# a comment\n[model]\n  width = 64   # and one more\nwindow_left=7\n"
        "[train]\r\nrate = 2e-3\r\n[data]\ntrain = a#b.tsv\n");
    assert_int_equal(ken_recipe_size(recipe, KEN_KEY_MODEL_WIDTH), 64);
    assert_int_equal(ken_recipe_size(recipe, KEN_KEY_MODEL_LEFT), 7);
    assert_true(ken_recipe_size(recipe, KEN_KEY_MODEL_RIGHT) == KEN_UNLIMITED);
    assert_true(ken_recipe_real(recipe, KEN_KEY_TRAIN_RATE) == 2e-3);
    assert_string_equal(ken_recipe_get(recipe, "data.train"), "a#b.tsv");
    assert_null(ken_recipe_get(recipe, "data.nothing"));
    ken_recipe_free(recipe);
    recipe = parse("\xef\xbb\xbf[model]\nwidth = 64\n"); /* a byte order mark is skipped */
    assert_int_equal(ken_recipe_size(recipe, KEN_KEY_MODEL_WIDTH), 64);
    ken_recipe_free(recipe);
}

static void a_written_recipe_reads_back_the_same(void **state)
{
    (void)state;
    ken_recipe *recipe = parse("[data]\ntrain = x y\n[model]\nposition = rotary\n"), *again;
    char first[8192], *text = first;
    snprintf(first, sizeof first, "%s", ken_recipe_text(recipe));
    assert_int_equal(ken_recipe_parse(&again, text, "again"), KEN_OK);
    assert_string_equal(ken_recipe_text(again), first);
    ken_recipe_free(again);
    assert_int_equal(ken_recipe_copy(&again, recipe), KEN_OK);
    assert_string_equal(ken_recipe_text(again), first);
    ken_recipe_free(again);
    ken_recipe_free(recipe);
}

static void bad_lines_are_named(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "[modle]\n", "r:1: unknown section \"modle\"; did you mean \"model\"?" },
        { "[model]\nwdith = 3\n",
          "r:2: unknown key \"wdith\" in section model; did you mean \"width\"?" },
        { "[model]\nwidth = 3.5\n",
          "r:2: model.width is \"3.5\", expected a whole number from 1 to 65536" },
        { "[model]\nwidth = \n",
          "r:2: model.width is \"\", expected a whole number from 1 to 65536" },
        { "[model]\nwindow_left = some\n",
          "r:2: model.window_left is \"some\", expected a whole number from 0 to 1e+09, or all" },
        { "[train]\nrate = 0x1p3\n", "r:2: train.rate is \"0x1p3\"" },
        { "[train]\nrate = inf\n", "r:2: train.rate is \"inf\", expected a number from" },
        { "[train]\nseed = 99999999999999999999\n", "r:2: train.seed is" },
        { "[model]\ntied = true\n", "r:2: model.tied is \"true\", expected yes or no" },
        { "\n\n[model]\nposition = rotray\n", "did you mean \"rotary\"?" },
        { "width = 3\n", "r:1: a [section] must come before the first key" },
        { "[model]\nwidth 3\n", "r:2: expected key = value, found \"width 3\"" },
        { "[model\nwidth = 3\n", "r:1: expected [section], found \"[model\"" },
        { "[model]\nwidth = 3\nwidth = 4\n", "r:3: model.width is already set in line 2" },
        { "[model]\nwidth = \xc3\x28\n", "r:1: not UTF-8 text" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ken_recipe *recipe;
        assert_int_equal(ken_recipe_parse(&recipe, cases[i].text, "r"), KEN_ERR_FORMAT);
        assert_null(recipe);
        if (!strstr(ken_last_error(), cases[i].words))
            fail_msg("%s\nexpected: %s", ken_last_error(), cases[i].words);
    }
}

static void an_allocation_that_fails_is_told(void **state)
{
    (void)state;
    bool failed = true;
    for (unsigned k = 1; failed; k++) {
        ken_recipe *recipe = NULL, *copy = NULL;
        ken_fault_arm(KEN_FAULT_MEMORY, k, false);
        ken_status status = ken_recipe_parse(&recipe, "[model]\nwidth = 8\n", "r");
        if (!status) status = ken_recipe_copy(&copy, recipe);
        const char *text = status ? NULL : ken_recipe_text(copy);
        failed = status || !text;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        if (status) assert_int_equal(status, KEN_ERR_MEMORY);
        ken_recipe_free(copy);
        ken_recipe_free(recipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_is_a_legal_value),
        cmocka_unit_test(values_are_found_with_their_types),
        cmocka_unit_test(a_written_recipe_reads_back_the_same),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(an_allocation_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
