/* features.h - what linear attention compares instead of q and k: positive features f, so that
 * f(q) . f(k) stands for e^(q . k / sqrt(E)), or simply for how alike they are.
 *
 *   elu + 1    f(x) = x + 1 for x > 0, else e^x; as many as x is wide, and without 1 / sqrt(E)
 *   random     with u_m = w_m . x E^-1/4 and the norm of x scaled alike (Performer, FAVOR+):
 *              f_m(x) = M^-1/2 e^(u_m - |x|^2 / 2), whose mean over w is exact.
 *
 * Random features reach far beyond the range of a float, so they come in two parts,
 * f(x) = e^scale y, where y_m = e^(u_m - max u) + KEN_FEATURE_FLOOR and
 * scale = max u - |x|^2 / 2 - ln(M) / 2. A scale belongs to one row: that of a query cancels in its
 * own sum, those of keys are what linear attention keeps its sums relative to (kernel/linear.h). A
 * maximum over the keys of a sequence, as others use it, would let later keys change earlier rows.
 * The floor keeps queries from missing every key by underflow; it is far below what rounds away. */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#define KEN_FEATURE_FLOOR 1e-12f

struct ken_features {
    const float *x;      /* (N, ...), the first head's first column             */
    const float *random; /* (M, E), w_m E^-1/4; NULL: elu + 1                   */
    size_t x_stride;
    size_t N, H, E, M; /* M = E without random                                */
    float *y;          /* (N, H * M)                                          */
    float *scale;      /* (N, H), or NULL: not wanted, or elu + 1             */
};

void ken_features_forward(const struct ken_features *job);

/* dx, with the stride of x, += the gradient that comes through y and scale (NULL: none). `work` has
 * N * M floats, of random features only. */
void ken_features_backward(float *dx, const struct ken_features *job, const float *dy,
                           const float *dscale, float *work);

/* w (M, E), scaled by E^-1/4: each block of E rows orthogonal, every row as long as one of E normal
 * numbers. A function of the key alone. */
void ken_features_draw(float *random, size_t M, size_t E, uint64_t key);

/* The definitions, in double. */
void ken_features_forward_ref(const struct ken_features *job);
void ken_features_backward_ref(float *dx, const struct ken_features *job, const float *dy,
                               const float *dscale);

#endif
