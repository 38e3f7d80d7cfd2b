/* look.h - one example as a model sees it, and its attention weights. */
#ifndef LOOK_LOOK_H
#define LOOK_LOOK_H

#include "task/task.h"

enum { KEN_LOOKS = 3 };

struct ken_view {
    ken_task *task;
    ken_gathered batch; /* the encoded input and target of the example, one sequence each */
    ken_strings read;   /* tokens of the input; empty for rows of numbers and language models */
    ken_strings wrote;  /* the list <begin>, tokens of the target, <end> */
    /* pointers (const char *) to the strings of `read`, followed by those of `wrote` */
    ken_buffer names;
    size_t rows;  /* number of rows of the input */
    size_t steps; /* generators: number of target tokens including <end>; other models: 0 */

    ken_answer answer;
    ken_strings labels;
    /* labels of the answer (elements: const char *), and their scores (elements: double) */
    ken_buffer label_list, scores;

    /* weights of each kind of attention, (layers, heads, queries, keys); NULL until needed */
    float *weights[KEN_LOOKS];
    /* (queries, keys) for each kind of attention: 1 if a query may attend to a key, else 0 */
    unsigned char *masks[KEN_LOOKS];
    float *shown; /* the values of the picture that was made last */
    ken_strings titles;
    ken_buffer title_list; /* pointers (const char *) to the strings of `titles` */
    char title[80];
};

/* ---- look_example.c: the example of a view --------------------------------------------------- */

/* Reads the example and computes the model's answer. In a new view, sets the fields from `batch` to
 * `steps`, and those from `answer` to `scores`. */
ken_status ken_view_read(ken_view *view, const ken_request *request, size_t example,
                         const char *target);

/* ---- look.c: sizes, names and weights -------------------------------------------------------- */

struct ken_extent {
    size_t layers, heads, T, S;
};
struct ken_extent ken_view_extent(const ken_view *view, ken_look which);

/* Computes the weights that a valid glance without rollout chooses: one matrix (queries, keys) for
 * each chosen layer and head. Also sets view->masks[glance->which]. */
ken_status ken_view_look(ken_view *view, float *weights, const ken_glance *glance);

/* Computes all weights of one kind of attention, (layers, heads, queries, keys), and
 * view->masks[which]. The view owns both arrays. */
ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which);

/* Returns the number of keys to which query t may attend. ken_view_look() or ken_view_weights()
 * must have succeeded for this kind of attention. */
size_t ken_view_keys(const ken_view *view, ken_look which, size_t t);

/* ken_view_row_names() and ken_view_col_names() return the tokens that name the rows and the
 * columns of a matrix of weights; NULL if they have numbers instead of names. */
const char *const *ken_view_row_names(const ken_view *view, ken_look which);
const char *const *ken_view_col_names(const ken_view *view, ken_look which);

/* ---- look_show.c: checks and rollout --------------------------------------------------------- */

/* Fails if the layer or head that a glance chooses does not exist, or if computing the glance would
 * take room for more than `most` weights. Computes nothing. */
ken_status ken_view_check(const ken_view *view, const ken_glance *glance, size_t most);

/* Computes attention rollout, out (T, T): the product over the layers of (A + I) / 2, with the last
 * layer leftmost. A, the mean over the heads of a layer, is a matrix of `means` (layers, T, T); T
 * is the number of rows of the sequence. Each row of a factor is scaled to sum to 1. For layers = 0
 * the result is the identity. */
ken_status ken_rollout(float *out, const float *means, size_t layers, size_t T);

/* Returns whether rollout can follow the attention down to the input. For cross-attention, which
 * leads to the encoder, the encoder must have attention layers too. */
bool ken_view_follows(const ken_view *view, ken_look which);

/* Computes attention rollout, out (queries, keys), over the first `layers` layers of one kind of
 * attention, down to the input. */
ken_status ken_view_rollout(ken_view *view, float *out, ken_look which, size_t layers);

/* ---- look_save.c: the answer as JSON --------------------------------------------------------- */

/* Appends the JSON members "tokens", "written", "answers" and "scores" of a view. */
void ken_json_answer(ken_buffer *out, const ken_view *view);

#endif
