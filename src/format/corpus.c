/* corpus.c - reads examples from files by the rules of a format (format.c), and handles bad lines.
 * A corpus may be read from several files, with one call per file: a call appends the examples of
 * its file. All rows of a corpus must have the same width. */
#include "format/corpus_parse.h"

#include "base/memory.h"
#include "base/size.h"
#include "format/separator.h"
#include "format/windows.h"

#include <math.h>
#include <string.h>

/* ---- Line by line --------------------------------------------------------------------------- */

/* Decides whether reading continues after a line that gave `status`. If bad lines are reported to
 * the caller or kept, a bad line only removes its example. A bad line of column names is always a
 * failure, because the other lines cannot be understood without the names. */
static ken_status accept(struct ken_parse *parse, ken_status status, bool *good)
{
    bool bad = parse->lines[0].bad || parse->lines[1].bad;
    bool reports = parse->complain || parse->corpus->keeps_bad;
    *good = !status;
    if (!status || !bad || !reports || parse->header) return status;
    parse->lines[0].bad = parse->lines[1].bad = false;
    ken_parse_spoil(parse);
    return KEN_OK;
}

/* Fails because one of two files that are read line by line together has ended before the other.
 * Both files are read to their ends, so that the message can give the number of lines of each. */
static ken_status uneven(struct ken_parse *parse)
{
    for (size_t i = 0; i < 2; i++) {
        struct ken_piece line = { "", 0 };
        while (line.text) {
            parse->lines[i].bad = false;
            ken_status status = ken_lines_next(&parse->lines[i], &line);
            if (status && !parse->lines[i].bad) return status;
        }
    }
    return ken_fail(KEN_ERR_FORMAT, "%s has %zu line%s, %s has %zu", parse->lines[0].source->name,
                    parse->lines[0].number, ken_plural(parse->lines[0].number),
                    parse->lines[1].source->name, parse->lines[1].number);
}

/* Reads the lines of the second file, such as links. They refer to the examples of the first file,
 * which must have been read before. */
static ken_status read_others(struct ken_parse *parse)
{
    struct ken_piece line = { "", 0 };
    bool good;
    while (parse->lines[1].source) {
        KEN_TRY(accept(parse, ken_lines_next(&parse->lines[1], &line), &good));
        if (!line.text) break;
        if (good) KEN_TRY(accept(parse, parse->rules->other(parse, line), &good));
    }
    return KEN_OK;
}

/* Finishes reading: called after the last line of the first file has been read. */
static ken_status finish_lines(struct ken_parse *parse)
{
    bool good;
    char mark;
    if (parse->rules->other) KEN_TRY(read_others(parse));
    if (parse->rules->end) KEN_TRY(accept(parse, parse->rules->end(parse), &good));
    for (size_t i = 0; i < 2; i++) {
        KEN_TRY(ken_decimal_end(&parse->decimals[i], &parse->lines[i], &mark));
        if (mark) parse->corpus->decimal = mark;
    }
    return ken_parse_finish(parse);
}

/* Reads all lines. If lines come in pairs from two files, both lines of a pair are read even if one
 * of them is bad, so that the following lines are paired correctly. */
static ken_status read_lines(struct ken_parse *parse)
{
    struct ken_piece line = { "", 0 };
    bool in_step = parse->lines[1].source && !parse->rules->other;
    for (;;) {
        bool good, other_good = true;
        KEN_TRY(accept(parse, ken_lines_next(&parse->lines[0], &line), &good));
        if (in_step) {
            KEN_TRY(accept(parse, ken_lines_next(&parse->lines[1], &parse->other), &other_good));
            if (!line.text != !parse->other.text) return uneven(parse);
        }
        if (!line.text) return finish_lines(parse);
        if (good && other_good) KEN_TRY(accept(parse, parse->rules->line(parse, line), &good));
        /* While a csv record continues in the next line, its example is not finished, so that a bad
         * line makes the whole record bad. */
        if (parse->alone && parse->joined.size == 0) KEN_TRY(ken_parse_finish(parse));
    }
}

/* Frees the memory of the parser, but not the corpus. */
static void release_parse(struct ken_parse *parse)
{
    ken_lines_release(&parse->lines[0]);
    ken_lines_release(&parse->lines[1]);
    ken_buffer_release(&parse->fields);
    ken_buffer_release(&parse->inputs);
    ken_buffer_release(&parse->together);
    ken_buffer_release(&parse->quoted);
    ken_buffer_release(&parse->joined);
    ken_buffer_release(&parse->flags);
    ken_buffer_release(&parse->fault);
    ken_vocabulary_release(&parse->nodes);
    ken_buffer_release(&parse->begun);
    ken_strings_release(&parse->names);
}

