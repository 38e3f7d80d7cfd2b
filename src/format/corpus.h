/* corpus.h - the examples of a file as text and numbers, before they become ids.
 *
 * Each example has an input and a target, each a list of strings:
 *   conllu, columns   input: the words of a sentence                 target: one label per word
 *   tsv, csv          input: one string, the text of its column      target: its label or text, one
 *                                                                    string, or the labels of a set
 *   fasttext          input: one string, the text                    target: its labels
 *   parallel          input: one line of the first file              target: a line of the second
 *   plain             no input                                       target: one line, maybe empty
 *   lines             input: one line, maybe empty                   no target
 *   vectors, npy      rows of numbers instead of strings             labels, numbers or texts
 *   nodes             one graph in two files: a string or a row of   one label or number per node
 *                     numbers per node, and the links
 *   graphs            one graph per line, as a JSON object           labels or numbers, for each
 *                                                                    node or for the graph
 * Text is checked to be UTF-8 and normalised to NFC. A line with a byte 0, with more than 1 MiB, or
 * with another number of columns than the first line is refused. Labels lose spaces and tabs at
 * their ends. Not here: vocabularies and ids. */
#ifndef FORMAT_CORPUS_H
#define FORMAT_CORPUS_H

#include "base/buffer.h"
#include "format/layout.h"

#include <stdint.h>

typedef struct ken_corpus {
    char *path;                /* path of the first file, as the caller gave it, for messages */
    size_t count;              /* number of examples */
    ken_strings input, target; /* strings of all examples, in order */
    /* array of size_t: entry i is the number (from 1) of the line, or of the npy sequence, where
     * example i begins */
    ken_buffer line;
    /* array of size_t: entry i is the number of strings (or rows) of examples 0 to i together */
    ken_buffer input_ends, target_ends;
    ken_buffer vectors; /* array of float: rows of `width` numbers, used instead of `input` */
    size_t width;
    /* Array of float: targets that are numbers, stored here instead of in `target`.
     * KEN_TARGET_NUMBER has one number per target; a KEN_TARGET_SET with several columns has
     * `flags` numbers per example. */
    ken_buffer numbers;
    /* for KEN_TARGET_SET: number of columns that hold flags; 0 = one column lists the labels */
    size_t flags;
    ken_strings names; /* for KEN_TARGET_SET: names of the `flags` columns */
    ken_strings nodes; /* in format nodes: names of the nodes, in the order of the file */
    /* in format vectors: names of the columns of numbers; without a header line, their numbers */
    ken_strings columns;
    /* array of size_t: number of missing values (NaN) in each column of `vectors` */
    ken_buffer missing;
    /* number of rows in the files, counted before sequences are cut into windows */
    size_t rows_read;
    char separator; /* csv, vectors: separator of the file that was read last */
    /* decimal mark, '.' or ',', of the file that was read last; 0 = its numbers have none */
    char decimal;
    /* whether each input string is one row (conllu, columns, nodes) and not a text */
    bool words;

    /* Graphs: a link is a pair of rows, counted from the first row of its example. */
    bool linked;
    ken_buffer links; /* array of int32_t: two row numbers per link */
    /* array of size_t: entry i is the number of links of examples 0 to i */
    ken_buffer link_ends;
    ken_buffer link_numbers; /* array of float: `link_width` numbers per link */
    size_t link_width;

    /* The caller sets `keeps_bad` before reading to have examples with a bad line listed in `bad`
     * and `bad_before` and left out; a bad line is then no failure. */
    bool keeps_bad;
    ken_strings bad; /* message about the first bad line of each left-out example */
    /* array of size_t: number of good examples before each left-out example */
    ken_buffer bad_before;
} ken_corpus;

/* A callback for bad lines; `what` is the message and begins with "file:line: ". */
typedef void ken_complaint_fn(void *user, const char *what);

/* Adds the examples of the file `path` to the corpus; { 0 } is an empty corpus. `second` is the
 * file of the targets (parallel, npy) or of the links (nodes); NULL for other formats, and for
 * targets if they are not read (KEN_TARGET_NONE). Files may be compressed with gzip. If `complain`
 * is NULL and corpus->keeps_bad is not set, the first bad line fails with KEN_ERR_FORMAT and a
 * message "file:line: ..." that says what was expected. Otherwise each bad line is reported to
 * `complain`, if given, and its example is left out. A file without any example, good or kept as
 * bad, fails with KEN_ERR_FORMAT. After a failure the corpus can only be released. */
ken_status ken_corpus_read(ken_corpus *corpus, const char *path, const char *second,
                           const struct ken_layout *layout, ken_complaint_fn *complain, void *user);

/* A text in memory, from a program or a pipe, to be read like a file; messages use `name` instead
 * of a path. */
struct ken_text {
    const char *name, *text;
    size_t size;
};
ken_status ken_corpus_parse_two(ken_corpus *corpus, const struct ken_text *first,
                                const struct ken_text *second, const struct ken_layout *layout,
                                ken_complaint_fn *complain, void *user);
ken_status ken_corpus_parse(ken_corpus *corpus, const char *name, const char *text, size_t size,
                            const struct ken_layout *layout, ken_complaint_fn *complain,
                            void *user);
void ken_corpus_release(ken_corpus *corpus);

/* Frees the memory of the inputs and links and, unless `targets` is set, of the targets. The path
 * and the line numbers are kept for messages. */
void ken_corpus_thin(ken_corpus *corpus, bool targets);

/* ken_corpus_input_start(), ken_corpus_target_start() and ken_corpus_link_start() return the index
 * of the first input string (or row), target and link of example i. For i = count they return the
 * end of the last example. */
size_t ken_corpus_input_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_target_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_link_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_line(const ken_corpus *corpus, size_t i);

/* Returns the number of good examples that come before bad example j; corpus->count if there are
 * not that many bad examples. */
size_t ken_corpus_bad_before(const ken_corpus *corpus, size_t j);

/* Returns whether examples i and j have the same input: equal strings or rows, and equal links with
 * equal numbers. */
bool ken_corpus_same_input(const ken_corpus *corpus, size_t i, size_t j);

#endif
