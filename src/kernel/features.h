/* features.h - feature maps f for linear attention: f(q) . f(k) stands for e^(q . k / sqrt(E)), or
 * simply for how similar q and k are. All features are positive.
 *
 *   elu + 1    f(x) = x + 1 for x > 0, else e^x; as many features as x is wide; no 1 / sqrt(E)
 *   random     Performer's FAVOR+: f_m(x) = M^-1/2 e^(u_m - |x|^2 / 2) with u_m = w_m . x, where x
 *              is first scaled by E^-1/4; on average over w, f(q) . f(k) is exact.
 *
 * Random features reach far beyond the range of a float, so they come in two parts, f(x) = e^scale
 * y, where y_m = e^(u_m - max u) + KEN_FEATURE_FLOOR and scale = max u - |x|^2 / 2 - ln(M) / 2.
 * Each row has its own scale, from its own max u. Other implementations use one maximum over all
 * keys of a sequence, so that later keys change earlier rows. The scale of a query cancels in its
 * weights; linear attention keeps its sums relative to the scales of the keys (kernel/linear.h).
 * The floor makes sure that a query does not lose every key to underflow; it is far below the
 * rounding error of the largest feature. */
#ifndef KERNEL_FEATURES_H
#define KERNEL_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#define KEN_FEATURE_FLOOR 1e-12f

struct ken_features {
    const float *x;      /* input, x_stride floats per row; points to the first head   */
    const float *random; /* (M, E): random vectors, scaled by E^-1/4; NULL for elu + 1 */
    size_t x_stride;
    size_t N, H, E, M; /* rows, heads, width of a head, features (elu + 1: M = E)        */
    float *y;          /* (N, H * M): receives the features                              */
    float *scale;      /* (N, H): receives the scales; NULL for elu + 1 or if not wanted */
};

void ken_features_forward(const struct ken_features *job);

/* Adds to dx the gradient that comes through y and scale. dx has the stride of x; dscale = NULL
 * counts as 0. `work` has N * M floats and is used by random features only. */
void ken_features_backward(float *dx, const struct ken_features *job, const float *dy,
                           const float *dscale, float *work);

/* Draws the M random vectors of width E, scaled by E^-1/4. Within each group of E vectors they are
 * orthogonal, and each is as long as a vector of E normal numbers. The result depends on the key
 * alone. */
void ken_features_draw(float *random, size_t M, size_t E, uint64_t key);

/* Slow reference implementations in double precision, which define the correct results. */
void ken_features_forward_ref(const struct ken_features *job);
void ken_features_backward_ref(float *dx, const struct ken_features *job, const float *dy,
                               const float *dscale);

#endif
