/* corpus_parse.h - what the readers of text formats share: columns, and examples that are there
 * complete or not at all.
 *
 * A format is a function that is handed one line after another. It begins an example, adds to it
 * and finishes it; a line that is wrong ends in ken_lines_bad(), which spoils the example it
 * belongs to. Not here: any one format. */
#ifndef DATA_CORPUS_PARSE_H
#define DATA_CORPUS_PARSE_H

#include "data/corpus.h"
#include "data/lines.h"

#define KEN_NO_COLUMN SIZE_MAX

struct ken_parse;
typedef ken_status ken_line_fn(struct ken_parse *parse, struct ken_piece line);
typedef ken_status ken_settle_fn(struct ken_parse *parse);

struct ken_rules {
    const char *name;
    unsigned targets;      /* bits 1 << enum ken_target_kind: those that make sense        */
    bool one;              /* each line is an example                                      */
    bool words;            /* each line is a word                                          */
    ken_line_fn *line;     /* NULL: not lines of text                                      */
    ken_settle_fn *settle; /* finds the columns when the first row is there; NULL: none    */
};

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

    size_t id;           /* conllu: of the last word; 0 before the first                   */
    ken_buffer together; /* vectors: what all rows of the sequence have in common          */
};

/* ---- Columns --------------------------------------------------------------------------------- */

/* Cuts the line at tabs or, with `blanks`, at runs of blanks. */
ken_status ken_parse_split(struct ken_parse *parse, struct ken_piece line, bool blanks);
size_t ken_parse_fields(const struct ken_parse *parse);
struct ken_piece ken_parse_field(const struct ken_parse *parse, size_t column);

/* Index of a column that is wanted by number or by one of parse->names. */
ken_status ken_parse_column(const struct ken_parse *parse, size_t *column, struct ken_piece wanted);

/* As the first one on, a row has to have the same number of columns, and all that are used. The
 * first row settles which these are; *data is false when it only named them. */
ken_status ken_parse_row(struct ken_parse *parse, struct ken_piece line, bool blanks, bool *data);

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

/* ---- Formats (corpus_lines.c, corpus_vectors.c, corpus_npy.c) -------------------------------- */

ken_line_fn ken_conllu_line, ken_columns_line, ken_tsv_line, ken_fasttext_line, ken_parallel_line,
    ken_plain_line, ken_lines_line, ken_vectors_line;
ken_settle_fn ken_columns_settle, ken_tsv_settle, ken_vectors_settle;

/* `target` is NULL for KEN_TARGET_NONE. */
ken_status ken_corpus_npy(ken_corpus *corpus, ken_source *input, ken_source *target,
                          const struct ken_layout *layout);

#endif
