/* look.h - one example as a model sees it, and its attention weights. */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include "task/task.h"

enum { KEN_LOOKS = 3 };

struct ken_view {
    ken_task *task;
    ken_gathered batch; /* input and target, one sequence each                              */
    ken_strings read;   /* tokens of the input; empty for rows of numbers and language models */
    ken_strings wrote;  /* <begin>, the tokens of the target, <end>                         */
    ken_buffer names;   /* pointers (const char *) to the strings of `read`, then of `wrote` */
    size_t rows;        /* of the input                                                     */
    size_t steps;       /* of a generator: the tokens of the target, and <end>; else 0      */

    ken_answer answer;
    ken_strings labels;
    ken_buffer label_list, scores; /* elements: const char *, double */

    float *weights[KEN_LOOKS]; /* (layers, heads, T, S) each; NULL until they are needed */
    float *shown;              /* values of the last picture                             */
    ken_strings titles;
    ken_buffer title_list; /* pointers (const char *) to them                        */
    char title[80];
};

/* ---- look_example.c -------------------------------------------------------------------------- */

/* Reads the example and finds its answer: fills the first two parts of a new view. */
ken_status ken_view_read(ken_view *view, const ken_request *request, size_t example,
                         const char *target);

/* ---- look.c ---------------------------------------------------------------------------------- */

struct ken_extent {
    size_t layers, heads, T, S;
};
struct ken_extent ken_view_extent(const ken_view *view, ken_look which);

/* All weights of one kind of attention, (layers, heads, T, S). The view owns them. */
ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which);

/* The tokens of the rows and of the columns; NULL if they have no names, only numbers. */
const char *const *ken_view_row_names(const ken_view *view, ken_look which);
const char *const *ken_view_col_names(const ken_view *view, ken_look which);

/* ---- look_show.c ----------------------------------------------------------------------------- */

/* mean (T, S): the mean over the heads of weights (heads, T, S); size = T * S. */
void ken_view_mean(float *mean, const float *weights, size_t heads, size_t size);

/* out (T, T): the product over layers of (A + I) / 2, the last layer leftmost, each row scaled to
 * sum to 1. A is a layer of means (layers, T, T). Without layers the result is the identity I. */
ken_status ken_rollout(float *out, const float *means, size_t layers, size_t T);

/* Whether rollout can follow the attention down to the input. Cross attention ends in the encoder,
 * so the encoder needs attention, too. */
bool ken_view_follows(const ken_view *view, ken_look which);

/* out (T, S): rollout from the input up to the first `layers` layers of this kind. */
ken_status ken_view_rollout(ken_view *view, float *out, ken_look which, size_t layers);

/* ---- look_save.c ----------------------------------------------------------------------------- */

/* Appends the members "tokens", "written", "answers" and "scores". */
void ken_json_answer(ken_buffer *out, const ken_view *view);

#endif
