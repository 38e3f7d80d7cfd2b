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
#include "format/format.h"

#include <stdint.h>

/* Checks an input text. KEN_ERR_FORMAT refuses it, and its line is treated like any other bad
 * line. */
typedef ken_status ken_valid_fn(const char *text, size_t length);

/* The layout says where the input and the target of an example stand in a file. Columns are numbers
 * from 1, or names: names of the format (conllu: form, lemma, upos, xpos, feats, deprel), or those
 * of the file's first line if `header` is set. The default columns of input and target are form and
 * upos (conllu), 1 and 2 (tsv, csv), 1 and the last (columns); the default target of vectors is the
 * last column. The targets of an npy file are in a second file: one per sequence or, with `each`,
 * one per row. */
struct ken_layout {
    enum ken_format format;
    enum ken_target_kind target_kind;
    bool each;            /* vectors, npy: one target per row; else one per sequence, in its first
                           * row */
    bool header;          /* tsv, columns, vectors: the first line names the columns */
    const char *input;    /* column(s) of the input; vectors: separated by spaces, NULL = all
                           * others */
    const char *target;   /* column of the target */
    const char *sequence; /* vectors: the column whose value names the sequence; NULL = with
                           * `each` all rows are one sequence, else every row is a sequence */
    size_t first_line;    /* number of the first line, for messages; 0 = 1                  */
    const char *node;     /* nodes: column of the node's name; NULL = the first             */
    bool numbers;         /* nodes: the input is columns of numbers, not a column of text   */
    bool indices;         /* graphs: a node may be a list of indices                        */
    ken_valid_fn *valid;  /* checks each input text; NULL = any text is accepted            */
    size_t width;         /* vectors: how many numbers a row has; 0 = not known             */
    bool directed;        /* nodes, graphs: only the first end of a link sees the other end */

    /* tsv, csv, nodes: read only one part (split) of the file; for nodes all are read, but only the
     * targets of the part. The column `split` names the part of a line; or, if `hash` > 0, the part
     * is the FNV-1a hash of the input modulo `hash`. `part` is the part to read, for hashes also a
     * range "2-9". */
    const char *split;
    size_t hash;
    const char *part; /* NULL = all parts */
};

typedef struct ken_corpus {
    char *path;                         /* path of the first file, as given, for messages */
    size_t count;                       /* number of examples                             */
    ken_strings input, target;          /* strings of all examples, in order              */
    ken_buffer line;                    /* size_t each: line (npy: number of the sequence) of
                                         * example i, from 1 */
    ken_buffer input_ends, target_ends; /* size_t each: number of strings (or rows) before the
                                         * next example */
    ken_buffer vectors;                 /* float each: rows of `width` numbers, used instead of
                                         * `input` */
    size_t width;
    ken_buffer numbers; /* float each, used instead of `target`: for KEN_TARGET_NUMBER, and for a
                         * KEN_TARGET_SET of several columns, which has `flags` numbers per
                         * example */
    size_t flags;       /* number of these columns; 0 = the set is not in columns          */
    ken_strings names;  /* their names, `flags` strings                                    */
    ken_strings nodes;  /* format nodes: the names of the nodes, in order                  */
    bool words;         /* each input string is a row (conllu, columns, nodes), not a text */

    /* Graphs: links are pairs of rows, counted from the first row of their example. */
    bool linked;
    ken_buffer links;        /* int32_t each, two per link                           */
    ken_buffer link_ends;    /* size_t each: number of links before the next example */
    ken_buffer link_numbers; /* float each, `link_width` per link                    */
    size_t link_width;
} ken_corpus;

/* Called for every bad line; `what` begins with "file:line: ". */
typedef void ken_complaint_fn(void *user, const char *what);

/* Adds the examples of `path` to the corpus; { 0 } is an empty corpus. `second` is the file of the
 * targets of parallel and npy, or of the links of nodes; it is NULL for other formats, and for
 * KEN_TARGET_NONE unless it has links. Files may be compressed with gzip. Without `complain` the
 * first bad line fails with KEN_ERR_FORMAT, which names file:line and what was expected; with
 * `complain`, bad examples are reported and left out. A file without any example is KEN_ERR_FORMAT.
 * After a failure the corpus can only be released. */
ken_status ken_corpus_read(ken_corpus *corpus, const char *path, const char *second,
                           const struct ken_layout *layout, ken_complaint_fn *complain, void *user);

/* The same from memory, for text from a program or a pipe: `name` takes the place of the path. */
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

/* Frees the memory of inputs and links, and that of targets too unless `targets` is set. The path
 * and the lines are kept for messages. */
void ken_corpus_thin(ken_corpus *corpus, bool targets);

/* The number of the first string (or row) of example i; i = count gives the end of the last. */
size_t ken_corpus_input_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_target_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_link_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_line(const ken_corpus *corpus, size_t i);

/* Whether two examples have the same input: equal strings or rows, equal links with equal
 * numbers. */
bool ken_corpus_same_input(const ken_corpus *corpus, size_t i, size_t j);

#endif
