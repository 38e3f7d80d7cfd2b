/* axis.c - scales and ticks of the axes of charts. The step between ticks is 1, 2 or 5 times a
 * power of ten. On a logarithmic axis the ticks are powers of the base; more ticks are added if
 * there would be too few to read values from. */
#include "draw/axis.h"

#include "base/plain.h"

#include <math.h>
#include <string.h>

/* limit of the values on an axis, so that differences between values stay finite */
static const double largest = 1e300;

bool ken_scale_takes(enum ken_scale scale, double value)
{
    return fabs(value) <= largest && (scale == KEN_SCALE_LINEAR || value > 0);
}

/* Returns the position of a value on a scale, before it is converted to pixels: the value itself,
 * or its logarithm on a logarithmic scale. */
static double position(enum ken_scale scale, double value)
{
    switch (scale) {
    case KEN_SCALE_LOG2: return log2(value);
    case KEN_SCALE_LOG10: return log10(value);
    default: return value;
    }
}

double ken_axis_place(const struct ken_axis *axis, double value)
{
    if (!ken_scale_takes(axis->scale, value)) return NAN;
    double low = position(axis->scale, axis->low), high = position(axis->scale, axis->high);
    double share = (position(axis->scale, value) - low) / (high - low);
    return axis->from + share * (axis->to - axis->from);
}

/* ---- ticks ----------------------------------------------------------------------------------- */

static void add_tick(struct ken_axis *axis, double value)
{
    double slack = 1e-9 * (axis->high - axis->low);
    if (value < axis->low - slack || value > axis->high + slack) return;
    if (axis->tick_count < KEN_TICKS_MOST) axis->ticks[axis->tick_count++] = value;
}

static void linear_ticks(struct ken_axis *axis, size_t wanted)
{
    double rough = (axis->high - axis->low) / (double)wanted;
    double power = pow(10, floor(log10(rough))), share = rough / power;
    axis->step = power * (share < 1.4 ? 1 : share < 3 ? 2 : share < 7 ? 5 : 10);
    double first = ceil(axis->low / axis->step - 1e-9);
    for (size_t i = 0; i < KEN_TICKS_MOST; i++)
        add_tick(axis, (first + (double)i) * axis->step + 0.0);
}

/* Puts ticks at powers of `base`, or only at every second, third ... power if there are many. For
 * base 10, ticks at twice and five times each power are added if `between` is set or if there are
 * few powers. */
static void power_ticks(struct ken_axis *axis, double base, size_t wanted, bool between)
{
    int first = (int)floor(position(axis->scale, axis->low) + 1e-9);
    int last = (int)floor(position(axis->scale, axis->high) + 1e-9);
    int powers = last - first + 1, stride = 1;
    while (powers / stride > (int)wanted + 1) stride++;
    between = base == 10 && (between || 2 * powers <= (int)wanted);
    for (int p = first; p <= last; p += stride) {
        add_tick(axis, pow(base, p));
        if (!between) continue;
        add_tick(axis, 2 * pow(base, p));
        add_tick(axis, 5 * pow(base, p));
    }
}

void ken_axis_fit(struct ken_axis *axis, enum ken_scale scale, double low, double high,
                  size_t wanted)
{
    bool logarithmic = scale != KEN_SCALE_LINEAR;
    if (!ken_scale_takes(scale, low) || !ken_scale_takes(scale, high) || low > high) {
        low = logarithmic ? 1 : 0;
        high = logarithmic ? 10 : 1;
    }
    double span = high - low, size = fmax(fabs(low), fabs(high));
    if (logarithmic && high / low < 1 + 1e-9) {
        low /= 2;
        high *= 2;
    } else if (!logarithmic && (span <= 1e-12 * size || span < 1e-290)) {
        low -= size > 1e-280 ? 0.1 * size : 0.5;
        high += size > 1e-280 ? 0.1 * size : 0.5;
    }
    *axis = (struct ken_axis){ .scale = scale, .low = low, .high = high, .to = 1 };
    if (wanted < 2) wanted = 2;
    for (int between = 0; logarithmic && between < 2; between++) {
        axis->tick_count = 0;
        power_ticks(axis, scale == KEN_SCALE_LOG2 ? 2 : 10, wanted, between == 1);
        if (axis->tick_count >= 3) return;
    }
    axis->tick_count = 0;
    linear_ticks(axis, wanted);
    while (logarithmic && axis->tick_count > 0 && axis->ticks[0] <= 0) {
        axis->tick_count--;
        memmove(axis->ticks, axis->ticks + 1, axis->tick_count * sizeof *axis->ticks);
    }
}

bool ken_axis_mark(struct ken_axis *axis, double value)
{
    size_t at = axis->tick_count;
    while (at > 0 && axis->ticks[at - 1] > value) at--;
    if (at > 0 && axis->ticks[at - 1] == value) return true;
    if (axis->tick_count == KEN_TICKS_MOST) return false;
    memmove(axis->ticks + at + 1, axis->ticks + at,
            (axis->tick_count++ - at) * sizeof *axis->ticks);
    axis->ticks[at] = value;
    return true;
}

/* ---- labels of ticks ------------------------------------------------------------------------- */

/* Returns the unit of the tick labels: 1e9, 1e6 or 1e3, with *letter set to G, M or k; 1 if none of
 * them fits. The largest unit that fits is chosen. A unit fits if the step between ticks is a whole
 * multiple of it, and if the largest value is at least one unit or, on a linear axis, ten units. */
static double unit_of(double step, double most, bool linear, const char **letter)
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" } };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (most >= (linear ? 10 : 1) * units[i].unit && fmod(step, units[i].unit) == 0) {
            *letter = units[i].letter;
            return units[i].unit;
        }
    *letter = "";
    return 1;
}

/* Shortens an exponent: turns "1e-05" into "1e-5". */
static void tidy(char *label)
{
    char *power = strchr(label, 'e');
    if (!power) return;
    char *digits = power + (power[1] == '-' ? 2 : 1), *first = power + 1;
    first += strspn(first, "+-");
    while (first[0] == '0' && first[1]) first++;
    memmove(digits, first, strlen(first) + 1);
}

void ken_number_label(char label[KEN_TICK_LABEL], double value)
{
    bool plain = value == 0 || (fabs(value) >= 1e-4 && fabs(value) < 1e4);
    if (plain || fabs(value) >= 1e9 || fabs(value) < 1)
        ken_plain_print(label, KEN_TICK_LABEL, "%.4g", value);
    else ken_plain_print(label, KEN_TICK_LABEL, "%.0f", value);
    tidy(label);
}

void ken_axis_label(char label[KEN_TICK_LABEL], const struct ken_axis *axis, size_t i)
{
    bool linear = axis->step > 0;
    double value = axis->ticks[i], step = linear ? axis->step : value, most = value;
    const char *letter;
    if (linear) most = fmax(fabs(axis->low), fabs(axis->high));
    double unit = unit_of(step, most, linear, &letter), digits = ceil(-log10(step) - 1e-9);
    if (value == 0) ken_plain_print(label, KEN_TICK_LABEL, "0");
    else if (most >= 1e13 || step < 1e-5) ken_plain_print(label, KEN_TICK_LABEL, "%.6g", value);
    else if (linear || (value >= 1 && value == floor(value)))
        ken_plain_print(label, KEN_TICK_LABEL, "%.*f%s", linear && digits > 0 ? (int)digits : 0,
                        value / unit, letter);
    else ken_number_label(label, value);
    tidy(label);
}
