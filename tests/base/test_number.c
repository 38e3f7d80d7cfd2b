/* test_number.c - texts that are numbers, and texts that are not. */
#include "base/number.h"

#include "base/size.h"
#include "tests/unit.h"

#include <string.h>

static void good_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        { "0", 0 },
        { "-0", 0 },
        { "1.5", 1.5 },
        { "+2", 2 },
        { ".5", 0.5 },
        { "7.", 7 },
        { "1e3", 1000 },
        { "-1.25E-2", -0.0125 },
        { "1e-400", 0 },
        { "1e308", 1e308 },
        { "0.1", 0.1 },
        { "00012", 12 },
        { "5e+1", 50 },
        { "4.9e-324", 4.9e-324 },
        { "0.1000000000000000055511151231257827", 0.1 },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        double value = -1;
        assert_true(ken_number_read(&value, cases[i].text, strlen(cases[i].text)));
        assert_true(value == cases[i].value);
    }
    double value = 0;
    assert_true(ken_number_read(&value, "12345", 3)); /* reads no more than `length` */
    assert_true(value == 123);
}

static void bad_numbers(void **state)
{
    (void)state;
    static const char *const cases[] = { "",     "-",    "+",        ".",     "e5",  "1e",
                                         "1e+",  "1 ",   " 1",       "1,5",   "inf", "nan",
                                         "-inf", "0x10", "1e309",    "1.2.3", "--1", "1f",
                                         "1_0",  "١",    "Infinity", "1e5.0", "\n1", "1\t" };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        double value = 42;
        if (ken_number_read(&value, cases[i], strlen(cases[i]))) fail_msg("\"%s\"", cases[i]);
        assert_true(value == 42);
    }
    char digits[KEN_NUMBER_LONGEST + 1];
    double value;
    memset(digits, '0', sizeof digits);
    assert_true(ken_number_read(&value, digits, KEN_NUMBER_LONGEST));
    assert_false(ken_number_read(&value, digits, KEN_NUMBER_LONGEST + 1));
}

static void whole_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t most;
        bool good;
        uint64_t value;
    } cases[] = {
        { "0", 0, true, 0 },
        { "1", 0, false, 0 },
        { "007", 9, true, 7 },
        { "10", 9, false, 0 },
        { "9", 9, true, 9 },
        { "", 9, false, 0 },
        { "-1", 9, false, 0 },
        { "+1", 9, false, 0 },
        { "1 ", 99, false, 0 },
        { "1.0", 9, false, 0 },
        { "100", 100, true, 100 },
        { "101", 100, false, 0 },
        { "18446744073709551615", UINT64_MAX, true, UINT64_MAX },
        { "18446744073709551616", UINT64_MAX, false, 0 },
        { "99999999999999999999999", UINT64_MAX, false, 0 },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        uint64_t value = 0;
        bool good = ken_number_whole(&value, cases[i].text, strlen(cases[i].text), cases[i].most);
        if (good != cases[i].good || value != cases[i].value) fail_msg("\"%s\"", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_numbers),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
