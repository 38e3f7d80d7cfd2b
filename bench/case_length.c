/* case_length.c - the cost of a training step as sequences grow: attention to all rows, to a
 * window, linear attention, attention to a window and global rows, and an LSTM in its place; and
 * the gain from more threads for each. A step has one sequence, so that a batch cannot hide a lack
 * of parallel work. The report fits exponents of time and memory. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

#include <stdio.h>

enum { WORDS = 256, LABELS = 16, WIDTH = 128, HEADS = 2, REACH = 64, GLOBAL = 4 };

static const size_t lengths[] = { 512, 1024, 2048, 4096, 8192, 16384 };

static const struct kind {
    const char *name; /* NULL: the word of its choice */
    ken_mixing mixing;
    ken_weigh weigh;
    ken_reach reach;
    size_t window; /* rows on each side                    */
    bool one_way;  /* recurrence in one direction only     */
} kinds[] = {
    { .name = "all", .window = KEN_UNLIMITED },
    { .window = REACH },
    { .weigh = KEN_WEIGH_LINEAR, .window = KEN_UNLIMITED },
    { .reach = KEN_REACH_GLOBAL, .window = REACH },
    { .mixing = KEN_MIX_LSTM, .window = KEN_UNLIMITED },
};
enum { LENGTHS = KEN_COUNT(lengths), CASES = LENGTHS * KEN_COUNT(kinds) };

/* Each is run by one thread and by all. The recurrent network has one direction, because two could
 * run side by side. */
static const size_t shared_lengths[] = { 64, 256, 1024, 4096 };
static const struct kind shared_kinds[] = {
    { .name = "attention", .window = KEN_UNLIMITED },
    { .window = REACH },
    { .mixing = KEN_MIX_LSTM, .window = KEN_UNLIMITED, .one_way = true },
};
enum { SHARED = KEN_COUNT(shared_lengths), TEAMS = 2 };

struct state {
    ken_model *model;
    ken_trainer *trainer;
    const ken_report *report;
    size_t start[2];
    int32_t *ids, *targets;
    size_t threads; /* number to restore; 0 = not changed */
};

static const char *name_of(const struct kind *kind)
{
    return kind->name ? kind->name : bench_word(kind->mixing, kind->weigh, kind->reach);
}

static void describe(struct bench_case *out, size_t index)
{
    bench_describe(out, "length", name_of(&kinds[index / LENGTHS]), lengths[index % LENGTHS],
                   "krows/s", 1e-3);
}

static ken_config config_of(const struct kind *kind)
{
    ken_config config = ken_config_default(KEN_EACH);
    config.input_size = WORDS;
    config.output_size = LABELS;
    config.width = WIDTH;
    config.hidden = 2 * WIDTH;
    config.heads = HEADS;
    config.mixing = kind->mixing;
    config.weigh = kind->weigh;
    config.reach = kind->reach;
    config.reach_global = GLOBAL;
    config.window_left = config.window_right = kind->window;
    config.both_ways = !kind->one_way;
    config.dropout = config.attention_dropout = 0;
    return config;
}

static ken_status make(void **out, const struct kind *kind, size_t T, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (s) s->ids = ken_memory_new(T, sizeof *s->ids);
    if (s) s->targets = ken_memory_new(T, sizeof *s->targets);
    if (!s || !s->ids || !s->targets) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    for (size_t i = 0; i < T; i++) {
        s->ids[i] = (int32_t)ken_random_below(seed, 2 * i, WORDS);
        s->targets[i] = (int32_t)ken_random_below(seed, 2 * i + 1, LABELS);
    }
    s->start[1] = T;
    ken_config config = config_of(kind);
    ken_training training = ken_training_default();
    KEN_TRY(ken_model_new(&s->model, &config));
    return ken_trainer_new(&s->trainer, s->model, &training);
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    return make(out, &kinds[index / LENGTHS], lengths[index % LENGTHS], seed);
}

static void describe_shared(struct bench_case *out, size_t index)
{
    char kind[32];
    snprintf(kind, sizeof kind, "%s-%s", name_of(&shared_kinds[index / SHARED / TEAMS]),
             index / SHARED % TEAMS ? "n" : "1");
    bench_describe(out, "parallel", kind, shared_lengths[index % SHARED], "krows/s", 1e-3);
}

static ken_status setup_shared(void **out, size_t index, uint64_t seed)
{
    size_t threads = ken_threads();
    KEN_TRY(make(out, &shared_kinds[index / SHARED / TEAMS], shared_lengths[index % SHARED], seed));
    if (index / SHARED % TEAMS) return KEN_OK;
    ((struct state *)*out)->threads = threads;
    return ken_threads_set(1);
}

static void run(void *context)
{
    struct state *s = context;
    ken_sequences input = { .ids = s->ids, .start = s->start, .count = 1 };
    ken_sequences target = { .ids = s->targets, .start = s->start, .count = 1 };
    ken_trainer_step(s->trainer, &input, &target, &s->report);
}

static double bytes(void *context)
{
    const ken_report *report = ((struct state *)context)->report;
    return report ? (double)report->peak_bytes : 0;
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    if (s->threads > 0) ken_threads_set(s->threads);
    ken_trainer_free(s->trainer);
    ken_model_free(s->model);
    ken_memory_free(s->ids);
    ken_memory_free(s->targets);
    ken_memory_free(s);
}

const struct bench_group bench_length = {
    .name = "length",
    .about = "a training step over one sequence of 512 to 16384 rows, by what the rows may see",
    .count = CASES,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .bytes = bytes,
};

const struct bench_group bench_parallel = {
    .name = "parallel",
    .about = "a training step over one sequence by 1 thread and by all (n): who waits for whom",
    .count = SHARED * TEAMS * KEN_COUNT(shared_kinds),
    .describe = describe_shared,
    .setup = setup_shared,
    .run = run,
    .release = release,
    .bytes = bytes,
};
