/* corpus_parse.h - what the readers of text formats share: columns, and examples that are there
 * complete or not at all.
 *
 * A format is a function that is handed one line after another. It begins an example, adds to it
 * and finishes it; a line that is wrong ends in ken_lines_bad(), which spoils the example it
 * belongs to. Not here: any one format. */
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

/* How a format is read: line by line, or by one function. */
struct ken_rules {
    struct ken_format_info info;
    ken_line_fn *line;     /* NULL: `whole` reads it                                              */
    ken_line_fn *other;    /* a line of the second file, which is read after the first; NULL: the
                            * two files are read in step, line by line                            */
    ken_end_fn *end;       /* called when everything is read; NULL: nothing to do                 */
    char separator;        /* between columns; 0: tabs                                            */
    ken_settle_fn *settle; /* finds the columns when the first row is there; NULL: no columns     */
    ken_whole_fn *whole;   /* reads formats that are not lines of text                            */
};

const struct ken_rules *ken_format_rules(enum ken_format format);

struct ken_parse {
    ken_corpus *corpus;
    const struct ken_layout *layout;
    const struct ken_rules *rules;
    ken_complaint_fn *complain;
    void *user;

    ken_lines lines[2];     /* of the file and, in parallel, of the second one             */
    struct ken_piece other; /* the line of the second                                      */

    ken_buffer fields;       /* struct ken_piece each: the columns of the line             */
    size_t columns;          /* that a line has to have; 0 while unknown                   */
    bool header;             /* the next line names the columns                            */
    ken_strings names;       /* which are these; or none                                   */
    ken_buffer inputs;       /* size_t each: columns of the input, from 0                  */
    size_t target, sequence; /* columns from 0, or KEN_NO_COLUMN                           */

    size_t line; /* where the current example begins; 0: there is none                     */
    bool spoilt; /* a bad line belongs to it                                               */

    size_t id;            /* conllu: of the last word; 0 before the first                   */
    ken_buffer together;  /* vectors: what all rows of the sequence have in common          */
    ken_buffer quoted;    /* csv: the line, its fields without their quotes                 */
    ken_buffer joined;    /* csv: lines of which the last one leaves a quote open           */
    size_t joined_line;   /* where it is opened                                             */
    ken_buffer flags;     /* size_t each: columns of a set, from 0                          */
    size_t split, node;   /* columns from 0, or KEN_NO_COLUMN                               */
    ken_vocabulary nodes; /* nodes: their names, in order                                  */
    size_t known;         /* nodes: how many have a target that is read                    */
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Cuts the line at tabs, at runs of blanks, or at commas that are not within quotes. */
ken_status ken_parse_split(struct ken_parse *parse, struct ken_piece line, char separator);
size_t ken_parse_fields(const struct ken_parse *parse);
struct ken_piece ken_parse_field(const struct ken_parse *parse, size_t column);

/* Index of a column that is wanted by number or by one of parse->names. */
ken_status ken_parse_column(const struct ken_parse *parse, size_t *column, struct ken_piece wanted);

/* As the first one on, a row has to have the same number of columns, and all that are used. The
 * first row settles which these are; *data is false when it only named them. */
ken_status ken_parse_row(struct ken_parse *parse, struct ken_piece line, char separator,
                         bool *data);

/* Columns by number or name, with blanks between, into a list of size_t. */
ken_status ken_parse_columns(const struct ken_parse *parse, ken_buffer *list, const char *wanted);

/* Does the current line belong to the part that is read? `input` is what its hash is taken of. */
bool ken_parse_chosen(const struct ken_parse *parse, struct ken_piece input);

/* How a message calls a column; `room` is for those without a name. */
struct ken_piece ken_parse_name(const struct ken_parse *parse, size_t column, char room[32]);

/* ---- Examples -------------------------------------------------------------------------------- */

void ken_parse_begin(struct ken_parse *parse); /* an example begins in the current line */
ken_status ken_parse_input(struct ken_parse *parse, struct ken_piece text);

/* By the layout's kind of target. `where` is whose line a complaint is about. */
ken_status ken_parse_target(struct ken_parse *parse, ken_lines *where, struct ken_piece text);

/* The example is complete, and forgotten when it was spoilt. Nothing without one. */
ken_status ken_parse_finish(struct ken_parse *parse);

/* What was added to the corpus since the last example is the next one. */
ken_status ken_corpus_end(ken_corpus *corpus, size_t line);

/* Numbers of the fields in `columns`, `count` of them, behind `out`. */
ken_status ken_parse_numbers(struct ken_parse *parse, ken_lines *where, ken_buffer *out,
                             const size_t *columns, size_t count);

/* ---- Links (links.c) ------------------------------------------------------------------------- */

/* Row `to` is seen from row `from` of the current example, and unless it is directed the other way
 * round; `numbers` has corpus->link_width. */
void ken_corpus_link(ken_corpus *corpus, int32_t from, int32_t to, const float *numbers,
                     bool directed);

/* Brings the links of the current example in order, and leaves out what is there twice. */
ken_status ken_corpus_sort_links(ken_corpus *corpus);

/* ---- Formats (corpus_*.c) -------------------------------------------------------------------- */

ken_line_fn ken_conllu_line, ken_columns_line, ken_tsv_line, ken_csv_line, ken_fasttext_line,
    ken_parallel_line, ken_plain_line, ken_lines_line, ken_vectors_line, ken_nodes_line,
    ken_nodes_link, ken_graphs_line;
ken_settle_fn ken_columns_settle, ken_tsv_settle, ken_vectors_settle, ken_nodes_settle;
ken_end_fn ken_csv_end, ken_nodes_end;
ken_whole_fn ken_corpus_npy; /* `target` is NULL for KEN_TARGET_NONE */

#endif
