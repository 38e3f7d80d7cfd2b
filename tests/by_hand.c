/* by_hand.c - see by_hand.h. */
#include "tests/by_hand.h"

#include "base/size.h"
#include "kernel/landmarks.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

typedef double square[HAND_ROWS][HAND_ROWS];

struct hand {
    const ken_config *c;
    const struct ken_attention *a;
    size_t T, D, H, E;
    double q[HAND_ROWS][HAND_WIDTH], k[HAND_ROWS][HAND_WIDTH], v[HAND_ROWS][HAND_WIDTH];
    float bias[HAND_WIDTH * 2 * HAND_ROWS]; /* (H, 2 T - 1): added to scores            */
    bool biased;
};

/* ---- projections and positions --------------------------------------------------------------- */

static double dense(const struct ken_dense *layer, const double *x, size_t o)
{
    double sum = layer->bias.data[o];
    for (size_t i = 0; i < layer->in; i++) sum += layer->weight.data[o * layer->in + i] * x[i];
    return sum;
}

/* Rotates the pairs (i, i + E/2) of each head by the angle place / 10000^(2 i / E). */
static void turn(double *row, const struct hand *hand, size_t place)
{
    size_t half = hand->E / 2;
    for (size_t h = 0; h < hand->H; h++, row += hand->E)
        for (size_t i = 0; i < half; i++) {
            double angle = (double)place * pow(10000, -2. * (double)i / (double)hand->E);
            double a = row[i], b = row[i + half];
            row[i] = a * cos(angle) - b * sin(angle);
            row[i + half] = a * sin(angle) + b * cos(angle);
        }
}

static void project(struct hand *hand, const float *x)
{
    size_t D = hand->D;
    bool gat = hand->c->score == KEN_SCORE_GAT; /* one projection for all three */
    for (size_t t = 0; t < hand->T; t++) {
        double row[HAND_WIDTH];
        for (size_t i = 0; i < D; i++) row[i] = x[t * D + i];
        for (size_t i = 0; i < D; i++) {
            hand->q[t][i] = dense(&hand->a->project, row, i);
            hand->k[t][i] = gat ? hand->q[t][i] : dense(&hand->a->project, row, D + i);
            hand->v[t][i] = gat ? hand->q[t][i] : dense(&hand->a->project, row, 2 * D + i);
        }
        if (hand->c->position == KEN_POSITION_ROTARY) {
            turn(hand->q[t], hand, t);
            turn(hand->k[t], hand, t);
        }
    }
}

static void add_places(double rows[][HAND_WIDTH], ken_model *model, ken_place what,
                       const struct hand *hand)
{
    float numbers[HAND_ROWS * HAND_WIDTH];
    if (ken_model_places(model, numbers, KEN_LOOK_ENCODER, what, 0, hand->T))
        fail_msg("%s", ken_last_error());
    for (size_t t = 0; t < hand->T; t++)
        for (size_t i = 0; i < hand->D; i++) rows[t][i] += numbers[t * hand->D + i];
}

static void ask_positions(struct hand *hand, ken_model *model)
{
    switch (hand->c->position) {
    case KEN_POSITION_FLOATER:
        add_places(hand->q, model, KEN_PLACE_QUERY, hand);
        add_places(hand->k, model, KEN_PLACE_KEY, hand);
        add_places(hand->v, model, KEN_PLACE_VALUE, hand);
        break;
    case KEN_POSITION_ALIBI:
    case KEN_POSITION_RELATIVE:
    case KEN_POSITION_BUCKETS:
    case KEN_POSITION_QUADRATIC:
        hand->biased = true;
        if (ken_model_places(model, hand->bias, KEN_LOOK_ENCODER, KEN_PLACE_SCORE, 0, hand->T))
            fail_msg("%s", ken_last_error());
        break;
    default: break;
    }
}

/* Element e of Shaw's vector for query i and key j. */
static double shaw(const struct hand *hand, const ken_tensor *table, size_t i, size_t j, size_t e)
{
    ptrdiff_t most = (ptrdiff_t)hand->c->longest, away = (ptrdiff_t)i - (ptrdiff_t)j;
    if (hand->c->position != KEN_POSITION_SHAW) return 0;
    away = away < -most ? -most : away > most ? most : away;
    return table->data[(size_t)(away + most) * hand->E + e];
}

/* ---- score ----------------------------------------------------------------------------------- */

static double leak(double x)
{
    return x > 0 ? x : 0.2 * x;
}

