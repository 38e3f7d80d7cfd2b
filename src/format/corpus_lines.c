/* corpus_lines.c - reads the text formats. Each format has a function that is called for each line.
 * A piece (part of a line) points into a line that ends with a 0 and contains no other 0, so the
 * functions of string.h are safe on a piece. */
#include "format/corpus_parse.h"

#include "base/number.h"
#include "base/size.h"

#include <math.h>
#include <string.h>

/* maximum bytes of a quoted csv field that extends over several lines */
enum { JOINED_MOST = 1 << 20 };

static struct ken_piece piece(const char *text)
{
    return (struct ken_piece){ text, strlen(text) };
}

/* Returns the column of the input, for formats with a single input column. */
static size_t first_input(const struct ken_parse *parse)
{
    return *(const size_t *)(const void *)parse->inputs.data;
}

/* ---- One word per line: conllu, columns ---------------------------------------------------- */

/* The ten columns of CoNLL-U. In most of them "_" means that the value is missing. In the columns
 * with `nothing` set, "_" is a value: a word or lemma may be an underscore, and "no features" is a
 * valid answer. */
static const struct {
    const char *name;
    bool nothing; /* "_" is a valid value of the column */
} conllu_columns[] = {
    { "id", false },   { "form", true },  { "lemma", true },   { "upos", false }, { "xpos", false },
    { "feats", true }, { "head", false }, { "deprel", false }, { "deps", false }, { "misc", false },
};

/* Finds the columns of input and target, for formats with one column for each. The parameters
 * `input` and `target` are the default columns. target = NULL means the last column, but at least
 * the second, because the first is the default of the input. */
static ken_status settle(struct ken_parse *parse, const char *input, const char *target)
{
    const struct ken_layout *layout = parse->layout;
    size_t column;
    KEN_TRY(ken_parse_column(parse, &column, piece(layout->input ? layout->input : input)));
    ken_buffer_append(&parse->inputs, &column, sizeof column);
    KEN_TRY(ken_buffer_status(&parse->inputs));
    if (layout->target_kind == KEN_TARGET_NONE) return KEN_OK;
    if (layout->target) target = layout->target;
    if (target) return ken_parse_column(parse, &parse->target, piece(target));
    parse->target = ken_size_max(ken_parse_fields(parse), 2) - 1;
    return KEN_OK;
}

/* Returns whether a column of the file has exactly the name `wanted`, which may contain spaces. */
static bool is_column(const struct ken_parse *parse, const char *wanted)
{
    for (size_t i = 0; i < parse->names.count; i++)
        if (strcmp(ken_strings_at(&parse->names, i, NULL), wanted) == 0) return true;
    return false;
}

/* Finds the columns of a set of labels that has one column per label. */
static ken_status settle_flags(struct ken_parse *parse)
{
    ken_corpus *corpus = parse->corpus;
    KEN_TRY(ken_parse_columns(parse, &parse->flags, parse->layout->target));
    const size_t *column = (const size_t *)(const void *)parse->flags.data;
    size_t count = parse->flags.size / sizeof *column;
    char room[32];
    if (count == 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: found no column of labels",
                        parse->lines[0].source->name);
    if (corpus->count > 0 && corpus->flags != count)
        return ken_fail(KEN_ERR_FORMAT, "%s: found %zu column%s of labels, but %s has %zu",
                        parse->lines[0].source->name, count, ken_plural(count), corpus->path,
                        corpus->flags);
    for (size_t i = 0; i < count && corpus->flags == 0; i++) {
        struct ken_piece name = ken_parse_name(parse, column[i], room);
        ken_strings_add(&corpus->names, name.text, name.length);
    }
    corpus->flags = count;
    parse->target = column[0];
    return ken_strings_status(&corpus->names);
}

