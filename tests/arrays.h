/* arrays.h - what the tests of kernels share: random arrays, comparison, every instruction set. */
#ifndef TESTS_ARRAYS_H
#define TESTS_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/* n numbers of this deviation around 0, and a copy of n numbers; ken_memory_free() ends them. */
float *random_array(size_t n, uint64_t key, float spread);
float *copy_of(const float *x, size_t n);
void free_arrays(float *const *arrays, size_t count);

/* Fails unless |y - expected| <= tolerance (1 + |expected|) everywhere. */
void check_close(const char *what, const float *y, const float *expected, size_t n,
                 double tolerance);

/* Runs check() with each instruction set that this machine has; the best one is left chosen. */
void on_every_machine(void (*check)(void));

#endif
