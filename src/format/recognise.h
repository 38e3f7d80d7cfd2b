/* recognise.h - recognises the format of a text by its first lines. A user who pipes a table into
 * `ken run` should not get answers to the raw lines of the table; and ordinary sentences, with
 * commas or not, must never be taken for a table. */
#ifndef FORMAT_RECOGNISE_H
#define FORMAT_RECOGNISE_H

#include "format/corpus.h"

enum ken_likeness {
    KEN_UNLIKE, /* nothing indicates the format, so the text may be plain lines */
    KEN_MAYBE,  /* the text may be in the format, or may be plain lines */
    KEN_LIKE    /* the text is in the format: plain lines would not look like this */
};

/* A function that returns whether a text can be a target of the model, for instance a label that
 * occurred in training. */
typedef bool ken_known_fn(const void *user, const char *text, size_t length);

/* The beginning of a text whose format is sought, and what is known about the files that the model
 * was trained on. */
struct ken_sample {
    const char *text; /* first part of the text, up to the end of a line or of the input */
    size_t size;
    const struct ken_layout *layout;
    ken_known_fn *known;
    const void *user; /* first argument of the function `known` */
    /* whether targets are labels that are rarely ordinary words, so that finding one is a proof */
    bool telling;
};

/* Returns how much a text looks like a format. Formats without a function `looks` (for example
 * parallel, which is plain lines) are always KEN_UNLIKE. */
enum ken_likeness ken_format_likeness(enum ken_format format, const struct ken_sample *sample);

/* ---- for the table of formats (format.c) ----------------------------------------------------- */

typedef enum ken_likeness ken_looks_fn(const struct ken_sample *sample);
ken_looks_fn ken_conllu_looks, ken_columns_looks, ken_tsv_looks, ken_csv_looks, ken_fasttext_looks,
    ken_npy_looks;

#endif
