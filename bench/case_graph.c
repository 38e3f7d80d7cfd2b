/* case_graph.c - training of the graph attention network for Cora (two blocks, 8 heads of width 8,
 * then one head for the labels; dropout 0.6) on a random graph of that size, beside PyTorch. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "ken.h"

#include <stdio.h>

enum { NODES = 2708, EDGES = 5278, WORDS = 1433, PER_NODE = 18, LABELS = 7, KNOWN = 140 };

struct state {
    ken_model *model;
    ken_trainer *trainer;
    ken_sequences input, words, target;
    ken_links links;
    size_t rows[2], ends[2], bags[NODES + 1];
    int32_t ids[NODES * PER_NODE], pairs[4 * EDGES], labels[NODES];
};

static void describe(struct bench_case *out, size_t index)
{
    (void)index;
    *out = (struct bench_case){ .name = "graph/cora", .unit = "epochs/s", .work = 1 };
}

/* Links are in the order of the node that sees, as when they are read from files. */
static void fill(struct state *s, uint64_t seed)
{
    size_t at = 0, degree[NODES] = { 0 }, start[NODES + 1] = { 0 };
    int32_t ends[EDGES][2];
    for (size_t e = 0; e < EDGES; e++) {
        ends[e][0] = (int32_t)ken_random_below(seed, 2 * e, NODES);
        ends[e][1] = (int32_t)((ends[e][0] + 1 +
                                (int32_t)ken_random_below(seed, 2 * e + 1, NODES - 1)) %
                               NODES);
        degree[ends[e][0]]++;
        degree[ends[e][1]]++;
    }
    for (size_t i = 0; i < NODES; i++) start[i + 1] = start[i] + degree[i];
    for (size_t e = 0; e < EDGES; e++)
        for (int way = 0; way < 2; way++) {
            size_t place = start[ends[e][way]]++;
            s->pairs[2 * place] = ends[e][way];
            s->pairs[2 * place + 1] = ends[e][!way];
        }
    for (size_t i = 0; i < NODES; i++) {
        for (size_t k = 0; k < PER_NODE; k++, at++)
            s->ids[at] = (int32_t)ken_random_below(seed + 1, at, WORDS);
        s->bags[i + 1] = at;
        s->labels[i] = i < KNOWN ? (int32_t)(i % LABELS) : -1;
    }
    s->rows[1] = NODES;
    s->ends[1] = 2 * EDGES;
    s->words = (ken_sequences){ .ids = s->ids, .start = s->bags, .count = NODES };
    s->links = (ken_links){ .pairs = s->pairs, .start = s->ends };
    s->input = (ken_sequences){ .start = s->rows,
                                .count = 1,
                                .letters = &s->words,
                                .links = &s->links };
    s->target = (ken_sequences){ .ids = s->labels, .start = s->rows, .count = 1 };
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    (void)index;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    fill(s, seed);
    ken_config config = ken_config_default(KEN_EACH);
    config.input_kind = KEN_INPUT_BAGS;
    config.input_size = WORDS;
    config.output_size = LABELS;
    config.width = 64;
    config.heads = 8;
    config.mixing = KEN_MIX_BARE;
    config.score = KEN_SCORE_GAT;
    config.reach = KEN_REACH_EDGES;
    config.position = KEN_POSITION_NONE;
    config.activation = KEN_ACT_ELU;
    config.dropout = config.attention_dropout = 0.6f;
    ken_training training = ken_training_default();
    training.schedule = KEN_SCHEDULE_CONSTANT;
    training.rate = 0.005;
    training.weight_decay = 0;
    training.l2 = 5e-4;
    training.clip = 0;
    KEN_TRY(ken_model_new(&s->model, &config));
    return ken_trainer_new(&s->trainer, s->model, &training);
}

static void run(void *context)
{
    struct state *s = context;
    ken_trainer_step(s->trainer, &s->input, &s->target, NULL);
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    ken_trainer_free(s->trainer);
    ken_model_free(s->model);
    ken_memory_free(s);
}

static const char *request(void *context)
{
    (void)context;
    return "graph 2708 5278 1433 18 7 140";
}

const struct bench_group bench_graph = {
    .name = "graph",
    .about = "training of a graph attention network on a graph of Cora's size, beside PyTorch",
    .count = 1,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .asked = BENCH_TORCH,
    .request = request,
};
