/* dates.c - generates the data "dates": dates as people write them, with their ISO form. Every
 * written form has exactly one meaning: with slashes the month comes first ("3/4/2021" is March 4),
 * with dots the day comes first, and years of two digits are in 1970 .. 2069. A weekday, if there
 * is one, is the right one. */
#include "base/random.h"
#include "base/size.h"
#include "base/status.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DAYS = 36525 }; /* number of days from 1970-01-01 to 2069-12-31: 100 years, 25 leap years */

struct date {
    int year, month, day; /* month and day are counted from 1 */
    int weekday;          /* 0 = Sunday                       */
};

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static struct date date_of(int days)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    /* 4 is added because day 0 (1970-01-01) is a Thursday. */
    struct date date = { .year = 1970, .month = 1, .weekday = (days + 4) % 7 };
    for (; days >= 365 + is_leap(date.year); date.year++) days -= 365 + is_leap(date.year);
    for (;; date.month++) {
        int length = lengths[date.month - 1] + (date.month == 2 && is_leap(date.year));
        if (days < length) break;
        days -= length;
    }
    date.day = days + 1;
    return date;
}

/* A date that is being written, and its random choices. The n-th choice uses random number n of the
 * example. */
struct writer {
    char *out;
    uint64_t key;
    uint64_t choices;
};

static size_t choose(struct writer *writer, size_t count)
{
    return (size_t)ken_random_below(writer->key, writer->choices++, count);
}

/* Appends `text` to the date. The date always fits: the longest one, "on Wednesday, the
 * twenty-seventh of September, 1975", has 51 characters. */
static void put(struct writer *writer, const char *text)
{
    size_t used = strlen(writer->out);
    snprintf(writer->out + used, KEN_DATE_WRITTEN - used, "%s", text);
}

static void put_number(struct writer *writer, const char *format, int number)
{
    char text[16];
    snprintf(text, sizeof text, format, number);
    put(writer, text);
}