ken_status ken_tsv_settle(struct ken_parse *parse)
{
    const struct ken_layout *layout = parse->layout;
    /* copy of the layout without a target, so that settle() finds only the input */
    struct ken_layout plain = *layout;
    bool several = layout->target_kind == KEN_TARGET_SET && layout->target &&
                   strchr(layout->target, ' ') && !is_column(parse, layout->target);
    if (layout->part && layout->hash == 0) {
        if (!layout->split)
            return ken_fail(KEN_ERR_ARGUMENT, "%s: part \"%s\" needs data.split",
                            parse->lines[0].source->name, layout->part);
        KEN_TRY(ken_parse_column(parse, &parse->split, piece(layout->split)));
    }
    if (!several) return settle(parse, "1", "2");
    plain.target_kind = KEN_TARGET_NONE;
    parse->layout = &plain;
    ken_status status = settle(parse, "1", NULL);
    parse->layout = layout;
    return status ? status : settle_flags(parse);
}

ken_status ken_columns_settle(struct ken_parse *parse)
{
    return settle(parse, "1", NULL);
}

static ken_status settle_conllu(struct ken_parse *parse)
{
    for (size_t i = 0; i < KEN_COUNT(conllu_columns); i++)
        ken_strings_add(&parse->names, conllu_columns[i].name, strlen(conllu_columns[i].name));
    KEN_TRY(ken_strings_status(&parse->names));
    KEN_TRY(settle(parse, "form", "upos"));
    size_t input = first_input(parse), most = KEN_COUNT(conllu_columns);
    if (input >= most || (parse->target != KEN_NO_COLUMN && parse->target >= most))
        return ken_fail(KEN_ERR_ARGUMENT, "%s: conllu has only %zu columns",
                        parse->lines[0].source->name, most);
    parse->columns = most;
    return KEN_OK;
}

/* Checks the id (first column) of a CoNLL-U line. The id of a word must be one more than that of
 * the word before. Ranges (3-4: words written as one) and empty nodes (5.1: words that are not
 * written) are not words, but must be in the right place. */
static ken_status check_id(struct ken_parse *parse, struct ken_piece id, bool *word)
{
    static const uint64_t most = 1000000000;
    ken_lines *lines = &parse->lines[0];
    size_t first_length = 0, last = parse->id;
    while (first_length < id.length && !strchr("-.", id.text[first_length])) first_length++;
    uint64_t first, second = 0;
    *word = first_length == id.length;
    bool range = !*word && id.text[first_length] == '-';
    if (!ken_number_whole(&first, id.text, first_length, most) ||
        (!*word && !ken_number_whole(&second, id.text + first_length + 1,
                                     id.length - first_length - 1, most)))
        return ken_lines_bad(lines, "\"%.*s\" is not an id", ken_piece_shown(id), id.text);
    /* the id is stored even if the line is bad, so that the next id is compared with it */
    if (*word) parse->id = (size_t)first;
    if (first != last + (*word || range))
        return ken_lines_bad(lines, "found id %.*s, expected %zu%s", ken_piece_shown(id), id.text,
                             last + (*word || range),
                             *word   ? ""
                             : range ? "-..."
                                     : ".1");
    if (range ? second <= first : !*word && second == 0)
        return ken_lines_bad(lines, "\"%.*s\" is not an id", ken_piece_shown(id), id.text);
    return KEN_OK;
}

/* Adds the word of the current line and its label. The word may contain spaces, but must not
 * consist of spaces only. */
static ken_status add_word(struct ken_parse *parse)
{
    struct ken_piece word = ken_parse_field(parse,
                                            *(const size_t *)(const void *)parse->inputs.data);
    if (parse->line == 0) ken_parse_begin(parse);
    if (ken_piece_trim(word).length == 0)
        return ken_lines_bad(&parse->lines[0], "the word is empty");
    KEN_TRY(ken_parse_input(parse, word));
    if (parse->target == KEN_NO_COLUMN) return KEN_OK;
    return ken_parse_target(parse, &parse->lines[0], ken_parse_field(parse, parse->target));
}

static ken_status end_sentence(struct ken_parse *parse)
{
    parse->id = 0;
    return ken_parse_finish(parse);
}

/* Reads a line of CoNLL-U. A word is a line of ten columns; a line that begins with # is a comment
 * and may be anywhere; a blank line ends a sentence, and further blank lines are ignored. */
