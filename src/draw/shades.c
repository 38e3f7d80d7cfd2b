/* shades.c - draws matrices in a terminal. A matrix column is two terminal columns wide, so that
 * cells are about square. Names of columns stand upright above them, one character per line; a wide
 * character fills a cell. Not here: which colours the terminal has (the caller knows). */
#include "base/size.h"
#include "base/text.h"
#include "draw/heat.h"

#include <math.h>
#include <string.h>

/* NAME_MOST: maximum terminal columns of a row's name. UPRIGHT_MOST: maximum terminal lines of a
 * column's name. */
enum { NAME_MOST = 20, UPRIGHT_MOST = 12 };

struct sheet {
    const ken_picture *picture;
    struct ken_heat heat;
    ken_terminal colours;
    ken_buffer *out;
    ken_buffer names;
    size_t margin; /* number of terminal columns that the names of rows take */
    size_t shown;  /* number of columns of the matrix that fit into the terminal */
};

static void blanks(ken_buffer *out, size_t count)
{
    ken_buffer_format(out, "%*s", (int)count, "");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Returns the number of bytes of the character at `text`, including its combining marks. *columns
 * receives its width in terminal columns. */
static size_t glyph(const char *text, size_t length, size_t *columns)
{
    size_t step = ken_text_step(text, length);
    *columns = ken_text_columns(text, length);
    while (step < length && ken_text_columns(text + step, length - step) == 0)
        step += ken_text_step(text + step, length - step);
    return step;
}

static size_t columns_of(const char *text)
{
    size_t length = strlen(text), sum = 0, columns;
    for (size_t i = 0; i < length; sum += columns) i += glyph(text + i, length - i, &columns);
    return sum;
}

/* Writes the name of a row, right-aligned. A name that is too long is cut and gets an ellipsis at
 * its end. */
static void row_name(struct sheet *sheet, size_t row)
{
    const char *name = ken_heat_name(&sheet->names, sheet->picture->row_names, row);
    size_t all = columns_of(name), length = strlen(name), at = 0, used = 0, columns;
    bool cut = all > sheet->margin;
    if (!cut) blanks(sheet->out, sheet->margin - all);
    while (at < length) {
        size_t step = glyph(name + at, length - at, &columns);
        if (cut && used + columns + 1 > sheet->margin) break;
        at += step;
        used += columns;
    }
    ken_buffer_append(sheet->out, name, at);
    if (cut) ken_buffer_text(sheet->out, "\xe2\x80\xa6");
    if (cut) blanks(sheet->out, sheet->margin - used - 1);
    ken_buffer_text(sheet->out, " ");
}

static size_t glyphs_of(const char *text)
{
    size_t length = strlen(text), count = 0, columns;
    for (size_t i = 0; i < length; count++) i += glyph(text + i, length - i, &columns);
    return count;
}

/* Writes one character of a column name that is written downwards over `lines` terminal lines: the
 * character on line `line`. Names end on the last line. The output is always two terminal columns
 * wide. */
static void upright_glyph(struct sheet *sheet, const char *name, size_t line, size_t lines)
{
    size_t count = glyphs_of(name), length = strlen(name), at = 0, columns;
    bool cut = count > lines;
    size_t first = cut ? 0 : lines - count;
    if (line < first) {
        blanks(sheet->out, 2);
        return;
    }
    for (size_t k = first; k < line; k++) at += glyph(name + at, length - at, &columns);
    size_t step = glyph(name + at, length - at, &columns);
    if (cut && line + 1 == lines) {
        ken_buffer_text(sheet->out, "\xe2\x80\xa6 ");
        return;
    }
    ken_buffer_append(sheet->out, name + at, step);
    blanks(sheet->out, columns < 2 ? 2 - columns : 0);
}

static void trim(ken_buffer *out)
{
    while (out->size > 0 && out->data[out->size - 1] == ' ') out->size--;
    ken_buffer_text(out, "\n");
}

static void column_names(struct sheet *sheet)
{
    const char *const *list = sheet->picture->col_names;
    size_t lines = 0;
    for (size_t j = 0; j < sheet->shown; j++)
        lines = ken_size_max(lines, glyphs_of(ken_heat_name(&sheet->names, list, j)));
    lines = ken_size_min(lines, UPRIGHT_MOST);
    for (size_t line = 0; line < lines; line++) {
        blanks(sheet->out, sheet->margin + 1);
        for (size_t j = 0; j < sheet->shown; j++)
            upright_glyph(sheet, ken_heat_name(&sheet->names, list, j), line, lines);
        trim(sheet->out);
    }
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Sets the colour of a cell from the strength `share` of its value: from dark to bright or, on a
 * scale with two directions, from blue over black to orange. */
static void colour_cell(struct sheet *sheet, double share)
{
    static const double stops[2][3][3] = { { { 18, 20, 28 }, { 46, 110, 190 }, { 255, 236, 150 } },
                                           { { 18, 20, 28 }, { 30, 90, 200 }, { 130, 210, 255 } } };
    static const double warm[3][3] = { { 18, 20, 28 }, { 200, 80, 20 }, { 255, 200, 120 } };
    bool both = ken_heat_diverges(&sheet->heat);
    /* The terminal colours 232 to 255 are greys, and 16 + 36 r + 6 g + b are a cube of
     * colours. */
    if (sheet->colours == KEN_TERMINAL_256) {
        int five = (int)lround(5 * fabs(share)), grey = 232 + (int)lround(23 * fabs(share));
        int cube = share < 0 ? 16 + five : 16 + 36 * five;
        ken_buffer_format(sheet->out, "\x1b[48;5;%dm  ", both ? cube : grey);
        return;
    }
    const double(*stop)[3] = !both ? stops[0] : share < 0 ? stops[1] : warm;
    double at = 2 * fabs(share);
    size_t from = at < 1 ? 0 : 1;
    ken_buffer_text(sheet->out, "\x1b[48;2");
    for (size_t c = 0; c < 3; c++)
        ken_buffer_format(sheet->out, ";%ld",
                          lround(stop[from][c] +
                                 (at - (double)from) * (stop[from + 1][c] - stop[from][c])));
    ken_buffer_text(sheet->out, "m  ");
}

/* Draws the cell of a value that is NaN; the cell stays blank if NaN means that the query may not
 * attend to the key. */
static void draw_missing(struct sheet *sheet)
{
    if (sheet->colours != KEN_TERMINAL_PLAIN) ken_buffer_text(sheet->out, "\x1b[0m");
    ken_buffer_text(sheet->out, sheet->heat.kind == KEN_HEAT_RELATIVE ? "  " : "??");
}

/* Draws a cell. Without colours the cell is a character that is darker for larger values or, on a
 * scale with two directions, a sign and a digit. */
static void draw_cell(struct sheet *sheet, double value)
{
    static const char shades[] = " .:-=+*#%@";
    double share = ken_heat_share(&sheet->heat, value);
    int nine = isnan(share) ? 0 : (int)lround(9 * fabs(share));
    if (isnan(share)) draw_missing(sheet);
    else if (sheet->colours != KEN_TERMINAL_PLAIN) colour_cell(sheet, share);
    else if (!ken_heat_diverges(&sheet->heat))
        ken_buffer_format(sheet->out, "%c%c", shades[nine], shades[nine]);
    else ken_buffer_format(sheet->out, "%c%d", nine == 0 ? ' ' : share < 0 ? '-' : '+', nine);
}

static void end_row(struct sheet *sheet)
{
    if (sheet->colours == KEN_TERMINAL_PLAIN) trim(sheet->out);
    else ken_buffer_text(sheet->out, "\x1b[0m\n");
}

static void draw_matrix(struct sheet *sheet, size_t i)
{
    const ken_picture *p = sheet->picture;
    const float *values = p->values + i * p->rows * p->cols;
    if (p->count > 1 && p->titles) ken_buffer_format(sheet->out, "\n%s\n", p->titles[i]);
    column_names(sheet);
    for (size_t r = 0; r < p->rows; r++) {
        row_name(sheet, r);
        for (size_t j = 0; j < sheet->shown; j++) draw_cell(sheet, values[r * p->cols + j]);
        end_row(sheet);
    }
}

/* Writes the labels of the legend's ticks below the colour bar, which is `wide` terminal columns
 * wide and begins in the second column. The length of the first label, which is one of the longest,
 * decides how many labels there are. */
static void legend_labels(struct sheet *sheet, size_t wide)
{
    double ticks[KEN_HEAT_TICKS];
    char label[KEN_HEAT_LABEL];
    ken_heat_label(label, &sheet->heat, ken_heat_value(&sheet->heat, -1));
    double gap = fmax(0.24, (double)(columns_of(label) + 1) / (double)wide);
    size_t count = ken_heat_ticks(ticks, &sheet->heat, gap), at = 0;
    for (size_t i = 0; i < count; i++) {
        ken_heat_label(label, &sheet->heat, ticks[i]);
        size_t room = columns_of(label);
        double middle = 1 + ken_heat_place(&sheet->heat, ticks[i]) * (double)(wide - 1);
        size_t from = (size_t)fmax(1, round(middle - (double)(room - 1) / 2));
        from = ken_size_max(from, i > 0 ? at + 1 : at);
        blanks(sheet->out, from - at);
        ken_buffer_text(sheet->out, label);
        at = from + room;
    }
    ken_buffer_text(sheet->out, "\n");
}

static void draw_legend(struct sheet *sheet)
{
    enum { CELLS = 10 };
    const struct ken_heat *heat = &sheet->heat;
    double low = ken_heat_diverges(heat) ? -1 : 0;
    ken_buffer_text(sheet->out, "[");
    for (size_t i = 0; i < CELLS; i++)
        draw_cell(sheet, ken_heat_value(heat, low + (1 - low) * (double)i / (CELLS - 1)));
    if (sheet->colours != KEN_TERMINAL_PLAIN) ken_buffer_text(sheet->out, "\x1b[0m");
    ken_buffer_format(sheet->out, "] %s%s\n", ken_heat_words(heat),
                      heat->masked ? "; blank: may not attend" : "");
    legend_labels(sheet, 2 * CELLS);
    if (sheet->shown < sheet->picture->cols)
        ken_buffer_format(sheet->out, "left out: columns %zu to %zu of %zu, for want of room\n",
                          sheet->shown + 1, sheet->picture->cols, sheet->picture->cols);
}

ken_status ken_picture_text(const ken_picture *picture, size_t columns, ken_terminal colours,
                            ken_text_fn *write, void *user)
{
    ken_buffer out = { 0 };
    KEN_TRY(KEN_GIVEN(picture));
    KEN_TRY(KEN_GIVEN(write));
    KEN_TRY(ken_picture_check(picture, KEN_PICTURE_SHOWN));
    struct sheet sheet = { .picture = picture,
                           .heat = ken_heat_of(picture),
                           .colours = colours,
                           .out = &out,
                           .shown = picture->cols };
    for (size_t r = 0; r < picture->rows; r++)
        sheet.margin = ken_size_max(sheet.margin,
                                    columns_of(ken_heat_name(&sheet.names, picture->row_names, r)));
    sheet.margin = ken_size_min(sheet.margin, NAME_MOST);
    if (columns > 0) { /* 0 means no limit; otherwise at least one column of the matrix is shown */
        size_t room = columns > sheet.margin + 1 ? (columns - sheet.margin - 1) / 2 : 0;
        sheet.shown = ken_size_min(sheet.shown, ken_size_max(room, 1));
    }
    ken_buffer_format(&out, "%s\n", picture->title);
    if (picture->about) ken_buffer_format(&out, "%s\n", picture->about);
    if (picture->count <= 1) ken_buffer_text(&out, "\n");
    for (size_t i = 0; i < picture->count; i++) draw_matrix(&sheet, i);
    ken_buffer_text(&out, "\n");
    draw_legend(&sheet);
    ken_status status = ken_buffer_status(&sheet.names);
    if (!status) status = ken_buffer_status(&out);
    if (!status) write(user, out.data, out.size);
    ken_buffer_release(&sheet.names);
    ken_buffer_release(&out);
    return status;
}
