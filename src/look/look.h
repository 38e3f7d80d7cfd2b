/* look.h - one example as a model sees it, and what can be made of its weights. */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include "task/task.h"

enum { KEN_LOOKS = 3 };

struct ken_view {
    ken_task *task;
    ken_gathered batch; /* input and target, one sequence each                             */
    ken_strings read;   /* tokens of the input; none of vectors and of language models     */
    ken_strings wrote;  /* begin, tokens of the target, end                                */
    ken_buffer names;   /* const char * each: those of `read`, then those of `wrote`       */
    size_t rows, steps; /* of the input; of a generator tokens of the target and the end   */

    ken_answer answer;
    ken_strings labels;
    ken_buffer label_list, scores; /* const char *, double each */

    float *weights[KEN_LOOKS]; /* (layers, heads, T, S) each, once they were asked for   */
    float *shown;              /* the last picture                                       */
    ken_strings titles;
    ken_buffer title_list; /* const char * each                                      */
    char title[80];
};

/* ---- look_example.c -------------------------------------------------------------------------- */

/* Fills the first two parts of a new view. */
ken_status ken_view_read(ken_view *view, const ken_request *request, size_t example,
                         const char *target);

/* ---- look.c ---------------------------------------------------------------------------------- */

struct ken_extent {
    size_t layers, heads, T, S;
};
struct ken_extent ken_view_extent(const ken_view *view, ken_look which);

/* All weights of one kind, (layers, heads, T, S); they stay with the view. */
ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which);

/* Tokens of the rows and of the columns; NULL: numbers. */
const char *const *ken_view_row_names(const ken_view *view, ken_look which);
const char *const *ken_view_col_names(const ken_view *view, ken_look which);

/* ---- look_show.c ----------------------------------------------------------------------------- */

/* mean (T, S) over heads of weights (heads, T, S); size = T * S. */
void ken_view_mean(float *mean, const float *weights, size_t heads, size_t size);

/* out (T, T): the product over layers, the last one leftmost, of (A + I) / 2 with rows made to add
 * up to 1; A are the layers of means (layers, T, T). For no layers it is I. */
ken_status ken_rollout(float *out, const float *means, size_t layers, size_t T);

/* Whether there is attention to follow down to the input: across it ends in the encoder. */
bool ken_view_follows(const ken_view *view, ken_look which);

/* out (T, S), from the input up to the first `layers` layers of this kind. */
ken_status ken_view_rollout(ken_view *view, float *out, ken_look which, size_t layers);

/* ---- look_save.c ----------------------------------------------------------------------------- */

/* "key":["name",...] of names that may be NULL: then null. With `visible` as drawn. */
void ken_json_names(ken_buffer *out, const char *key, const char *const *names, size_t count,
                    bool visible);

/* "tokens", "written", "answers" and "scores", the members of an object. */
void ken_json_answer(ken_buffer *out, const ken_view *view);

#endif
