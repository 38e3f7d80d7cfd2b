/* loss.c - losses over whole batches: rows are distributed to threads, and the losses of the rows
 * are added in order. A logit that is NaN or +infinity makes the row's loss NaN, so that a diverged
 * run is noticed. */
#include "kernel/loss.h"

#include "base/size.h"
#include "base/threads.h"
#include "kernel/kernels.h"

#include <math.h>
#include <string.h>

enum {
    TASK_FLOATS = 1 << 14, /* logits per task, about 10 microseconds of work */
    LABELS = 1 << 12       /* labels per task                                */
};

/* The arguments of a call of any loss function; each function uses only the fields it needs. */
struct rows {
    float *y; /* softmax: result; cross-entropy: logits, then dlogits; other losses: dx */
    const float *x;
    const int32_t *targets; /* target of each row                            */
    const float *labels;    /* target of each number, for label losses       */
    struct ken_tally *each; /* tally of each row, or of each chunk of labels */
    size_t rows, n, step;   /* rows, columns, rows per task                  */
    float smoothing, weight;
    bool gradient;
    enum ken_label_loss kind;
};

void ken_softmax_row(float *y, const float *x, size_t n)
{
    const struct ken_kernels *kernels = ken_kernels();
    struct ken_softmax_sums sums;
    float most = kernels->softmax_most(x, n);
    if (most == -INFINITY) most = 0; /* avoids NaN: -infinity minus -infinity */
    kernels->softmax_exp(&sums, y, x, most, n);
    double sum = sums.exponentials;
    kernels->array_affine(y, y, sum == 0 ? 0 : (float)(1 / sum), 0, n);
}

static void softmax_task(void *context, size_t task, float *scratch)
{
    const struct rows *job = context;
    size_t end = ken_size_min(job->rows, (task + 1) * job->step);
    (void)scratch;
    for (size_t i = task * job->step; i < end; i++)
        ken_softmax_row(job->y + i * job->n, job->x + i * job->n, job->n);
}

void ken_softmax_forward(float *y, const float *x, size_t rows, size_t n)
{
    struct rows job = { .y = y, .x = x, .rows = rows, .n = n };
    job.step = TASK_FLOATS / (n + 1) + 1;
    ken_parallel(ken_size_groups(rows, job.step), softmax_task, &job);
}

/* Returns whether x[at] is the first of the largest logits. If several logits are equal, only the
 * first one counts; otherwise a row of equal logits would always count as correct. */
static bool is_first_largest(const float *x, size_t at, float most)
{
    for (size_t j = 0; j < at; j++)
        if (x[j] == most) return false;
    return x[at] == most;
}

/* Computes the loss of one row and, if wanted, its gradient dz. Let z be the V logits, m the
 * largest of them, eps the label smoothing and S = sum of e^(z - m). Then ln p_j = z_j - m - ln S,
 * hence
 *   loss = ln S - (1 - eps) (z_target - m) - eps (mean of z - m)
 *   dz_j = weight (e^(z_j - m) / S - eps / V - (1 - eps) [j == target]) */
static struct ken_tally row_loss(const struct rows *job, float *x, int32_t target)
{
    const struct ken_kernels *kernels = ken_kernels();
    size_t V = job->n;
    if (target == KEN_IGNORED) {
        if (job->gradient) memset(x, 0, V * sizeof *x);
        return (struct ken_tally){ 0 };
    }
    float most = kernels->softmax_most(x, V);
    struct ken_tally row = { .counted = 1, .correct = is_first_largest(x, (size_t)target, most) };
    double eps = (double)job->smoothing;
    double at = (double)x[target] - most; /* read before softmax_exp() overwrites x */
    struct ken_softmax_sums sums;
    kernels->softmax_exp(&sums, job->gradient ? x : NULL, x, most, V);
    double sum = sums.exponentials; /* NaN if a logit is NaN or +infinity */
    row.loss = log(sum) - (1 - eps) * at;
    if (eps > 0) row.loss -= eps * (sums.plain / (double)V - most);
    if (job->gradient) {
        kernels->array_affine(x, x, (float)(job->weight / sum),
                              (float)(-job->weight * eps / (double)V), V);
        x[target] -= (float)(job->weight * (1 - eps));
    }
    return row;
}

static void cross_entropy_task(void *context, size_t task, float *scratch)
{
    const struct rows *job = context;
    size_t end = ken_size_min(job->rows, (task + 1) * job->step);
    (void)scratch;
    for (size_t i = task * job->step; i < end; i++)
        job->each[i] = row_loss(job, job->y + i * job->n, job->targets[i]);
}

static void collect(struct ken_tally *tally, const struct ken_tally *each, size_t count)
{
    for (size_t i = 0; i < count; i++) ken_tally_add(tally, &each[i]);
}

/* Returns the number of tallies that the team's shared memory can hold. */
static size_t most_results(void)
{
    return KEN_TEAM_SHARED * sizeof(float) / sizeof(struct ken_tally);
}

/* Each task writes the tallies of its rows to shared memory; then the calling thread adds them up
 * in order. So the sum has the same bits for any number of threads, and for any cut of the rows. */
