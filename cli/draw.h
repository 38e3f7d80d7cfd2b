/* draw.h - pictures in the terminal. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "ken.h"

/* On standard output: in colours on a terminal that has them (unless NO_COLOR is set) and as wide
 * as it is, in characters elsewhere. */
ken_status cli_draw(const ken_picture *picture);

#endif