static void put_weekday(struct writer *writer, const struct date *date)
{
    static const char *const names[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday" };
    static const char *const ends[] = { " ", ", ", ". ", " ", ", " };
    /* A date begins with a weekday (short or long) in 5 of 12 cases. */
    size_t style = choose(writer, 12);
    if (style >= KEN_COUNT(ends)) return;
    char name[16];
    snprintf(name, style < 3 ? 4 : sizeof name, "%s", names[date->weekday]);
    if (style == 4) put(writer, "on ");
    put(writer, name);
    put(writer, ends[style]);
}

static void put_month_name(struct writer *writer, const struct date *date)
{
    static const char *const names[] = { "January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December" };
    size_t style = choose(writer, 3);
    char name[16];
    snprintf(name, style > 0 ? 4 : sizeof name, "%s", names[date->month - 1]);
    put(writer, name);
    /* "May" is never abbreviated, so no point follows it. */
    if (style == 2 && date->month != 5) put(writer, ".");
}

static const char *ending_of(int day)
{
    if (day / 10 == 1) return "th";
    return day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

static void put_day(struct writer *writer, const struct date *date)
{
    static const char *const words[] = {
        "first",        "second",         "third",         "fourth",        "fifth",
        "sixth",        "seventh",        "eighth",        "ninth",         "tenth",
        "eleventh",     "twelfth",        "thirteenth",    "fourteenth",    "fifteenth",
        "sixteenth",    "seventeenth",    "eighteenth",    "nineteenth",    "twentieth",
        "twenty-first", "twenty-second",  "twenty-third",  "twenty-fourth", "twenty-fifth",
        "twenty-sixth", "twenty-seventh", "twenty-eighth", "twenty-ninth",  "thirtieth",
        "thirty-first",
    };
    switch (choose(writer, 4)) {
    case 0: put_number(writer, "%d", date->day); break;
    case 1: put_number(writer, "%02d", date->day); break;
    case 2:
        put_number(writer, "%d", date->day);
        put(writer, ending_of(date->day));
        break;
    default: put(writer, words[date->day - 1]);
    }
}

static void put_year(struct writer *writer, const struct date *date)
{
    switch (choose(writer, 4)) {
    case 0: put_number(writer, "'%02d", date->year % 100); break;
    case 1: put_number(writer, "%02d", date->year % 100); break;
    default: put_number(writer, "%d", date->year);
    }
}

/* Writes the day first: "the third of March 2021", "3rd March, 2021". */
static void day_first(struct writer *writer, const struct date *date)
{
    if (choose(writer, 3) == 0) put(writer, "the ");
    put_day(writer, date);
    put(writer, choose(writer, 2) ? " of " : " ");
    put_month_name(writer, date);
    put(writer, choose(writer, 2) ? ", " : " ");
    put_year(writer, date);
}

/* Writes the month first: "March the third, 2021", "Mar. 3 '21". */
static void month_first(struct writer *writer, const struct date *date)
{
    put_month_name(writer, date);
    put(writer, choose(writer, 3) == 0 ? " the " : " ");
    put_day(writer, date);
    put(writer, choose(writer, 2) ? ", " : " ");
    put_year(writer, date);
}

/* Writes a date with separators: "3/4/2021" (month first), "4.3.21" (day first), "4-Mar-2021". */
static void with_marks(struct writer *writer, const struct date *date)
{
    size_t style = choose(writer, 3);
    const char *mark = style == 0 ? "/" : style == 1 ? "." : "-";
    const char *format = choose(writer, 2) ? "%d" : "%02d";
    put_number(writer, format, style == 0 ? date->month : date->day);
    put(writer, mark);
    if (style == 2) put_month_name(writer, date);
    else put_number(writer, format, style == 0 ? date->day : date->month);
    put(writer, mark);
    bool full = choose(writer, 2);
    put_number(writer, full ? "%d" : "%02d", full ? date->year : date->year % 100);
}

/* Writes the year first: "2021/3/4", "2021 March 4th", "20210304". */
static void year_first(struct writer *writer, const struct date *date)
{
    put_number(writer, "%d", date->year);
    switch (choose(writer, 3)) {
    case 0:
        put_number(writer, "/%d", date->month);
        put_number(writer, "/%d", date->day);
        break;
    case 1:
        put(writer, " ");
        put_month_name(writer, date);
        put(writer, " ");
        put_day(writer, date);
        break;
    default: put_number(writer, "%02d", date->month); put_number(writer, "%02d", date->day);
    }
}

static void change_case(struct writer *writer)
{
    size_t style = choose(writer, 4); /* 0 = lower case, 1 = upper case, 2 or 3 = unchanged */
    for (char *c = writer->out; *c && style < 2; c++)
        *c = (char)(style == 0 ? tolower((unsigned char)*c) : toupper((unsigned char)*c));
}

void ken_date_example(char written[KEN_DATE_WRITTEN], char iso[KEN_DATE_ISO], uint64_t seed,
                      uint64_t index, int unseen)
{
    static void (*const patterns[])(struct writer *, const struct date *) = {
        day_first, day_first, month_first, month_first, with_marks, with_marks, year_first,
    };
    if (KEN_GIVEN(written) || KEN_GIVEN(iso)) return;
    struct writer writer = { .out = written, .key = ken_random_key(seed, index) };
    int days;
    /* Whether a day is kept for tests depends on the day alone, not on the seed. So a model that
     * was trained with one seed has not seen the test days of another seed. */
    do days = (int)choose(&writer, DAYS);
    while ((ken_random_bits(0, (uint64_t)days) % 10 == 0) != (unseen != 0));
    struct date date = date_of(days);
    written[0] = '\0';
    put_weekday(&writer, &date);
    patterns[choose(&writer, KEN_COUNT(patterns))](&writer, &date);
    change_case(&writer);
    /* The % operators change no value; they let the compiler see that the text fits into `iso`. */
    snprintf(iso, KEN_DATE_ISO, "%04u-%02u-%02u", (unsigned)date.year % 10000u,
             (unsigned)date.month % 100u, (unsigned)date.day % 100u);
}