static double score(const struct hand *hand, size_t h, size_t i, size_t j)
{
    const struct ken_attention *a = hand->a;
    double sum = 0;
    for (size_t e = 0; e < hand->E; e++) {
        size_t at = h * hand->E + e;
        double q = hand->q[i][at], k = hand->k[j][at] + shaw(hand, &a->shaw_k, i, j, e);
        switch (hand->c->score) {
        case KEN_SCORE_ADDITIVE: sum += a->vector.data[at] * tanh(q + k); break;
        case KEN_SCORE_GATV2: sum += a->vector.data[at] * leak(q + k); break;
        case KEN_SCORE_GAT: sum += a->ask.data[at] * q + a->answer.data[at] * k; break;
        default: sum += q * k / sqrt((double)hand->E);
        }
    }
    if (hand->c->score == KEN_SCORE_GAT) sum = leak(sum);
    return hand->biased ? sum + hand->bias[h * (2 * hand->T - 1) + hand->T - 1 + j - i] : sum;
}

/* ---- reach ----------------------------------------------------------------------------------- */

static bool is_drawn(const struct hand *hand, size_t block, size_t other)
{
    size_t drawn[KEN_PATTERN_RANDOM], blocks = ken_size_groups(hand->T, hand->c->reach_block);
    size_t count = ken_pattern_draw(drawn, &hand->a->config.pattern, block, blocks);
    for (size_t x = 0; x < count; x++)
        if (drawn[x] == other) return true;
    return false;
}

static bool sees(const struct hand *hand, size_t i, size_t j)
{
    const ken_config *c = hand->c;
    size_t mine = i / c->reach_block, other = j / c->reach_block;
    bool near = j <= i ? i - j <= c->window_left : j - i <= c->window_right;
    switch (c->reach) {
    case KEN_REACH_GLOBAL: return near || i < c->reach_global || j < c->reach_global;
    case KEN_REACH_BLOCKS: return mine == other;
    case KEN_REACH_SEGMENTS: return mine == other || mine == other + 1;
    case KEN_REACH_RANDOM:
        return mine == 0 || other == 0 || (other + 1 >= mine && other <= mine + 1) ||
               is_drawn(hand, mine, other);
    default: return near;
    }
}

/* ---- weigh ----------------------------------------------------------------------------------- */

/* The threshold t for which the sum of max(s - t, 0) is 1, found by bisection. */
static double sparsemax_threshold(const double *s, size_t n)
{
    double low = -1e3, high = 1e3;
    for (int step = 0; step < 200; step++) {
        double middle = (low + high) / 2, sum = 0;
        for (size_t x = 0; x < n; x++) sum += fmax(s[x] - middle, 0);
        if (sum > 1) low = middle;
        else high = middle;
    }
    return low;
}

/* Turns scores into weights; the query sees all n keys. */
static void weigh(double *s, size_t n, enum ken_weigh how)
{
    double most = -INFINITY, sum = 0, threshold = sparsemax_threshold(s, n), count = (double)n;
    for (size_t x = 0; x < n; x++) most = fmax(most, s[x]);
    for (size_t x = 0; x < n; x++) sum += exp(s[x] - most);
    for (size_t x = 0; x < n; x++) switch (how) {
        case KEN_WEIGH_RELU: s[x] = fmax(s[x], 0) / count; break;
        case KEN_WEIGH_SIGMOID: s[x] = 1 / (1 + exp(log(count) - s[x])); break;
        case KEN_WEIGH_NONE: s[x] /= count; break;
        case KEN_WEIGH_SPARSEMAX: s[x] = fmax(s[x] - threshold, 0); break;
        default: s[x] = exp(s[x] - most) / sum;
        }
}

static void ordinary(square w, const struct hand *hand, size_t h)
{
    for (size_t i = 0; i < hand->T; i++) {
        double seen[HAND_ROWS];
        size_t n = 0;
        for (size_t j = 0; j < hand->T; j++)
            if (sees(hand, i, j)) seen[n++] = score(hand, h, i, j);
        weigh(seen, n, hand->c->weigh);
        for (size_t j = 0, x = 0; j < hand->T; j++) w[i][j] = sees(hand, i, j) ? seen[x++] : 0;
    }
}

/* ---- without scores -------------------------------------------------------------------------- */

/* Feature m of one head of a query or key. */
static double feature(const struct hand *hand, const double *x, size_t m)
{
    double u = 0, norm = 0;
    if (hand->c->weigh == KEN_WEIGH_LINEAR) return x[m] > 0 ? x[m] + 1 : exp(x[m]);
    for (size_t e = 0; e < hand->E; e++) {
        u += hand->a->random[m * hand->E + e] * x[e];
        norm += x[e] * x[e] / sqrt((double)hand->E);
    }
    return exp(u - norm / 2);
}

static void by_features(square w, const struct hand *hand, size_t h)
{
    size_t M = hand->c->weigh == KEN_WEIGH_LINEAR ? hand->E : hand->c->features;
    for (size_t i = 0; i < hand->T; i++) {
        double sum = 0;
        for (size_t j = 0; j < hand->T; j++) {
            w[i][j] = 0;
            for (size_t m = 0; m < M; m++)
                w[i][j] += feature(hand, hand->q[i] + h * hand->E, m) *
                           feature(hand, hand->k[j] + h * hand->E, m);
            sum += w[i][j];
        }
        for (size_t j = 0; j < hand->T; j++) w[i][j] /= sum;
    }
}

