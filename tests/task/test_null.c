/* test_null.c - every function of ken.h, ken_task.h and ken_look.h gets NULL in the place of every
 * pointer, one at a time. Where NULL is not allowed, the call fails with KEN_ERR_ARGUMENT (or, if
 * it returns no status, with 0 or NULL) and leaves a message; it never crashes. The first test
 * compares the table of calls with the headers, so that no new function can be forgotten. */
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/folder.h"
#include "tests/null_calls.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Functions without pointers. */
static const char *const others[] = { "ken_last_error",  "ken_status_name", "ken_version",
                                      "ken_threads_set", "ken_threads",     "ken_format_word",
                                      "ken_word",        "ken_word_about" };

static bool is_known(const char *name)
{
    for (size_t i = 0; i < null_function_count; i++)
        if (strcmp(null_functions[i].name, name) == 0) return true;
    for (size_t i = 0; i < KEN_COUNT(others); i++)
        if (strcmp(others[i], name) == 0) return true;
    return false;
}

/* Every function that a header declares with KEN_API is in one of the two lists. */
static void headers_and_table(void **state)
{
    (void)state;
    static const char *const headers[] = { "include/ken.h", "include/ken_task.h",
                                           "include/ken_run.h", "include/ken_look.h" };
    size_t count = 0;
    for (size_t i = 0; i < KEN_COUNT(headers); i++) {
        char *text, name[64];
        size_t size;
        must(ken_file_read(&text, &size, headers[i], 1 << 20));
        for (char *at = text; (at = strstr(at, "\nKEN_API ")); at++) {
            char *end = strchr(at, '('), *begin = end;
            while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_') begin--;
            snprintf(name, sizeof name, "%.*s", (int)(end - begin), begin);
            if (!is_known(name)) fail_msg("%s of %s is not tried with NULL", name, headers[i]);
            count++;
        }
        ken_memory_free(text);
    }
    assert_int_equal(count, null_function_count + KEN_COUNT(others));
}

static void null_in_every_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < null_function_count; i++) {
        const struct null_function *f = &null_functions[i];
        null = -1;
        if (f->call()) fail_msg("%s without NULL: %s", f->name, ken_last_error());
        for (null = 0; null < f->needed + f->optional; null++) {
            ken_fail(KEN_OK, "no message");
            ken_status status = f->call();
            if (null >= f->needed) {
                if (status) fail_msg("%s, %d: %s", f->name, null, ken_last_error());
                continue;
            }
            const char *words = ken_last_error();
            if (status != KEN_ERR_ARGUMENT || (!strstr(words, "NULL") && !strstr(words, "missing")))
                fail_msg("%s, %d: %s, %s", f->name, null, ken_status_name(status), words);
        }
    }
}

/* Arrays without elements may be NULL. */
static void empty_arrays(void **state)
{
    (void)state;
    static const size_t nothing[] = { 0, 0 };
    size_t lengths[1];
    const ken_sequences none = { NULL, nothing, 0 }, empty = { NULL, nothing, 1 };
    ken_generation how = ken_generation_default();
    must(ken_model_predict(tagger, NULL, &none));
    must(ken_model_predict(tagger, NULL, &empty));
    must(ken_model_generate(writer, NULL, NULL, NULL, &none, &how));
    how.longest = 0;
    must(ken_model_generate(writer, NULL, lengths, NULL, &empty, &how));
    must(ken_model_look(tagger, NULL, KEN_LOOK_ENCODER, 0, 0, &empty, NULL));
    assert_int_equal(ken_task_run(tasks[TAGS], &(ken_request){ 0 }, null_take, NULL),
                     KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "input: found no example");
    must(ken_picture_json(&(ken_picture){ .title = "" }, null_write, NULL));
}

/* The shape of an array that is saved has 4 entries and as many values as the picture. */
static void shapes_of_pictures(void **state)
{
    (void)state;
    static const float four[] = { 0, 1, 2, 3 };
    const ken_picture picture = { .title = "title",
                                  .count = 1,
                                  .rows = 2,
                                  .cols = 2,
                                  .values = four };
    ken_picture wrong = picture;
    wrong.dimensions = 5;
    assert_int_equal(ken_picture_npy(&wrong, folder_path("x.npy")), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "ken_picture: dimensions is 5, expected 0 to 4");
    assert_int_equal(ken_picture_json(&wrong, null_write, NULL), KEN_ERR_ARGUMENT);
    assert_int_equal(ken_picture_svg(&wrong, null_write, NULL), KEN_ERR_ARGUMENT);
    wrong.dimensions = SIZE_MAX;
    assert_int_equal(ken_picture_npy(&wrong, folder_path("x.npy")), KEN_ERR_ARGUMENT);
    wrong.dimensions = 2;
    wrong.shape[0] = 3, wrong.shape[1] = 2;
    assert_int_equal(ken_picture_npy(&wrong, folder_path("x.npy")), KEN_ERR_SHAPE);
    assert_int_equal(ken_picture_json(&wrong, null_write, NULL), KEN_ERR_SHAPE);
    wrong.shape[0] = wrong.shape[1] = (size_t)1 << 33; /* 2^66 wraps around to 4 */
    assert_int_equal(ken_picture_npy(&wrong, folder_path("x.npy")), KEN_ERR_SHAPE);
    wrong.count = (size_t)1 << 40;
    wrong.rows = wrong.cols = (size_t)1 << 12;
    assert_int_equal(ken_picture_npy(&wrong, folder_path("x.npy")), KEN_ERR_ARGUMENT);
    assert_int_equal(ken_picture_text(&wrong, 80, KEN_TERMINAL_PLAIN, null_write, NULL),
                     KEN_ERR_ARGUMENT);
    wrong = picture;
    wrong.dimensions = 2;
    wrong.shape[0] = 1, wrong.shape[1] = 4;
    must(ken_picture_npy(&wrong, folder_path("x.npy")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_and_table),
        cmocka_unit_test(null_in_every_place),
        cmocka_unit_test(empty_arrays),
        cmocka_unit_test(shapes_of_pictures),
    };
    return cmocka_run_group_tests(tests, null_calls_make, null_calls_remove);
}
