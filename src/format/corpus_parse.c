/* corpus_parse.c - splits lines into columns, and adds examples to the corpus. Invariant: all
 * entries of a list after those of the last finished example belong to the current example. So an
 * example is dropped by truncating all lists to the end of the last finished example. */
#include "format/corpus_parse.h"

#include "base/number.h"
#include "base/size.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* highest column number: a line has at most 2^20 bytes, hence fewer columns */
enum { MOST_COLUMNS = 1 << 20 };

/* ---- Columns -------------------------------------------------------------------------------- */

/* Reads the quoted field that begins at *at: removes its quotes and replaces each "" by one quote
 * character, in place, and moves *at to the end of the field. Returns false if the quote is not
 * closed, or if text follows the closing quote. */
static bool unquote(struct ken_piece *field, char **at, const char *end, char separator)
{
    char *to = *at, *from = *at + 1;
    field->text = to;
    while (from < end && (*from != '"' || (from + 1 < end && from[1] == '"'))) {
        from += *from == '"';
        *to++ = *from++;
    }
    field->length = (size_t)(to - field->text);
    if (from == end || (from + 1 < end && from[1] != separator)) return false;
    *at = from + 1;
    return true;
}

static ken_status split_quoted(struct ken_parse *parse, struct ken_piece line, char separator)
{
    ken_buffer_clear(&parse->fields);
    ken_buffer_clear(&parse->quoted);
    ken_buffer_append(&parse->quoted, line.text, line.length);
    KEN_TRY(ken_buffer_status(&parse->quoted));
    char *at = parse->quoted.data, *end = at + line.length;
    for (;; at++) {
        struct ken_piece field = { at, 0 };
        if (at < end && *at == '"') {
            if (!unquote(&field, &at, end, separator))
                return ken_lines_bad(&parse->lines[0], "column %zu: no closing quote at its end",
                                     ken_parse_fields(parse) + 1);
        } else {
            while (at < end && *at != separator) at++;
            field.length = (size_t)(at - field.text);
        }
        ken_buffer_append(&parse->fields, &field, sizeof field);
        if (at >= end) return ken_buffer_status(&parse->fields);
    }
}

/* Splits a line at `separator`. Between two tabs there may be an empty field; several spaces in a
 * row separate only once. */
ken_status ken_parse_split(struct ken_parse *parse, struct ken_piece line, char separator)
{
    const char *at = line.text, *end = line.text + line.length;
    bool blanks = separator == ' ';
    if (parse->quotes) return split_quoted(parse, line, separator);
    ken_buffer_clear(&parse->fields);
    for (;;) {
        while (blanks && at < end && *at == ' ') at++;
        if (blanks && at == end) break;
        const char *stop = memchr(at, separator, (size_t)(end - at));
        if (!stop) stop = end;
        struct ken_piece field = { at, (size_t)(stop - at) };
        ken_buffer_append(&parse->fields, &field, sizeof field);
        if (stop == end) break;
        at = stop + 1;
    }
    return ken_buffer_status(&parse->fields);
}

size_t ken_parse_fields(const struct ken_parse *parse)
{
    return parse->fields.size / sizeof(struct ken_piece);
}

/* Returns the field of a column. The field points into the line and is valid as long as the line
 * is. */
struct ken_piece ken_parse_field(const struct ken_parse *parse, size_t column)
{
    return ((const struct ken_piece *)(const void *)parse->fields.data)[column];
}

struct ken_piece ken_parse_name(const struct ken_parse *parse, size_t column, char room[32])
{
    struct ken_piece name = { .text = room };
    if (column < parse->names.count)
        name.text = ken_strings_at(&parse->names, column, &name.length);
    else name.length = (size_t)snprintf(room, 32, "%zu", column + 1);
    return name;
}

/* Fails because there is no column `wanted`. The error is KEN_ERR_FORMAT if the name is missing in
 * the first line of the file. It is KEN_ERR_ARGUMENT, a mistake of the caller, if the format has
 * fixed column names and `wanted` is not one of them. */
