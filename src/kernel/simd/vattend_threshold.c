/* vattend_threshold.c - finds the threshold tau of sparsemax for each query. With s the scores of
 * the query, tau is the solution of f(tau) = 1, where f(tau) = sum over visible keys of max(s -
 * tau, 0). f is convex, falling and made of straight pieces. Newton's steps start at max s - 1,
 * where f >= 1, and approach tau from below without overshooting. They are exact once they are on
 * the right piece, that is when the number of keys above tau no longer changes. A lane that is done
 * is not changed while others continue, so the tau of a query does not depend on other queries. */
#include "kernel/simd/vattend.h"

#include <math.h>

/* The search for tau of all queries of panel p. `store` has room for the scores of `places` tiles
 * of keys. The first places - 1 tiles that the panel sees keep their scores there; later tiles are
 * computed again in each pass, into the last place. */
struct search {
    const struct block *block;
    size_t p;
    float *store; /* scores, [places][KEY_TILE][TILE_COLS] */
    size_t places;
    bool kept; /* true: the first pass is over and `store` is filled */
};

struct sums {
    vf most[2], excess[2], count[2];
};

/* Returns the scores of the panel for tile t, which is number n of the tiles that the panel sees;
 * unseen keys have -infinity. */
static const float *scores_of(const struct search *search, size_t n, struct ken_range t,
                              struct meeting m)
{
    const struct block *block = search->block;
    const struct ken_attend *job = block->job;
    size_t last = search->places - 1;
    float *scores = search->store + ken_size_min(n, last) * KEY_TILE * TILE_COLS;
    if (search->kept && n < last) return scores;
    const float *k = job->k + (block->k_row + t.first) * job->k_stride + block->kv * job->E;
    attend_scores(scores, TILE_COLS, block, search->p, k, job->k_stride, t.first, m);
    for (size_t j = m.a; !m.whole && j < m.b; j++)
        for (size_t c = 0; c < TILE_COLS; c += LANES) {
            float *s = scores + j * TILE_COLS + c;
            vi seen = sees(block, search->p * TILE_COLS + c, t.first + j);
            v_store(s, v_select(seen, v_load(s), v_splat(-INFINITY)));
        }
    return scores;
}

/* Goes through all scores s once. Returns for each query its largest score, the number of scores
 * above tau, and the sum of s - tau over the scores above tau. */
static struct sums look_through(const struct search *search, const vf tau[2])
{
    struct sums sums;
    for (size_t x = 0; x < 2; x++) {
        sums.most[x] = v_splat(-INFINITY);
        sums.excess[x] = sums.count[x] = v_splat(0);
    }
    size_t n = 0;
    for (struct ken_range t = attend_tile(search->block, 0); t.first < t.end;
         t = attend_tile(search->block, tile_after(t.first))) {
        struct meeting m = attend_meet(search->block, search->p, t.first, t.end);
        if (m.a == m.b) continue;
        const float *scores = scores_of(search, n++, t, m);
        for (size_t j = m.a; j < m.b; j++)
            for (size_t x = 0; x < 2; x++) {
                vf s = v_load(scores + j * TILE_COLS + x * LANES);
                vf over = s - tau[x];
                sums.most[x] = v_max(s, sums.most[x]);
                sums.excess[x] += v_max(v_splat(0), over); /* NaN stays NaN */
                sums.count[x] += (vf)((vi)v_splat(1) & (over > 0));
            }
    }
    return sums;
}

static void panel_thresholds(float *tau, struct search *search)
{
    vf at[2] = { v_splat(0), v_splat(0) }, before[2];
    vi sighted[2], active[2];
    struct sums sums = look_through(search, at);
    search->kept = true;
    for (size_t x = 0; x < 2; x++) {
        size_t lane = search->p * TILE_COLS + x * LANES;
        sighted[x] = load_int(search->block->end + lane) > load_int(search->block->first + lane);
        active[x] = sighted[x];
        at[x] = sums.most[x] - 1;
        before[x] = v_splat(INFINITY);
    }
    while (v_any(active[0]) || v_any(active[1])) {
        sums = look_through(search, at);
        for (size_t x = 0; x < 2; x++) {
            vf step = (sums.excess[x] - 1) / sums.count[x];
            at[x] = v_select(active[x] & (sums.count[x] > 0), at[x] + step, at[x]);
            /* a lane is done when its number of scores above tau has stopped falling; the step just
             * made then only corrects rounding errors */
            active[x] &= sums.count[x] < before[x];
            before[x] = sums.count[x];
        }
    }
    for (size_t x = 0; x < 2; x++)
        v_store(tau + x * LANES, v_select(sighted[x], at[x], v_splat(INFINITY)));
}

void attend_thresholds(float *tau, const struct block *block, float *store, size_t room)
{
    for (size_t p = 0; p < block->panels; p++) {
        struct search search = { .block = block,
                                 .p = p,
                                 .store = store,
                                 .places = room / (KEY_TILE * TILE_COLS) };
        panel_thresholds(tau + p * TILE_COLS, &search);
    }
}
