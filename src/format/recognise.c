/* recognise.c - one function for each format that can be recognised by its first lines. When in
 * doubt, a text is taken for plain lines, because a table that is read as plain lines only gets odd
 * answers, but a sentence that is read as a table loses words. Therefore commas alone prove
 * nothing; column names, known labels, tabs, or many lines with equally many columns do. */
#include "format/recognise.h"

#include "base/number.h"
#include "base/size.h"
#include "format/corpus_parse.h"

#include <string.h>

/* At most SAMPLE_MOST bytes and LINES_MOST lines are examined. If no label proves the format, at
 * least SEVERAL lines must have equally many columns. At most FIELDS_MOST fields of a line are
 * stored. */
enum { SAMPLE_MOST = 1 << 16, LINES_MOST = 64, SEVERAL = 8, FIELDS_MOST = 64 };

/* ---- lines and fields ------------------------------------------------------------------------ */

/* Takes the next line from the text, without its line end. Returns false at the end. */
static bool next_line(struct ken_sample *rest, struct ken_piece *line)
{
    if (rest->size == 0) return false;
    const char *newline = memchr(rest->text, '\n', rest->size);
    size_t length = newline ? (size_t)(newline - rest->text) : rest->size;
    *line = (struct ken_piece){ rest->text, length };
    if (length > 0 && line->text[length - 1] == '\r') line->length--;
    rest->text += length + (newline != NULL);
    rest->size -= length + (newline != NULL);
    return true;
}

/* Takes the next line that is not blank, without its indentation. */
static bool next_full_line(struct ken_sample *rest, struct ken_piece *line)
{
    while (next_line(rest, line)) {
        struct ken_piece text = ken_piece_trim(*line);
        if (text.length == 0) continue;
        line->length -= (size_t)(text.text - line->text);
        line->text = text.text;
        return true;
    }
    return false;
}

static bool starts_with(struct ken_piece line, const char *words)
{
    size_t length = strlen(words);
    return line.length >= length && memcmp(line.text, words, length) == 0;
}

static bool has_tab(struct ken_piece line)
{
    return memchr(line.text, '\t', line.length) != NULL;
}

struct fields {
    struct ken_piece list[FIELDS_MOST];
    /* number of fields of the line; may exceed FIELDS_MOST, the number that is stored */
    size_t count;
    bool spaced; /* whether a space follows a comma or semicolon, as in a sentence */
};

/* Splits a line at a separator. A field in quotes may contain the separator; the quotes are not
 * part of the field. If the separator is a space, several spaces in a row separate only once. */