static ken_status no_such_column(const struct ken_parse *parse, struct ken_piece wanted)
{
    ken_buffer list = { 0 };
    for (size_t i = 0; i < parse->names.count; i++) {
        struct ken_piece name = ken_parse_name(parse, i, NULL);
        ken_buffer_format(&list, "%s%.*s", i > 0 ? ", " : "", ken_piece_shown(name), name.text);
    }
    ken_status status = ken_buffer_status(&list);
    const char *file = parse->lines[0].source->name, *there = ken_buffer_string(&list);
    if (!status && parse->header)
        status = ken_fail(KEN_ERR_FORMAT, "%s:%zu: found no column \"%.*s\", only %s", file,
                          parse->lines[0].number, ken_piece_shown(wanted), wanted.text, there);
    else if (!status)
        status = ken_fail(KEN_ERR_ARGUMENT, "%s: %s has no column \"%.*s\", only %s", file,
                          parse->rules->info.name, ken_piece_shown(wanted), wanted.text, there);
    ken_buffer_release(&list);
    return status;
}

/* Finds a column by number or name. A text that looks like a number is taken as the column's
 * number, even if a column has this text as its name. */
ken_status ken_parse_column(const struct ken_parse *parse, size_t *column, struct ken_piece wanted)
{
    const char *file = parse->lines[0].source->name;
    int shown = ken_piece_shown(wanted);
    uint64_t number;
    size_t found = KEN_NO_COLUMN;
    if (ken_number_whole(&number, wanted.text, wanted.length, MOST_COLUMNS) && number > 0) {
        *column = (size_t)number - 1;
        return KEN_OK;
    }
    if (parse->names.count == 0)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "%s: column \"%.*s\": without a line that names them, columns are numbers "
                        "from 1",
                        file, shown, wanted.text);
    for (size_t i = 0; i < parse->names.count; i++) {
        size_t length;
        const char *name = ken_strings_at(&parse->names, i, &length);
        if (length != wanted.length || memcmp(name, wanted.text, length) != 0) continue;
        if (found != KEN_NO_COLUMN)
            return ken_fail(KEN_ERR_FORMAT, "%s:%zu: columns %zu and %zu are both called \"%.*s\"",
                            file, parse->lines[0].number, found + 1, i + 1, shown, wanted.text);
        found = i;
    }
    if (found == KEN_NO_COLUMN) return no_such_column(parse, wanted);
    *column = found;
    return KEN_OK;
}

/* Checks that a line has as many columns as the first line, because a stray tab or space would
 * shift the following columns without anyone noticing. If a column that is needed is missing, the
 * message names the column. */
static ken_status check_columns(struct ken_parse *parse)
{
    size_t found = ken_parse_fields(parse), inputs = parse->inputs.size / sizeof(size_t);
    const size_t *input = (const size_t *)(const void *)parse->inputs.data;
    const char *s = found == 1 ? "" : "s";
    if (found == parse->columns) return KEN_OK;
    size_t missing = KEN_NO_COLUMN;
    for (size_t i = 0; i < inputs && missing == KEN_NO_COLUMN; i++)
        if (input[i] >= found) missing = input[i];
    if (parse->target != KEN_NO_COLUMN && parse->target >= found) missing = parse->target;
    if (parse->sequence != KEN_NO_COLUMN && parse->sequence >= found) missing = parse->sequence;
    if (parse->split != KEN_NO_COLUMN && parse->split >= found) missing = parse->split;
    if (parse->node != KEN_NO_COLUMN && parse->node >= found) missing = parse->node;
    const size_t *flag = (const size_t *)(const void *)parse->flags.data;
    for (size_t i = 0; i < parse->flags.size / sizeof *flag; i++)
        if (flag[i] >= found) missing = flag[i];
    if (missing != KEN_NO_COLUMN) {
        char room[32];
        struct ken_piece name = ken_parse_name(parse, missing, room);
        return ken_lines_bad(&parse->lines[0], "found %zu column%s, but no column %.*s", found, s,
                             ken_piece_shown(name), name.text);
    }
    if (parse->columns > 0)
        return ken_lines_bad(&parse->lines[0], "found %zu column%s, expected %zu", found, s,
                             parse->columns);
    parse->columns = found;
    return KEN_OK;
}

