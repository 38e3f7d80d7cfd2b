/* corpora.h - shows the contents of a corpus as text that a test can compare. */
#ifndef TESTS_CORPORA_H
#define TESTS_CORPORA_H

#include "format/corpus.h"

/* One line for each example: "LINE: input > target", with " / " between strings, rows of numbers in
 * brackets, and the links of a graph after " |". Valid until the next call. */
const char *corpus_shown(const ken_corpus *corpus);

/* Reads again and again while each allocation and each file operation fails in turn, once or for
 * ever. Each time there is an error or the corpus is right, and no file stays open. Returns the
 * number of errors. */
size_t corpus_faults(const char *path, const char *second, const struct ken_layout *layout,
                     const char *shown);

/* The path of a file or folder of the real data; NULL, with a "# skip" line, if it is missing. */
const char *data_path(const char *name);

#endif
