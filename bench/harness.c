/* harness.c - measures ken and its peers in turn.
 * Machines are noisy, and noise can only slow down. So ken and peers run alternately in one
 * process, and the best time of each counts: a disturbance hits both sides, or one round of many.
 * For the same reason the peak is measured again before each case and after each group. */
#include "bench/bench.h"

#include "base/size.h"
#include "kernel/kernels.h"

#include <math.h>
#include <stdio.h>

enum { MOST_REPEATS = 10000, MOST_ROUNDS = 100 };

struct pace {
    int rounds;     /* minimum per case                                           */
    double seconds; /* minimum for all sides of a case together                   */
    double sample;  /* minimum of one measurement: short work is repeated         */
};
static const struct pace thorough = { 5, 1.0, 0.02 };
static const struct pace quick = { 2, 0.0, 0.005 };

/* If a measurement of the peak is below this share of the best, others use the machine too. */
static const double busy = 0.85;

/* One side of a case: ken or a peer. Slot BENCH_PEERS is ken itself. */
struct side {
    int slot;
    size_t repeats;
    double best; /* seconds of one run */
};
enum { KEN = BENCH_PEERS };

struct contest {
    const struct bench_group *group;
    void *state;
    struct side sides[BENCH_PEERS + 1];
    size_t count;
};

static void run_once(const struct contest *contest, int slot)
{
    if (slot == KEN) contest->group->run(contest->state);
    else contest->group->run_library(contest->state, bench_library(slot));
}

/* Seconds per run, the mean of `repeats`; negative if the side has dropped out. Before repeated
 * runs there is one that does not count, which wakes the threads and warms the caches. */
static double sample(const struct contest *contest, int slot, size_t repeats)
{
    bench_settle();
    if (slot != KEN && slot >= BENCH_LIBRARIES) return bench_python_go(repeats);
    if (repeats > 1) run_once(contest, slot);
    double start = bench_now();
    for (size_t i = 0; i < repeats; i++) run_once(contest, slot);
    return (bench_now() - start) / (double)repeats;
}

static void add_side(struct contest *contest, int slot, double seconds)
{
    double first = sample(contest, slot, 1); /* the first run is cold */
    if (first < seconds) first = sample(contest, slot, 1);
    if (first < 0) return;
    double repeats = ceil(seconds / fmax(first, 1e-9));
    contest->sides[contest->count++] = (struct side){
        .slot = slot,
        .repeats = ken_size_min((size_t)fmax(repeats, 1), MOST_REPEATS),
        .best = INFINITY,
    };
}

static void add_python(struct contest *contest, const char *name, double seconds, bool quiet)
{
    enum bench_peer peer = contest->group->asked;
    const char *request = contest->group->request(contest->state);
    bool ready = request && bench_python_prepare(request);
    const char *answer = request ? bench_python_answer() : ken_last_error();
    if (!ready) fprintf(stderr, "%s: %s left out: %s\n", name, bench_peer_name(peer), answer);
    else if (!quiet) fprintf(stderr, "%s: %s %s\n", name, bench_peer_name(peer), answer);
    if (ready) add_side(contest, (int)peer, seconds);
}

/* Which peers take part: those that are there, can do the case, and agree on the result. */
static void add_sides(struct contest *contest, const char *name, double seconds, bool quiet)
{
    const struct bench_group *group = contest->group;
    add_side(contest, KEN, seconds);
    for (int slot = 0; group->run_library && slot < BENCH_LIBRARIES; slot++) {
        const struct bench_library *library = bench_library(slot);
        if (!library) continue;
        if (!group->agrees || group->agrees(contest->state, library))
            add_side(contest, slot, seconds);
        else
            fprintf(stderr, "%s: %s left out: its result differs from ken's\n", name,
                    bench_peer_name(slot));
    }
    if (group->request && bench_python_runs()) add_python(contest, name, seconds, quiet);
}