/* Returns whether `hash` is in `part`, which is a single number or a range such as "2-9" with both
 * ends included. */
static bool in_range(const char *part, uint64_t hash)
{
    uint64_t low, high;
    size_t digits = strspn(part, "0123456789");
    const char *to = part[digits] == '-' ? part + digits + 1 : part;
    if (!ken_number_whole(&low, part, digits, UINT32_MAX) ||
        !ken_number_whole(&high, to, strlen(to), UINT32_MAX))
        return false;
    return hash >= low && hash <= high;
}

bool ken_parse_chosen(const struct ken_parse *parse, struct ken_piece input)
{
    const struct ken_layout *layout = parse->layout;
    if (!layout->part) return true;
    if (layout->hash == 0) {
        struct ken_piece part = ken_piece_trim(ken_parse_field(parse, parse->split));
        return part.length == strlen(layout->part) &&
               memcmp(part.text, layout->part, part.length) == 0;
    }
    uint32_t hash = 2166136261u; /* FNV-1a hash of the input, with its usual initial value */
    for (size_t i = 0; i < input.length; i++)
        hash = (hash ^ (unsigned char)input.text[i]) * 16777619u;
    return in_range(layout->part, hash % layout->hash);
}

ken_status ken_parse_columns(const struct ken_parse *parse, ken_buffer *list, const char *wanted)
{
    for (const char *at = wanted; *(at += strspn(at, " "));) {
        bool quoted = at[0] == '"' && strchr(at + 1, '"');
        at += quoted;
        struct ken_piece name = { at, strcspn(at, quoted ? "\"" : " ") };
        size_t column;
        KEN_TRY(ken_parse_column(parse, &column, name));
        ken_buffer_append(list, &column, sizeof column);
        at += name.length + quoted;
    }
    return ken_buffer_status(list);
}

/* Returns the record of the decimal marks of the file that `where` reads. */
static struct ken_decimals *decimals_of(struct ken_parse *parse, const ken_lines *where)
{
    return &parse->decimals[where == &parse->lines[1]];
}

/* Appends the numbers of the given columns of the current line; a missing number becomes NaN.
 * Infinity is refused, because training would spread it to all weights. */
ken_status ken_parse_numbers(struct ken_parse *parse, ken_lines *where, ken_buffer *out,
                             const size_t *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char room[32];
        float value;
        KEN_TRY(ken_decimal_read(decimals_of(parse, where), where, &value,
                                 ken_parse_field(parse, columns[i]),
                                 ken_parse_name(parse, columns[i], room)));
        ken_buffer_append(out, &value, sizeof value);
    }
    return ken_buffer_status(out);
}

ken_status ken_parse_row(struct ken_parse *parse, struct ken_piece line, char separator, bool *data)
{
    bool first = parse->inputs.size == 0;
    *data = !parse->header;
    if (line.length == 0) return ken_lines_bad(&parse->lines[0], "the line is empty");
    KEN_TRY(ken_parse_split(parse, line, separator));
    /* Names are copied, because messages need them later and a field is valid only until the next
     * line is read. */
    for (size_t i = 0; parse->header && i < ken_parse_fields(parse); i++) {
        struct ken_piece name = ken_piece_trim(ken_parse_field(parse, i));
        ken_strings_add(&parse->names, name.text, name.length);
    }
    KEN_TRY(ken_strings_status(&parse->names));
    if (first) KEN_TRY(parse->rules->settle(parse));
    parse->header = false;
    return check_columns(parse);
}

/* ---- Examples ------------------------------------------------------------------------------- */

void ken_parse_begin(struct ken_parse *parse)
{
    parse->line = parse->lines[0].number;
}

/* Adds an input text. If the layout's function `valid` refuses the text (for example because it is
 * not a molecule), the line is treated like any other bad line. */
ken_status ken_parse_input(struct ken_parse *parse, struct ken_piece text)
{
    ken_valid_fn *valid = parse->layout->valid;
    ken_status status = valid ? valid(text.text, text.length) : KEN_OK;
    if (status == KEN_ERR_FORMAT) {
        char words[256];
        snprintf(words, sizeof words, "%s", ken_last_error());
        return ken_lines_bad(&parse->lines[0], "%s", words);
    }
    KEN_TRY(status);
    ken_strings_add(&parse->corpus->input, text.text, text.length);
    return ken_strings_status(&parse->corpus->input);
}

