/* case_links.c - whole training steps over one random graph of 10,000 to 1,000,000 links, ten for
 * each node: a graph attention network as published (`gat`), and Transformer blocks whose attention
 * goes along the links (`dot`). The report fits exponents of time and memory. `near` is `gat` with
 * links to one of the 64 nodes around instead of to any node: the difference is the cost of reading
 * distant memory. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "ken.h"

enum { DEGREE = 10, AROUND = 64, NUMBERS = 16, LABELS = 4 };

static const size_t sizes[] = { 10000, 100000, 1000000 };
static const char *const kinds[] = { "gat", "near", "dot" };
enum kind { GAT, NEAR, DOT };
enum { SIZES = KEN_COUNT(sizes) };

struct state {
    ken_model *model;
    ken_trainer *trainer;
    ken_sequences input, target;
    ken_links links;
    size_t rows[2], ends[2];
    float *numbers;
    int32_t *pairs, *labels;
    const ken_report *report;
};

static void describe(struct bench_case *out, size_t index)
{
    bench_describe(out, "links", kinds[index / SIZES], sizes[index % SIZES], "Mlinks/s", 1e-6);
}

static ken_status fill(struct state *s, size_t links, bool near, uint64_t seed)
{
    size_t nodes = links / DEGREE;
    s->numbers = ken_memory_new(nodes * NUMBERS, sizeof *s->numbers);
    s->pairs = ken_memory_new(2 * links, sizeof *s->pairs);
    s->labels = ken_memory_new(nodes, sizeof *s->labels);
    if (!s->numbers || !s->pairs || !s->labels)
        return ken_fail(KEN_ERR_MEMORY, "no memory for a graph of %zu links", links);
    for (size_t i = 0; i < nodes * NUMBERS; i++) s->numbers[i] = ken_random_normal(seed, i);
    for (size_t i = 0; i < nodes; i++)
        s->labels[i] = (int32_t)ken_random_below(seed + 1, i, LABELS);
    for (size_t e = 0; e < links; e++) {
        s->pairs[2 * e] = (int32_t)(e / DEGREE);
        size_t to = (size_t)ken_random_below(seed + 2, e, near ? AROUND : nodes);
        s->pairs[2 * e + 1] = (int32_t)(near ? (e / DEGREE + to) % nodes : to);
    }
    s->rows[1] = nodes;
    s->ends[1] = links;
    s->links = (ken_links){ .pairs = s->pairs, .start = s->ends };
    s->input = (ken_sequences){ .start = s->rows,
                                .count = 1,
                                .numbers = s->numbers,
                                .links = &s->links };
    s->target = (ken_sequences){ .ids = s->labels, .start = s->rows, .count = 1 };
    return KEN_OK;
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    enum kind kind = (enum kind)(index / SIZES);
    bool bare = kind != DOT;
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    KEN_TRY(fill(s, sizes[index % SIZES], kind == NEAR, seed));
    ken_config config = ken_config_default(KEN_EACH);
    config.input_kind = KEN_INPUT_VECTORS;
    config.input_size = NUMBERS;
    config.output_size = LABELS;
    config.width = 64;
    config.hidden = 128;
    config.heads = bare ? 8 : 4;
    config.mixing = bare ? KEN_MIX_BARE : KEN_MIX_ATTENTION;
    config.score = bare ? KEN_SCORE_GAT : KEN_SCORE_DOT;
    config.reach = KEN_REACH_EDGES;
    config.position = KEN_POSITION_NONE;
    config.activation = bare ? KEN_ACT_ELU : KEN_ACT_GELU;
    ken_training training = ken_training_default();
    KEN_TRY(ken_model_new(&s->model, &config));
    return ken_trainer_new(&s->trainer, s->model, &training);
}

static void run(void *context)
{
    struct state *s = context;
    ken_trainer_step(s->trainer, &s->input, &s->target, &s->report);
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
    ken_trainer_free(s->trainer);
    ken_model_free(s->model);
    ken_memory_free(s->numbers);
    ken_memory_free(s->pairs);
    ken_memory_free(s->labels);
    ken_memory_free(s);
}

const struct bench_group bench_links = {
    .name = "links",
    .about = "training steps over a graph of 10^4 to 10^6 links",
    .count = SIZES * KEN_COUNT(kinds),
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .bytes = bytes,
    .size = "links",
};