/* c = a b, all of n rows and columns. */
static void multiply(square c, square a, square b, size_t n)
{
    square product = { { 0 } };
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t x = 0; x < n; x++) product[i][j] += a[i][x] * b[x][j];
    memcpy(c, product, sizeof product);
}

/* z = x I - a z */
static void step(square z, square a, double x, size_t n)
{
    multiply(z, a, z, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) z[i][j] = (i == j ? x : 0) - z[i][j];
}

/* Z <- Z/4 (13 I - AZ (15 I - AZ (7 I - AZ))), starting from A^T over its largest column sum. */
static void pseudo_inverse(square z, square a, size_t n)
{
    double most = 0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += a[i][j];
        most = fmax(most, sum);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) z[i][j] = a[j][i] / most;
    for (int round = 0; round < KEN_PINV_STEPS; round++) {
        square az, inner;
        multiply(az, a, z, n);
        memcpy(inner, az, sizeof inner);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) inner[i][j] = (i == j ? 7 : 0) - inner[i][j];
        step(inner, az, 15, n);
        step(inner, az, 13, n);
        multiply(z, z, inner, n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) z[i][j] /= 4;
    }
}

/* Softmax of the dot scores of one head, row by row. */
static void soft(square w, const struct hand *hand, size_t h, double q[][HAND_WIDTH], size_t rows,
                 double k[][HAND_WIDTH], size_t keys)
{
    memset(w, 0, sizeof(square));
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < keys; j++)
            for (size_t e = h * hand->E; e < (h + 1) * hand->E; e++)
                w[i][j] += q[i][e] * k[j][e] / sqrt((double)hand->E);
        weigh(w[i], keys, KEN_WEIGH_SOFTMAX);
    }
}

static void by_landmarks(square w, const struct hand *hand, size_t h)
{
    double lq[HAND_ROWS][HAND_WIDTH] = { { 0 } }, lk[HAND_ROWS][HAND_WIDTH] = { { 0 } };
    double q[HAND_ROWS][HAND_WIDTH], k[HAND_ROWS][HAND_WIDTH];
    size_t T = hand->T, m = ken_size_min(hand->c->landmarks, T);
    memcpy(q, hand->q, sizeof q);
    memcpy(k, hand->k, sizeof k);
    for (size_t s = 0; s < m; s++)
        for (size_t t = s * T / m; t < (s + 1) * T / m; t++)
            for (size_t i = 0; i < hand->D; i++) {
                double share = 1 / (double)((s + 1) * T / m - s * T / m);
                lq[s][i] += share * q[t][i];
                lk[s][i] += share * k[t][i];
            }
    square near, middle, far, inverse = { { 0 } };
    soft(near, hand, h, q, T, lk, m);
    soft(middle, hand, h, lq, m, lk, m);
    soft(far, hand, h, lq, m, k, T);
    pseudo_inverse(inverse, middle, m);
    multiply(w, near, inverse, HAND_ROWS);
    multiply(w, w, far, HAND_ROWS);
}

/* ---- all together ---------------------------------------------------------------------------- */

void attention_by_hand(double *out, ken_model *model, const float *x, size_t T)
{
    const ken_config *c = &model->config;
    struct hand hand = { .c = c,
                         .a = &model->encoder[0].attention,
                         .T = T,
                         .D = c->width,
                         .H = c->heads,
                         .E = c->width / c->heads };
    bool features = c->weigh == KEN_WEIGH_LINEAR || c->weigh == KEN_WEIGH_PERFORMER;
    double mixed[HAND_ROWS][HAND_WIDTH] = { { 0 } };
    assert_true(T <= HAND_ROWS && c->width <= HAND_WIDTH);
    if (T == 0) return;
    project(&hand, x);
    ask_positions(&hand, model);
    for (size_t h = 0; h < hand.H; h++) {
        square w = { { 0 } };
        if (features) by_features(w, &hand, h);
        else if (c->reach == KEN_REACH_NYSTROM) by_landmarks(w, &hand, h);
        else ordinary(w, &hand, h);
        for (size_t i = 0; i < T; i++)
            for (size_t j = 0; j < T; j++)
                for (size_t e = 0; e < hand.E; e++)
                    mixed[i][h * hand.E + e] += w[i][j] * (hand.v[j][h * hand.E + e] +
                                                           shaw(&hand, &hand.a->shaw_v, i, j, e));
    }
    for (size_t i = 0; i < T; i++)
        for (size_t o = 0; o < hand.D; o++) out[i * hand.D + o] = dense(&hand.a->out, mixed[i], o);
}
