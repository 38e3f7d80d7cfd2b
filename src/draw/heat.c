/* heat.c - heat maps of matrices as SVG: one large map, or a grid of small ones with one scale for
 * all. Heat maps for a terminal are in shades.c, the elements of SVG in svg.c. */
#include "draw/heat.h"

#include "base/plain.h"
#include "base/size.h"
#include "base/text.h"
#include "draw/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- colours --------------------------------------------------------------------------------- */

#define INK "#444444" /* colour of all text except names */
/* colour of a cell whose query may not attend to its key, in pictures of relative attention */
#define GREY "#dddddd"
static const char masked[] = "may not attend";

/* Finds the colour for a strength `share`, which ken_heat_share() computes from a value. The colour
 * is a shade of blue; on a scale with two directions, strengths above 0 are shades of red. */
static void colour_of(char colour[8], const struct ken_heat *heat, double share)
{
    if (isnan(share) && heat->kind == KEN_HEAT_RELATIVE) {
        snprintf(colour, 8, "%s", GREY);
        return;
    }
    if (!ken_heat_diverges(heat) || !(share > 0)) {
        ken_shade(colour, fabs(share));
        return;
    }
    static const double light[3] = { 233, 120, 100 }, dark[3] = { 115, 10, 20 };
    unsigned channel[3];
    /* from white over light red to dark red, with even steps like those of ken_shade() */
    for (size_t c = 0; c < 3; c++) {
        double of_two = 2 * share;
        channel[c] = (unsigned)lround(of_two < 1 ? 255 + of_two * (light[c] - 255)
                                                 : light[c] + (of_two - 1) * (dark[c] - light[c]));
    }
    snprintf(colour, 8, "#%02x%02x%02x", channel[0] & 255, channel[1] & 255, channel[2] & 255);
}

/* Empties the buffer, but keeps its sticky error, if it has one. */
static void restart(ken_buffer *buffer)
{
    bool failed = buffer->failed;
    ken_buffer_clear(buffer);
    buffer->failed = failed;
}

/* ---- layout ---------------------------------------------------------------------------------- */

enum { MARGIN = 14, TITLE = 20, LINE = 18, GAP = 16, LEGEND = 58, BAR = 260, TIPS_MOST = 6000 };

/* Cells of NAMED_CELL pixels are large enough to show the name of every row and column. They are
 * used up to NAMED_ALONE rows or columns for a single matrix, and up to NAMED_IN_GRID for each of
 * several matrices. */
enum { NAMED_ALONE = 200, NAMED_IN_GRID = 48, NAMED_CELL = 10 };

struct layout {
    const ken_picture *picture;
    struct ken_heat heat;
    ken_buffer *out;
    ken_buffer names; /* room for the name of one row or column */
    /* room for the tip of one cell, the text that is shown when the reader points at it */
    ken_buffer tip;
    double cell, font; /* size of a cell, and font size, in pixels */
    /* pixels that the names of rows take at the left, and those of columns at the top */
    double left, top;
    bool turned;          /* whether the names of columns are written upwards */
    double width, height; /* size of one matrix in pixels, without names */
    /* distance in pixels between the left edges of two matrices side by side */
    double pitch;
    size_t across, down; /* number of matrices side by side, and one below another */
    size_t every;        /* only one of `every` rows or columns shows its name; 1 = all do */
};

static double widest_name(struct layout *layout, const char *const *list, size_t count)
{
    double widest = 0;
    for (size_t i = 0; i < count; i += layout->every)
        widest = fmax(widest,
                      ken_svg_text_width(ken_heat_name(&layout->names, list, i), layout->font));
    return widest;
}

static double widest_title(const ken_picture *picture)
{
    double widest = 0;
    for (size_t i = 0; picture->titles && i < picture->count; i++)
        widest = fmax(widest, ken_svg_text_width(picture->titles[i], 11));
    return widest;
}

/* Returns the size of a cell in pixels. A single small matrix gets large cells. Larger matrices get
 * cells as high as a name, or 3 pixels if there are too many names or none. */
static double cell_size(const ken_picture *p)
{
    bool grid = p->count > 1, named = p->row_names || p->col_names;
    size_t longer = ken_size_max(1, ken_size_max(p->rows, p->cols));
    double room = grid ? 190 : 720, largest = grid ? 24 : 34, least = 3;
    if (named && longer <= (grid ? NAMED_IN_GRID : NAMED_ALONE)) least = NAMED_CELL;
    return fmin(largest, fmax(least, floor(room / (double)longer)));
}

