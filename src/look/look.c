/* look.c - a view: the attention weights of every head of a model on one example. The weights of
 * each kind of attention are computed once, when they are first needed. Not here: reading the
 * example (look_example.c), making pictures of weights (look_show.c). */
#include "look/look.h"

#include "base/memory.h"
#include "base/size.h"
#include "infer/session.h"

ken_look ken_task_usual_look(const ken_task *task)
{
    if (task->output != KEN_GENERATE) return KEN_LOOK_ENCODER;
    return ken_task_reads(task) ? KEN_LOOK_CROSS : KEN_LOOK_DECODER;
}

ken_status ken_view_new(ken_view **out, ken_task *task, const ken_request *request, size_t example,
                        const char *target)
{
    *out = NULL;
    ken_view *view = ken_memory_zeroed(1, sizeof *view);
    if (!view) return ken_fail(KEN_ERR_MEMORY, "no memory for a view");
    view->task = task;
    ken_status status = ken_view_read(view, request, example, target);
    if (!status) *out = view;
    else ken_view_free(view);
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
    return &view->answer;
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
    return ken_view_extent(view, which).layers;
}

size_t ken_view_heads(const ken_view *view, ken_look which)
{
    struct ken_extent extent = ken_view_extent(view, which);
    return extent.layers > 0 ? extent.heads : 0;
}

/* Returns names from `wrote`, which holds <begin>, the tokens of the target and <end>. A row is
 * named after the token that it predicts (from = 1), a column of the decoder after the token at its
 * place (from = 0). */
static const char *const *written_names(const ken_view *view, size_t from)
{
    return (const char *const *)(void *)view->names.data + view->read.count + from;
}

/* NULL if rows have no names, or if several rows of the input became one (input.stack). */
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

static ken_status compute(ken_view *view, float *weights, unsigned char *mask, ken_look which)
{
    const ken_task *task = view->task;
    return ken_session_look_all(task->session, weights, mask, which,
                                ken_task_reads(task) ? &view->batch.input : NULL,
                                task->output == KEN_GENERATE ? &view->batch.target : NULL);
}

ken_status ken_view_weights(ken_view *view, const float **weights, ken_look which)
{
    struct ken_extent e = ken_view_extent(view, which);
    size_t size;
    *weights = view->weights[which];
    if (*weights) return KEN_OK;
    if (!ken_size_mul(&size, e.T, e.S) || !ken_size_mul(&size, size, e.layers * e.heads))
        return ken_fail(KEN_ERR_MEMORY, "the attention weights of %zu rows do not fit in memory",
                        e.T);
    float *all = ken_memory_new(size, sizeof *all);
    unsigned char *mask = ken_memory_new(e.T * e.S, 1);
    ken_status status = all && mask
                            ? compute(view, all, mask, which)
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu attention weights", size);
    if (status) {
        ken_memory_free(all);
        ken_memory_free(mask);
        return status;
    }
    *weights = view->weights[which] = all;
    view->masks[which] = mask;
    return KEN_OK;
}

size_t ken_view_keys(const ken_view *view, ken_look which, size_t t)
{
    size_t S = ken_view_extent(view, which).S, count = 0;
    for (size_t j = 0; j < S; j++) count += view->masks[which][t * S + j];
    return count;
}
