/* rotate.c - rotates heads by the place (position) of their row. A row of the table has E cosines
 * and E sines, one for each number of a head of width E. The sine of the first number of a pair is
 * negative, so that y_j = x_j cos_j + x_partner sin_j for both numbers of a pair. Angles are
 * computed in double precision: at place 100 000 a float angle would be off by 1/100. */
#include "kernel/rotate.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <math.h>
#include <string.h>

enum {
    TASK_FLOATS = 1 << 13, /* floats that one task rotates                      */
    COSINE_COST = 16       /* floats rotated in the time of one cosine and sine */
};

static double frequency(double base, size_t pair, size_t width)
{
    return pow(base, -2.0 * (double)pair / (double)width);
}

static size_t axes_of(const struct ken_rotary *how)
{
    return how->axes ? how->axes : 1;
}

/* Returns the number of pairs that each coordinate of a place rotates. */
static size_t pairs_of(const struct ken_rotary *how)
{
    return how->E / 2 / axes_of(how);
}

/* Returns the angle by which pair i is rotated per place. */
static double turning_of(const struct ken_rotary *how, size_t i)
{
    size_t pairs = pairs_of(how);
    return frequency(how->base != 0 ? how->base : 10000, i % pairs, 2 * pairs);
}

/* Finds the two columns of a head that form pair i. */
static void pair_at(size_t *first, size_t *second, size_t i, const struct ken_rotary *how)
{
    bool halves = how->pairing == KEN_ROTATE_HALVES;
    *first = halves ? i : 2 * i;
    *second = halves ? i + how->E / 2 : 2 * i + 1;
}

struct turn {
    const struct ken_rotary *how;
    float *out, *table;
    const float *in;
    const int32_t *places;
    size_t N, cols, step; /* rows, columns, rows per task                */
    int32_t lowest;       /* place of the table's first row, if by_place */
    size_t table_rows;
    bool by_place; /* true: one table row per place; false: one per row of x */
    bool back;
};

/* Chooses the rows of the table of cosines and sines: one for each place from the lowest to the
 * highest or, if there are fewer rows of x than such places, one for each row of x. */
static void choose_table(struct turn *turn)
{
    int32_t highest = turn->N ? turn->places[0] : 0;
    turn->lowest = highest;
    for (size_t i = 0; i < turn->N * axes_of(turn->how); i++) {
        if (turn->places[i] < turn->lowest) turn->lowest = turn->places[i];
        if (turn->places[i] > highest) highest = turn->places[i];
    }
    /* usually sequences share places; but in decoding, a few rows may have places far apart */
    size_t span = (size_t)(highest - turn->lowest) + 1;
    turn->by_place = span <= turn->N;
    turn->table_rows = turn->by_place ? span : turn->N;
}

size_t ken_rotate_space(const int32_t *places, size_t N, const struct ken_rotary *how)
{
    struct turn turn = { .how = how, .places = places, .N = N };
    choose_table(&turn);
    return turn.table_rows * 2 * how->E;
}

/* Fills some rows of the table, one pair after another: computing a pair's frequency takes longer
 * than a cosine and a sine, and so is done once for all rows. */
static void table_task(void *context, size_t task, float *scratch)
{
    const struct turn *turn = context;
    const struct ken_rotary *how = turn->how;
    size_t E = how->E, end = ken_size_min(turn->table_rows, (task + 1) * turn->step);
    size_t axes = axes_of(how);
    (void)scratch;
    for (size_t i = 0; i < E / 2; i++) {
        double turning = turning_of(how, i);
        const int32_t *places = turn->places + i / pairs_of(how);
        size_t first, second;
        pair_at(&first, &second, i, how);
        for (size_t row = task * turn->step; row < end; row++) {
            double place = turn->by_place ? (double)turn->lowest + (double)row : places[row * axes];
            float *cosine = turn->table + row * 2 * E, *sine = cosine + E;
            cosine[first] = cosine[second] = (float)cos(place * turning);
            sine[second] = (float)sin(place * turning);
            sine[first] = -sine[second];
        }
    }
}

/* Returns the cosines and sines of row i. If a place has two coordinates, each pair depends on one
 * of them; so if the table has one row per place, the rows of both coordinates are combined in
 * `mixed`. */
