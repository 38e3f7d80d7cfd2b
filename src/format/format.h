/* format.h - the table of formats: what the examples of a format contain, how many files it takes,
 * which outputs it supports, and by which file names it is recognised. Formats of files are listed
 * in format.c, formats of generated data in made/made.c. Other code uses the entries of the table
 * and never compares names of formats. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum ken_format {
    KEN_FORMAT_CONLLU,
    /* The format columns: one word per line. Columns are separated by tabs or, in a line without
     * tabs, by spaces. An empty line ends a sentence; lines with -DOCSTART- are skipped. */
    KEN_FORMAT_COLUMNS,
    KEN_FORMAT_TSV,
    /* The format csv: like tsv, but with commas, semicolons or tabs; a field may be quoted and may
     * contain line breaks. */
    KEN_FORMAT_CSV,
    KEN_FORMAT_FASTTEXT,
    KEN_FORMAT_PARALLEL,
    KEN_FORMAT_PLAIN,
    KEN_FORMAT_LINES, /* inputs only, one per line; the default format of `ken run` */
    /* The format vectors: rows of numbers, one row per line, in columns separated by tabs or as in
     * csv. One column may name the sequence and one may be the target; the others are numbers. */
    KEN_FORMAT_VECTORS,
    KEN_FORMAT_NPY,
    /* The format nodes: tab-separated columns, one node per line. A second file has one link per
     * line: the names of two nodes, and the numbers of the link. */
    KEN_FORMAT_NODES,
    KEN_FORMAT_GRAPHS, /* one graph per line, as JSON; see corpus_graphs.c */
    KEN_FORMAT_COUNT
};

/* The kind of input that the examples of a format have, as bits. */
enum ken_carries {
    KEN_CARRIES_NOTHING = 1 << 0, /* no input: the text itself is the target (language model) */
    KEN_CARRIES_TEXT = 1 << 1,    /* one text, which the tokeniser cuts into units */
    KEN_CARRIES_WORDS = 1 << 2,   /* a list of words */
    KEN_CARRIES_NUMBERS = 1 << 3, /* rows of numbers */
    /* nodes of a graph; input.unit says whether they are words, indices or numbers */
    KEN_CARRIES_NODES = 1 << 4
};

enum ken_target_kind {
    KEN_TARGET_LABEL,  /* a class: one of a few strings */
    KEN_TARGET_NUMBER, /* a decimal number; NaN if it is missing (see decimal.h) */
    /* A set of labels. One column lists the labels of the set, separated by commas; or each label
     * has a column with 1, 0, or an empty cell for unknown. */
    KEN_TARGET_SET,
    KEN_TARGET_TEXT, /* free text */
    KEN_TARGET_NONE  /* no target, or a target that is not read, as in `ken run` */
};
#define KEN_TARGET_BIT(kind) (1u << KEN_TARGET_##kind)

/* The content of the second file of a format that takes two files. */
enum ken_second { KEN_SECOND_NONE, KEN_SECOND_TARGETS, KEN_SECOND_LINKS };

struct ken_format_info {
    const char *name;    /* value of data.format in a recipe */
    const char *outputs; /* values of output.kind that the format supports, separated by spaces */
    /* Endings of file names by which `ken run` recognises the format, such as ".tsv" (".tsv.gz"
     * matches too); separated by spaces; "" = never recognised by name. */
    const char *endings;
    enum ken_carries carries;
    enum ken_second second;
    unsigned targets; /* kinds of target that the format supports, as a sum of KEN_TARGET_BIT() */
    bool linked;      /* whether examples are graphs, with rows (nodes) and links */
    bool splits;      /* whether data.split can select a part of a file */
    bool lines;       /* whether every line is an example */
    /* Whether a line means the same whatever lines come before it. If so, lines can be answered one
     * by one as they arrive. */
    bool streams;
    /* Characters that may separate columns; the first one is the default for a file that has none
     * of them. NULL = the separator is fixed, or there are no columns. */
    const char *separators;
};

const struct ken_format_info *ken_format_info(enum ken_format format);

/* Returns the format with this name; KEN_FORMAT_COUNT if there is none. */
enum ken_format ken_format_named(const char *name);

/* Returns whether a file with this name is recognised as the format. Upper and lower case do not
 * matter. */
bool ken_format_claims(const struct ken_format_info *info, const char *file);

/* Returns a kind of target in words, for messages: "labels", "numbers" ... */
const char *ken_target_words(enum ken_target_kind kind);

#endif
