/* test_nearest.c - distances that can be counted by hand, and words for which there should be no
 * suggestion. */
#include "base/nearest.h"
#include "base/size.h"
#include "tests/unit.h"

#include <string.h>

static void distances(void **state)
{
    (void)state;
    assert_int_equal(ken_nearest_distance("", ""), 0);
    assert_int_equal(ken_nearest_distance("", "abc"), 3);
    assert_int_equal(ken_nearest_distance("abc", ""), 3);
    assert_int_equal(ken_nearest_distance("bench", "bench"), 0);
    assert_int_equal(ken_nearest_distance("bnech", "bench"), 1);  /* swapped  */
    assert_int_equal(ken_nearest_distance("benh", "bench"), 1);   /* missing  */
    assert_int_equal(ken_nearest_distance("bennch", "bench"), 1); /* doubled  */
    assert_int_equal(ken_nearest_distance("bunch", "bench"), 1);  /* replaced */
    assert_int_equal(ken_nearest_distance("kitten", "sitting"), 3);
    assert_int_equal(ken_nearest_distance("kitten", "sitting"),
                     ken_nearest_distance("sitting", "kitten"));
    char longest[65];
    memset(longest, 'a', 64);
    longest[64] = '\0';
    assert_int_equal(ken_nearest_distance(longest, "a"), SIZE_MAX);
    assert_int_equal(ken_nearest_distance(longest + 1, longest + 1), 0);
}

static void suggestions(void **state)
{
    (void)state;
    static const char *const names[] = { "bench", "demo", "help", "version" };
    assert_string_equal(ken_nearest("bnch", names, KEN_COUNT(names)), "bench");
    assert_string_equal(ken_nearest("vresion", names, KEN_COUNT(names)), "version");
    assert_string_equal(ken_nearest("hlep", names, KEN_COUNT(names)), "help");
    assert_null(ken_nearest("x", names, KEN_COUNT(names)));
    assert_null(ken_nearest("foo", (const char *[]){ "look" }, 1)); /* two edits of four letters */
    assert_null(ken_nearest("dmeoo", names, KEN_COUNT(names)));
    assert_string_equal(ken_nearest("verzionn", names, KEN_COUNT(names)), "version");
    assert_null(ken_nearest("", names, KEN_COUNT(names)));
    assert_null(ken_nearest("zzzzzzzz", names, KEN_COUNT(names)));
    assert_null(ken_nearest("bench", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