/* ---- Reading -------------------------------------------------------------------------------- */

/* Checks that the layout does not contradict itself. A contradiction is the caller's mistake and is
 * reported before any file is opened. */
static ken_status check_layout(const char *path, const struct ken_layout *layout, bool second)
{
    if ((unsigned)layout->format >= KEN_FORMAT_COUNT)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: unknown format", path);
    const struct ken_rules *rules = ken_format_rules(layout->format);
    bool two = rules->info.second == KEN_SECOND_LINKS ||
               (rules->info.second == KEN_SECOND_TARGETS && layout->target_kind != KEN_TARGET_NONE);
    if (!(rules->info.targets & 1u << layout->target_kind))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: format %s does not support %s", path,
                        rules->info.name, ken_target_words(layout->target_kind));
    if (layout->window > 0 &&
        (rules->info.carries != KEN_CARRIES_NUMBERS || layout->target_kind == KEN_TARGET_TEXT))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: format %s with %s cannot be cut into windows", path,
                        rules->info.name, ken_target_words(layout->target_kind));
    if (two != second)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: format %s with %s takes %s", path, rules->info.name,
                        ken_target_words(layout->target_kind), two ? "two files" : "one file");
    return KEN_OK;
}

/* Stores the path for messages. If a corpus is read from several files, messages name the first
 * file. */
static ken_status remember_path(ken_corpus *corpus, const char *path)
{
    if (corpus->path) return KEN_OK;
    size_t size = strlen(path) + 1;
    corpus->path = ken_memory_new(size, 1);
    if (!corpus->path) return ken_fail(KEN_ERR_MEMORY, "no memory to read %s", path);
    memcpy(corpus->path, path, size);
    return KEN_OK;
}

/* Decides how columns are separated, before the first line is read. */
static ken_status settle_separator(struct ken_parse *parse)
{
    const struct ken_format_info *info = &parse->rules->info;
    struct ken_separation how = { .separators = info->separators,
                                  .only = parse->layout->separator,
                                  .quoted_tabs = info->carries == KEN_CARRIES_TEXT,
                                  .numbers = info->carries == KEN_CARRIES_NUMBERS,
                                  .no_commas = parse->layout->decimal == ',' };
    parse->separator = '\t';
    if (!info->separators) return KEN_OK;
    KEN_TRY(ken_separator_find(&parse->separator, &parse->lines[0], &how));
    parse->quotes = parse->separator != '\t' || how.quoted_tabs;
    parse->corpus->separator = parse->separator;
    return KEN_OK;
}

/* Reads the examples of `input`, the first file, and `target`, the second file; `target` is NULL if
 * there is only one file. */
static ken_status read_sources(struct ken_parse *parse, ken_source *input, ken_source *target)
{
    size_t before = parse->corpus->count, first = ken_size_max(parse->layout->first_line, 1);
    size_t bad_before = parse->corpus->bad.count;
    parse->corpus->words = parse->rules->info.carries == KEN_CARRIES_WORDS ||
                           parse->rules->info.carries == KEN_CARRIES_NODES;
    KEN_TRY(remember_path(parse->corpus, input->name));
    if (parse->rules->whole) {
        KEN_TRY(parse->rules->whole(parse->corpus, input, target, parse->layout));
    } else {
        KEN_TRY(ken_lines_init(&parse->lines[0], input, first));
        if (target) KEN_TRY(ken_lines_init(&parse->lines[1], target, first));
        KEN_TRY(settle_separator(parse));
        parse->placed = parse->lines[0].number;
        KEN_TRY(read_lines(parse));
    }
    if (parse->corpus->count == before && parse->corpus->bad.count == bad_before)
        return ken_fail(KEN_ERR_FORMAT, "%s: found no example", input->name);
    return KEN_OK;
}

