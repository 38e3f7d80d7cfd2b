/* case_training.c - whole training steps through the public interface, beside PyTorch: a tagger on
 * sentences of natural lengths (`step`) and a language model in the shape of GPT-2 (`gpt2`). */
#include "bench/bench.h"
#include "bench/sentences.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

#include <stdio.h>

enum { WORDS = 2048, EVERY = 3 };

struct state {
    ken_model *model;
    ken_trainer *trainer;
    bool generates;
    size_t batches;
    ken_sequences batch[BENCH_BATCHES];
    ken_sequences labels[BENCH_BATCHES];
    size_t starts[BENCH_SENTENCES + 2 * BENCH_BATCHES];
    int32_t *ids, *targets;
    char request[BENCH_BATCHES_TEXT + 16];
};

/* The flops of one row: the weights of its blocks times 6, for forward and both gradients.
 * Attention adds 14 flops for each pair of rows, block and column (see case_attend.c). */
static double row_flops(double D, double F, double blocks, double out)
{
    return 6 * (blocks * (4 * D * D + 2 * D * F) + out * D);
}

static ken_status fail_memory(void)
{
    return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
}

static ken_status make(struct state *s, const ken_config *config, const ken_training *training)
{
    KEN_TRY(ken_model_new(&s->model, config));
    return ken_trainer_new(&s->trainer, s->model, training);
}

static void run(void *context)
{
    struct state *s = context;
    for (size_t b = 0; b < s->batches; b++)
        ken_trainer_step(s->trainer, s->generates ? NULL : &s->batch[b], &s->labels[b], NULL);
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    ken_trainer_free(s->trainer);
    ken_model_free(s->model);
    ken_memory_free(s->ids);
    ken_memory_free(s->targets);
    ken_memory_free(s);
}

static const char *request(void *state)
{
    return ((struct state *)state)->request;
}

/* ---- The tagger ------------------------------------------------------------------------------ */

enum { TAGGER_WORDS = 16000, LABELS = 17, TAGGER_WIDTH = 256, TAGGER_BLOCKS = 4 };
static const char *const orders[] = { "sorted", "random" };

static void describe_step(struct bench_case *out, size_t index)
{
    struct bench_batches batches;
    bench_batches_cut(&batches, index == 0, WORDS, EVERY);
    double words = (double)batches.words, pairs = 0;
    for (size_t i = 0; i < batches.start[batches.count]; i++)
        pairs += (double)batches.lengths[i] * batches.lengths[i];
    double flops = words * row_flops(TAGGER_WIDTH, 4 * TAGGER_WIDTH, TAGGER_BLOCKS, LABELS) +
                   14 * pairs * TAGGER_WIDTH * TAGGER_BLOCKS;
    *out = (struct bench_case){ .unit = "words/s", .work = words, .flops = flops };
    snprintf(out->name, sizeof out->name, "step/%s", orders[index]);
}

static void fill_sentences(struct state *s, const struct bench_batches *batches, uint64_t seed)
{
    size_t row = 0, start = 0;
    for (size_t b = 0; b < batches->count; b++) {
        size_t count = batches->start[b + 1] - batches->start[b], length = 0;
        s->starts[start] = 0;
        for (size_t i = 0; i < count; i++) {
            length += batches->lengths[batches->start[b] + i];
            s->starts[start + i + 1] = length;
        }
        s->batch[b] = (ken_sequences){ s->ids + row, s->starts + start, count };
        s->labels[b] = (ken_sequences){ s->targets + row, s->starts + start, count };
        row += length;
        start += count + 1;
    }
    for (size_t i = 0; i < row; i++) {
        s->ids[i] = (int32_t)ken_random_below(seed, 2 * i, TAGGER_WORDS);
        s->targets[i] = (int32_t)ken_random_below(seed, 2 * i + 1, LABELS);
    }
}

