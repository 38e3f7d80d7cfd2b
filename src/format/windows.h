/* windows.h - cuts long sequences of rows into windows (sliding windows), each of which is an
 * example: so a model reads the last rows of a number series and predicts a later value. */
#ifndef FORMAT_WINDOWS_H
#define FORMAT_WINDOWS_H

#include "format/corpus.h"

/* Adds the windows of `rows` to the corpus. Each row of `rows` must have its target, unless targets
 * are not read. Sizes and part are those of the layout. Neither a window nor its target reaches
 * beyond its sequence or beyond the part, so two parts that do not overlap have no row in common. A
 * file without any window is KEN_ERR_FORMAT. */
ken_status ken_windows_cut(ken_corpus *corpus, const ken_corpus *rows,
                           const struct ken_layout *layout);

#endif