/* Counts the missing numbers (NaN) in each column of the corpus, from row `first` on. */
static ken_status count_missing(ken_corpus *corpus, size_t first)
{
    const float *rows = ken_buffer_floats(&corpus->vectors);
    size_t width = corpus->width, count = ken_corpus_input_start(corpus, corpus->count);
    while (corpus->missing.size < width * sizeof(size_t) && !corpus->missing.failed)
        ken_buffer_append(&corpus->missing, &(size_t){ 0 }, sizeof(size_t));
    KEN_TRY(ken_buffer_status(&corpus->missing));
    size_t *missing = (size_t *)(void *)corpus->missing.data;
    for (size_t i = first * width; i < count * width; i++) missing[i % width] += isnan(rows[i]);
    if (width > 0) corpus->rows_read += count - first;
    return KEN_OK;
}

/* Reads all examples of one or two sources. Sequences are not cut into windows here. */
static ken_status read_rows(ken_corpus *corpus, ken_source *input, ken_source *target,
                            const struct ken_layout *layout, ken_complaint_fn *complain, void *user)
{
    const struct ken_rules *rules = ken_format_rules(layout->format);
    bool rows_alone = rules->info.carries == KEN_CARRIES_NUMBERS && !layout->sequence &&
                      !layout->each;
    struct ken_parse parse = { .corpus = corpus,
                               .layout = layout,
                               .rules = rules,
                               .complain = complain,
                               .user = user,
                               /* Only formats with columns can have a header line. */
                               .header = layout->header && rules->settle,
                               .alone = rules->info.lines || rows_alone,
                               .decimals = { { .only = layout->decimal },
                                             { .only = layout->decimal } },
                               .target = KEN_NO_COLUMN,
                               .sequence = KEN_NO_COLUMN,
                               .split = KEN_NO_COLUMN,
                               .node = KEN_NO_COLUMN };
    size_t first = ken_corpus_input_start(corpus, corpus->count);
    ken_status status = read_sources(&parse, input, target);
    if (!status) status = count_missing(corpus, first);
    release_parse(&parse);
    return status;
}

/* Checks that the rows of a new file are as wide as the rows that the corpus already has. */
static ken_status same_width(const ken_corpus *corpus, const ken_corpus *rows)
{
    if (corpus->count == 0 || rows->count == 0 || corpus->width == rows->width) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: found %zu number%s in a row, %s has %zu", rows->path,
                    rows->width, ken_plural(rows->width), corpus->path, corpus->width);
}

/* Reads the examples of one or two sources, which the caller closes. If sequences are to be cut
 * into windows, they are first read whole, with a target for each row. */
static ken_status read_all(ken_corpus *corpus, ken_source *input, ken_source *target,
                           const struct ken_layout *layout, ken_complaint_fn *complain, void *user)
{
    /* layout for reading the sequences before they are cut into windows */
    struct ken_layout whole = *layout;
    ken_corpus rows = { 0 };
    if (layout->window == 0) return read_rows(corpus, input, target, layout, complain, user);
    whole.each = true;
    whole.part = NULL;
    rows.keeps_bad = corpus->keeps_bad;
    ken_status status = remember_path(corpus, input->name);
    if (!status) status = read_rows(&rows, input, target, &whole, complain, user);
    if (!status) status = same_width(corpus, &rows);
    if (!status) status = ken_windows_cut(corpus, &rows, layout);
    ken_corpus_release(&rows);
    return status;
}

ken_status ken_corpus_read(ken_corpus *corpus, const char *path, const char *second,
                           const struct ken_layout *layout, ken_complaint_fn *complain, void *user)
{
    ken_source input = { 0 }, target = { 0 };
    KEN_TRY(check_layout(path, layout, second != NULL));
    ken_status status = ken_source_open(&input, path);
    if (!status && second) status = ken_source_open(&target, second);
    if (!status) status = read_all(corpus, &input, second ? &target : NULL, layout, complain, user);
    ken_source_close(&input);
    ken_source_close(&target);
    return status;
}

ken_status ken_corpus_parse_two(ken_corpus *corpus, const struct ken_text *first,
                                const struct ken_text *second, const struct ken_layout *layout,
                                ken_complaint_fn *complain, void *user)
{
    ken_source input, other;
    KEN_TRY(check_layout(first->name, layout, second != NULL));
    ken_source_from(&input, first->name, first->text, first->size);
    if (second) ken_source_from(&other, second->name, second->text, second->size);
    return read_all(corpus, &input, second ? &other : NULL, layout, complain, user);
}

ken_status ken_corpus_parse(ken_corpus *corpus, const char *name, const char *text, size_t size,
                            const struct ken_layout *layout, ken_complaint_fn *complain, void *user)
{
    struct ken_text first = { name, text, size };
    return ken_corpus_parse_two(corpus, &first, NULL, layout, complain, user);
}

