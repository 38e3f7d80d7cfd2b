/* tape.h - the record of a computation (for automatic differentiation), and its memory.
 *
 * There are two lifetimes: parameters live as long as their model; the results of operations live
 * on the tape until ken_tape_clear(). With recording off, operations compute the same bits, but
 * nothing is kept for a backward pass.
 *
 * Errors are sticky: after a failure every operation does nothing and returns NULL. So a network
 * can be written without checks, and the caller asks ken_tape_status() once at its end. */
#ifndef TENSOR_TAPE_H
#define TENSOR_TAPE_H

#include "base/arena.h"
#include "base/status.h"
#include "tensor/ops.h"
#include "tensor/tensor.h"

#include <stdint.h>

enum { KEN_OP_INPUTS = 8, KEN_OP_OUTPUTS = 2 };

/* One operation that was run on the tape. */
struct ken_node {
    enum ken_op op;
    ken_tensor *in[KEN_OP_INPUTS]; /* inputs; unused ones are NULL */
    ken_tensor *out[KEN_OP_OUTPUTS];
    void *options;       /* copy of the operation's options struct, on the tape */
    float *saved;        /* numbers that forward keeps for backward; or NULL    */
    uint64_t random_key; /* key of this node's random numbers                   */
    struct ken_node *before;
};

typedef struct ken_tape ken_tape;
struct ken_tape {
    ken_arena arena;
    struct ken_node *last; /* newest node; each node points to the one before it                */
    uint64_t count;        /* operations since ken_tape_clear(); part of each node's random key */
    uint64_t random_key;   /* random key of this step: ken_random_key(seed, step)               */
    bool recording;        /* keep the numbers that backward needs; true in a new tape          */
    bool training;         /* apply dropout; false in a new tape                                */
    ken_status status;
};

/* Makes an empty tape; also starts the threads and chooses the kernels. */
ken_status ken_tape_init(ken_tape *tape);
void ken_tape_release(ken_tape *tape);
/* Frees all tensors of the tape, but keeps its memory for the next step. */
void ken_tape_clear(ken_tape *tape);

ken_status ken_tape_status(const ken_tape *tape);

/* Adds d loss / d tensor to the gradient of every tensor that `loss` (1, 1) depends on. */
ken_status ken_tape_backward(ken_tape *tape, ken_tensor *loss);

/* ken_tape_tensor() makes an uninitialised (rows, cols) tensor on the tape, and ken_tape_constant()
 * one that wraps the caller's `data`. */
ken_tensor *ken_tape_tensor(ken_tape *tape, size_t rows, size_t cols);
ken_tensor *ken_tape_constant(ken_tape *tape, const float *data, size_t rows, size_t cols);

/* ---- for the files op_*.c ------------------------------------------------------------------- */

/* Records a failure, unless a failure was recorded before. Returns NULL, which is the result of the
 * failed operation. */
void *ken_tape_fail(ken_tape *tape, ken_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Makes a node with a copy of `options` and the given inputs. Returns NULL if the tape has
 * failed. */
struct ken_node *ken_tape_node(ken_tape *tape, enum ken_op op, const void *options,
                               size_t options_size, size_t inputs, const ken_tensor *const *in);
#define KEN_NODE(tape, op, options, ...)                                                           \
    ken_tape_node(tape, op, options, sizeof *(options),                                            \
                  sizeof((const ken_tensor *[]){ __VA_ARGS__ }) / sizeof(ken_tensor *),            \
                  (const ken_tensor *[]){ __VA_ARGS__ })

/* Gives the node its next output tensor. The output needs a gradient if an input does. */
ken_tensor *ken_tape_output(ken_tape *tape, struct ken_node *node, size_t rows, size_t cols);

/* Runs the node's forward, keeps the node if recording, and returns out[0]; NULL after a
 * failure. */
ken_tensor *ken_tape_run(ken_tape *tape, struct ken_node *node);

/* Returns whether backward will visit the node: if so, forward must save the numbers that backward
 * needs. */
bool ken_tape_keeps(const ken_tape *tape, const struct ken_node *node);

/* Sets *grad to the gradient array of `tensor`, which is made and cleared on first use; to NULL if
 * `tensor` is NULL or needs no gradient. */
ken_status ken_tape_grad(ken_tape *tape, ken_tensor *tensor, float **grad);

/* Sets *grad like ken_tape_grad(), but does not clear a new array. *add says whether the caller
 * must add to the array or overwrite it. This saves one pass over memory if the kernel can do
 * both. */
ken_status ken_tape_grad_or_new(ken_tape *tape, ken_tensor *tensor, float **grad, bool *add);

/* Takes `count` floats of the tape's memory as work space of an operation. Before the call, the
 * caller notes a mark of the arena; at the end of the operation it rewinds the arena to that
 * mark. */
ken_status ken_tape_take(ken_tape *tape, float **memory, size_t count);

#endif
