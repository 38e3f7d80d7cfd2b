/* separator.c - counts the columns that each possible separator gives in the first lines of a file.
 * A separator or line end within quotes does not count. If all commas are within numbers
 * ("3,14;2,7") and another separator fits, the comma is not taken for the separator. */
#include "format/separator.h"

#include "base/size.h"
#include "format/decimal.h"

#include <string.h>

enum { LINES_MOST = 100, SEPARATORS_MOST = 3 }; /* LINES_MOST: maximum number of lines examined */

/* How well one separator fits the first lines of a file. */
struct fit {
    char separator;
    size_t lines;   /* number of lines that are not empty */
    size_t columns; /* number of columns of the first line */
    size_t agree;   /* number of lines with as many columns as the first line */
    /* whether fields contain commas, and every such field is a number with a decimal comma */
    bool decimals;
};

const char *ken_separator_word(char separator)
{
    return separator == ',' ? "comma" : separator == ';' ? "semicolon" : "tab";
}

/* The first bytes of a file. */
struct start {
    const char *at, *end;
    bool whole; /* whether these bytes are the whole file */
};

static struct start start_of(const ken_lines *lines)
{
    struct start start = { lines->window + lines->begin, lines->window + lines->end,
                           lines->end < lines->room };
    if (lines->number == 0 && start.end - start.at >= 3 && memcmp(start.at, "\xef\xbb\xbf", 3) == 0)
        start.at += 3; /* the byte order mark is not part of the first column */
    return start;
}

/* Takes the next field and returns whether it is the last field of its line. A quoted field is
 * returned with its quotes. */
static bool next_field(struct start *start, struct ken_piece *field, char separator, bool quotes)
{
    const char *at = start->at, *end = start->end;
    if (quotes && at < end && *at == '"') {
        for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"')); at++)
            at += *at == '"';
    }
    while (at < end && *at != separator && *at != '\n') at++;
    *field = (struct ken_piece){ start->at, (size_t)(at - start->at) };
    if (field->length > 0 && field->text[field->length - 1] == '\r') field->length--;
    bool last = at == end || *at == '\n';
    start->at = at + (at < end);
    return last;
}

/* Returns whether a field is a number with a decimal comma, maybe in quotes. */
static bool is_decimal(struct ken_piece field)
{
    if (field.length > 1 && field.text[0] == '"') field.text++, field.length -= 2;
    return ken_decimal_comma(field);
}

/* Counts the columns that the first lines have with a separator. The last line counts only if it is
 * complete, or if it is the only line. */
static struct fit try_separator(struct start start, char separator, bool quotes)
{
    struct fit fit = { .separator = separator };
    size_t commas = 0, decimals = 0;
    while (start.at < start.end && fit.lines < LINES_MOST) {
        struct ken_piece field;
        size_t columns = 0;
        bool last = false;
        while (!last) {
            last = next_field(&start, &field, separator, quotes);
            columns++;
            if (!memchr(field.text, ',', field.length)) continue;
            commas++;
            decimals += is_decimal(field);
        }
        if (columns == 1 && field.length == 0) continue; /* the line is empty */
        if (start.at == start.end && !start.whole && fit.lines > 0) break;
        if (fit.lines == 0) fit.columns = columns;
        fit.agree += columns == fit.columns;
        fit.lines++;
    }
    fit.decimals = commas > 0 && decimals == commas;
    return fit;
}

static ken_status ambiguous(const ken_lines *lines, const struct fit *a, const struct fit *b)
{
    return ken_fail(KEN_ERR_FORMAT,
                    "%s: the separator may be a %s (%zu columns) or a %s (%zu columns); set "
                    "data.separator",
                    lines->source->name, ken_separator_word(a->separator), a->columns,
                    ken_separator_word(b->separator), b->columns);
}

/* Checks the separator that the recipe or the trained model gives. A file with a single column is
 * allowed. But if the file has two or more lines, and another separator gives all of them equally
 * many columns, the file is not as expected and is refused. */
static ken_status check_given(const ken_lines *lines, const struct fit *fits, size_t count,
                              const struct fit *given)
{
    for (size_t i = 0; i < count && given->columns == 1 && given->agree == given->lines; i++) {
        const struct fit *fit = &fits[i];
        bool decimals = fit->separator == ',' && given->decimals;
        if (fit->columns == 1 || fit->agree < fit->lines || fit->lines < 2 || decimals) continue;
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: found one column with data.separator=%s, but %zu with "
                        "data.separator=%s; set data.separator (--separator), or put the text in "
                        "quotes",
                        lines->source->name, ken_separator_word(given->separator), fit->columns,
                        ken_separator_word(fit->separator));
    }
    return KEN_OK;
}

/* Returns the separator with which most lines have equally many columns; NULL if none gives more
 * than one column. *second receives another separator that fits equally well, or NULL. */
static const struct fit *best_of(const struct fit *fits, size_t count, const struct fit **second)
{
    const struct fit *best = NULL;
    *second = NULL;
    for (size_t i = 0; i < count; i++) {
        if (fits[i].columns < 2) continue;
        if (best && fits[i].agree == best->agree) *second = &fits[i];
        if (best && fits[i].agree <= best->agree) continue;
        best = &fits[i];
        *second = NULL;
    }
    return best;
}

/* Removes the comma from the possible separators if all commas may be decimal commas and another
 * separator fits the lines. */
static void drop_decimals(struct fit *fits, size_t count)
{
    bool decimals = false;
    for (size_t i = 0; i < count; i++) decimals |= fits[i].columns > 1 && fits[i].decimals;
    for (size_t i = 0; i < count; i++)
        if (fits[i].separator == ',' && decimals) fits[i].columns = 1;
}

ken_status ken_separator_find(char *separator, const ken_lines *lines,
                              const struct ken_separation *how)
{
    struct fit fits[SEPARATORS_MOST];
    const struct fit *given = NULL, *second;
    size_t count = 0;
    for (const char *s = how->separators; *s; s++) {
        bool decimal = *s == ',' && how->no_commas && how->only != ',';
        if (decimal) continue;
        fits[count] = try_separator(start_of(lines), *s, *s != '\t' || how->quoted_tabs);
        if (how->only == *s) given = &fits[count];
        count++;
    }
    *separator = how->only;
    if (given) return check_given(lines, fits, count, given);
    drop_decimals(fits, count);
    const struct fit *best = best_of(fits, count, &second);
    if (second) return ambiguous(lines, best, second);
    *separator = best ? best->separator : how->separators[0];
    /* A line "1,5" may be two columns, 1 and 5, or one column with a decimal comma. */
    if (how->numbers && best && best->separator == ',' && best->columns == 2 && fits[0].decimals)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: a comma may separate two columns or be a decimal comma; set "
                        "data.separator=comma or data.decimal=comma",
                        lines->source->name);
    return KEN_OK;
}
