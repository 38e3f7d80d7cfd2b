/* rules.h - the rows of the table of formats (format.c): the functions that read each format. */
#ifndef FORMAT_RULES_H
#define FORMAT_RULES_H

#include "format/corpus.h"
#include "format/lines.h"
#include "format/recognise.h"

struct ken_parse;
typedef ken_status ken_line_fn(struct ken_parse *parse, struct ken_piece line);
typedef ken_status ken_settle_fn(struct ken_parse *parse);

typedef ken_status ken_end_fn(struct ken_parse *parse);
typedef ken_status ken_whole_fn(ken_corpus *corpus, ken_source *input, ken_source *target,
                                const struct ken_layout *layout);

/* The functions that read a format. Formats made of lines have `line`, which is called for each
 * line; other formats have `whole`. */
struct ken_rules {
    struct ken_format_info info;
    ken_line_fn *line; /* reads a line of the first file; NULL = the format is read by `whole` */
    /* Reads a line of the second file, after the first file has been read; NULL = the two files are
     * read line by line together. */
    ken_line_fn *other;
    ken_end_fn *end; /* called after the last line; NULL = nothing to do at the end */
    /* For csv and vectors: reads a record. `line` first joins lines until all quotes of the record
     * are closed. */
    ken_line_fn *row;
    /* finds the columns that are used, given the first line; NULL = the format has no columns */
    ken_settle_fn *settle;
    ken_whole_fn *whole; /* reads formats that are not lines of text */
    /* judges whether a text is in the format; NULL = the format cannot be recognised */
    ken_looks_fn *looks;
};

const struct ken_rules *ken_format_rules(enum ken_format format);

/* ---- Formats (corpus_*.c) -------------------------------------------------------------------- */

ken_line_fn ken_conllu_line, ken_columns_line, ken_tsv_line, ken_csv_line, ken_fasttext_line,
    ken_parallel_line, ken_plain_line, ken_lines_line, ken_vectors_line, ken_nodes_line,
    ken_nodes_link, ken_graphs_line;
ken_settle_fn ken_columns_settle, ken_tsv_settle, ken_vectors_settle, ken_nodes_settle;
ken_end_fn ken_csv_end, ken_nodes_end;
ken_whole_fn ken_corpus_npy; /* reads npy files; `target` is NULL for KEN_TARGET_NONE */

#endif
