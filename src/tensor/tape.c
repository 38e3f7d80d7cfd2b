/* tape.c - records operations so that backward can go through them in reverse (automatic
 * differentiation). Invariant: nodes form a list in the order in which they ran; followed from its
 * end, the list is in reverse topological order, so no graph search is needed. A node never
 * outlives its tape. */
#include "tensor/tape.h"

#include "base/plain.h"
#include "base/random.h"
#include "kernel/kernels.h"
#include "tensor/op_table.h"

#include <stdarg.h>
#include <string.h>

ken_status ken_tape_init(ken_tape *tape)
{
    *tape = (ken_tape){ .recording = true };
    ken_arena_init(&tape->arena);
    return ken_kernels_start();
}

void ken_tape_release(ken_tape *tape)
{
    ken_arena_release(&tape->arena);
    tape->last = NULL;
}

/* Frees all tensors and nodes of the tape. The count of operations starts again at 0, because the
 * random key of an operation follows from its number and from the tape's key for the step.
 * `recording` and `training` are not changed. */
void ken_tape_clear(ken_tape *tape)
{
    ken_arena_clear(&tape->arena);
    tape->last = NULL;
    tape->count = 0;
    tape->status = KEN_OK;
}

ken_status ken_tape_status(const ken_tape *tape)
{
    return tape->status;
}

void *ken_tape_fail(ken_tape *tape, ken_status status, const char *format, ...)
{
    /* Only the first failure is recorded: it is the cause of the later ones. */
    if (tape->status) return NULL;
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    ken_plain_vprint(message, sizeof message, format, arguments);
    va_end(arguments);
    tape->status = ken_fail(status, "%s", message);
    return NULL;
}

static void *out_of_memory(ken_tape *tape, const char *what, size_t rows, size_t cols)
{
    return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %s of %zu x %zu", what, rows, cols);
}

ken_tensor *ken_tape_tensor(ken_tape *tape, size_t rows, size_t cols)
{
    if (tape->status) return NULL;
    ken_tensor *tensor = ken_arena_take(&tape->arena, 1, sizeof *tensor);
    size_t count;
    bool fits = !__builtin_mul_overflow(rows, cols, &count);
    float *data = tensor && fits ? ken_arena_take(&tape->arena, count, sizeof *data) : NULL;
    if (!data) return out_of_memory(tape, "a tensor", rows, cols);
    *tensor = (ken_tensor){ .data = data, .rows = rows, .cols = cols };
    return tensor;
}

ken_tensor *ken_tape_constant(ken_tape *tape, const float *data, size_t rows, size_t cols)
{
    if (tape->status) return NULL;
    ken_tensor *tensor = ken_arena_take(&tape->arena, 1, sizeof *tensor);
    if (!tensor) return out_of_memory(tape, "a tensor", rows, cols);
    /* Makes a constant: its data is never written, it needs no gradient, and no operation computed
     * it. */
    *tensor = (ken_tensor){ .data = (float *)data, .rows = rows, .cols = cols };
    return tensor;
}

/* Makes the node of an operation, even when not recording, because forward reads inputs, options
 * and the random key from the node.
 *
 * This function is the only place where inputs lose their const. Forward only reads them. Backward
 * sets the gradient pointer of tensors on the tape only; a parameter has its gradient before
 * training begins, so its struct is never written (see ken_tape_grad_or_new). */
struct ken_node *ken_tape_node(ken_tape *tape, enum ken_op op, const void *options,
                               size_t options_size, size_t inputs, const ken_tensor *const *in)
{
    if (tape->status) return NULL;
    struct ken_node *node = ken_arena_take_zeroed(&tape->arena, 1, sizeof *node);
    if (!node) return out_of_memory(tape, "a node", 1, sizeof *node);
    node->op = op;
    for (size_t i = 0; i < inputs; i++) node->in[i] = (ken_tensor *)in[i];
    if (options_size > 0) {
        node->options = ken_arena_take(&tape->arena, 1, options_size);
        if (!node->options) return out_of_memory(tape, "options", 1, options_size);
        memcpy(node->options, options, options_size);
    }
    node->random_key = ken_random_key(tape->random_key, tape->count++);
    return node;
}

static bool any_input_needs_grad(const struct ken_node *node)
{
    for (size_t i = 0; i < KEN_OP_INPUTS; i++)
        if (node->in[i] && node->in[i]->needs_grad) return true;
    return false;
}

