/* convolve.h - convolution layers, in which a row x_i sees n neighbours on each side and no other
 * row:
 *   fc-window  W [x_(i-n) ; .. ; x_(i+n)] + b
 *   conv       W2 act(taps * x) + b; each column has its own taps (depth-wise)
 *   conformer  its convolution module: W2 swish(norm(taps * GLU(W1 x))) + b
 * Rows outside the sequence count as 0. If causal, all 2n neighbours are before the row. */
#ifndef LAYER_CONVOLVE_H
#define LAYER_CONVOLVE_H

#include "layer/cache.h"
#include "layer/dense.h"

enum { KEN_NEIGHBOURS_MOST = 1 << 16 };

struct ken_convolve_config {
    enum ken_mixing kind; /* KEN_MIX_FC_WINDOW, KEN_MIX_CONV or KEN_MIX_CONFORMER */
    size_t width;         /* width D of a row                                     */
    size_t neighbours;    /* number of rows seen on each side                     */
    bool causal;
    enum ken_activation activation; /* activation after the filter; kind conv only */
    enum ken_norm_kind norm;        /* norm after the filter; kind conformer only  */
    float eps;
};

struct ken_convolve {
    struct ken_convolve_config config;
    size_t taps;                /* rows that the filter reads: 2 * neighbours + 1         */
    struct ken_dense in;        /* (2 D, D): projection before the filter; conformer only */
    ken_tensor weight;          /* filter: (D, taps D) for fc-window, else (taps, D)      */
    ken_tensor bias;            /* (1, D): added after the filter                         */
    struct ken_norm_layer norm; /* norm after the filter; conformer only                  */
    struct ken_dense out;       /* (D, D): projection after the filter; not for fc-window */
};

ken_status ken_convolve_init(struct ken_convolve *convolve,
                             const struct ken_convolve_config *config);
void ken_convolve_visit(struct ken_convolve *convolve, ken_visitor *visitor, const char *name);

/* Applies the layer to whole sequences; x and the result are (N, D). */
ken_tensor *ken_convolve_apply(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x,
                               ken_ragged rows);

/* Applies the causal layer to rows x (N, D) that continue sequences in a cache. The cache keeps,
 * for each row, the D numbers that the filter reads. Not for training. */
ken_tensor *ken_convolve_go_on(ken_tape *tape, const struct ken_convolve *convolve, ken_tensor *x,
                               ken_ragged rows, const struct ken_cache_batch *batch,
                               const struct ken_cache_part *part);

#endif
