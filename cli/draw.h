/* draw.h - pictures in the terminal. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include <stddef.h>

/* A matrix of weights (rows, cols) on standard output, one cell a letter of the labels: shades of
 * colour on a terminal (unless NO_COLOR is set), characters of growing darkness elsewhere. */
void cli_draw_weights(const float *weights, const char *row_labels, size_t rows,
                      const char *col_labels, size_t cols);

#endif
