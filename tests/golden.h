/* golden.h - reads the golden vectors of tests/golden/, which PyTorch made, and compares with them;
 * tools/golden.py describes the format. A file or array that is missing fails the test, and so does
 * an array that no test asked for. */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/arena.h"
#include "model/parameters.h"
#include "tensor/tape.h"

struct golden {
    const char *file;
    struct golden_array {
        char *name;
        ken_tensor tensor; /* with a gradient, so that it can serve as input or weight */
        bool used;
    } * list;
    size_t count;
    ken_arena arena;
};

/* "loss" reads tests/golden/loss.golden: tests run in the root of the tree. */
void golden_open(struct golden *golden, const char *file);
void golden_close(struct golden *golden);

/* The array of this name. */
ken_tensor *golden_get(struct golden *golden, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An array of lengths as a ragged batch, and an array of ids; valid until golden_close(). */
ken_ragged golden_ragged(struct golden *golden, const char *name);
int32_t *golden_ids(struct golden *golden, const char *name);

/* Fails unless |y - array| <= 1e-5 of the array's largest number, everywhere. */
void golden_expect(struct golden *golden, const float *y, size_t size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Compares `out` with CASE.out and runs backward from it with the upstream gradient `dout`, after
 * clearing the gradients of all golden arrays. If `dout` is NULL, `out` is a loss. */
void golden_backward(struct golden *golden, ken_tape *tape, ken_tensor *out, const char *name,
                     const ken_tensor *dout);

/* golden_load copies the weights PREFIXname to the parameters and clears their gradients;
 * golden_expect_gradients compares their gradients with CASE.d.name. */
void golden_load(struct golden *golden, const ken_parameters *parameters, const char *prefix);
void golden_expect_gradients(struct golden *golden, const ken_parameters *parameters,
                             const char *name);

#endif
