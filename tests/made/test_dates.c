/* test_dates.c - the generated dates are read back by a parser that knows the rules of writing
 * dates but not the generator; the calendar is that of the C library. */
#define _GNU_SOURCE
#include "base/random.h"
#include "base/size.h"
#include "ken.h"
#include "tests/unit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DAY = 86400, DAYS = 36525, EXAMPLES = 100000 };

static const char *const weekdays[] = { "sunday",   "monday", "tuesday", "wednesday",
                                        "thursday", "friday", "saturday" };
static const char *const months[] = { "january",   "february", "march",    "april",
                                      "may",       "june",     "july",     "august",
                                      "september", "october",  "november", "december" };
static const char *const ordinals[] = {
    "first",     "second",    "third",       "fourth",     "fifth",      "sixth",      "seventh",
    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",    "thirteenth", "fourteenth",
    "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth",
};

/* The index of the word in the list, whole or as its first three letters; -1 if there is none. */
static int find_word(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, list[i]) == 0 || (strlen(word) == 3 && strncmp(word, list[i], 3) == 0))
            return (int)i;
    return -1;
}

/* The parts of a written date; 0 and -1 mean that there is none. */
struct found {
    int numbers[3];
    size_t digits[3]; /* of each number, as written */
    size_t count;
    int weekday, month, day; /* given in words; counted from 0, 1, 1 */
    bool slash;
};

static void read_word(struct found *found, const char *word)
{
    int weekday = find_word(word, weekdays, 7), month = find_word(word, months, 12);
    int ordinal = strlen(word) > 3 ? find_word(word, ordinals, KEN_COUNT(ordinals)) : -1;
    if (weekday >= 0) found->weekday = weekday;
    else if (month >= 0) found->month = month + 1;
    else if (ordinal >= 0) found->day += ordinal + 1;
    else if (strcmp(word, "twenty") == 0) found->day += 20;
    else if (strcmp(word, "thirty") == 0) found->day += 30;
    else if (strcmp(word, "thirtieth") == 0) found->day += 30;
    else if (strcmp(word, "the") && strcmp(word, "of") && strcmp(word, "on"))
        fail_msg("what is \"%s\"?", word);
}

/* 1st 2nd 3rd 4th .. 20th 21st 22nd 23rd .. 30th 31st; other numbers have no ending. */
static void check_ending(int number, const char *ending)
{
    static const int firsts[] = { 1, 21, 31 }, seconds[] = { 2, 22 }, thirds[] = { 3, 23 };
    const char *expected = "th";
    for (size_t i = 0; i < KEN_COUNT(firsts); i++)
        if (number == firsts[i]) expected = "st";
    for (size_t i = 0; i < KEN_COUNT(seconds); i++)
        if (number == seconds[i]) expected = "nd";
    for (size_t i = 0; i < KEN_COUNT(thirds); i++)
        if (number == thirds[i]) expected = "rd";
    if (*ending) assert_string_equal(ending, expected);
}

static struct found read_written(const char *written)
{
    struct found found = { .weekday = -1 };
    found.slash = strchr(written, '/') != NULL;
    for (const char *c = written; *c;) {
        char word[KEN_DATE_WRITTEN] = { 0 };
        size_t length = 0;
        for (; isalnum((unsigned char)*c); c++) word[length++] = (char)tolower((unsigned char)*c);
        if (length == 0) {
            c++;
        } else if (isdigit((unsigned char)word[0])) {
            char *end;
            assert_true(found.count < 3);
            found.numbers[found.count] = (int)strtol(word, &end, 10);
            check_ending(found.numbers[found.count], end);
            found.digits[found.count++] = (size_t)(end - word); /* "3rd" has one */
        } else {
            read_word(&found, word);
        }
    }
    return found;
}

static int full_year(const struct found *found, size_t i)
{
    int year = found->numbers[i];
    return found->digits[i] == 4 ? year : year < 70 ? 2000 + year : 1900 + year;
}

/* Finds year, month and day by the rules in ken.h. */
static void understand(int date[3], const struct found *found)
{
    const int *n = found->numbers;
    if (found->count == 1 && found->digits[0] == 8) { /* 20210304 */
        date[0] = n[0] / 10000;
        date[1] = n[0] / 100 % 100;
        date[2] = n[0] % 100;
        return;
    }
    bool year_first = found->count > 1 && found->digits[0] == 4;
    date[0] = full_year(found, year_first ? 0 : found->count - 1);
    const int *others = year_first ? n + 1 : n;
    if (found->month) {
        date[1] = found->month;
        date[2] = found->day ? found->day : others[0];
    } else { /* with slashes, and after the year, the month comes before the day */
        bool month_first = year_first || found->slash;
        date[1] = others[month_first ? 0 : 1];
        date[2] = others[month_first ? 1 : 0];
    }
}