static const float *angles_of(const struct turn *turn, size_t i, float *mixed)
{
    const struct ken_rotary *how = turn->how;
    size_t E = how->E, axes = axes_of(how);
    if (!turn->by_place) return turn->table + i * 2 * E;
    const int32_t *places = turn->places + i * axes;
    if (axes == 1) return turn->table + (size_t)(*places - turn->lowest) * 2 * E;
    for (size_t pair = 0; pair < E / 2; pair++) {
        size_t row = (size_t)(places[pair / pairs_of(how)] - turn->lowest), at[2];
        const float *from = turn->table + row * 2 * E;
        pair_at(&at[0], &at[1], pair, how);
        for (size_t k = 0; k < 2; k++) {
            mixed[at[k]] = from[at[k]];
            mixed[E + at[k]] = from[E + at[k]];
        }
    }
    return mixed;
}

/* Rotates the heads of row i and copies the other columns. In backward, rotates by the negative
 * angle (the transpose of a rotation) and adds to the output. */
static void turn_row(const struct turn *turn, size_t i, float *mixed)
{
    const struct ken_rotary *how = turn->how;
    size_t E = how->E, after = how->first_col + how->heads * E;
    const float *cosine = angles_of(turn, i, mixed);
    float *out = turn->out + i * turn->cols;
    const float *in = turn->in + i * turn->cols;
    for (size_t at = how->first_col; at < after; at += E)
        ken_kernels()->rotate_head(out + at, in + at, cosine, cosine + E, turn->back ? -1 : 1,
                                   how->pairing == KEN_ROTATE_NEIGHBOURS, turn->back, E);
    if (turn->back) {
        ken_kernels()->array_combine(out, out, in, 1, how->first_col);
        ken_kernels()->array_combine(out + after, out + after, in + after, 1, turn->cols - after);
    } else {
        memcpy(out, in, how->first_col * sizeof *out);
        memcpy(out + after, in + after, (turn->cols - after) * sizeof *out);
    }
}

static void turn_task(void *context, size_t task, float *scratch)
{
    const struct turn *turn = context;
    size_t end = ken_size_min(turn->N, (task + 1) * turn->step);
    for (size_t i = task * turn->step; i < end; i++) turn_row(turn, i, scratch);
}

/* Fills the table, then rotates the rows. This takes two parallel regions, because every row may
 * read any part of the table. */
static void turn_all(struct turn *turn)
{
    choose_table(turn);
    turn->step = TASK_FLOATS / COSINE_COST / (turn->how->E + 1) + 1;
    ken_parallel(ken_size_groups(turn->table_rows, turn->step), table_task, turn);
    turn->step = TASK_FLOATS / (turn->cols + 1) + 1;
    ken_parallel(ken_size_groups(turn->N, turn->step), turn_task, turn);
}

void ken_rotate_forward(float *y, const float *x, const int32_t *places, size_t N, size_t cols,
                        const struct ken_rotary *how, float *space)
{
    turn_all(&(struct turn){ .how = how,
                             .out = y,
                             .in = x,
                             .table = space,
                             .places = places,
                             .N = N,
                             .cols = cols });
}

void ken_rotate_backward(float *dx, const float *dy, const int32_t *places, size_t N, size_t cols,
                         const struct ken_rotary *how, float *space)
{
    turn_all(&(struct turn){ .how = how,
                             .out = dx,
                             .in = dy,
                             .table = space,
                             .places = places,
                             .N = N,
                             .cols = cols,
                             .back = true });
}

void ken_rotate_ref(float *out, const float *in, const int32_t *places, size_t N, size_t cols,
                    const struct ken_rotary *how, bool back)
{
    for (size_t i = 0; i < N; i++, out += cols, in += cols) {
        const int32_t *place = places + i * axes_of(how);
        for (size_t j = 0; j < cols; j++)
            if (j < how->first_col || j >= how->first_col + how->heads * how->E)
                out[j] = back ? out[j] + in[j] : in[j];
        for (size_t k = 0; k < how->heads * (how->E / 2); k++) {
            size_t pair = k % (how->E / 2), at = how->first_col + k / (how->E / 2) * how->E, a, b;
            pair_at(&a, &b, pair, how);
            double angle = place[pair / pairs_of(how)] * turning_of(how, pair) * (back ? -1 : 1);
            double u = in[at + a], v = in[at + b];
            out[at + a] = (float)((back ? out[at + a] : 0) + u * cos(angle) - v * sin(angle));
            out[at + b] = (float)((back ? out[at + b] : 0) + u * sin(angle) + v * cos(angle));
        }
    }
}

/* Fills the sinusoid table in the calling thread. This is fast enough, because it happens only when
 * a model meets a sequence that is longer than all earlier ones. */
void ken_sinusoid_fill(float *table, size_t P, size_t D)
{
    for (size_t j = 0; j < D; j++) {
        double turning = frequency(10000, j / 2, D);
        for (size_t p = 0; p < P; p++)
            table[p * D + j] = (float)(j % 2 ? cos((double)p * turning) : sin((double)p * turning));
    }
}
