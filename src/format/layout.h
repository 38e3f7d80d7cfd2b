/* layout.h - how a file is to be read: its format, columns and separator, and which part (split) of
 * it. In training the layout comes from the recipe; afterwards it comes from the trained model. */
#ifndef FORMAT_LAYOUT_H
#define FORMAT_LAYOUT_H

#include "base/status.h"
#include "format/format.h"

#include <stdint.h>

/* A function that checks an input text. If it returns KEN_ERR_FORMAT, the line with the text is
 * treated like any other bad line. */
typedef ken_status ken_valid_fn(const char *text, size_t length);

/* The layout says in which columns of a file the input and the target of an example are. A column
 * is given by its number, from 1, or by a name: a name of the format (conllu: form, lemma, upos,
 * xpos, feats, deprel) or, if `header` is set, a name in the file's first line. The default columns
 * of input and target are form and upos (conllu), 1 and 2 (tsv, csv), 1 and the last (columns); the
 * default target of vectors is the last column. The targets of an npy file are in a second file:
 * one per sequence or, with `each`, one per row. */
struct ken_layout {
    enum ken_format format;
    enum ken_target_kind target_kind;
    /* vectors, npy: whether each row has a target; otherwise each sequence has one, in its first
     * row. */
    bool each;
    bool header; /* tsv, columns, vectors: whether the first line has the names of the columns */
    /* Columns of the input, separated by spaces. NULL = the default of the format; the default of
     * vectors is all columns that are neither sequence nor target. */
    const char *input;
    const char *target; /* column of the target */
    /* in format vectors: the column whose value names the sequence of a row. NULL = no such column:
     * with `each` all rows are one sequence, otherwise every row is a sequence of its own. */
    const char *sequence;
    size_t first_line; /* number of the first line, for messages; the default 0 means 1 */
    const char *node;  /* in format nodes: column of the node's name; NULL = the first column */
    /* in format nodes: whether the input is columns of numbers instead of a column of text */
    bool numbers;
    bool indices;        /* in format graphs: whether a node may be a list of indices */
    ken_valid_fn *valid; /* function that checks each input text; NULL = any text is accepted */
    size_t
        width; /* in formats vectors, npy, graphs: how many numbers a row has; 0 = not known yet */
    /* in format graphs: how many numbers each link has; NULL = as many as the first link */
    const size_t *link_width;
    /* in formats csv and vectors: character between columns; 0 = found from the first lines */
    char separator;
    /* decimal mark of numbers in text, '.' or ','; 0 = found from the numbers of the file */
    char decimal;
    /* For vectors and npy: each sequence is cut into windows of `window` rows; 0 = it is not cut. A
     * window begins every `stride` rows. The target of a window is that of the row `horizon` rows
     * after its last row. With windows, `part` is a range of percent, "0-80", of the rows of each
     * sequence. */
    size_t window, stride, horizon;
    /* for nodes and graphs: whether links have one direction, so that only the first node of a link
     * sees (attends to) the second */
    bool directed;

    /* For tsv, csv and nodes: which part (split) of a file is read. The column `split` has the name
     * of each line's part; or, if `hash` > 0, the part of a line is the FNV-1a hash of its input
     * modulo `hash`. `part` is the part to read; for hashes it may be a range, "2-9". In a file of
     * nodes all nodes are read, but only the targets of the part. */
    const char *split;
    size_t hash;
    const char *part; /* part to read; NULL = all parts */
};

#endif