static void lay_out(struct layout *layout)
{
    const ken_picture *p = layout->picture;
    layout->cell = cell_size(p);
    layout->font = fmin(12, fmax(9, layout->cell - 2));
    layout->every = (size_t)fmax(1, ceil((layout->font + 1) / layout->cell));
    layout->across = p->dimensions == 4 ? p->shape[1] : p->count;
    layout->across = ken_size_max(1, ken_size_min(layout->across, 8));
    layout->down = ken_size_groups(p->count, layout->across);
    layout->width = layout->cell * (double)p->cols;
    layout->height = layout->cell * (double)p->rows;
    layout->left = widest_name(layout, p->row_names, p->rows) + 6;
    layout->top = widest_name(layout, p->col_names, p->cols);
    layout->turned = layout->top > layout->cell * (double)layout->every - 2;
    layout->top = layout->turned ? layout->top + 6 : LINE;
    layout->pitch = layout->width;
    if (p->count > 1) layout->pitch = fmax(layout->width, widest_title(p)) + GAP;
}

/* Returns the y coordinate where the head of the picture ends and the names of the columns
 * begin. */
static double head_of(const struct layout *layout)
{
    return MARGIN + TITLE + (layout->picture->about ? LINE : 0) + 6;
}

static void place_of(const struct layout *layout, size_t i, double *x, double *y)
{
    double band = layout->picture->count > 1 ? LINE : 0; /* height of the title of each matrix */
    size_t row = i / layout->across, col = i % layout->across;
    *x = MARGIN + layout->left + (double)col * layout->pitch;
    *y = head_of(layout) + layout->top + band +
         (double)row * (layout->height + band + (band > 0 ? GAP / 2 : 0));
}

/* Returns the width of the legend in pixels. It is the width of half a tick label, the colour
 * bar and the grey box with its text, or of the words below the bar, whichever is larger. */
static double legend_width(const struct ken_heat *heat)
{
    double bar = 20 + BAR + (heat->masked ? 44 + ken_svg_text_width(masked, 11) : 20);
    return fmax(bar, 20 + ken_svg_text_width(ken_heat_words(heat), 11));
}

static double page_width(const struct layout *layout)
{
    const ken_picture *p = layout->picture;
    double maps = layout->left + (double)layout->across * layout->pitch;
    double words = fmax(ken_svg_text_width(p->title, 15), legend_width(&layout->heat));
    if (p->about) words = fmax(words, ken_svg_text_width(p->about, 11));
    return 2 * MARGIN + fmax(maps, words);
}

/* ---- drawing the parts ----------------------------------------------------------------------- */

static const char *tip_of(struct layout *layout, size_t row, size_t col, double value)
{
    const ken_picture *p = layout->picture;
    /* a large picture has no tips, because they would be most of the file */
    if (p->count * p->rows * p->cols > TIPS_MOST) return NULL;
    restart(&layout->tip);
    ken_buffer_text(&layout->tip, ken_heat_name(&layout->names, p->row_names, row));
    ken_buffer_text(&layout->tip, " \xe2\x86\x92 ");
    ken_buffer_text(&layout->tip, ken_heat_name(&layout->names, p->col_names, col));
    ken_buffer_format(&layout->tip, ": %.4g", value);
    return ken_buffer_string(&layout->tip);
}

/* Draws a row of cells. If cells have no tips (texts shown when the reader points at a cell),
 * neighbouring cells of the same colour become one rectangle. */
static void draw_row(struct layout *layout, const float *values, size_t row, double x, double y)
{
    size_t cols = layout->picture->cols;
    for (size_t j = 0, next; j < cols; j = next) {
        char colour[8], other[8];
        colour_of(colour, &layout->heat, ken_heat_share(&layout->heat, values[j]));
        const char *tip = tip_of(layout, row, j, values[j]);
        for (next = j + 1; !tip && next < cols; next++) {
            colour_of(other, &layout->heat, ken_heat_share(&layout->heat, values[next]));
            if (strcmp(colour, other) != 0) break;
        }
        if (!tip && strcmp(colour, "#ffffff") == 0) continue;
        ken_svg_rect(layout->out, x + (double)j * layout->cell, y,
                     layout->cell * (double)(next - j), layout->cell, colour, tip);
    }
}

static void draw_frame(const struct layout *layout, double x, double y)
{
    double right = x + layout->width, bottom = y + layout->height;
    const char *grey = "#999999";
    ken_svg_line(layout->out, x, y, right, y, grey, 1);
    ken_svg_line(layout->out, x, bottom, right, bottom, grey, 1);
    ken_svg_line(layout->out, x, y, x, bottom, grey, 1);
    ken_svg_line(layout->out, right, y, right, bottom, grey, 1);
}

