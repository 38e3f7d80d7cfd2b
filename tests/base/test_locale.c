/* test_locale.c - the program that uses ken may have a locale with a decimal comma or with a point
 * of two bytes: ken writes and reads the same, and does not change the locale. */
#include "base/json.h"
#include "base/number.h"
#include "draw/axis.h"
#include "tests/folder.h"
#include "tests/unit.h"
#include "tests/views.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets a locale with this decimal point ("<U002C>"): one made in the folder, or the installed
 * locale `name`. False if there is neither. localedef also warns about missing parts by its exit
 * code. */
static bool choose(const char *point, const char *name)
{
    char text[300], command[600];
    int length = snprintf(text, sizeof text,
                          "LC_NUMERIC\ndecimal_point \"%s\"\nthousands_sep \"\"\ngrouping -1\n"
                          "END LC_NUMERIC\nLC_CTYPE\ncopy \"POSIX\"\nEND LC_CTYPE\n",
                          point);
    file_of(folder_path("source"), text, (size_t)length);
    snprintf(command, sizeof command,
             "cd '%s' && localedef -c -i ./source -f UTF-8 ./%s >/dev/null 2>&1", folder_name(),
             name);
    if (system(command) < 0) return false;
    setenv("LOCPATH", folder_name(), 1);
    if (setlocale(LC_NUMERIC, name)) return true;
    unsetenv("LOCPATH");
    return setlocale(LC_NUMERIC, name) != NULL;
}

/* Appends every kind of text that has a decimal point. */
static void write_all(ken_buffer *out)
{
    char label[KEN_TICK_LABEL];
    static const float values[] = { 0.25f, 0.5f };
    ken_picture picture = { .title = "title", .count = 1, .rows = 1, .cols = 2, .values = values };
    ken_json_number(out, 1.5);
    ken_buffer_text(out, " ");
    ken_json_number(out, -1.7976931348623157e308);
    ken_buffer_text(out, " ");
    ken_json_float(out, 0.1f);
    ken_buffer_format(out, " %.2f %g %s ", 2.5, 1e-7, "\xc3\xa4");
    ken_number_label(label, 0.125);
    ken_buffer_text(out, label);
    ken_fail(KEN_ERR_ARGUMENT, "rate %g", 0.5);
    ken_fail_because(KEN_ERR_ARGUMENT, "clip %g", 1.25);
    ken_buffer_text(out, ken_last_error());
    must(ken_picture_svg(&picture, collect, out));
    must(ken_picture_json(&picture, collect, out));
    must(ken_picture_text(&picture, 0, KEN_TERMINAL_PLAIN, collect, out));
}

static void read_all(void)
{
    double value = 0;
    json_error_t error;
    assert_true(ken_number_read(&value, "1.5", 3));
    assert_true(value == 1.5);
    assert_false(ken_number_read(&value, "1,5", 3));
    json_t *json = ken_json_read("[1.5, -2.25e3]", 14, 0, &error);
    assert_non_null(json);
    assert_true(json_real_value(json_array_get(json, 0)) == 1.5);
    assert_true(json_real_value(json_array_get(json, 1)) == -2250);
    json_decref(json);
    assert_null(ken_json_read("{\"a\":1,\"a\":2}", 13, 0, &error));
}

/* Trains, saves and loads a model under the locale; numbers in its file's JSON are written and
 * read. */
static void train_and_answer(const char *locale)
{
    char name[40];
    snprintf(name, sizeof name, "numbers-%s", locale);
    ken_task *task = task_of(name, "a b\t1.5\nb c\t-2.25\n",
                             "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n"
                             "value = number\n[model]\ndropout = 0.25");
    ken_view *view = view_by(task, "a b", NULL);
    ken_view_free(view);
    ken_task_free(task);
}

static void under(const char *point, const char *name)
{
    ken_buffer calm = { 0 }, out = { 0 };
    char before[16], after[16];
    setlocale(LC_NUMERIC, "C");
    write_all(&calm);
    assert_non_null(strstr(calm.data, "1.5 -1.7976931348623157e+308 0.1 2.50 1e-07"));
    if (!choose(point, name)) {
        printf("# skip %s: not installed, and localedef cannot make it\n", name);
        ken_buffer_release(&calm);
        return;
    }
    snprintf(before, sizeof before, "%g", 1.5);
    assert_string_not_equal(before, "1.5");
    write_all(&out);
    for (size_t i = 0; i < calm.size; i++)
        if (out.data[i] != calm.data[i]) fail_msg("...%.80s", out.data + (i < 40 ? 0 : i - 40));
    assert_int_equal(out.size, calm.size);
    read_all();
    train_and_answer(name);
    snprintf(after, sizeof after, "%g", 1.5);
    assert_string_equal(after, before);
    setlocale(LC_NUMERIC, "C");
    ken_buffer_release(&calm);
    ken_buffer_release(&out);
}

static void a_comma(void **state)
{
    (void)state;
    under("<U002C>", "de_DE.UTF-8");
}

static void two_bytes(void **state)
{
    (void)state;
    under("<U066B>", "ps_AF.UTF-8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_comma),
        cmocka_unit_test(two_bytes),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
