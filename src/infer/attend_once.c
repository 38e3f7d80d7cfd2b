/* attend_once.c - attention as a single call, for programs that have arrays of numbers and need no
 * model. */
#include "kernel/attend.h"
#include "kernel/kernels.h"

#include <math.h>

ken_status ken_attention(float *out, const float *q, const float *k, const float *v, size_t queries,
                         size_t keys, size_t heads, size_t width, int causal)
{
    if (heads == 0 || width == 0 || width > KEN_ATTEND_WIDEST)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "attention: %zu heads of width %zu; expected 1 or more, of width 1 to %d",
                        heads, width, KEN_ATTEND_WIDEST);
    KEN_TRY(ken_kernels_start());
    const size_t q_start[2] = { 0, queries }, k_start[2] = { 0, keys };
    size_t D = heads * width;
    ken_attend_forward(&(struct ken_attend){ .q = q,
                                             .k = k,
                                             .v = v,
                                             .q_stride = D,
                                             .k_stride = D,
                                             .v_stride = D,
                                             .q_start = q_start,
                                             .k_start = k_start,
                                             .B = 1,
                                             .H = heads,
                                             .KV = heads,
                                             .E = width,
                                             .Ev = width,
                                             .left = KEN_UNLIMITED,
                                             .right = causal ? 0 : KEN_UNLIMITED,
                                             .scale = 1 / sqrtf((float)width),
                                             .out = out,
                                             .out_stride = D });
    return KEN_OK;
}
