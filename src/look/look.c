/* look.c - a view: one example as a model sees it, and its attention weights, which are computed
 * when a picture or page needs them. Not here: reading the example (look_example.c), making
 * pictures of weights (look_show.c). */
#include "look/look.h"

#include "base/memory.h"
#include "draw/heat.h"
#include "infer/session.h"

ken_look ken_task_usual_look(const ken_task *task)
{
    if (KEN_GIVEN(task) || task->output != KEN_GENERATE) return KEN_LOOK_ENCODER;
    return ken_task_reads(task) ? KEN_LOOK_CROSS : KEN_LOOK_DECODER;
}

ken_status ken_view_new(ken_view **view, ken_task *task, const ken_request *request, size_t example,
                        const char *target)
{
    KEN_TRY(KEN_GIVEN(view));
    *view = NULL;
    KEN_TRY(KEN_GIVEN(task));
    KEN_TRY(KEN_GIVEN(request));
    ken_view *made = ken_memory_zeroed(1, sizeof *made);
    if (!made) return ken_fail(KEN_ERR_MEMORY, "no memory for a view");
    made->task = task;
    ken_status status = ken_view_read(made, request, example, target);
    if (!status) *view = made;
    else ken_view_free(made);
    return status;
}

void ken_view_free(ken_view *view)
{
    if (!view) return;
    ken_gathered_release(&view->batch);
    ken_strings_release(&view->read);
    ken_strings_release(&view->wrote);
    ken_buffer_release(&view->names);
    ken_strings_release(&view->labels);
    ken_buffer_release(&view->label_list);
    ken_buffer_release(&view->scores);
    for (size_t i = 0; i < KEN_LOOKS; i++) {
        ken_memory_free(view->weights[i]);
        ken_memory_free(view->masks[i]);
    }
    ken_memory_free(view->shown);
    ken_strings_release(&view->titles);
    ken_buffer_release(&view->title_list);
    ken_memory_free(view);
}

const ken_answer *ken_view_answer(const ken_view *view)
{
    return KEN_GIVEN(view) ? NULL : &view->answer;
}

/* ---- sizes and names ------------------------------------------------------------------------- */

struct ken_extent ken_view_extent(const ken_view *view, ken_look which)
{
    return (struct ken_extent){
        .layers = ken_model_layers(view->task->model, which),
        .heads = view->task->model->config.heads,
        .T = which == KEN_LOOK_ENCODER ? view->rows : view->steps,
        .S = which == KEN_LOOK_DECODER ? view->steps : view->rows,
    };
}

size_t ken_view_layers(const ken_view *view, ken_look which)
{
    if (KEN_GIVEN(view) || (unsigned)which >= KEN_LOOKS) return 0;
    return ken_view_extent(view, which).layers;
}

size_t ken_view_heads(const ken_view *view, ken_look which)
{
    return ken_view_layers(view, which) > 0 ? ken_view_extent(view, which).heads : 0;
}

/* Returns names from view->wrote, the list <begin>, tokens of the target, <end>. The names of rows
 * start at from = 1, because a row is named after the token that it predicts. The names of the
 * decoder's columns start at from = 0, because a column is named after the token that it reads. */
static const char *const *written_names(const ken_view *view, size_t from)
{
    return (const char *const *)(void *)view->names.data + view->read.count + from;
}

/* Returns the names of the input's rows; NULL if rows have no names, or if input.stack joins
 * several rows into one. */
static const char *const *input_names(const ken_view *view)
{
    return view->read.count > 0 && view->read.count == view->rows
               ? (const char *const *)(void *)view->names.data
               : NULL;
}

const char *const *ken_view_row_names(const ken_view *view, ken_look which)
{
    return which == KEN_LOOK_ENCODER ? input_names(view) : written_names(view, 1);
}

const char *const *ken_view_col_names(const ken_view *view, ken_look which)
{
    return which == KEN_LOOK_DECODER ? written_names(view, 0) : input_names(view);
}

ken_status ken_view_look(ken_view *view, float *weights, const ken_glance *glance)
{
    const ken_task *task = view->task;
    struct ken_extent e = ken_view_extent(view, glance->which);
    unsigned char *mask = view->masks[glance->which];
    if (!mask) mask = ken_memory_new(e.T, e.S);
    if (!mask) return ken_fail(KEN_ERR_MEMORY, "no memory for the mask of %zu rows", e.T);
    view->masks[glance->which] = mask;
    return ken_session_glance(task->session, weights, mask, glance,
                              ken_task_reads(task) ? &view->batch.input : NULL,
                              task->output == KEN_GENERATE ? &view->batch.target : NULL);
}

/* The caller has checked that there are not too many weights. */
ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which)
{
    const ken_glance every = { .which = which, .layer = KEN_EVERY, .head = KEN_EVERY };
    struct ken_extent e = ken_view_extent(view, which);
    size_t size = ken_picture_size(e.layers * e.heads, e.T, e.S);
    *weights = view->weights[which];
    if (*weights) return KEN_OK;
    float *all = ken_memory_new(size, sizeof *all);
    ken_status status = all ? ken_view_look(view, all, &every)
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu attention weights", size);
    if (status) ken_memory_free(all);
    else *weights = view->weights[which] = all;
    return status;
}

size_t ken_view_keys(const ken_view *view, ken_look which, size_t t)
{
    size_t S = ken_view_extent(view, which).S, count = 0;
    for (size_t j = 0; j < S; j++) count += view->masks[which][t * S + j];
    return count;
}