ken_tensor *ken_tape_output(ken_tape *tape, struct ken_node *node, size_t rows, size_t cols)
{
    if (!node) return NULL;
    ken_tensor *out = ken_tape_tensor(tape, rows, cols);
    if (!out) return NULL;
    out->needs_grad = tape->recording && any_input_needs_grad(node);
    size_t slot = node->out[0] ? 1 : 0;
    node->out[slot] = out;
    return out;
}

bool ken_tape_keeps(const ken_tape *tape, const struct ken_node *node)
{
    (void)tape;
    return node->out[0]->needs_grad;
}

ken_tensor *ken_tape_run(ken_tape *tape, struct ken_node *node)
{
    if (!node || tape->status) return NULL;
    ken_status status = ken_ops[node->op].forward(tape, node);
    if (status) {
        if (!tape->status) tape->status = status;
        return NULL;
    }
    if (ken_tape_keeps(tape, node)) { /* otherwise backward skips the node */
        node->before = tape->last;
        tape->last = node;
    }
    return node->out[0];
}

/* Returns the gradient array of `tensor`, and makes it on first use. A tensor that does not lead to
 * the loss has no array, unless it is a second output (see replay). The gradient of a parameter
 * belongs to the model and is always added to. */
ken_status ken_tape_grad_or_new(ken_tape *tape, ken_tensor *tensor, float **grad, bool *add)
{
    *grad = NULL;
    *add = true;
    if (!tensor || !tensor->needs_grad) return KEN_OK;
    if (!tensor->grad && tensor->parameter) {
        ken_tape_fail(tape, KEN_ERR_STATE,
                      "backward: the model has no gradients, because only a trainer "
                      "gives it some");
        return tape->status;
    }
    if (!tensor->grad) {
        *add = false;
        tensor->grad = ken_arena_take(&tape->arena, ken_tensor_size(tensor), sizeof(float));
        if (!tensor->grad) out_of_memory(tape, "a gradient", tensor->rows, tensor->cols);
    }
    *grad = tensor->grad;
    return tape->status;
}

ken_status ken_tape_grad(ken_tape *tape, ken_tensor *tensor, float **grad)
{
    bool add;
    KEN_TRY(ken_tape_grad_or_new(tape, tensor, grad, &add));
    if (*grad && !add) memset(*grad, 0, ken_tensor_size(tensor) * sizeof(float));
    return KEN_OK;
}

ken_status ken_tape_take(ken_tape *tape, float **memory, size_t count)
{
    *memory = ken_arena_take(&tape->arena, count, sizeof **memory);
    if (!*memory) out_of_memory(tape, "work space", 1, count);
    return tape->status;
}

/* Runs backward of a node if one of its outputs has a gradient; otherwise the node does not lead to
 * the loss. If only one of two outputs was used, the other gets a gradient of 0. */
static ken_status replay(ken_tape *tape, struct ken_node *node)
{
    bool reached = false;
    for (size_t i = 0; i < KEN_OP_OUTPUTS; i++)
        reached = reached || (node->out[i] && node->out[i]->grad);
    if (!reached) return KEN_OK;
    for (size_t i = 0; i < KEN_OP_OUTPUTS; i++) {
        float *unused;
        if (node->out[i]) KEN_TRY(ken_tape_grad(tape, node->out[i], &unused));
    }
    return ken_ops[node->op].backward(tape, node);
}

/* Runs backward of all nodes. May be called only once after each forward, because operations may
 * use their saved numbers and the gradients of their outputs as work space. */
ken_status ken_tape_backward(ken_tape *tape, ken_tensor *loss)
{
    if (tape->status) return tape->status;
    if (!loss || ken_tensor_size(loss) != 1 || !loss->needs_grad) {
        ken_tape_fail(tape, KEN_ERR_STATE, "backward: needs a recorded loss of one number");
        return tape->status;
    }
    float *seed;
    KEN_TRY(ken_tape_grad(tape, loss, &seed));
    *seed = 1;
    for (struct ken_node *node = tape->last; node; node = node->before) {
        ken_status status = replay(tape, node);
        if (status) {
            if (!tape->status) tape->status = status;
            return tape->status;
        }
    }
    return KEN_OK;
}
