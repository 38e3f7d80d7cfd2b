/* case_generate.c - generation by a language model (width 256, 4 blocks), with a cache of keys and
 * values and, for comparison, without. Every sequence has the full length. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "model/model.h"

#include <stdio.h>

enum { WIDTH = 256, BLOCKS = 4, WORDS = 8000, PREFIX = 8, MOST = 16 };

static const struct {
    const char *name;
    size_t inputs, beam, longest;
    int recompute;
} cases[] = {
    { "kept/1x128", 1, 1, 128, 0 },   { "recomputed/1x128", 1, 1, 128, 1 },
    { "kept/16x128", 16, 1, 128, 0 }, { "kept/beam4/4x128", 4, 4, 128, 0 },
    { "kept/1x1024", 1, 1, 1024, 0 },
};

struct state {
    ken_model *model;
    ken_generation how;
    ken_sequences input;
    int32_t prefix[MOST * PREFIX], *ids;
    size_t start[MOST + 1], lengths[MOST];
};

static void describe(struct bench_case *out, size_t index)
{
    *out = (struct bench_case){ .unit = "ids/s",
                                .work = (double)(cases[index].inputs * cases[index].longest) };
    snprintf(out->name, sizeof out->name, "generate/%s", cases[index].name);
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    size_t B = cases[index].inputs;
    for (size_t i = 0; i < B * PREFIX; i++)
        s->prefix[i] = (int32_t)ken_random_below(seed, i, WORDS);
    for (size_t b = 0; b < B; b++) s->start[b + 1] = (b + 1) * PREFIX;
    s->input = (ken_sequences){ .ids = s->prefix, .start = s->start, .count = B };
    s->how = ken_generation_default();
    s->how.longest = cases[index].longest;
    s->how.beam = cases[index].beam;
    s->how.recompute = cases[index].recompute;
    s->ids = ken_memory_new(B * s->how.longest, sizeof *s->ids);
    if (!s->ids) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    ken_config config = ken_config_default(KEN_GENERATE);
    config.encoder_blocks = 0;
    config.decoder_blocks = BLOCKS;
    config.output_size = WORDS;
    config.width = WIDTH;
    config.hidden = 4 * WIDTH;
    KEN_TRY(ken_model_new(&s->model, &config));
    s->model->head.bias.data[config.end] = -1e4f; /* makes sequences never end by themselves */
    return KEN_OK;
}

static void run(void *context)
{
    struct state *s = context;
    ken_model_generate(s->model, s->ids, s->lengths, NULL, &s->input, &s->how);
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    ken_model_free(s->model);
    ken_memory_free(s->ids);
    ken_memory_free(s);
}

const struct bench_group bench_generate = {
    .name = "generate",
    .about = "ids of a language model (width 256, 4 blocks), sequences x length",
    .count = KEN_COUNT(cases),
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
};