static void split(struct fields *fields, struct ken_piece line, char separator)
{
    const char *at = line.text, *end = at + line.length;
    *fields = (struct fields){ .count = 0 };
    for (;; at++) {
        while (separator == ' ' && at < end && *at == ' ') at++;
        bool quoted = separator != '\t' && separator != ' ' && at < end && *at == '"';
        const char *from = at + quoted;
        if (strchr(",;", separator) && fields->count > 0 && at < end && *at == ' ')
            fields->spaced = true;
        if (quoted)
            for (at++; at < end && (*at != '"' || (at + 1 < end && at[1] == '"'));)
                at += *at == '"' ? 2 : 1;
        const char *to = at < end ? at : end;
        while (at < end && *at != separator) at++;
        if (!quoted) to = at;
        if (fields->count < FIELDS_MOST)
            fields->list[fields->count] = (struct ken_piece){ from, (size_t)(to - from) };
        fields->count += separator != ' ' || to > from;
        if (at >= end) return;
    }
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Returns the first of the columns that `columns`, a value of the recipe, lists; empty if there is
 * none. */
static struct ken_piece first_word(const char *columns)
{
    if (!columns) return (struct ken_piece){ "", 0 };
    columns += strspn(columns, " ");
    return (struct ken_piece){ columns, strcspn(columns, " ") };
}

/* Returns the index, from 0, of a column that the recipe gives by its number, from 1; KEN_NO_COLUMN
 * if the recipe gives it by name. */
static size_t numbered(struct ken_piece column)
{
    uint64_t number;
    bool good = ken_number_whole(&number, column.text, column.length, FIELDS_MOST) && number > 0;
    return good ? (size_t)number - 1 : KEN_NO_COLUMN;
}

/* Returns the index, from 0, of the field with this text; KEN_NO_COLUMN if there is none. */
static size_t named(const struct fields *header, struct ken_piece column)
{
    for (size_t i = 0; i < ken_size_min(header->count, FIELDS_MOST); i++) {
        struct ken_piece name = header->list[i];
        if (name.length == column.length && memcmp(name.text, column.text, name.length) == 0)
            return i;
    }
    return KEN_NO_COLUMN;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Counts of the properties that the lines of a table have in common. */
struct tally {
    size_t lines;   /* number of lines that were examined */
    size_t columns; /* number of columns of the first line */
    size_t equal;   /* number of lines with `columns` columns and no space after a separator */
    size_t known;   /* number of lines counted in `equal` whose target the model knows */
    /* number of lines in `known` whose target is a code such as B-PER, not a lower-case word */
    size_t codes;
    bool first; /* whether the model knows the target of the first line */
};

/* Returns whether a text is not simply a word of the letters a to z. */
static bool is_code(struct ken_piece text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.text[i] < 'a' || text.text[i] > 'z') return true;
    return false;
}

/* Counts the properties of the lines of a table. `target` is the column of the target;
 * KEN_NO_COLUMN = the last column. `separator` = 0 means tabs or, in a line without tabs,
 * spaces. */
static struct tally tally_lines(struct ken_sample *rest, char separator, size_t target)
{
    struct tally tally = { 0 };
    struct ken_piece line;
    struct fields fields;
    while (tally.lines < LINES_MOST && next_full_line(rest, &line)) {
        if (separator) split(&fields, line, separator);
        else split(&fields, line, has_tab(line) ? '\t' : ' ');
        if (tally.lines++ == 0) tally.columns = fields.count;
        if (fields.count != tally.columns || fields.spaced) continue;
        tally.equal++;
        size_t column = target == KEN_NO_COLUMN ? fields.count - 1 : target;
        if (column >= ken_size_min(fields.count, FIELDS_MOST)) continue;
        struct ken_piece text = fields.list[column];
        if (!rest->known(rest->user, text.text, text.length)) continue;
        tally.known++;
        tally.codes += is_code(text);
        if (tally.lines == 1) tally.first = true;
    }
    return tally;
}

/* Returns whether `part` lines are at least three quarters of all lines; the other lines may be
 * bad. */
static bool most(size_t part, const struct tally *tally)
{
    return 4 * part >= 3 * tally->lines;
}

/* Judges a table whose first line, `header`, may have column names. If the header has the name that
 * the recipe gives for the input column, the text is a table. Otherwise, many lines with equally
 * many columns may be a table with other column names. */
static enum ken_likeness judge_names(struct ken_sample *rest, const struct fields *header,
                                     char separator, struct ken_piece input)
{
    if (header->spaced) return KEN_UNLIKE;
    if (named(header, input) != KEN_NO_COLUMN) return header->count > 1 ? KEN_LIKE : KEN_MAYBE;
    if (header->count < 2) return KEN_UNLIKE;
    if (separator == '\t') return KEN_MAYBE;
    struct tally tally = tally_lines(rest, separator, KEN_NO_COLUMN);
    bool table = tally.equal >= SEVERAL && most(tally.equal, &tally) &&
                 tally.columns == header->count;
    return table ? KEN_MAYBE : KEN_UNLIKE;
}

/* Judges a table by its lines alone, because it has no column names or the recipe gives none. */
static enum ken_likeness judge_lines(struct ken_sample *rest, char separator, size_t input,
                                     size_t target)
{
    struct tally tally = tally_lines(rest, separator, target);
    if (tally.columns < 2) return KEN_UNLIKE;
    if (separator == '\t') return tally.first && input < tally.columns ? KEN_LIKE : KEN_MAYBE;
    if (input >= tally.columns) return KEN_UNLIKE;
    if (rest->telling && most(tally.known, &tally)) return tally.known > 1 ? KEN_LIKE : KEN_MAYBE;
    return tally.equal >= SEVERAL && most(tally.equal, &tally) ? KEN_LIKE : KEN_UNLIKE;
}

static enum ken_likeness table_looks(const struct ken_sample *sample, char separator)
{
    const struct ken_layout *layout = sample->layout;
    struct ken_sample rest = *sample;
    struct ken_piece input = first_word(layout->input), target = first_word(layout->target), line;
    struct fields header = { .count = 0 };
    size_t at = input.length > 0 ? numbered(input) : 0;
    size_t aim = target.length > 0 ? numbered(target) : 1;
    if (layout->header) {
        if (!next_full_line(&rest, &line)) return KEN_UNLIKE;
        split(&header, line, separator);
        if (at == KEN_NO_COLUMN) return judge_names(&rest, &header, separator, input);
        if (aim == KEN_NO_COLUMN) aim = named(&header, target);
    }
    return judge_lines(&rest, separator, at == KEN_NO_COLUMN ? 0 : at, aim);
}

/* Judges whether a text is a tsv table: its columns are separated by tabs, which sentences do not
 * contain. */
enum ken_likeness ken_tsv_looks(const struct ken_sample *sample)
{
    return table_looks(sample, '\t');
}

/* Judges whether a text is a csv table. Every text has commas and semicolons, so there must also be
 * known column names, known labels, or many lines with equally many separators and no space after
 * them. Comma, semicolon and the separator of the training file are tried. A table with another
 * separator than in training is still recognised, so that reading it fails instead of giving
 * answers to raw lines. */
enum ken_likeness ken_csv_looks(const struct ken_sample *sample)
{
    const char separators[] = { ',', ';', sample->layout->separator };
    enum ken_likeness most_like = KEN_UNLIKE;
    for (size_t i = 0; i < KEN_COUNT(separators) && separators[i]; i++) {
        enum ken_likeness like = table_looks(sample, separators[i]);
        if (like > most_like) most_like = like;
    }
    return most_like;
}

/* ---- one word per line ----------------------------------------------------------------------- */

/* Judges whether a text is CoNLL-U: first comments, some of which have a fixed form, then a line of
 * ten columns whose id is 1, 1-N (a word that is several words) or 0.1 (an unwritten word). */
enum ken_likeness ken_conllu_looks(const struct ken_sample *sample)
{
    static const char *const comments[] = { "# sent_id", "# newdoc", "# newpar",
                                            "# text = ", "# global.columns" };
    struct ken_sample rest = *sample;
    struct ken_piece line;
    struct fields fields;
    while (next_full_line(&rest, &line)) {
        for (size_t i = 0; i < KEN_COUNT(comments); i++)
            if (starts_with(line, comments[i])) return KEN_LIKE;
        if (line.text[0] == '#') continue;
        split(&fields, line, '\t');
        bool id = starts_with(line, "1\t") || starts_with(line, "1-") || starts_with(line, "0.1\t");
        return fields.count == 10 && id ? KEN_LIKE : KEN_UNLIKE;
    }
    return KEN_UNLIKE;
}

/* Judges whether a text has one word per line, in columns. The proof is two lines whose targets the
 * model knows, or one such line with tabs. If targets are ordinary words, sentences may end in them
 * by chance, so many lines must agree. */
enum ken_likeness ken_columns_looks(const struct ken_sample *sample)
{
    struct ken_sample rest = *sample;
    struct ken_piece line = { "", 0 }, target = first_word(sample->layout->target);
    if (!sample->layout->each) return KEN_UNLIKE;
    if (sample->layout->header && !next_full_line(&rest, &line)) return KEN_UNLIKE;
    struct ken_sample first = rest;
    bool tabs = next_full_line(&first, &line) && has_tab(line);
    struct tally tally = tally_lines(&rest, 0, numbered(target));
    if (tally.columns < 2) return KEN_UNLIKE;
    size_t enough = tabs ? 1 : sample->telling && most(tally.codes, &tally) ? 2 : SEVERAL;
    if (tally.known >= enough && most(tally.known, &tally)) return KEN_LIKE;
    return tabs ? KEN_MAYBE : KEN_UNLIKE;
}

/* ---- formats with a mark --------------------------------------------------------------------- */

enum ken_likeness ken_fasttext_looks(const struct ken_sample *sample)
{
    struct ken_sample rest = *sample;
    struct ken_piece line;
    bool marked = next_full_line(&rest, &line) && starts_with(line, "__label__");
    return marked ? KEN_LIKE : KEN_UNLIKE;
}

enum ken_likeness ken_npy_looks(const struct ken_sample *sample)
{
    struct ken_piece start = { sample->text, sample->size };
    return starts_with(start, "\x93NUMPY") ? KEN_LIKE : KEN_UNLIKE;
}

/* ---- all formats ----------------------------------------------------------------------------- */

enum ken_likeness ken_format_likeness(enum ken_format format, const struct ken_sample *sample)
{
    ken_looks_fn *looks = ken_format_rules(format)->looks;
    struct ken_sample head = *sample;
    if (!looks || head.size == 0) return KEN_UNLIKE;
    if (head.size > SAMPLE_MOST) { /* the last line that fits may be cut off, so it is dropped */
        head.size = SAMPLE_MOST;
        while (head.size > 0 && head.text[head.size - 1] != '\n') head.size--;
        if (head.size == 0) head.size = SAMPLE_MOST;
    }
    if (head.size >= 3 && memcmp(head.text, "\xef\xbb\xbf", 3) == 0) head.text += 3, head.size -= 3;
    return looks(&head);
}
