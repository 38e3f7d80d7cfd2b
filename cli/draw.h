/* draw.h - draws pictures in the terminal. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "ken.h"

/* Draws a picture on standard output, at most as wide as the terminal. Colours are used if the
 * terminal has them and NO_COLOR is not set; otherwise characters of different darkness. */
ken_status cli_draw(const ken_picture *picture);

#endif
