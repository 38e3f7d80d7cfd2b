/* windows.c - cuts sequences of rows into windows. The rows of each window are copied, so
 * overlapping windows take about `window / stride` times the memory of the uncut rows. */
#include "format/windows.h"

#include "base/number.h"
#include "format/corpus_parse.h"

#include <math.h>
#include <string.h>

/* A range of the rows of each sequence, in percent. */
struct range {
    uint64_t low, high;
};

/* Reads a range "LOW-HIGH"; part = NULL means the whole sequence. */
static ken_status read_range(struct range *range, const char *part, const char *path)
{
    size_t digits = part ? strcspn(part, "-") : 0;
    *range = (struct range){ 0, 100 };
    if (!part) return KEN_OK;
    const char *high = part + digits + (part[digits] == '-');
    if (ken_number_whole(&range->low, part, digits, 100) &&
        ken_number_whole(&range->high, high, strlen(high), 100) && range->low < range->high)
        return KEN_OK;
    return ken_fail(KEN_ERR_ARGUMENT, "%s: part \"%s\": expected percents such as 0-80", path,
                    part);
}

/* Returns the index of the row at `percent` % of `count` rows, rounded down, without overflow for
 * large counts. */
static size_t share(size_t count, uint64_t percent)
{
    return count / 100 * (size_t)percent + count % 100 * (size_t)percent / 100;
}

/* Adds the target of row `row` as the target of a window. `row` is counted from the first row of
 * the corpus `rows`. */
static void add_target(ken_corpus *corpus, const ken_corpus *rows, size_t row)
{
    size_t length;
    if (rows->target.count > 0) {
        const char *label = ken_strings_at(&rows->target, row, &length);
        ken_strings_add(&corpus->target, label, length);
    } else {
        ken_buffer_append(&corpus->numbers, ken_buffer_floats(&rows->numbers) + row, sizeof(float));
    }
}

/* Counts the missing numbers (NaN) of the rows from `low` to `high`. Each row counts once, even if
 * several windows contain it. */
static void count_missing(ken_corpus *corpus, const ken_corpus *rows, size_t low, size_t high)
{
    size_t *missing = (size_t *)(void *)corpus->missing.data, width = rows->width;
    for (size_t i = low * width; i < high * width; i++)
        missing[i % width] += isnan(ken_buffer_floats(&rows->vectors)[i]);
    corpus->rows_read += high - low;
}

/* Adds the windows of sequence i. If each row of the sequence is one line, the line number of a
 * window is that of its first row. */
static ken_status cut_sequence(ken_corpus *corpus, const ken_corpus *rows, size_t i,
                               const struct ken_layout *layout, struct range range)
{
    size_t from = ken_corpus_input_start(rows, i), to = ken_corpus_input_start(rows, i + 1);
    size_t low = from + share(to - from, range.low), high = from + share(to - from, range.high);
    bool targets = layout->target_kind != KEN_TARGET_NONE;
    size_t needed = layout->window + (targets ? layout->horizon : 0), bytes = sizeof(float);
    count_missing(corpus, rows, low, high);
    for (size_t at = low; at < high && high - at >= needed; at += layout->stride) {
        ken_buffer_append(&corpus->vectors, ken_buffer_floats(&rows->vectors) + at * rows->width,
                          layout->window * rows->width * bytes);
        if (targets) add_target(corpus, rows, at + needed - 1);
        KEN_TRY(ken_corpus_end(corpus, ken_corpus_line(rows, i) + at - from));
    }
    return KEN_OK;
}

/* Copies width, column names, separator and decimal mark from the corpus `rows` to the corpus of
 * windows. */
static ken_status copy_columns(ken_corpus *corpus, const ken_corpus *rows)
{
    bool first = corpus->missing.size == 0;
    corpus->width = rows->width;
    corpus->separator = rows->separator;
    corpus->decimal = rows->decimal;
    for (size_t i = 0; i < rows->columns.count && first; i++) {
        size_t length;
        const char *name = ken_strings_at(&rows->columns, i, &length);
        ken_strings_add(&corpus->columns, name, length);
    }
    for (size_t i = 0; i < rows->width && first; i++)
        ken_buffer_append(&corpus->missing, &(size_t){ 0 }, sizeof(size_t));
    KEN_TRY(ken_buffer_status(&corpus->missing));
    return ken_strings_status(&corpus->columns);
}

/* Copies the bad sequence number `bad`. It stays one bad example and is not cut into windows. */
static ken_status keep_bad(ken_corpus *corpus, const ken_corpus *rows, size_t bad)
{
    size_t length;
    const char *why = ken_strings_at(&rows->bad, bad, &length);
    ken_strings_add(&corpus->bad, why, length);
    ken_buffer_append(&corpus->bad_before, &corpus->count, sizeof corpus->count);
    KEN_TRY(ken_strings_status(&corpus->bad));
    return ken_buffer_status(&corpus->bad_before);
}

ken_status ken_windows_cut(ken_corpus *corpus, const ken_corpus *rows,
                           const struct ken_layout *layout)
{
    struct range range;
    size_t before = corpus->count + corpus->bad.count, bad = 0;
    KEN_TRY(read_range(&range, layout->part, rows->path));
    KEN_TRY(copy_columns(corpus, rows));
    for (size_t i = 0; i <= rows->count; i++) {
        while (bad < rows->bad.count && ken_corpus_bad_before(rows, bad) == i)
            KEN_TRY(keep_bad(corpus, rows, bad++));
        if (i < rows->count) KEN_TRY(cut_sequence(corpus, rows, i, layout, range));
    }
    if (corpus->count + corpus->bad.count > before) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT,
                    "%s: no sequence has the %zu rows of data.window and the %zu rows of "
                    "data.horizon",
                    rows->path, layout->window,
                    layout->target_kind != KEN_TARGET_NONE ? layout->horizon : 0);
}