static void measure(struct bench_result *result, struct contest *contest, const struct pace *pace)
{
    double total = 0;
    for (int round = 0; round < pace->rounds || (total < pace->seconds && round < MOST_ROUNDS);
         round++)
        for (size_t i = 0; i < contest->count; i++) {
            struct side *side = &contest->sides[i];
            if (side->best == 0) continue; /* has dropped out */
            double seconds = fmax(sample(contest, side->slot, side->repeats), 0);
            side->best = fmin(side->best, seconds);
            total += seconds * (double)side->repeats;
        }
    for (size_t i = 0; i < contest->count; i++) {
        const struct side *side = &contest->sides[i];
        if (side->slot == KEN) result->ken = side->best;
        else result->peer[side->slot] = side->best;
    }
}

static ken_status run_case(struct bench_result *result, const struct bench_group *group,
                           size_t index, const struct bench_options *options)
{
    const struct pace *pace = options->quick ? &quick : &thorough;
    struct contest contest = { .group = group };
    bool python = bench_python_runs();
    *result = (struct bench_result){ 0 };
    group->describe(&result->info, index);
    if (!options->quiet) fprintf(stderr, "%s\n", result->info.name);
    if (bench_peak_look() < busy * bench_peak_flops() && !options->quiet)
        fprintf(stderr, "%s: others use the processor, figures will be low\n", result->info.name);
    ken_status status = group->setup(&contest.state, index, options->seed);
    if (!status) {
        add_sides(&contest, result->info.name, pace->sample, options->quiet);
        measure(result, &contest, pace);
        if (group->bytes) result->bytes = group->bytes(contest.state);
    }
    if (python && !bench_python_runs())
        fprintf(stderr, "%s: %s %s\n", result->info.name, bench_peer_name(group->asked),
                bench_python_about(group->asked));
    if (group->request) bench_python_done();
    group->release(contest.state);
    return status;
}

static bool wanted(const struct bench_options *options, const char *name)
{
    if (options->count == 0) return true;
    for (size_t i = 0; i < options->count; i++)
        if (bench_matches(options->wishes[i], name)) return true;
    return false;
}

/* Selects the cases of the group that were asked for; their indices go to `chosen`. */
static size_t choose(size_t chosen[BENCH_CASES], const struct bench_group *group,
                     const struct bench_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < ken_size_min(group->count, BENCH_CASES); i++) {
        struct bench_case info;
        group->describe(&info, i);
        if (wanted(options, info.name)) chosen[count++] = i;
    }
    return count;
}

/* Results are printed when the group is complete, because a higher peak may still be measured. */
static ken_status run_group(const struct bench_group *group, const struct bench_options *options)
{
    static struct bench_result results[BENCH_CASES];
    size_t chosen[BENCH_CASES];
    size_t count = choose(chosen, group, options);
    for (size_t i = 0; i < count; i++) KEN_TRY(run_case(&results[i], group, chosen[i], options));
    if (count == 0) return KEN_OK;
    bench_peak_look();
    bench_report_group(options, results, count);
    return group->bytes ? bench_growth(options, group, results, count) : KEN_OK;
}

ken_status bench_main(const struct bench_options *options)
{
    size_t chosen[BENCH_CASES];
    bool libraries = false, python = false, asked[BENCH_PEERS] = { 0 };
    for (size_t i = 0; i < bench_group_count(); i++) {
        const struct bench_group *group = bench_group_at(i);
        bool any = choose(chosen, group, options) > 0;
        libraries |= any && group->run_library;
        if (any && group->request) asked[group->asked] = python = true;
    }
    /* Peers start first, because they read the number of threads from the environment. */
    if (libraries) bench_libraries_open(ken_threads());
    if (python) bench_python_start(ken_threads());
    ken_status status = ken_kernels_start();
    if (!status) bench_report_header(options, libraries, asked);
    /* Results that cannot be written are not worth measuring; the command reports why. */
    for (size_t i = 0; !status && !ferror(stdout) && i < bench_group_count(); i++)
        status = run_group(bench_group_at(i), options);
    bench_python_stop();
    return status;
}