/* ---- Examples ------------------------------------------------------------------------------- */

void ken_corpus_release(ken_corpus *corpus)
{
    ken_memory_free(corpus->path);
    ken_strings_release(&corpus->input);
    ken_strings_release(&corpus->target);
    ken_buffer_release(&corpus->line);
    ken_buffer_release(&corpus->input_ends);
    ken_buffer_release(&corpus->target_ends);
    ken_buffer_release(&corpus->vectors);
    ken_buffer_release(&corpus->numbers);
    ken_strings_release(&corpus->names);
    ken_strings_release(&corpus->nodes);
    ken_strings_release(&corpus->columns);
    ken_buffer_release(&corpus->missing);
    ken_buffer_release(&corpus->links);
    ken_buffer_release(&corpus->link_ends);
    ken_buffer_release(&corpus->link_numbers);
    ken_strings_release(&corpus->bad);
    ken_buffer_release(&corpus->bad_before);
    *corpus = (ken_corpus){ 0 };
}

void ken_corpus_thin(ken_corpus *corpus, bool targets)
{
    ken_strings_release(&corpus->input);
    ken_buffer_release(&corpus->input_ends);
    ken_buffer_release(&corpus->vectors);
    ken_strings_release(&corpus->nodes);
    ken_buffer_release(&corpus->links);
    ken_buffer_release(&corpus->link_ends);
    ken_buffer_release(&corpus->link_numbers);
    if (targets) return;
    ken_strings_release(&corpus->target);
    ken_buffer_release(&corpus->target_ends);
    ken_buffer_release(&corpus->numbers);
}

/* Returns entry i of a list of size_t. */
static size_t entry(const ken_buffer *list, size_t i)
{
    return ((const size_t *)(const void *)list->data)[i];
}

size_t ken_corpus_input_start(const ken_corpus *corpus, size_t i)
{
    return i > 0 ? entry(&corpus->input_ends, i - 1) : 0;
}

size_t ken_corpus_target_start(const ken_corpus *corpus, size_t i)
{
    return i > 0 ? entry(&corpus->target_ends, i - 1) : 0;
}

size_t ken_corpus_link_start(const ken_corpus *corpus, size_t i)
{
    return i > 0 && corpus->linked ? entry(&corpus->link_ends, i - 1) : 0;
}

size_t ken_corpus_line(const ken_corpus *corpus, size_t i)
{
    return entry(&corpus->line, i);
}

size_t ken_corpus_bad_before(const ken_corpus *corpus, size_t j)
{
    return j < corpus->bad.count ? entry(&corpus->bad_before, j) : corpus->count;
}

/* Compares `count` entries of a list, from index `a` on, with the `count` entries from index `b`
 * on; an entry has `size` bytes. */
static bool same_entries(const ken_buffer *list, size_t a, size_t b, size_t count, size_t size)
{
    return count * size == 0 ||
           memcmp(list->data + a * size, list->data + b * size, count * size) == 0;
}

static bool same_links(const ken_corpus *corpus, size_t i, size_t j)
{
    size_t a = ken_corpus_link_start(corpus, i), b = ken_corpus_link_start(corpus, j);
    size_t n = ken_corpus_link_start(corpus, i + 1) - a;
    if (ken_corpus_link_start(corpus, j + 1) - b != n) return false;
    return same_entries(&corpus->links, a, b, n, 2 * sizeof(int32_t)) &&
           same_entries(&corpus->link_numbers, a, b, n, corpus->link_width * sizeof(float));
}

bool ken_corpus_same_input(const ken_corpus *corpus, size_t i, size_t j)
{
    size_t a = ken_corpus_input_start(corpus, i), b = ken_corpus_input_start(corpus, j);
    size_t n = ken_corpus_input_start(corpus, i + 1) - a;
    if (ken_corpus_input_start(corpus, j + 1) - b != n) return false;
    if (corpus->linked && !same_links(corpus, i, j)) return false;
    if (corpus->width > 0)
        return same_entries(&corpus->vectors, a, b, n, corpus->width * sizeof(float));
    for (size_t k = 0; k < n; k++) {
        size_t m, l;
        const char *s = ken_strings_at(&corpus->input, a + k, &m);
        const char *t = ken_strings_at(&corpus->input, b + k, &l);
        if (m != l || memcmp(s, t, m) != 0) return false;
    }
    return true;
}