ken_status ken_conllu_line(struct ken_parse *parse, struct ken_piece line)
{
    bool word;
    if (parse->columns == 0) KEN_TRY(settle_conllu(parse));
    if (line.length == 0) return end_sentence(parse);
    if (line.text[0] == '#') return KEN_OK;
    KEN_TRY(ken_parse_split(parse, line, '\t'));
    size_t found = ken_parse_fields(parse);
    if (found != parse->columns)
        return ken_lines_bad(&parse->lines[0], "found %zu column%s, expected %zu", found,
                             found == 1 ? "" : "s", parse->columns);
    KEN_TRY(check_id(parse, ken_parse_field(parse, 0), &word));
    if (!word) return KEN_OK;
    if (parse->target != KEN_NO_COLUMN && !conllu_columns[parse->target].nothing) {
        struct ken_piece target = ken_parse_field(parse, parse->target);
        if (target.length == 1 && target.text[0] == '_')
            return ken_lines_bad(&parse->lines[0], "%s is missing (_)",
                                 conllu_columns[parse->target].name);
    }
    return add_word(parse);
}

ken_status ken_columns_line(struct ken_parse *parse, struct ken_piece line)
{
    static const char document[] = "-DOCSTART-"; /* starts a line that separates documents */
    bool blanks = !memchr(line.text, '\t', line.length), data;
    if (blanks && ken_piece_trim(line).length == 0) return end_sentence(parse);
    if (line.length >= sizeof document - 1 && memcmp(line.text, document, sizeof document - 1) == 0)
        return end_sentence(parse);
    KEN_TRY(ken_parse_row(parse, line, blanks ? ' ' : '\t', &data));
    return data ? add_word(parse) : KEN_OK;
}

/* ---- One example per line ------------------------------------------------------------------ */

static ken_status add_flags(struct ken_parse *parse)
{
    const size_t *column = (const size_t *)(const void *)parse->flags.data;
    for (size_t i = 0; i < parse->corpus->flags; i++) {
        struct ken_piece text = ken_piece_trim(ken_parse_field(parse, column[i])), name;
        char room[32];
        bool unknown = ken_piece_missing(text);
        double number;
        float flag = NAN;
        if (!unknown && ken_number_read(&number, text.text, text.length)) flag = (float)number;
        if (!unknown && flag != 0 && flag != 1) {
            name = ken_parse_name(parse, column[i], room);
            return ken_lines_bad(&parse->lines[0], "column %.*s: \"%.*s\" is not 0, 1 or empty",
                                 ken_piece_shown(name), name.text, ken_piece_shown(text),
                                 text.text);
        }
        ken_buffer_append(&parse->corpus->numbers, &flag, sizeof flag);
    }
    return ken_buffer_status(&parse->corpus->numbers);
}

ken_status ken_tsv_line(struct ken_parse *parse, struct ken_piece line)
{
    bool data;
    KEN_TRY(ken_parse_row(parse, line, parse->separator, &data));
    if (!data) return KEN_OK;
    struct ken_piece input = ken_parse_field(parse, first_input(parse));
    if (!ken_parse_chosen(parse, input)) return KEN_OK;
    ken_parse_begin(parse);
    KEN_TRY(ken_parse_input(parse, input));
    if (parse->flags.size > 0) return add_flags(parse);
    if (parse->target == KEN_NO_COLUMN) return KEN_OK;
    return ken_parse_target(parse, &parse->lines[0], ken_parse_field(parse, parse->target));
}

/* Returns whether a quote is open at the end of a line of separated fields; `open` says whether one
 * is open at the start of the line. A quote opens only at the start of a field. Within
 * a quoted field, two quotes in a row stand for one quote character and do not close the field. */
static bool quote_open(struct ken_piece line, char separator, bool open)
{
    bool start = !open;
    for (size_t i = 0; i < line.length; i++) {
        char c = line.text[i];
        if (open && c == '"' && i + 1 < line.length && line.text[i + 1] == '"') i++;
        else if (open) open = c != '"';
        else open = start && c == '"';
        start = !open && c == separator;
    }
    return open;
}

ken_status ken_csv_end(struct ken_parse *parse)
{
    if (parse->joined.size == 0) return KEN_OK;
    parse->lines[0].number = parse->joined_line;
    ken_buffer_clear(&parse->joined);
    return ken_lines_bad(&parse->lines[0], "a quote is opened and not closed");
}

