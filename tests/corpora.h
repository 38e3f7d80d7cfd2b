/* corpora.h - what a corpus holds, as text that a test can compare. */
#ifndef TESTS_CORPORA_H
#define TESTS_CORPORA_H

#include "format/corpus.h"

/* One line for each example: "LINE: input > target", strings with " / " between, rows of numbers in
 * brackets, links of a graph behind " |". Valid until the next call. */
const char *corpus_shown(const ken_corpus *corpus);

/* Reads with every allocation and every call on a file failing, once and for ever: each time it is
 * told, or the corpus is right, and no file stays open. Returns how often it was told. */
size_t corpus_faults(const char *path, const char *second, const struct ken_layout *layout,
                     const char *shown);

/* A file or folder of the real data; NULL, with a "# skip" line, when it is not there. */
const char *data_path(const char *name);

#endif