/* Adds a label without the spaces and tabs at its ends, because "good " and "good" are hardly meant
 * as two labels. */
static ken_status add_label(struct ken_parse *parse, ken_lines *where, struct ken_piece label)
{
    label = ken_piece_trim(label);
    if (label.length == 0) return ken_lines_bad(where, "the label is empty");
    ken_strings_add(&parse->corpus->target, label.text, label.length);
    return ken_strings_status(&parse->corpus->target);
}

/* Adds the labels of a set, separated by commas. "a, b" is two labels, the empty text is no label,
 * and "a,,b" is a mistake. */
static ken_status add_set(struct ken_parse *parse, ken_lines *where, struct ken_piece labels)
{
    if (ken_piece_trim(labels).length == 0) return KEN_OK;
    for (const char *at = labels.text, *end = at + labels.length, *comma;; at = comma + 1) {
        comma = memchr(at, ',', (size_t)(end - at));
        struct ken_piece label = { at, (size_t)((comma ? comma : end) - at) };
        KEN_TRY(add_label(parse, where, label));
        if (!comma) return KEN_OK;
    }
}

/* Adds a target that is a number. A missing number is stored as NaN, which means unknown and does
 * not count in training. */
static ken_status add_number(struct ken_parse *parse, ken_lines *where, struct ken_piece text)
{
    float value;
    KEN_TRY(ken_decimal_read(decimals_of(parse, where), where, &value, text,
                             (struct ken_piece){ "", 0 }));
    ken_buffer_append(&parse->corpus->numbers, &value, sizeof value);
    return ken_buffer_status(&parse->corpus->numbers);
}

/* Adds one number for each word of a line. */
static ken_status add_numbers(struct ken_parse *parse, ken_lines *where, struct ken_piece text)
{
    const char *at = text.text, *end = at + text.length;
    while (at < end) {
        size_t blanks = strspn(at, " "), length = strcspn(at + blanks, " ");
        at += ken_size_min(blanks, (size_t)(end - at));
        struct ken_piece number = { at, ken_size_min(length, (size_t)(end - at)) };
        if (number.length > 0) KEN_TRY(add_number(parse, where, number));
        at += number.length;
    }
    return KEN_OK;
}

ken_status ken_parse_target(struct ken_parse *parse, ken_lines *where, struct ken_piece text)
{
    switch (parse->layout->target_kind) {
    case KEN_TARGET_LABEL: return add_label(parse, where, text);
    case KEN_TARGET_NUMBER:
        return parse->rules->info.lines && parse->layout->each ? add_numbers(parse, where, text)
                                                               : add_number(parse, where, text);
    case KEN_TARGET_SET: return add_set(parse, where, text);
    case KEN_TARGET_TEXT: break; /* text is stored unchanged, with all its spaces */
    case KEN_TARGET_NONE: return KEN_OK;
    }
    ken_strings_add(&parse->corpus->target, text.text, text.length);
    return ken_strings_status(&parse->corpus->target);
}

ken_status ken_parse_unknown(struct ken_parse *parse)
{
    ken_corpus *corpus = parse->corpus;
    if (parse->layout->target_kind == KEN_TARGET_NUMBER) {
        ken_buffer_append(&corpus->numbers, &(float){ NAN }, sizeof(float));
        return ken_buffer_status(&corpus->numbers);
    }
    ken_strings_add(&corpus->target, "", 0);
    return ken_strings_status(&corpus->target);
}

bool ken_piece_unknown(struct ken_piece text)
{
    text = ken_piece_trim(text);
    return text.length == 0 || (text.length == 1 && text.text[0] == '?');
}

/* Truncates the buffer to `size` bytes; a shorter buffer is left unchanged. */
static void cut_buffer(ken_buffer *buffer, size_t size)
{
    if (size < buffer->size) buffer->data[buffer->size = size] = '\0';
}

