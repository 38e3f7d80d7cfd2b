/* seq_arrays.h - arrays of a test that are freed together, unlike those of arrays.h: the tests of
 * sequences use a dozen at a time. */
#ifndef TESTS_SEQ_ARRAYS_H
#define TESTS_SEQ_ARRAYS_H

#include <stddef.h>
#include <stdint.h>

/* n numbers of mean 0 and deviation 1 that depend on `key` only; n ids below `below`; a copy. */
float *normal_array(size_t n, uint64_t key);
int32_t *id_array(size_t n, uint64_t key, size_t below);
float *same_array(const float *x, size_t n);

void drop_arrays(void); /* frees all arrays from the calls above */

#endif
