/* recognise.h - recognises the format of a text by its first lines. A user who pipes a table into
 * `ken run` should not get answers to the raw lines of the table; and ordinary sentences, with
 * commas or not, must never be taken for a table. */
#ifndef FORMAT_RECOGNISE_H
#define FORMAT_RECOGNISE_H

#include "format/corpus.h"

enum ken_likeness {
    KEN_UNLIKE, /* nothing speaks for the format, so the text may be plain lines */
    KEN_MAYBE,  /* the text may be in the format, or may be plain lines */
    KEN_LIKE    /* plain lines would not look like this */
};

/* A function that says whether a text can be a target of the model, for instance a label that the
 * model knows. */
typedef bool ken_known_fn(const void *user, const char *text, size_t length);

/* The beginning of a text, and everything known about the files that the model was trained on. */
struct ken_sample {
    const char *text; /* ends at the end of a line or at the end of the input */
    size_t size;
    const struct ken_layout *layout;
    ken_known_fn *known;
    const void *user; /* passed to `known` */
    bool telling;     /* targets are labels, which few other words of a language are */
};

/* Says how much a text looks like a format. A format without a function for this in its table row
 * (for example parallel, which is plain lines anyway) is always KEN_UNLIKE. */
enum ken_likeness ken_format_likeness(enum ken_format format, const struct ken_sample *sample);

/* ---- for the table of formats (format.c) ----------------------------------------------------- */

typedef enum ken_likeness ken_looks_fn(const struct ken_sample *sample);
ken_looks_fn ken_conllu_looks, ken_columns_looks, ken_tsv_looks, ken_csv_looks, ken_fasttext_looks,
    ken_npy_looks;

#endif