static void draw_names(struct layout *layout, size_t i, double x, double y)
{
    const ken_picture *p = layout->picture;
    double middle = layout->cell / 2, drop = layout->font * 0.35;
    for (size_t r = 0; i % layout->across == 0 && r < p->rows; r += layout->every)
        ken_svg_text(layout->out, x - 5, y + (double)r * layout->cell + middle + drop, layout->font,
                     KEN_ANCHOR_END, "#222222", ken_heat_name(&layout->names, p->row_names, r));
    for (size_t c = 0; i < layout->across && c < p->cols; c += layout->every) {
        const char *name = ken_heat_name(&layout->names, p->col_names, c);
        double at = x + (double)c * layout->cell + middle;
        if (layout->turned)
            ken_svg_text_turned(layout->out, at + drop, y - 5, layout->font, -90, KEN_ANCHOR_START,
                                name);
        else ken_svg_text(layout->out, at, y - 5, layout->font, KEN_ANCHOR_MIDDLE, "#222222", name);
    }
}

static void draw_matrix(struct layout *layout, size_t i)
{
    const ken_picture *p = layout->picture;
    const float *values = p->values + i * p->rows * p->cols;
    double x, y;
    place_of(layout, i, &x, &y);
    /* In the first row of the grid, the title of a matrix is above the column names; in the other
     * rows, which have no column names, it is right above the matrix. */
    if (p->count > 1 && p->titles) {
        double above = i < layout->across ? layout->top : 0;
        ken_svg_text(layout->out, x, y - above - 5, 11, KEN_ANCHOR_START, INK, p->titles[i]);
    }
    draw_names(layout, i, x, y);
    for (size_t r = 0; r < p->rows; r++)
        draw_row(layout, values + r * p->cols, r, x, y + (double)r * layout->cell);
    draw_frame(layout, x, y);
}

/* Draws the colour scale with its ticks and, below it, the words that name the scale. If some
 * queries may not attend to some keys, a grey box on the right says so. */
static void draw_legend(struct layout *layout, double y)
{
    enum { STEPS = 52 };
    const struct ken_heat *heat = &layout->heat;
    double low = ken_heat_diverges(heat) ? -1 : 0, x = MARGIN + 20, ticks[KEN_HEAT_TICKS];
    size_t count = ken_heat_ticks(ticks, heat, 0.115);
    for (size_t i = 0; i < STEPS; i++) {
        char colour[8];
        colour_of(colour, heat, low + (1 - low) * (double)i / (STEPS - 1));
        ken_svg_rect(layout->out, x + (double)i * BAR / STEPS, y, (double)BAR / STEPS + 0.3, 10,
                     colour, NULL);
    }
    for (size_t i = 0; i < count; i++) {
        char digits[KEN_HEAT_LABEL];
        double at = x + BAR * ken_heat_place(heat, ticks[i]);
        ken_svg_line(layout->out, at, y + 10, at, y + 13, INK, 1);
        ken_heat_label(digits, heat, ticks[i]);
        ken_svg_text(layout->out, at, y + 25, 11, KEN_ANCHOR_MIDDLE, INK, digits);
    }
    ken_svg_text(layout->out, x, y + 42, 11, KEN_ANCHOR_START, INK, ken_heat_words(heat));
    if (!heat->masked) return;
    ken_svg_rect(layout->out, x + BAR + 28, y, 10, 10, GREY, NULL);
    ken_svg_text(layout->out, x + BAR + 43, y + 9, 11, KEN_ANCHOR_START, INK, masked);
}

static void draw_all(struct layout *layout)
{
    const ken_picture *p = layout->picture;
    double x, y;
    place_of(layout, p->count > 0 ? p->count - 1 : 0, &x, &y);
    double bottom = y + layout->height + GAP;
    ken_svg_open(layout->out, page_width(layout), bottom + LEGEND, p->title);
    if (p->about) ken_svg_describe(layout->out, p->about);
    ken_svg_text(layout->out, MARGIN, MARGIN + 14, 15, KEN_ANCHOR_START, "#222222", p->title);
    if (p->about)
        ken_svg_text(layout->out, MARGIN, MARGIN + 14 + LINE, 11, KEN_ANCHOR_START, INK, p->about);
    for (size_t i = 0; i < p->count; i++) draw_matrix(layout, i);
    draw_legend(layout, bottom);
    ken_svg_close(layout->out);
}

ken_status ken_picture_svg(const ken_picture *picture, ken_text_fn *write, void *user)
{
    ken_buffer out = { 0 };
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(write));
    KEN_TRY(ken_picture_check(picture, KEN_PICTURE_DRAWN));
    struct layout layout = { .picture = picture, .heat = ken_heat_of(picture), .out = &out };
    lay_out(&layout);
    draw_all(&layout);
    ken_status status = ken_buffer_status(&layout.names);
    if (!status) status = ken_buffer_status(&layout.tip);
    if (!status) status = ken_buffer_status(&out);
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&layout.names);
    ken_buffer_release(&layout.tip);
    ken_buffer_release(&out);
    return status;
}
