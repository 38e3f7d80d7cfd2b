/* attend_once.c - attention as a single call, for programs that have arrays of numbers and need no
 * model. */
#include "base/size.h"
#include "kernel/attend.h"
#include "kernel/kernels.h"

#include <math.h>

/* Refuses sizes that no array can have: the number of bytes of each array must fit a ptrdiff_t.
 * The number of tasks, one for each head and block of queries, must fit the 32 bits in which
 * threads count tasks. */
static ken_status check_sizes(size_t queries, size_t keys, size_t heads, size_t width)
{
    size_t bytes, tasks;
    if (heads == 0 || width == 0 || width > KEN_ATTEND_WIDEST)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "attention: heads is %zu and width is %zu; heads must be 1 or more, width "
                        "1 to %d",
                        heads, width, KEN_ATTEND_WIDEST);
    if (!ken_size_mul(&bytes, heads, width * sizeof(float)) ||
        !ken_size_mul(&bytes, bytes, ken_size_max(queries, keys)) || bytes > PTRDIFF_MAX ||
        !ken_size_mul(&tasks, ken_size_groups(queries, KEN_ATTEND_BLOCK), heads) ||
        tasks > UINT32_MAX)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "attention: queries = %zu, keys = %zu, heads = %zu, width = %zu: no array "
                        "is that large",
                        queries, keys, heads, width);
    return KEN_OK;
}

ken_status ken_attention(float *out, const float *q, const float *k, const float *v, size_t queries,
                         size_t keys, size_t heads, size_t width, int causal)
{
    KEN_TRY(check_sizes(queries, keys, heads, width));
    if (queries > 0) KEN_TRY(KEN_GIVEN(out));
    if (queries > 0) KEN_TRY(KEN_GIVEN(q));
    if (keys > 0) KEN_TRY(KEN_GIVEN(k));
    if (keys > 0) KEN_TRY(KEN_GIVEN(v));
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
