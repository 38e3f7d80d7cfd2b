/* heat_scale.c - the colour scale of heat maps as numbers: converts values to strengths of colour
 * and back, and chooses the ticks of the legend. The colours themselves are in heat.c (SVG) and
 * shades.c (terminal). */
#include "draw/heat.h"

#include "base/plain.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* In pictures relative to uniform attention, limits of the value that has the strongest colour.
 * Without the lower limit, small deviations from uniform attention would get strong colours. */
static const double relative_least = 4, relative_most = 16;

struct ken_heat ken_heat_of(const ken_picture *picture)
{
    struct ken_heat heat = { 0 };
    size_t size = picture->count * picture->rows * picture->cols;
    bool negative = false;
    for (size_t i = 0; i < size; i++) {
        double value = picture->values[i];
        if (value < 0) negative = true;
        if (isnan(value) && picture->relative) heat.masked = true;
        if (isfinite(value)) heat.most = fmax(heat.most, fabs(value));
    }
    heat.kind = picture->relative ? KEN_HEAT_RELATIVE : negative ? KEN_HEAT_SIGNED : KEN_HEAT_ROOT;
    if (heat.kind == KEN_HEAT_RELATIVE) {
        heat.clamped = heat.most > relative_most;
        heat.most = fmin(exp2(ceil(log2(fmax(heat.most, relative_least)) - 1e-6)), relative_most);
    }
    if (heat.most == 0) heat.most = 1;
    return heat;
}

bool ken_heat_diverges(const struct ken_heat *heat)
{
    return heat->kind != KEN_HEAT_ROOT;
}

double ken_heat_share(const struct ken_heat *heat, double value)
{
    if (isnan(value)) return value;
    switch (heat->kind) {
    case KEN_HEAT_ROOT: return sqrt(fmin(fmax(value / heat->most, 0), 1));
    case KEN_HEAT_SIGNED: return fmin(fmax(value / heat->most, -1), 1);
    case KEN_HEAT_RELATIVE: break;
    }
    return fmin(log(fmax(value, 1 / heat->most)) / log(heat->most), 1);
}

double ken_heat_value(const struct ken_heat *heat, double share)
{
    switch (heat->kind) {
    case KEN_HEAT_ROOT: return heat->most * share * share;
    case KEN_HEAT_SIGNED: return heat->most * share;
    case KEN_HEAT_RELATIVE: break;
    }
    return pow(heat->most, share);
}

double ken_heat_place(const struct ken_heat *heat, double value)
{
    double share = ken_heat_share(heat, value);
    return ken_heat_diverges(heat) ? (share + 1) / 2 : share;
}

/* ---- ticks ----------------------------------------------------------------------------------- */

/* Chooses the ticks of a root scale: 0, round values (1, 2 or 5 times a power of ten), and the
 * largest value. */
static size_t root_ticks(double ticks[KEN_HEAT_TICKS], const struct ken_heat *heat, double gap)
{
    static const double steps[] = { 1, 2, 5 };
    int power = (int)floor(log10(heat->most));
    size_t count = 0;
    ticks[count++] = 0;
    for (int i = 3 * (power - 3); i < 3 * (power + 1) && count + 1 < KEN_HEAT_TICKS; i++) {
        double value = steps[(i % 3 + 3) % 3] * pow(10, floor(i / 3.0));
        double place = ken_heat_place(heat, value);
        if (place - ken_heat_place(heat, ticks[count - 1]) < gap || 1 - place < gap) continue;
        ticks[count++] = value;
    }
    ticks[count++] = heat->most;
    return count;
}

/* Chooses the ticks of a scale with two directions. They are evenly spaced: 3 or 5 ticks or, on a
 * relative scale, one for each power of 2. */
static size_t even_ticks(double ticks[KEN_HEAT_TICKS], const struct ken_heat *heat, double gap)
{
    size_t half = heat->kind == KEN_HEAT_RELATIVE ? (size_t)lround(log2(heat->most)) : 2;
    while (half > 1 && 0.5 / (double)half < gap) half = half % 2 ? 1 : half / 2;
    for (size_t i = 0; i <= 2 * half; i++)
        ticks[i] = ken_heat_value(heat, (double)i / (double)half - 1) + 0.0;
    return 2 * half + 1;
}

size_t ken_heat_ticks(double ticks[KEN_HEAT_TICKS], const struct ken_heat *heat, double gap)
{
    return ken_heat_diverges(heat) ? even_ticks(ticks, heat, gap) : root_ticks(ticks, heat, gap);
}

void ken_heat_label(char label[KEN_HEAT_LABEL], const struct ken_heat *heat, double tick)
{
    if (heat->kind != KEN_HEAT_RELATIVE) {
        ken_plain_print(label, KEN_HEAT_LABEL, "%.3g", tick);
        return;
    }
    double low = 1 / heat->most;
    const char *sign = tick <= low * 1.01                           ? "\xe2\x89\xa4" /* <= */
                       : heat->clamped && tick >= heat->most * 0.99 ? "\xe2\x89\xa5" /* >= */
                                                                    : "";
    if (tick < 0.99) ken_plain_print(label, KEN_HEAT_LABEL, "%s1/%.0f", sign, 1 / tick);
    else ken_plain_print(label, KEN_HEAT_LABEL, "%s%.0f", sign, tick);
}

const char *ken_heat_words(const struct ken_heat *heat)
{
    switch (heat->kind) {
    case KEN_HEAT_ROOT: return "square-root scale";
    case KEN_HEAT_SIGNED: return "linear scale";
    case KEN_HEAT_RELATIVE: break;
    }
    return "times uniform attention (1 = uniform), logarithmic scale";
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *ken_heat_name(ken_buffer *names, const char *const *list, size_t i)
{
    /* clearing a buffer also clears its sticky error, so it is saved */
    bool failed = names->failed;
    ken_buffer_clear(names);
    names->failed = failed;
    if (list) ken_text_visible(names, list[i], strlen(list[i]));
    else ken_buffer_format(names, "%zu", i);
    return ken_buffer_string(names);
}