static void cut_strings(ken_strings *strings, size_t count)
{
    const size_t *ends = (const size_t *)(const void *)strings->ends.data;
    if (count >= strings->count) return;
    cut_buffer(&strings->text, count > 0 ? ends[count - 1] + 1 : 0);
    cut_buffer(&strings->ends, count * sizeof *ends);
    strings->count = count;
}

void ken_parse_spoil(struct ken_parse *parse)
{
    if (!parse->spoilt) ken_buffer_clear(&parse->fault);
    if (!parse->spoilt && parse->corpus->keeps_bad)
        ken_buffer_text(&parse->fault, ken_last_error());
    parse->spoilt = true;
    if (parse->complain) parse->complain(parse->user, ken_last_error());
}

/* Adds the current example to the corpus's list of bad examples, if the caller wants that list. */
static ken_status keep_bad(struct ken_parse *parse)
{
    ken_corpus *corpus = parse->corpus;
    if (!corpus->keeps_bad) return KEN_OK;
    ken_strings_add(&corpus->bad, ken_buffer_string(&parse->fault), parse->fault.size);
    ken_buffer_append(&corpus->bad_before, &corpus->count, sizeof corpus->count);
    KEN_TRY(ken_buffer_status(&parse->fault));
    KEN_TRY(ken_strings_status(&corpus->bad));
    return ken_buffer_status(&corpus->bad_before);
}

ken_status ken_parse_finish(struct ken_parse *parse)
{
    ken_corpus *corpus = parse->corpus;
    size_t line = parse->line, inputs = ken_corpus_input_start(corpus, corpus->count);
    size_t targets = ken_corpus_target_start(corpus, corpus->count);
    bool spoilt = parse->spoilt;
    parse->line = 0;
    parse->spoilt = false;
    if (!spoilt) return line > 0 ? ken_corpus_end(corpus, line) : KEN_OK;
    /* Inputs are in `input` or in `vectors`, and targets in `target` or in `numbers`; truncating
     * the empty one of each pair does nothing. */
    cut_strings(&corpus->input, inputs);
    cut_strings(&corpus->target, targets);
    cut_buffer(&corpus->vectors, inputs * corpus->width * sizeof(float));
    cut_buffer(&corpus->numbers, targets * ken_size_max(corpus->flags, 1) * sizeof(float));
    size_t links = ken_corpus_link_start(corpus, corpus->count);
    cut_buffer(&corpus->links, 2 * links * sizeof(int32_t));
    cut_buffer(&corpus->link_numbers, links * corpus->link_width * sizeof(float));
    return keep_bad(parse);
}

/* Completes an example. Appending to a buffer or list does not report failures, so all of them are
 * checked here, once per example. */
ken_status ken_corpus_end(ken_corpus *corpus, size_t line)
{
    size_t rows = corpus->width > 0 ? corpus->vectors.size / sizeof(float) / corpus->width : 0;
    /* at most one of `input` and `vectors` has entries */
    size_t inputs = corpus->input.count + rows;
    size_t known = corpus->numbers.size / sizeof(float) / ken_size_max(corpus->flags, 1);
    size_t targets = corpus->target.count + known;
    size_t links = corpus->links.size / (2 * sizeof(int32_t));
    KEN_TRY(ken_strings_status(&corpus->input));
    KEN_TRY(ken_strings_status(&corpus->target));
    KEN_TRY(ken_buffer_status(&corpus->vectors));
    KEN_TRY(ken_buffer_status(&corpus->numbers));
    ken_buffer_append(&corpus->line, &line, sizeof line);
    ken_buffer_append(&corpus->input_ends, &inputs, sizeof inputs);
    ken_buffer_append(&corpus->target_ends, &targets, sizeof targets);
    if (corpus->linked) ken_buffer_append(&corpus->link_ends, &links, sizeof links);
    KEN_TRY(ken_buffer_status(&corpus->links));
    KEN_TRY(ken_buffer_status(&corpus->link_numbers));
    KEN_TRY(ken_buffer_status(&corpus->link_ends));
    corpus->count++;
    KEN_TRY(ken_buffer_status(&corpus->line));
    KEN_TRY(ken_buffer_status(&corpus->input_ends));
    return ken_buffer_status(&corpus->target_ends);
}
