/* arrays.h - code that the tests of kernels share: random arrays, comparisons, instruction sets. */
#ifndef TESTS_ARRAYS_H
#define TESTS_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/* n random numbers of mean 0 and deviation `spread`; and a copy of n numbers. The caller frees them
 * with ken_memory_free(). */
float *random_array(size_t n, uint64_t key, float spread);
float *copy_of(const float *x, size_t n);
void free_arrays(float *const *arrays, size_t count);

/* Fails unless |y - expected| <= tolerance (1 + |expected|) everywhere. */
void check_close(const char *what, const float *y, const float *expected, size_t n,
                 double tolerance);

/* Runs check() with each instruction set that this machine has; the best one is chosen at the
 * end. */
void on_every_machine(void (*check)(void));

#endif
