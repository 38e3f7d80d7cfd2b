/* heat.h - checks of pictures (heat maps), and their colour scale for pages and terminals. The
 * scale has one of three kinds:
 *   root      No value is negative. Colours go from white to dark by the square root of value /
 *             largest value, so that small weights stay visible.
 *   signed    Some values are negative. Colours go linearly from blue over white to red.
 *   relative  Values are ratios to uniform attention. Colours go by the logarithm from blue (below
 *             1) over white (1) to red (above 1); pairs that may not attend (NaN) are grey.
 * The legend of every picture names the kind and has ticks at values. The calls that draw are in
 * ken_look.h. */
#ifndef DRAW_HEAT_H
#define DRAW_HEAT_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- picture.c: checks ----------------------------------------------------------------------- */

/* The maximum number of values:
 *   KEN_PICTURE_DRAWN  of a page or SVG picture (some 300 MB of text), for the sake of browsers
 *   KEN_PICTURE_JSON   of a JSON object (some 200 MB of text)
 *   KEN_PICTURE_SHOWN  of an array in memory (256 MB) */
enum { KEN_PICTURE_DRAWN = 4000000, KEN_PICTURE_JSON = 1 << 24, KEN_PICTURE_SHOWN = 1 << 26 };

/* The second half of every message about a picture that is too large. */
#define KEN_PICTURE_ADVICE                                                                         \
    "choose one layer, one head or the mean of the heads (ken look: --layer, --head, --mean), or " \
    "a shorter example"

/* Returns the number of values of `count` matrices; SIZE_MAX if it is larger than a size_t. */
size_t ken_picture_size(size_t count, size_t rows, size_t cols);

/* Fails unless the picture is complete and has at most `most` values. */
ken_status ken_picture_check(const ken_picture *picture, size_t most);

/* ---- heat.c: colours and names --------------------------------------------------------------- */

enum ken_heat_kind { KEN_HEAT_ROOT, KEN_HEAT_SIGNED, KEN_HEAT_RELATIVE };

/* The colour scale of a picture. All matrices of a picture have the same scale. */
struct ken_heat {
    enum ken_heat_kind kind;
    /* The value that has the strongest colour, above 0. It is the largest absolute value. On a
     * relative scale it is a power of 2 from 4 to 16, and colours begin at 1 / most. */
    double most;
    bool clamped; /* whether some values are above `most` (relative scale only) */
    bool masked;  /* whether some queries may not attend to some keys (relative scale only) */
};

struct ken_heat ken_heat_of(const ken_picture *picture);

/* Returns whether the colours go in two directions from a white middle. */
bool ken_heat_diverges(const struct ken_heat *heat);

/* ken_heat_share() returns the strength of the colour of a value: from 0 to 1, or from -1 to 1 on a
 * scale with two directions; NaN for NaN. ken_heat_value() is its inverse. */
double ken_heat_share(const struct ken_heat *heat, double value);
double ken_heat_value(const struct ken_heat *heat, double share);

/* Chooses the values at which the legend has ticks, in ascending order. Neighbouring ticks are at
 * least `gap` apart on the legend, whose length counts as 1. Returns the number of ticks, at least
 * 2. */
enum { KEN_HEAT_TICKS = 12, KEN_HEAT_LABEL = 32 };
size_t ken_heat_ticks(double ticks[KEN_HEAT_TICKS], const struct ken_heat *heat, double gap);
void ken_heat_label(char label[KEN_HEAT_LABEL], const struct ken_heat *heat, double tick);

/* Returns the position of a value on the legend, from 0 (left end) to 1 (right end). */
double ken_heat_place(const struct ken_heat *heat, double value);

/* Returns the words that name the kind of scale in a legend. */
const char *ken_heat_words(const struct ken_heat *heat);

/* Returns the name of row or column i with control characters made visible. The name is stored in
 * `names` and valid until `names` changes. */
const char *ken_heat_name(ken_buffer *names, const char *const *list, size_t i);

#endif
