/* corpus_parse.h - the common part of the readers of text formats: finding columns, and adding
 * examples to the corpus completely or not at all.
 *
 * A format is a function that is called with one line after another. It begins an example, adds to
 * it and finishes it. A bad line ends in ken_lines_bad(), and the example that it belongs to is
 * left out. Not here: any particular format. */
#ifndef FORMAT_CORPUS_PARSE_H
#define FORMAT_CORPUS_PARSE_H

#include "format/corpus.h"
#include "format/lines.h"
#include "unit/vocabulary.h"

#define KEN_NO_COLUMN SIZE_MAX

struct ken_parse;
typedef ken_status ken_line_fn(struct ken_parse *parse, struct ken_piece line);
typedef ken_status ken_settle_fn(struct ken_parse *parse);

typedef ken_status ken_end_fn(struct ken_parse *parse);
typedef ken_status ken_whole_fn(ken_corpus *corpus, ken_source *input, ken_source *target,
                                const struct ken_layout *layout);

/* How a format is read: line by line with `line`, or by one function, `whole`. */
struct ken_rules {
    struct ken_format_info info;
    ken_line_fn *line;     /* reads a line of the first file; NULL = `whole` reads the format */
    ken_line_fn *other;    /* reads a line of the second file after the first file is read; NULL
                            * = both files are read in step, line by line */
    ken_end_fn *end;       /* called when everything is read; NULL = nothing to do */
    char separator;        /* between columns; 0 = tab                             */
    ken_settle_fn *settle; /* finds the columns when the first row is known; NULL = the format
                            * has no columns */
    ken_whole_fn *whole;   /* reads formats that are not lines of text */
};

const struct ken_rules *ken_format_rules(enum ken_format format);

struct ken_parse {
    ken_corpus *corpus;
    const struct ken_layout *layout;
    const struct ken_rules *rules;
    ken_complaint_fn *complain;
    void *user;

    ken_lines lines[2];     /* of the first file, and of the second if there is one          */
    struct ken_piece other; /* the current line of the second file, if they are read in step */

    ken_buffer fields;       /* struct ken_piece each: the columns of the line     */
    size_t columns;          /* number of columns of every line; 0 = not known yet */
    bool header;             /* the next line has the names of the columns         */
    ken_strings names;       /* the names of the columns; may be empty             */
    ken_buffer inputs;       /* size_t each: columns of the input, from 0          */
    size_t target, sequence; /* columns from 0, or KEN_NO_COLUMN                   */

    size_t line; /* line where the current example begins; 0 = there is none */
    bool spoilt; /* it has a bad line and will be left out                   */

    size_t id;            /* conllu: number of the last word; 0 = before the first */
    ken_buffer together;  /* vectors: the name of the current sequence; also scratch space of
                           * nodes and graphs */
    ken_buffer quoted;    /* csv: a copy of the line, in which quotes are removed */
    ken_buffer joined;    /* csv: the lines of an open quote, joined              */
    size_t joined_line;   /* csv: the line where that quote opens                 */
    ken_buffer flags;     /* size_t each: columns of a set, one per label, from 0 */
    size_t split, node;   /* columns from 0, or KEN_NO_COLUMN                     */
    ken_vocabulary nodes; /* nodes: their names, in order                         */
    size_t known;         /* nodes: number of targets that are read and known     */
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Cuts the line at tabs, at runs of spaces, or at commas outside quotes. */
ken_status ken_parse_split(struct ken_parse *parse, struct ken_piece line, char separator);
size_t ken_parse_fields(const struct ken_parse *parse);
struct ken_piece ken_parse_field(const struct ken_parse *parse, size_t column);

/* The index (from 0) of a column that is given by its number (from 1) or by a name in
 * parse->names. */
ken_status ken_parse_column(const struct ken_parse *parse, size_t *column, struct ken_piece wanted);

/* Splits a line. The first row settles which columns are used; *data is false if it only has their
 * names. Every other row must have as many columns as the first, and all columns that are used. */
ken_status ken_parse_row(struct ken_parse *parse, struct ken_piece line, char separator,
                         bool *data);

/* Appends the indices of several columns, given by number or name and separated by spaces, to a
 * list of size_t. */
ken_status ken_parse_columns(const struct ken_parse *parse, ken_buffer *list, const char *wanted);

/* Whether the current line belongs to the part that is read; `input` is the text that is hashed. */
bool ken_parse_chosen(const struct ken_parse *parse, struct ken_piece input);

/* The name of a column for messages: its own, or its number, which is written to `room`. */
struct ken_piece ken_parse_name(const struct ken_parse *parse, size_t column, char room[32]);

/* ---- Examples -------------------------------------------------------------------------------- */

void ken_parse_begin(struct ken_parse *parse); /* at the current line */
ken_status ken_parse_input(struct ken_parse *parse, struct ken_piece text);

/* Adds a target, whose kind the layout gives. `where` is the file whose line a complaint names. */
ken_status ken_parse_target(struct ken_parse *parse, ken_lines *where, struct ken_piece text);

/* Ends the current example, or drops it if it has a bad line. Does nothing if there is no
 * example. */
ken_status ken_parse_finish(struct ken_parse *parse);

/* Makes everything that was added to the corpus since the last example the next example. */
ken_status ken_corpus_end(ken_corpus *corpus, size_t line);

/* Appends the numbers of the `count` fields in `columns` to `out`. */
ken_status ken_parse_numbers(struct ken_parse *parse, ken_lines *where, ken_buffer *out,
                             const size_t *columns, size_t count);

/* ---- Links (links.c) ------------------------------------------------------------------------- */

/* Adds a link of the current example: row `from` sees (attends to) row `to` and, unless `directed`,
 * the other way round. `numbers` has corpus->link_width entries. */
void ken_corpus_link(ken_corpus *corpus, int32_t from, int32_t to, const float *numbers,
                     bool directed);

/* Sorts the links of the current example and removes duplicates. */
ken_status ken_corpus_sort_links(ken_corpus *corpus);

/* ---- Formats (corpus_*.c) -------------------------------------------------------------------- */

ken_line_fn ken_conllu_line, ken_columns_line, ken_tsv_line, ken_csv_line, ken_fasttext_line,
    ken_parallel_line, ken_plain_line, ken_lines_line, ken_vectors_line, ken_nodes_line,
    ken_nodes_link, ken_graphs_line;
ken_settle_fn ken_columns_settle, ken_tsv_settle, ken_vectors_settle, ken_nodes_settle;
ken_end_fn ken_csv_end, ken_nodes_end;
ken_whole_fn ken_corpus_npy; /* `target` is NULL for KEN_TARGET_NONE */

#endif
