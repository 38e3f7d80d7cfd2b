/* look.h - one example as a model sees it, and its attention weights. */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include "task/task.h"

enum { KEN_LOOKS = 3 };

struct ken_view {
    ken_task *task;
    ken_gathered batch; /* the input and the target, one sequence each                        */
    ken_strings read;   /* tokens of the input; empty for rows of numbers and language models */
    ken_strings wrote;  /* <begin>, the tokens of the target, <end>                           */
    ken_buffer names;   /* pointers (const char *) to the strings of `read`, then of `wrote`  */
    size_t rows;        /* number of rows of the input                                        */
    size_t steps;       /* generators: number of target tokens, <end> included; else 0        */

    ken_answer answer;
    ken_strings labels;
    ken_buffer label_list, scores; /* elements: const char *, double */

    float *weights[KEN_LOOKS]; /* (layers, heads, queries, keys) each; NULL until they are needed */
    unsigned char *masks[KEN_LOOKS]; /* (queries, keys) each: 1 where a query may attend to a key */
    float *shown;                    /* values of the last picture                                */
    ken_strings titles;
    ken_buffer title_list; /* pointers (const char *) to the strings of `titles` */
    char title[80];
};

/* ---- look_example.c: the example of a view --------------------------------------------------- */

/* Reads the example and finds its answer: fills `batch` to `steps` and `answer` to `scores` of a
 * new view. */
ken_status ken_view_read(ken_view *view, const ken_request *request, size_t example,
                         const char *target);

/* ---- look.c: sizes, names and weights -------------------------------------------------------- */

struct ken_extent {
    size_t layers, heads, T, S;
};
struct ken_extent ken_view_extent(const ken_view *view, ken_look which);

/* Computes the weights that a valid glance without rollout chooses, one matrix (T, S) for each
 * chosen layer and head, for T queries and S keys; and view->masks[glance->which]. */
ken_status ken_view_look(ken_view *view, float *weights, const ken_glance *glance);

/* Computes all weights of one kind of attention, (layers, heads, T, S), and view->masks[which]. The
 * view owns both arrays. */
ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which);

/* Returns the number of keys to which query t may attend. ken_view_look() or ken_view_weights()
 * must have succeeded for this kind of attention. */
size_t ken_view_keys(const ken_view *view, ken_look which, size_t t);

/* Return the tokens that name the rows and the columns of a matrix of weights; NULL if they are
 * only numbered. */
const char *const *ken_view_row_names(const ken_view *view, ken_look which);
const char *const *ken_view_col_names(const ken_view *view, ken_look which);

/* ---- look_show.c: checks and rollout --------------------------------------------------------- */

/* Fails if the layer or head that a glance chooses does not exist, or if computing the glance would
 * take room for more than `most` weights. Computes nothing. */
ken_status ken_view_check(const ken_view *view, const ken_glance *glance, size_t most);

/* Computes attention rollout, out (T, T): the product over layers of (A + I) / 2, the last layer
 * leftmost, each row scaled to sum to 1. A is one layer of means (layers, T, T). Without layers the
 * result is the identity I. */
ken_status ken_rollout(float *out, const float *means, size_t layers, size_t T);

/* Returns whether rollout can follow the attention down to the input. Cross-attention leads to the
 * encoder, so the encoder needs attention, too. */
bool ken_view_follows(const ken_view *view, ken_look which);

/* Computes rollout, out (T, S), from the input up to the first `layers` layers of one kind of
 * attention. */
ken_status ken_view_rollout(ken_view *view, float *out, ken_look which, size_t layers);

/* ---- look_save.c: the answer as JSON --------------------------------------------------------- */

/* Appends the JSON members "tokens", "written", "answers" and "scores" of a view. */
void ken_json_answer(ken_buffer *out, const ken_view *view);

#endif
