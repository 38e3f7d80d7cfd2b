/* format.h - the table of formats: what the examples of each format contain, how many files it
 * takes, which outputs it is for, and by which file names it is recognised. There is one row for
 * each format of files (format.c) and of made data (made/made.c); all other code reads the row and
 * never compares names. */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

enum ken_format {
    KEN_FORMAT_CONLLU,
    KEN_FORMAT_COLUMNS, /* one word per line; columns separated by tabs, or by spaces in a line
                         * without tabs; an empty line between sentences; -DOCSTART- lines are
                         * skipped */
    KEN_FORMAT_TSV,
    KEN_FORMAT_CSV, /* like tsv, with commas; a field may be quoted and may contain line breaks */
    KEN_FORMAT_FASTTEXT,
    KEN_FORMAT_PARALLEL,
    KEN_FORMAT_PLAIN,
    KEN_FORMAT_LINES,   /* inputs only, one per line: the default format of `ken run` */
    KEN_FORMAT_VECTORS, /* tab-separated: one column names the sequence, the others are numbers */
    KEN_FORMAT_NPY,
    KEN_FORMAT_NODES,  /* tab-separated: one node per line; a second file has one link per line:
                        * two nodes and the numbers of the link */
    KEN_FORMAT_GRAPHS, /* see corpus_graphs.c */
    KEN_FORMAT_COUNT
};

/* The kind of input that the examples of a file have. */
enum ken_carries {
    KEN_CARRIES_NOTHING = 1 << 0, /* no input: the text itself is the target              */
    KEN_CARRIES_TEXT = 1 << 1,    /* one text, which the input kind cuts into units       */
    KEN_CARRIES_WORDS = 1 << 2,   /* a list of words                                      */
    KEN_CARRIES_NUMBERS = 1 << 3, /* rows of numbers                                      */
    KEN_CARRIES_NODES = 1 << 4    /* nodes: words, indices or numbers, as input.unit says */
};

enum ken_target_kind {
    KEN_TARGET_LABEL,  /* one of a few strings (classes)        */
    KEN_TARGET_NUMBER, /* decimal; empty or "?" = unknown (NaN) */
    KEN_TARGET_SET,    /* labels separated by commas, possibly none; or several columns, one per
                        * label: 1, 0, and empty or "?" for unknown */
    KEN_TARGET_TEXT,   /* free text                                   */
    KEN_TARGET_NONE    /* absent, or not to be read, as for `ken run` */
};
#define KEN_TARGET_BIT(kind) (1u << KEN_TARGET_##kind)

/* The content of the second file. */
enum ken_second { KEN_SECOND_NONE, KEN_SECOND_TARGETS, KEN_SECOND_LINKS };

struct ken_format_info {
    const char *name;    /* value of data.format in a recipe                                    */
    const char *outputs; /* values of output.kind that the format supports, separated by spaces */
    const char *endings; /* endings of file names (".tsv", also ".tsv.gz") by which `ken run`
                          * recognises the format; separated by spaces, "" = never recognised by
                          * name */
    enum ken_carries carries;
    enum ken_second second;
    unsigned targets; /* KEN_TARGET_BIT() of each supported kind of target */
    bool linked;      /* examples are graphs: rows and links               */
    bool splits;      /* data.split can select a part of a file            */
    bool lines;       /* every line is an example                          */
};

const struct ken_format_info *ken_format_info(enum ken_format format);

/* The format with this name; KEN_FORMAT_COUNT if there is none. */
enum ken_format ken_format_named(const char *name);

/* Whether a file of this name is recognised as the format. Upper and lower case are equal. */
bool ken_format_claims(const struct ken_format_info *info, const char *file);

/* A kind of target in words: "labels", "numbers" ... */
const char *ken_target_words(enum ken_target_kind kind);

#endif
