/* corpus.h - what a file of examples says, still in words.
 *
 * Each example has an input and a target, each a list of strings:
 *   conllu, columns   input: the words of a sentence                 target: one label for each
 *   tsv, csv          input: one string, the text of its column      target: its label or text, one
 *                                                                    string, or the labels of a set
 *   fasttext          input: one string, the text                    target: its labels
 *   parallel          input: one line of the first file              target: that of the second
 *   plain             no input                                       target: one line, maybe empty
 *   lines             input: one line, maybe empty                   no target
 *   vectors, npy      rows of numbers instead of strings             labels, or numbers
 *   nodes             one graph of two files: a string or a row of   one label or number for each
 *                     numbers for each node, and links
 *   graphs            a graph in each line, as a JSON object         labels or numbers, for each
 *                                                                    node or for the graph
 * Text is checked to be UTF-8 and brought to NFC; a byte 0 or a line of more than 1 MiB is refused,
 * and so is a line with another number of columns than the first. Labels lose blanks at their ends.
 * Not here: vocabularies and ids. */
#ifndef FORMAT_CORPUS_H
#define FORMAT_CORPUS_H

#include "base/buffer.h"
#include "format/format.h"

#include <stdint.h>

/* Refuses an input text with KEN_ERR_FORMAT; its line is then a bad line like any other. */
typedef ken_status ken_valid_fn(const char *text, size_t length);

/* Which part of a file is what. Columns are numbers from 1, or names: of the format (conllu: form,
 * lemma, upos, xpos, feats, deprel), or of the file's first line when `header` is set. Without any
 * it is form and upos (conllu), 1 and 2 (tsv), 1 and the last one (columns, target of vectors).
 * Targets of an npy file are in a second one: as many as sequences or, with `each`, rows. */
struct ken_layout {
    enum ken_format format;
    enum ken_target_kind target_kind;
    bool each;          /* vectors, npy: one target a row; else the sequence's first row has it */
    bool header;        /* tsv, columns, vectors: the first line names the columns          */
    const char *input;  /* column(s) of the input; vectors: blank-separated, NULL for all others */
    const char *target; /* column of the target                                             */
    const char *sequence; /* vectors: column that tells sequences apart; NULL: with `each` all
                           * rows are one sequence, else every row is one of its own         */
    size_t first_line;    /* number of the first line, for messages; 0 is 1                   */
    const char *node;     /* nodes: column of its name; NULL: the first                       */
    bool numbers;         /* nodes: the input is columns of numbers, not one of text          */
    bool indices;         /* graphs: a node may be a list of indices                          */
    ken_valid_fn *valid;  /* checks each input text; NULL: any text is fine                    */
    size_t width;         /* vectors: numbers of a row when they are known; else 0             */
    bool directed;        /* nodes, graphs: a link is seen from its first end only            */

    /* tsv, csv, nodes: only the examples (of nodes: the targets) of one part. What part something
     * is in says a column, or the FNV-1a hash of the input modulo `hash`; `part` is its name, of
     * hashes also a range "2-9". */
    const char *split;
    size_t hash;
    const char *part; /* NULL: all */
};

typedef struct ken_corpus {
    char *path;                         /* of the first file, as given, for messages              */
    size_t count;                       /* examples                                               */
    ken_strings input, target;          /* strings of all examples, in order                      */
    ken_buffer line;                    /* size_t each: line (npy: number) of example i, from 1   */
    ken_buffer input_ends, target_ends; /* size_t each: strings (or rows) before the next example */
    ken_buffer vectors;                 /* float each: rows of `width` numbers, instead of input  */
    size_t width;
    ken_buffer numbers; /* float each: instead of target, for KEN_TARGET_NUMBER, and for
                         * KEN_TARGET_SET of several columns `flags` numbers in a row             */
    size_t flags;       /* of several columns: how many, and                                      */
    ken_strings names;  /* their names; else 0 and none                                           */
    ken_strings nodes;  /* of format nodes: their names, in order                                 */
    bool words;         /* each input string is a row (conllu, columns, nodes), not a text */

    /* Of graphs: pairs of rows, counted within their example. */
    bool linked;
    ken_buffer links;        /* int32_t each, two for a link                                      */
    ken_buffer link_ends;    /* size_t each: links before the next example                        */
    ken_buffer link_numbers; /* float each, `link_width` for a link                               */
    size_t link_width;
} ken_corpus;

/* Told about every line that is wrong; `what` begins with "file:line: ". */
typedef void ken_complaint_fn(void *user, const char *what);

/* Adds the examples of `path` to the corpus; { 0 } is an empty one. `second` has the targets of
 * parallel and npy; it is NULL for other formats and for KEN_TARGET_NONE. gzip is read through.
 * Without `complain` the first bad line is KEN_ERR_FORMAT and names file:line and what was
 * expected; with it, bad examples are told and left out. A file without any example is
 * KEN_ERR_FORMAT. On failure the corpus is only good to be released. */
ken_status ken_corpus_read(ken_corpus *corpus, const char *path, const char *second,
                           const struct ken_layout *layout, ken_complaint_fn *complain, void *user);

/* The same from memory, for what a program or a pipe hands over: `name` stands for the path. */
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

/* Gives back the memory of inputs and links, and without `targets` that of targets; paths and lines
 * stay, for messages. */
void ken_corpus_thin(ken_corpus *corpus, bool targets);

/* First string (or row) of example i; that of example `count` is the end. */
size_t ken_corpus_input_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_target_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_link_start(const ken_corpus *corpus, size_t i);
size_t ken_corpus_line(const ken_corpus *corpus, size_t i);

/* Whether two examples ask the same: equal strings or rows, equal links with equal numbers. */
bool ken_corpus_same_input(const ken_corpus *corpus, size_t i, size_t j);

#endif
