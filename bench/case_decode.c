/* case_decode.c - the cost of the next ids for a language model that has read 100, 1000 or 10000
 * ids. Attention reads all kept rows, a window reads the last of them, linear attention and an LSTM
 * read a state of fixed size. Memory is the part of the cache that the sequence uses. */
#include "bench/bench.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "model/pass.h"

#include <stdio.h>

enum { WIDTH = 128, HEADS = 2, BLOCKS = 2, WORDS = 256, REACH = 64, FEATURES = 128 };
enum { IDS = 64 }; /* per run: a chunk of linear attention, so that each run closes one */

static const size_t places[] = { 100, 1000, 10000 };

static const struct kind {
    const char *name; /* NULL: the word of its choice */
    ken_mixing mixing;
    ken_weigh weigh;
    size_t window; /* rows before that are seen */
} kinds[] = {
    { .name = "attention", .window = KEN_UNLIMITED },
    { .window = REACH },
    { .weigh = KEN_WEIGH_LINEAR, .window = KEN_UNLIMITED },
    { .weigh = KEN_WEIGH_PERFORMER, .window = KEN_UNLIMITED },
    { .mixing = KEN_MIX_LSTM, .window = KEN_UNLIMITED },
};
enum { PLACES = KEN_COUNT(places) };

/* Slot 0 of the cache keeps the state after the prefix; each run continues in slot 1. */
struct state {
    ken_model *model;
    ken_tape tape;
    ken_arena arena; /* of the cache */
    struct ken_cache cache;
    int32_t *ids;
    size_t place;
};

static void describe(struct bench_case *out, size_t index)
{
    const struct kind *kind = &kinds[index / PLACES];
    const char *word = bench_word(kind->mixing, kind->weigh, KEN_REACH_WINDOW);
    bench_describe(out, "decode", kind->name ? kind->name : word, places[index % PLACES], "ids/s",
                   0);
    out->work = IDS;
}

static ken_status read_more(struct state *s, size_t slot, size_t kept, size_t more)
{
    size_t start[] = { 0, more }, count = kept + more, first = slot * s->cache.room;
    ken_sequences read = { .ids = s->ids + kept, .start = start, .count = 1 };
    struct ken_cache_batch batch = { .cache = &s->cache,
                                     .first = &first,
                                     .kept = &kept,
                                     .count = &count };
    ken_tape_clear(&s->tape);
    ken_model_decode_more(&(struct ken_pass){ .model = s->model, .tape = &s->tape }, &read, &batch);
    return ken_tape_status(&s->tape);
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    const struct kind *kind = &kinds[index / PLACES];
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    KEN_TRY(ken_tape_init(&s->tape));
    s->tape.recording = false;
    s->place = places[index % PLACES];
    s->ids = ken_memory_new(s->place + IDS, sizeof *s->ids);
    if (!s->ids) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    for (size_t i = 0; i < s->place + IDS; i++)
        s->ids[i] = (int32_t)ken_random_below(seed, i, WORDS);
    ken_config config = ken_config_default(KEN_GENERATE);
    config.encoder_blocks = 0;
    config.decoder_blocks = BLOCKS;
    config.output_size = WORDS;
    config.width = WIDTH;
    config.hidden = 2 * WIDTH;
    config.heads = HEADS;
    config.position = KEN_POSITION_NONE; /* tables of positions would grow */
    config.mixing = kind->mixing;
    config.weigh = kind->weigh;
    config.window_left = kind->window;
    config.features = FEATURES;
    KEN_TRY(ken_model_new(&s->model, &config));
    KEN_TRY(ken_cache_init(&s->cache, &s->arena, s->model->decoder, BLOCKS, 2, s->place + IDS));
    KEN_TRY(read_more(s, 0, 0, s->place));
    ken_cache_copy(&s->cache, 1, 0, 0, s->place);
    return KEN_OK;
}

/* Each run overwrites the rows after the prefix; only a state must be restored. */
static void run(void *context)
{
    struct state *s = context;
    ken_cache_copy(&s->cache, 1, 0, s->place, s->place);
    for (size_t i = 0; i < IDS; i++) read_more(s, 1, s->place + i, 1);
}

/* Bytes kept of the sequence so far, in all blocks. A recurrent network needs only its last row. */
static double bytes(void *context)
{
    const struct state *s = context;
    size_t floats = 0;
    for (size_t i = 0; i < s->cache.count; i++) {
        const struct ken_cache_block *block = &s->cache.blocks[i];
        floats += block->own.state ? block->own.cols : s->place * block->own.cols;
        floats += block->mixed.cols;
    }
    return (double)(floats * sizeof(float));
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    ken_arena_release(&s->arena);
    ken_tape_release(&s->tape);
    ken_model_free(s->model);
    ken_memory_free(s->ids);
    ken_memory_free(s);
}

const struct bench_group bench_decode = {
    .name = "decode",
    .about = "64 more ids of a sequence that is 100 to 10000 long (language model, width 128)",
    .count = PLACES * KEN_COUNT(kinds),
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .bytes = bytes,
    .once = "for 64 ids",
    .size = "ids that were read before",
};