/* The day number of an ISO date; checks with the C library that the date exists. */
static size_t check_iso(struct tm *tm, const char *iso)
{
    char again[KEN_DATE_ISO];
    *tm = (struct tm){ 0 };
    assert_int_equal(strlen(iso), KEN_DATE_ISO - 1);
    assert_non_null(strptime(iso, "%Y-%m-%d", tm));
    time_t seconds = timegm(tm); /* also sets the weekday */
    assert_true(seconds >= 0 && seconds % DAY == 0 && seconds / DAY < DAYS);
    assert_int_equal(strftime(again, sizeof again, "%Y-%m-%d", tm), KEN_DATE_ISO - 1);
    assert_string_equal(again, iso);
    return (size_t)(seconds / DAY);
}

static void check_example(const char *written, const char *iso)
{
    struct tm tm;
    int date[3];
    check_iso(&tm, iso);
    size_t length = strlen(written);
    assert_true(length > 0 && length < KEN_DATE_WRITTEN);
    for (size_t i = 0; i < length; i++) assert_true(written[i] >= ' ' && written[i] <= '~');
    struct found found = read_written(written);
    understand(date, &found);
    if (date[0] != tm.tm_year + 1900 || date[1] != tm.tm_mon + 1 || date[2] != tm.tm_mday ||
        (found.weekday >= 0 && found.weekday != tm.tm_wday))
        fail_msg("\"%s\" is not %s", written, iso);
}

static void written_and_iso_agree(void **state)
{
    (void)state;
    char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
    for (uint64_t i = 0; i < EXAMPLES; i++) {
        ken_date_example(written, iso, 1 + i % 3, i, i % 10 == 0);
        check_example(written, iso);
    }
}

static void only_seed_and_index_decide(void **state)
{
    (void)state;
    char written[3][KEN_DATE_WRITTEN], iso[3][KEN_DATE_ISO];
    size_t same_index = 0, same_seed = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        memset(written, 'x', sizeof written);
        ken_date_example(written[0], iso[0], 7, i, 0);
        ken_date_example(written[1], iso[1], 7, i, 0);
        assert_string_equal(written[0], written[1]);
        assert_string_equal(iso[0], iso[1]);
        ken_date_example(written[1], iso[1], 7, i + 1, 0);
        ken_date_example(written[2], iso[2], 8, i, 0);
        same_index += strcmp(iso[0], iso[1]) == 0;
        same_seed += strcmp(iso[0], iso[2]) == 0;
    }
    assert_true(same_index < 5 && same_seed < 5);
    ken_date_example(written[0], iso[0], UINT64_MAX, UINT64_MAX, 1);
    check_example(written[0], iso[0]);
}

/* No day occurs both in training and in the test; about a tenth of the days are kept for the test;
 * and all days occur. */
static void unseen_days_stay_unseen(void **state)
{
    (void)state;
    static bool days[2][DAYS];
    char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
    size_t both = 0, unseen = 0, missing = 0;
    struct tm tm;
    for (uint64_t i = 0; i < 4 * EXAMPLES; i++) {
        int kind = i % 10 == 0;
        ken_date_example(written, iso, i % 7, i, kind);
        days[kind][check_iso(&tm, iso)] = true;
    }
    for (size_t day = 0; day < DAYS; day++) {
        both += days[0][day] && days[1][day];
        unseen += days[1][day];
        missing += !days[0][day] && !days[1][day];
    }
    assert_int_equal(both, 0);
    assert_true(unseen > DAYS * 9 / 100 && unseen < DAYS * 11 / 100);
    assert_true(missing < 20);
}

/* The pattern of a written date: digits become 9, names of days, months and numbers one letter. */
static uint64_t pattern_of(const char *written)
{
    char pattern[KEN_DATE_WRITTEN] = { 0 };
    size_t at = 0;
    for (const char *c = written; *c;) {
        char word[KEN_DATE_WRITTEN] = { 0 };
        size_t length = 0;
        for (; isalpha((unsigned char)*c); c++) word[length++] = (char)tolower((unsigned char)*c);
        if (length == 0) pattern[at++] = isdigit((unsigned char)*c) ? '9' : *c;
        if (length == 0) c++;
        else if (find_word(word, weekdays, 7) >= 0) pattern[at++] = 'W';
        else if (find_word(word, months, 12) >= 0) pattern[at++] = 'M';
        else if (length > 3) pattern[at++] = 'N'; /* longer than "the", "of", "on", "th" */
        else at += (size_t)sprintf(pattern + at, "%s", word);
    }
    uint64_t hash = 0;
    for (size_t i = 0; i < at; i++) hash = ken_random_key(hash, (unsigned char)pattern[i]);
    return hash;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void thousands_of_patterns(void **state)
{
    (void)state;
    static uint64_t patterns[EXAMPLES];
    char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
    size_t distinct = 0;
    for (uint64_t i = 0; i < EXAMPLES; i++) {
        ken_date_example(written, iso, 1, i, 0);
        patterns[i] = pattern_of(written);
    }
    qsort(patterns, EXAMPLES, sizeof *patterns, compare);
    for (size_t i = 0; i < EXAMPLES; i++) distinct += i == 0 || patterns[i] != patterns[i - 1];
    assert_in_range(distinct, 2000, 20000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_iso_agree),
        cmocka_unit_test(only_seed_and_index_decide),
        cmocka_unit_test(unseen_days_stay_unseen),
        cmocka_unit_test(thousands_of_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
