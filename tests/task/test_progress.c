/* test_progress.c - the callback of a training run: at which moments it is called, that it can stop
 * the run at each of them, and that a failure on the way is reported with its own words. */
#include "base/io.h"
#include "base/memory.h"
#include "task/training.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 4 };
static const char recipe_text[] = "[data]\nformat = signals\ntrain = 6\ndev = 2\n"
                                  "[model]\nwidth = 4\nhidden = 4\nheads = 1\nencoder_blocks = 1\n"
                                  "[train]\nsteps = 4\nevaluate = 2\nbatch = 64\nwarm_up = 0\n";

/* The moments as letters, and when to stop: at this call, from 0. */
struct heard {
    char moments[32];
    size_t calls, stop;
};

static int hear(void *user, const ken_progress *p)
{
    struct heard *heard = user;
    heard->moments[heard->calls] = "ASED"[p->moment];
    return heard->calls++ == heard->stop ? -7 : 0;
}

static ken_status train(const char *folder, struct heard *heard)
{
    ken_recipe *recipe;
    assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
    ken_status status = ken_train(recipe, folder, hear, heard);
    ken_recipe_free(recipe);
    return status;
}

static char *model_of(const char *folder, size_t *size)
{
    char path[600], *bytes;
    snprintf(path, sizeof path, "%s/model.ken", folder);
    assert_int_equal(ken_file_read(&bytes, size, path, SIZE_MAX), KEN_OK);
    return bytes;
}

/* The start, the end, and two evaluations among four steps: six calls. A run that is stopped at any
 * of them and resumed ends with the same model. */
static void stopped_at_every_moment(void **state)
{
    (void)state;
    static const char *const words[] = {
        "stopped before the next step; the state is saved",
        "stopped at step 1; the state is saved",
        "stopped at step 2; the state is saved",
        "stopped at step 3; the state is saved",
    };
    static const char *const rest[] = { "ASESED", "AESED", "ASED", "AED" };
    assert_int_equal(folder_make_fast(NULL), 0);
    struct heard whole = { .stop = SIZE_MAX };
    assert_int_equal(train(folder_path("whole"), &whole), KEN_OK);
    assert_string_equal(whole.moments, "ASESED");
    size_t wanted_size, size;
    char *wanted = model_of(folder_path("whole"), &wanted_size);
    for (size_t stop = 0; stop < 6; stop++) {
        char name[8];
        snprintf(name, sizeof name, "run%zu", stop);
        const char *folder = folder_path(name);
        struct heard heard = { .stop = stop }, again = { .stop = SIZE_MAX };
        ken_status status = train(folder, &heard);
        assert_int_equal(status, stop < STEPS ? KEN_ERR_STOPPED : KEN_OK); /* else it was done */
        if (stop < STEPS) assert_string_equal(ken_last_error(), words[stop]);
        assert_int_equal(heard.calls, stop < STEPS ? stop + 1 : 6);
        assert_int_equal(ken_resume(folder, hear, &again), KEN_OK);
        assert_string_equal(again.moments, stop < STEPS ? rest[stop] : "AD");
        char *model = model_of(folder, &size);
        assert_int_equal(size, wanted_size);
        assert_memory_equal(model, wanted, size);
        ken_memory_free(model);
    }
    ken_memory_free(wanted);
    folder_remove(NULL);
}

/* Makes a directory where a log should be, so that nothing can be appended there. */
static int block(void *user, const ken_progress *p)
{
    return p->moment == KEN_AT_START && ken_directory_make(user) != KEN_OK;
}

static void a_log_that_cannot_be_written(void **state)
{
    (void)state;
    static const char *const logs[] = { "metrics.jsonl", "log.txt" };
    for (size_t i = 0; i < 2; i++) {
        char log[600];
        ken_recipe *recipe;
        assert_int_equal(folder_make_fast(NULL), 0);
        snprintf(log, sizeof log, "%s/%s", folder_path("run"), logs[i]);
        assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
        assert_int_equal(ken_train(recipe, folder_path("run"), block, log), KEN_ERR_IO);
        if (!strstr(ken_last_error(), log)) fail_msg("%s", ken_last_error());
        assert_int_equal(remove(log), 0);
        assert_int_equal(ken_resume(folder_path("run"), NULL, NULL), KEN_OK);
        ken_recipe_free(recipe);
        folder_remove(NULL);
    }
}

/* Inside the library the callback itself can fail; the run ends with that failure. */
static ken_status refuse(void *user, const ken_progress *p)
{
    if (p->moment != *(const ken_moment *)user) return KEN_OK;
    return ken_fail(KEN_ERR_SHAPE, "refused at moment %d", (int)p->moment);
}

static void a_callback_that_fails(void **state)
{
    (void)state;
    for (ken_moment moment = KEN_AT_START; moment <= KEN_AT_END; moment++) {
        char words[32];
        ken_recipe *recipe;
        snprintf(words, sizeof words, "refused at moment %d", (int)moment);
        assert_int_equal(folder_make_fast(NULL), 0);
        assert_int_equal(ken_recipe_parse(&recipe, recipe_text, "r"), KEN_OK);
        assert_int_equal(ken_training_start(recipe, folder_path("run"), refuse, &moment),
                         KEN_ERR_SHAPE);
        assert_string_equal(ken_last_error(), words);
        assert_int_equal(ken_resume(folder_path("run"), NULL, NULL), KEN_OK);
        ken_recipe_free(recipe);
        folder_remove(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_at_every_moment),
        cmocka_unit_test(a_log_that_cannot_be_written),
        cmocka_unit_test(a_callback_that_fails),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
