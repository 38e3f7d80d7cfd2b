/* vrecur.c - one step of one sequence: H units of an LSTM, a GRU or a plain RNN, forward and
 * backward. */
#include "base/size.h"
#include "kernel/simd/table.h"
#include "kernel/simd/vmath.h"

/* Runs one step of an LSTM. On entry `gates` holds the input's part of the gates' arguments,
 * `hidden` the state's part, and `before` the c of the previous step. On return `gates` holds (i,
 * f, g, o) and `extra` holds c. */
void KEN_SIMD(lstm_forward)(float *h, float *gates, float *extra, const float *before,
                            const float *hidden, size_t H)
{
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf a[4];
        UNROLL
        for (size_t g = 0; g < 4; g++)
            a[g] = v_load_some(gates + g * H + j, count) + v_load_some(hidden + g * H + j, count);
        vf i = v_sigmoid(a[0]), f = v_sigmoid(a[1]), g = v_tanh(a[2]), o = v_sigmoid(a[3]);
        vf c = f * v_load_some(before + j, count) + i * g;
        v_store_some(gates + j, i, count);
        v_store_some(gates + H + j, f, count);
        v_store_some(gates + 2 * H + j, g, count);
        v_store_some(gates + 3 * H + j, o, count);
        v_store_some(extra + j, c, count);
        v_store_some(h + j, o * v_tanh(c), count);
    }
}

/* Runs one step of an LSTM backward. With dh the whole gradient of h, dc that of c, and da that of
 * the arguments of the gates (i, f, g, o):
 *   dc += dh o (1 - tanh(c)^2)
 *   da = (dc g i (1-i), dc c_before f (1-f), dc i (1-g^2), dh tanh(c) o (1-o))
 * The previous step receives dc f; its dh comes through the gates alone. */
void KEN_SIMD(lstm_backward)(float *dhidden, float *dh, float *dcarry, float *gates, float *extra,
                             const float *before, const float *dy, size_t H)
{
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf i = v_load_some(gates + j, count), f = v_load_some(gates + H + j, count);
        vf g = v_load_some(gates + 2 * H + j, count), o = v_load_some(gates + 3 * H + j, count);
        vf d = v_load_some(dh + j, count) + v_load_some(dy + j, count);
        vf t = v_tanh(v_load_some(extra + j, count));
        vf dc = v_load_some(dcarry + j, count) + d * o * (1 - t * t);
        vf da[4] = { dc * g * i * (1 - i), dc * v_load_some(before + j, count) * f * (1 - f),
                     dc * i * (1 - g * g), d * t * o * (1 - o) };
        UNROLL
        for (size_t k = 0; k < 4; k++) {
            v_store_some(gates + k * H + j, da[k], count);
            v_store_some(dhidden + k * H + j, da[k], count);
        }
        v_store_some(dcarry + j, dc * f, count);
        v_store_some(dh + j, v_splat(0), count);
    }
}

/* Runs one step of a GRU. On entry `gates` holds the input's part of the gates' arguments, `hidden`
 * the state's part, and `before` the h of the previous step. On return `gates` holds (r, z, n), and
 * `extra` holds m, the state's part of n's argument. */
void KEN_SIMD(gru_forward)(float *h, float *gates, float *extra, const float *before,
                           const float *hidden, size_t H)
{
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf r = v_sigmoid(v_load_some(gates + j, count) + v_load_some(hidden + j, count));
        vf z = v_sigmoid(v_load_some(gates + H + j, count) + v_load_some(hidden + H + j, count));
        vf m = v_load_some(hidden + 2 * H + j, count);
        vf n = v_tanh(v_load_some(gates + 2 * H + j, count) + r * m);
        v_store_some(gates + j, r, count);
        v_store_some(gates + H + j, z, count);
        v_store_some(gates + 2 * H + j, n, count);
        v_store_some(extra + j, m, count);
        v_store_some(h + j, (1 - z) * n + z * v_load_some(before + j, count), count);
    }
}

/* Runs one step of a GRU backward. With r, z, n the gates, m the state's part of n's argument, dh
 * the whole gradient of h, and da the gradient of the arguments of (r, z, n):
 *   dn = dh (1 - z) (1 - n^2),  dm = dn r
 *   da = (dn m r (1-r), dh (h_before - n) z (1-z), dn)    for the input's part
 * For the state's part, the third element of da is dm, which `extra` receives. The previous step
 * gets dh z in addition to the gradient that comes through the gates. */
void KEN_SIMD(gru_backward)(float *dhidden, float *dh, float *dcarry, float *gates, float *extra,
                            const float *before, const float *dy, size_t H)
{
    (void)dcarry; /* a GRU carries nothing but h from step to step */
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf r = v_load_some(gates + j, count), z = v_load_some(gates + H + j, count);
        vf n = v_load_some(gates + 2 * H + j, count), m = v_load_some(extra + j, count);
        vf d = v_load_some(dh + j, count) + v_load_some(dy + j, count);
        vf dn = d * (1 - z) * (1 - n * n);
        vf dr = dn * m * r * (1 - r);
        vf dz = d * (v_load_some(before + j, count) - n) * z * (1 - z);
        v_store_some(gates + j, dr, count);
        v_store_some(gates + H + j, dz, count);
        v_store_some(gates + 2 * H + j, dn, count);
        v_store_some(extra + j, dn * r, count);
        v_store_some(dhidden + j, dr, count);
        v_store_some(dhidden + H + j, dz, count);
        v_store_some(dhidden + 2 * H + j, dn * r, count);
        v_store_some(dh + j, d * z, count);
    }
}

/* Runs one step of a plain RNN: on return `gates` holds h, the only value of an RNN. */
void KEN_SIMD(rnn_forward)(float *h, float *gates, float *extra, const float *before,
                           const float *hidden, size_t H)
{
    (void)extra;
    (void)before;
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf y = v_tanh(v_load_some(gates + j, count) + v_load_some(hidden + j, count));
        v_store_some(gates + j, y, count);
        v_store_some(h + j, y, count);
    }
}

/* Runs one step of a plain RNN backward: the gradient of the gate's argument is da = dh (1 - h^2);
 * the dh of the previous step comes through the gate alone. */
void KEN_SIMD(rnn_backward)(float *dhidden, float *dh, float *dcarry, float *gates, float *extra,
                            const float *before, const float *dy, size_t H)
{
    (void)dcarry;
    (void)extra;
    (void)before;
    for (size_t j = 0; j < H; j += LANES) {
        size_t count = ken_size_min(H - j, LANES);
        vf h = v_load_some(gates + j, count);
        vf da = (v_load_some(dh + j, count) + v_load_some(dy + j, count)) * (1 - h * h);
        v_store_some(gates + j, da, count);
        v_store_some(dhidden + j, da, count);
        v_store_some(dh + j, v_splat(0), count);
    }
}