/* Reads a line of csv. A quoted field may continue in the next line; the line break is then read as
 * a space. */
ken_status ken_csv_line(struct ken_parse *parse, struct ken_piece line)
{
    ken_buffer *joined = &parse->joined;
    bool before = joined->size > 0;
    bool open = parse->quotes && quote_open(line, parse->separator, before);
    if (!before && !open) return parse->rules->row(parse, line);
    if (!before) parse->joined_line = parse->lines[0].number;
    else ken_buffer_text(joined, " ");
    ken_buffer_append(joined, line.text, line.length);
    KEN_TRY(ken_buffer_status(joined));
    if (open) return joined->size > JOINED_MOST ? ken_csv_end(parse) : KEN_OK;
    /* Messages should name the line where the record begins, so lines[0].number is changed during
     * the call of rules->row(). */
    size_t number = parse->lines[0].number;
    parse->lines[0].number = parse->joined_line;
    struct ken_piece whole = { ken_buffer_string(joined), joined->size };
    ken_status status = parse->rules->row(parse, whole);
    parse->lines[0].number = number;
    /* the record ends in this line */
    if (parse->placed == parse->joined_line) parse->placed = number;
    ken_buffer_clear(joined);
    return status;
}

/* The mark at the start of each label of fastText. A line has its labels first, followed by the
 * text. */
static const char label_mark[] = "__label__";

/* Returns the number of bytes of the label at the start of `line`, including its mark; 0 if there
 * is no label. */
static size_t leading_label(const char *line)
{
    bool there = strncmp(line, label_mark, sizeof label_mark - 1) == 0;
    return there ? strcspn(line, " \t") : 0;
}

/* Returns whether the text contains a label mark. Such a label would give the answer away to the
 * model. */
static bool hides_label(const char *line)
{
    for (; *line; line += strspn(line, " \t")) {
        if (leading_label(line) > 0) return true;
        line += strcspn(line, " \t");
    }
    return false;
}

/* Reads a line of fastText: labels, then the text. If the target is a set, there may be no label,
 * and the text may be empty. */
ken_status ken_fasttext_line(struct ken_parse *parse, struct ken_piece line)
{
    const size_t mark = sizeof label_mark - 1;
    ken_lines *lines = &parse->lines[0];
    enum ken_target_kind kind = parse->layout->target_kind;
    const char *at = line.text + strspn(line.text, " \t"), *end = line.text + line.length;
    size_t count = 0;
    if (at == end) return ken_lines_bad(lines, "the line is empty");
    ken_parse_begin(parse);
    for (size_t length; (length = leading_label(at)) > 0; count++) {
        if (length == mark) return ken_lines_bad(lines, "the label is empty");
        if (kind != KEN_TARGET_NONE)
            ken_strings_add(&parse->corpus->target, at + mark, length - mark);
        at += length;
        at += strspn(at, " \t");
    }
    if (kind == KEN_TARGET_LABEL && count != 1)
        return ken_lines_bad(lines, "found %zu labels %s..., expected one", count, label_mark);
    if (hides_label(at))
        return ken_lines_bad(lines, "found a label %s... after the text", label_mark);
    KEN_TRY(ken_strings_status(&parse->corpus->target));
    return ken_parse_input(parse, ken_piece_trim((struct ken_piece){ at, (size_t)(end - at) }));
}

/* Reads a pair of lines from two parallel files. Empty lines are examples too: leaving one out in
 * one file would shift all following pairs. */
ken_status ken_parallel_line(struct ken_parse *parse, struct ken_piece line)
{
    ken_parse_begin(parse);
    KEN_TRY(ken_parse_input(parse, line));
    return ken_parse_target(parse, &parse->lines[1], parse->other);
}

/* Reads a line of plain text. Empty lines are kept, because they mark the ends of paragraphs. */
ken_status ken_plain_line(struct ken_parse *parse, struct ken_piece line)
{
    ken_parse_begin(parse);
    return ken_parse_target(parse, &parse->lines[0], line);
}

ken_status ken_lines_line(struct ken_parse *parse, struct ken_piece line)
{
    ken_parse_begin(parse);
    return ken_parse_input(parse, line);
}
