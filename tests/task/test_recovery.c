/* test_recovery.c - a run whose last checkpoint is damaged is resumed from the one before it. The
 * caller's callback hears of that, and whichever allocation or file operation fails on the way, the
 * run can still be resumed to the same model. */
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "task/training.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

/* Without dev data the model of the last evaluation is kept. */
static const char recipe_text[] = "[data]\nformat = signals\ntrain = 6\n"
                                  "[model]\nwidth = 4\nhidden = 4\nheads = 1\nencoder_blocks = 1\n"
                                  "[train]\nsteps = 4\nevaluate = 2\nbatch = 64\nwarm_up = 0\n"
                                  "checkpoint = 1\n";

static char *model, *last, *previous; /* the files of a run that was left alone */
static size_t model_size, last_size, previous_size;

static const char *in_run(const char *name)
{
    static char paths[4][4096];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder_path("run"), name);
    return path;
}

static void read_all(char **data, size_t *size, const char *name)
{
    if (ken_file_read(data, size, in_run(name), SIZE_MAX)) fail_msg("%s", ken_last_error());
}

static int set_up(void **state)
{
    ken_recipe *recipe;
    folder_make_fast(state);
    assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
    assert_int_equal(ken_train(recipe, folder_path("run"), NULL, NULL), KEN_OK);
    ken_recipe_free(recipe);
    read_all(&model, &model_size, "model.ken");
    read_all(&last, &last_size, "last.ckpt");
    read_all(&previous, &previous_size, "previous.ckpt");
    return 0;
}

static int tear_down(void **state)
{
    ken_memory_free(model);
    ken_memory_free(last);
    ken_memory_free(previous);
    return folder_remove(state);
}

/* Puts the finished run back, without its model, and with `size` bytes of its last checkpoint. */
static void spoil(size_t size)
{
    assert_int_equal(ken_file_remove(in_run("model.ken")), KEN_OK);
    file_of(in_run("last.ckpt"), last, size);
    file_of(in_run("previous.ckpt"), previous, previous_size);
}

static void is_as_before(void)
{
    char *now;
    size_t size;
    read_all(&now, &size, "model.ken");
    assert_true(size == model_size && memcmp(now, model, size) == 0);
    ken_memory_free(now);
    read_all(&now, &size, "last.ckpt");
    assert_true(size == last_size && memcmp(now, last, size) == 0);
    ken_memory_free(now);
}

/* What the callback hears at the start of a run. */
static int hear(void *user, const ken_progress *p)
{
    char *heard = user;
    if (p->moment == KEN_AT_START) strcpy(heard, p->recovered ? p->recovered : "nothing");
    return 0;
}

static void the_caller_hears_of_it(void **state)
{
    (void)state;
    char heard[8192] = "", expected[8192];
    for (size_t size = 0; size < last_size; size += last_size / 7) {
        spoil(size);
        assert_int_equal(ken_resume(folder_path("run"), hear, heard), KEN_OK);
        snprintf(expected, sizeof expected, "resumed from %s, step 3, because %s",
                 in_run("previous.ckpt"), in_run("last.ckpt"));
        if (strncmp(heard, expected, strlen(expected)) != 0) fail_msg("heard \"%s\"", heard);
        is_as_before();
    }
    assert_int_equal(ken_resume(folder_path("run"), hear, heard), KEN_OK);
    assert_string_equal(heard, "nothing");
}

static void nothing_to_resume_from(void **state)
{
    (void)state;
    spoil(last_size / 2);
    file_of(in_run("previous.ckpt"), previous, 100);
    assert_int_equal(ken_resume(folder_path("run"), NULL, NULL), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), in_run("last.ckpt")));
    assert_non_null(strstr(ken_last_error(), in_run("previous.ckpt")));
}

/* Each allocation and each file operation fails in turn, once and from then on: the failure is
 * reported, and the run can be resumed to the same model. */
static void faults(void **state)
{
    (void)state;
    for (enum ken_fault kind = 0; kind < KEN_FAULT_KINDS; kind++) {
        uint64_t count = 1, failures = 0;
        for (uint64_t nth = 0; nth <= count; nth += 1 + count / 200) {
            spoil(last_size / 2);
            ken_fault_arm(kind, nth, nth % 2);
            ken_status status = ken_resume(folder_path("run"), NULL, NULL);
            if (nth == 0) count = ken_fault_calls(kind);
            ken_fault_arm(kind, 0, false);
            failures += status != KEN_OK;
            if (status && status != (kind == KEN_FAULT_MEMORY ? KEN_ERR_MEMORY : KEN_ERR_IO))
                fail_msg("fault %d: %s", (int)nth, ken_last_error());
            if (status && ken_resume(folder_path("run"), NULL, NULL))
                fail_msg("after fault %d: %s", (int)nth, ken_last_error());
            is_as_before();
        }
        assert_true(failures > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_caller_hears_of_it),
        cmocka_unit_test(nothing_to_resume_from),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
