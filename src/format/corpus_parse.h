/* corpus_parse.h - the common part of the readers of text formats: finding columns, and adding
 * examples to the corpus completely or not at all.
 *
 * A format is a function that is called for each line. It begins an example, adds to it and
 * finishes it. For a bad line it returns ken_lines_bad(), and the example of that line is left out.
 * The formats themselves are in other files. */
#ifndef FORMAT_CORPUS_PARSE_H
#define FORMAT_CORPUS_PARSE_H

#include "format/decimal.h"
#include "format/rules.h"
#include "unit/vocabulary.h"

#define KEN_NO_COLUMN SIZE_MAX

struct ken_parse {
    ken_corpus *corpus;
    const struct ken_layout *layout;
    const struct ken_rules *rules;
    ken_complaint_fn *complain;
    void *user;

    ken_lines lines[2]; /* lines of the first file, and of the second if there is one */
    /* current line of the second file, if the files are read line by line together */
    struct ken_piece other;

    struct ken_decimals decimals[2]; /* decimal marks of the first and of the second file */

    char separator;          /* tsv, csv, vectors: character between columns */
    bool quotes;             /* whether fields may be in quotes */
    ken_buffer fields;       /* array of struct ken_piece: fields of the current line */
    size_t columns;          /* number of columns of every line; 0 = not known yet */
    bool header;             /* whether the next line has the names of the columns */
    ken_strings names;       /* names of the columns; may be empty */
    ken_buffer inputs;       /* array of size_t: numbers (from 0) of the input columns */
    size_t target, sequence; /* numbers (from 0) of these columns, or KEN_NO_COLUMN */

    bool alone;       /* whether every line is an example of its own (csv: every record) */
    size_t line;      /* line where the current example begins; 0 = no example has begun */
    bool spoilt;      /* whether the current example has a bad line and will be left out */
    ken_buffer fault; /* the message about the first bad line of the current example */

    size_t id; /* conllu: id of the last word; 0 = before the first word */
    /* in format vectors: name of the current sequence; in formats nodes and graphs: temporary text
     * */
    ken_buffer together;
    /* in format vectors: number of the last line that is known to belong to a sequence */
    size_t placed;
    ken_buffer quoted; /* in format csv: copy of the current line without its quotes */
    /* in format csv: text of the lines since the opening of a quote that is still open */
    ken_buffer joined;
    /* in format csv: number of the line where the record with the open quote begins */
    size_t joined_line;
    /* Array of size_t: the numbers (from 0) of the columns of a set whose labels have a column
     * each. */
    ken_buffer flags;
    /* numbers (from 0) of the column of the part and of the column of the node's name;
     * KEN_NO_COLUMN = there is no such column */
    size_t split, node;
    /* names, in order, of the nodes (format nodes) or of the sequences (format vectors) */
    ken_vocabulary nodes;
    /* in format vectors: array of size_t, the line where each sequence in `nodes` begins */
    ken_buffer begun;
    size_t known; /* in format nodes: number of nodes with a known target */
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Splits the line into fields at `separator`: a tab, a space (several in a row count as one) or the
 * separator of a csv file, which does not count within quotes. */
ken_status ken_parse_split(struct ken_parse *parse, struct ken_piece line, char separator);
size_t ken_parse_fields(const struct ken_parse *parse);
struct ken_piece ken_parse_field(const struct ken_parse *parse, size_t column);

/* Finds the index (from 0) of a column. The column is given by its number (from 1) or by a name in
 * parse->names. */
ken_status ken_parse_column(const struct ken_parse *parse, size_t *column, struct ken_piece wanted);

/* Splits a line into fields. The first call also decides which columns are used. *data becomes
 * false if the line only has the names of the columns. Every later line must have as many columns
 * as the first. */
ken_status ken_parse_row(struct ken_parse *parse, struct ken_piece line, char separator,
                         bool *data);

/* Appends to `list`, a list of size_t, the indices of several columns, which are given by number or
 * name and separated by spaces; a name with spaces is in double quotes. */
ken_status ken_parse_columns(const struct ken_parse *parse, ken_buffer *list, const char *wanted);

/* Returns whether the current line is in the part (split) of the data that is to be read. `input`
 * is the text to hash, if the parts are defined by hashes. */
bool ken_parse_chosen(const struct ken_parse *parse, struct ken_piece input);

/* Returns the name of a column, for messages. If the column has no name, its number is written to
 * `room` and returned. */
struct ken_piece ken_parse_name(const struct ken_parse *parse, size_t column, char room[32]);

/* ---- Examples -------------------------------------------------------------------------------- */

void ken_parse_begin(struct ken_parse *parse); /* begins an example at the current line */
ken_status ken_parse_input(struct ken_parse *parse, struct ken_piece text);

/* ken_piece_unknown() returns whether the text of a label means that the label is unknown: empty or
 * "?". ken_parse_unknown() adds an unknown target: NaN, or an empty label. */
bool ken_piece_unknown(struct ken_piece text);
ken_status ken_parse_unknown(struct ken_parse *parse);

/* Adds a target of the layout's target_kind. Error messages name the current line of `where`. */
ken_status ken_parse_target(struct ken_parse *parse, ken_lines *where, struct ken_piece text);

/* Marks the current example as bad, with ken_last_error() as the reason: the reason goes to the
 * callback `complain`, and ken_parse_finish() will leave the example out. */
void ken_parse_spoil(struct ken_parse *parse);

/* Ends the current example, or drops it if it has a bad line. Does nothing if no example has
 * begun. */
ken_status ken_parse_finish(struct ken_parse *parse);

/* Completes an example, which consists of everything that was added to the corpus after the last
 * complete example. */
ken_status ken_corpus_end(ken_corpus *corpus, size_t line);

/* Appends the numbers in the `count` columns `columns` of the current line to `out`. */
ken_status ken_parse_numbers(struct ken_parse *parse, ken_lines *where, ken_buffer *out,
                             const size_t *columns, size_t count);

/* ---- Links (links.c) ------------------------------------------------------------------------- */

/* Adds a link of the current example: row `from` sees (attends to) row `to` and, unless `directed`,
 * `to` sees `from`. `numbers` has corpus->link_width entries. */
void ken_corpus_link(ken_corpus *corpus, int32_t from, int32_t to, const float *numbers,
                     bool directed);

/* Sorts the links of the current example and removes duplicate links. */
ken_status ken_corpus_sort_links(ken_corpus *corpus);

#endif