static ken_status setup_step(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return fail_memory();
    struct bench_batches batches;
    bench_batches_cut(&batches, index == 0, WORDS, EVERY);
    s->batches = batches.count;
    s->ids = ken_memory_new(batches.words, sizeof *s->ids);
    s->targets = ken_memory_new(batches.words, sizeof *s->targets);
    if (!s->ids || !s->targets) return fail_memory();
    fill_sentences(s, &batches, seed);
    snprintf(s->request, sizeof s->request, "step ");
    bench_batches_text(s->request + 5, &batches);
    ken_config config = ken_config_default(KEN_EACH);
    config.input_size = TAGGER_WORDS;
    config.output_size = LABELS;
    config.width = TAGGER_WIDTH;
    config.hidden = 4 * TAGGER_WIDTH;
    config.encoder_blocks = TAGGER_BLOCKS;
    ken_training training = ken_training_default();
    training.schedule = KEN_SCHEDULE_CONSTANT;
    training.rate = 1e-4;
    return make(s, &config, &training);
}

const struct bench_group bench_step = {
    .name = "step",
    .about = "training of a tagger (width 256, 4 blocks) on sentences, beside PyTorch with padding",
    .count = KEN_COUNT(orders),
    .describe = describe_step,
    .setup = setup_step,
    .run = run,
    .release = release,
    .asked = BENCH_TORCH,
    .request = request,
};

/* ---- The language model ---------------------------------------------------------------------- */

enum { GPT2_WIDTH = 768, GPT2_BLOCKS = 12, GPT2_WORDS = 50257 };
static const struct {
    size_t B, T;
} texts[] = { { 4, 64 }, { 1, 1024 } };

static void describe_gpt2(struct bench_case *out, size_t index)
{
    double rows = (double)(texts[index].B * texts[index].T), T = (double)texts[index].T;
    double flops = rows * row_flops(GPT2_WIDTH, 4 * GPT2_WIDTH, GPT2_BLOCKS, GPT2_WORDS) +
                   14 * rows * T / 2 * GPT2_WIDTH * GPT2_BLOCKS;
    *out = (struct bench_case){ .unit = "tokens/s", .work = rows, .flops = flops };
    snprintf(out->name, sizeof out->name, "gpt2/%zux%zu", texts[index].B, texts[index].T);
}

static ken_status setup_gpt2(void **out, size_t index, uint64_t seed)
{
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return fail_memory();
    size_t B = texts[index].B, ids = texts[index].T - 1; /* `begin` adds a row */
    s->targets = ken_memory_new(B * ids, sizeof *s->targets);
    if (!s->targets) return fail_memory();
    for (size_t i = 0; i < B * ids; i++)
        s->targets[i] = (int32_t)ken_random_below(seed, i, GPT2_WORDS);
    for (size_t b = 0; b < B; b++) s->starts[b + 1] = (b + 1) * ids;
    s->generates = true;
    s->batches = 1;
    s->labels[0] = (ken_sequences){ s->targets, s->starts, B };
    snprintf(s->request, sizeof s->request, "gpt2 %zu %zu", B, texts[index].T);
    ken_config config = ken_config_default(KEN_GENERATE);
    config.output_size = GPT2_WORDS;
    config.width = GPT2_WIDTH;
    config.heads = 12;
    config.hidden = 4 * GPT2_WIDTH;
    config.encoder_blocks = 0;
    config.decoder_blocks = GPT2_BLOCKS;
    config.position = KEN_POSITION_LEARNED;
    config.longest = 1024;
    config.activation = KEN_ACT_GELU_TANH;
    config.tied = 1;
    config.dropout = config.attention_dropout = 0;
    ken_training training = ken_training_default();
    training.schedule = KEN_SCHEDULE_CONSTANT;
    training.rate = 3e-4;
    training.clip = 0;
    return make(s, &config, &training);
}

const struct bench_group bench_gpt2 = {
    .name = "gpt2",
    .about = "one training step in the shape of GPT-2 124M, sequences x length, beside PyTorch",
    .count = KEN_COUNT(texts),
    .describe = describe_gpt2,
    .setup = setup_gpt2,
    .run = run,
    .release = release,
    .asked = BENCH_TORCH,
    .request = request,
};
