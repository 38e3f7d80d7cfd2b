/* windows.h - cuts long sequences of rows into (sliding) windows, each of which is an example. With
 * windows, a model can read the last rows of a number series and predict a later value. */
#ifndef FORMAT_WINDOWS_H
#define FORMAT_WINDOWS_H

#include "format/corpus.h"

/* Adds the windows of the sequences in `rows` to the corpus. Each row of `rows` must have a target,
 * unless targets are not read. Window size and part are those of the layout. Neither a window nor
 * its target reaches beyond its sequence or beyond the part, so two parts that do not overlap have
 * no row in common. Fails with KEN_ERR_FORMAT if there is no window at all. */
ken_status ken_windows_cut(ken_corpus *corpus, const ken_corpus *rows,
                           const struct ken_layout *layout);

#endif
