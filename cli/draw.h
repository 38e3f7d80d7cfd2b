/* draw.h - pictures in the terminal. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "ken.h"

/* Draws on standard output: in colours and at most as wide as the terminal if it has colours and
 * NO_COLOR is not set; in characters otherwise. */
ken_status cli_draw(const ken_picture *picture);

#endif
