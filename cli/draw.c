/* draw.c - a matrix as shades, two columns of the terminal for each of its own so that cells come
 * out about square. */
#include "cli/draw.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_colour(void)
{
    const char *no = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no && *no);
}

static void draw_cell(float weight, bool colour)
{
    static const char shades[] = " .:-=+*#%@";
    float shade = sqrtf(fminf(fmaxf(weight, 0), 1)); /* small weights stay visible */
    if (colour) { /* the 24 greys of a 256-colour terminal, 232 is nearly black */
        printf("\x1b[48;5;%dm  \x1b[0m", 232 + (int)(shade * 23.49f));
    } else {
        char c = shades[(int)(shade * 9.49f)];
        printf("%c%c", c, c);
    }
}

static void draw_columns(const char *labels, size_t cols)
{
    printf("     ");
    for (size_t j = 0; j < cols; j++) printf("%c ", labels[j]);
    printf("\n");
}

void cli_draw_weights(const float *weights, const char *row_labels, size_t rows,
                      const char *col_labels, size_t cols)
{
    bool colour = has_colour();
    draw_columns(col_labels, cols);
    for (size_t i = 0; i < rows; i++) {
        printf("   %c ", row_labels[i]);
        for (size_t j = 0; j < cols; j++) draw_cell(weights[i * cols + j], colour);
        printf("\n");
    }
}