void ken_cross_entropy(struct ken_tally *tally, float *logits, const int32_t *targets, size_t rows,
                       size_t V, float smoothing, bool gradient, float weight)
{
    struct ken_team *team = ken_team_enter();
    for (size_t at = 0; at < rows; at += most_results()) {
        struct rows job = { .y = logits + at * V,
                            .targets = targets + at,
                            .n = V,
                            .rows = ken_size_min(rows - at, most_results()),
                            .step = TASK_FLOATS / (V + 1) + 1,
                            .each = (struct ken_tally *)ken_team_shared(team),
                            .smoothing = smoothing,
                            .weight = weight,
                            .gradient = gradient };
        ken_team_run(team, ken_size_groups(job.rows, job.step), cross_entropy_task, &job);
        collect(tally, job.each, job.rows);
    }
    ken_team_leave(team);
}

/* Adds up the losses of one chunk of labels. Plain code in double precision is fast enough: a row
 * has few labels, which cost little compared with the network that predicted them. */
static void label_task(void *context, size_t task, float *scratch)
{
    const struct rows *job = context;
    struct ken_tally sum = { 0 };
    size_t end = ken_size_min(job->n, (task + 1) * LABELS);
    (void)scratch;
    for (size_t i = task * LABELS; i < end; i++) {
        double x = job->x[i], t = job->labels[i];
        if (isnan(t)) continue;
        bool binary = job->kind == KEN_LOSS_BINARY;
        /* ln(1 + e^x) is computed as max(x, 0) + ln(1 + e^-|x|), which cannot overflow */
        sum.loss += binary ? fmax(x, 0) - x * t + log1p(exp(-fabs(x))) : (x - t) * (x - t);
        sum.counted++;
        sum.correct += binary && (x > 0) == (t > 0.5);
    }
    job->each[task] = sum;
}

void ken_label_loss_forward(struct ken_tally *tally, const float *x, const float *targets, size_t n,
                            enum ken_label_loss kind)
{
    struct ken_team *team = ken_team_enter();
    size_t most = most_results() * LABELS;
    for (size_t at = 0; at < n; at += most) {
        struct rows job = { .x = x + at,
                            .labels = targets + at,
                            .kind = kind,
                            .n = ken_size_min(n - at, most),
                            .each = (struct ken_tally *)ken_team_shared(team) };
        size_t chunks = ken_size_groups(job.n, LABELS);
        ken_team_run(team, chunks, label_task, &job);
        collect(tally, job.each, chunks);
    }
    ken_team_leave(team);
}

/* Adds the gradients of one chunk of labels: dx += factor d, where d is the derivative of the loss.
 * No sum runs over several labels, so any order gives the same bits. */
static void label_slope_task(void *context, size_t task, float *scratch)
{
    const struct rows *job = context;
    const double slope = job->kind == KEN_LOSS_BINARY ? 1 : 2;
    size_t end = ken_size_min(job->n, (task + 1) * LABELS);
    (void)scratch;
    for (size_t i = task * LABELS; i < end; i++) {
        if (isnan(job->labels[i])) continue;
        double x = job->x[i], predicted = job->kind == KEN_LOSS_BINARY ? 1 / (1 + exp(-x)) : x;
        job->y[i] += (float)(job->weight * slope * (predicted - job->labels[i]));
    }
}

void ken_label_loss_backward(float *dx, const float *x, const float *targets, float factor,
                             size_t n, enum ken_label_loss kind)
{
    struct rows job = { .y = dx,
                        .x = x,
                        .labels = targets,
                        .weight = factor,
                        .n = n,
                        .kind = kind };
    ken_parallel(ken_size_groups(n, LABELS), label_slope_task, &job);
}

void ken_softmax_forward_ref(float *y, const float *x, size_t rows, size_t n)
{
    for (size_t i = 0; i < rows; i++, x += n, y += n) {
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < n; j++) most = x[j] > most ? x[j] : most;
        if (most == -INFINITY) { /* avoids x - most, which would be NaN */
            for (size_t j = 0; j < n; j++) y[j] = 0;
            continue;
        }
        for (size_t j = 0; j < n; j++) sum += exp(x[j] - most);
        for (size_t j = 0; j < n; j++) y[j] = (float)(exp(x[j] - most) / sum);
    }
}

void ken_cross_entropy_ref(struct ken_tally *tally, float *logits, const int32_t *targets,
                           size_t rows, size_t V, float smoothing, bool gradient, float weight)
{
    const double eps = (double)smoothing;
    for (size_t i = 0; i < rows; i++, logits += V) {
        const size_t target = (size_t)targets[i];
        const bool counts = targets[i] != KEN_IGNORED;
        size_t best = 0;
        double most = -INFINITY, sum = 0;
        for (size_t j = 0; j < V; j++) best = logits[j] > logits[best] ? j : best;
        most = logits[best];
        for (size_t j = 0; j < V; j++) sum += exp(logits[j] - most);
        for (size_t j = 0; j < V && counts; j++) {
            double q = eps / (double)V + (j == target ? 1 - eps : 0);
            double log_p = logits[j] - most - log(sum);
            if (q > 0) tally->loss -= q * log_p;
            if (gradient) logits[j] = (float)(weight * (exp(log_p) - q));
        }
        for (size_t j = 0; j < V && !counts && gradient; j++) logits[j] = 0;
        tally->counted += counts;
        tally->correct += counts && best == target;
    }
}
