/* test_cache.c - the cache of keys and values: a sequence that is read piece by piece has the bits
 * of the sequence read at once, for every kind of model and instruction set, wherever it is stored;
 * generation gives the same with and without the cache; and memory may run out at any time. */
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/kernels.h"
#include "model/pass.h"
#include "tests/arrays.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the attention kernel -------------------------------------------------------------------- */

enum { H = 4, KV = 2, E = 10, SEQUENCES = 4, POOL = 700 };
static const size_t T[SEQUENCES] = { 1, 3, 0, 40 };
static const size_t S[SEQUENCES] = { 200, 5, 30, 110 };
/* where keys begin: in any order, with gaps */
static const size_t apart[SEQUENCES] = { 480, 13, 20, 300 };

static struct ken_attend attend_job(const float *q, const float *kv, float *out, float *log_sum,
                                    const size_t *q_start)
{
    return (struct ken_attend){ .q = q,
                                .k = kv,
                                .v = kv + KV * E,
                                .q_stride = H * E,
                                .k_stride = 2 * KV * E,
                                .v_stride = 2 * KV * E,
                                .q_start = q_start,
                                .B = SEQUENCES,
                                .H = H,
                                .KV = KV,
                                .E = E,
                                .Ev = E,
                                .left = KEN_UNLIMITED,
                                .right = 0,
                                .scale = 0.3f,
                                .out = out,
                                .out_stride = H * E,
                                .log_sum = log_sum };
}

/* Keys stored anywhere give the bits of the same keys one after another, and agree with the
 * definition. */
static void check_keys_anywhere(void)
{
    size_t q_start[SEQUENCES + 1] = { 0 }, k_start[SEQUENCES + 1] = { 0 };
    for (size_t b = 0; b < SEQUENCES; b++) {
        q_start[b + 1] = q_start[b] + T[b];
        k_start[b + 1] = k_start[b] + S[b];
    }
    size_t N = q_start[SEQUENCES], M = k_start[SEQUENCES], row = 2 * KV * E;
    float *q = random_array(N * H * E, 1, 1), *pool = random_array(POOL * row, 2, 1);
    float *dense = random_array(M * row, 3, 1), *dout = random_array(N * H * E, 4, 1);
    for (size_t b = 0; b < SEQUENCES; b++)
        memcpy(dense + k_start[b] * row, pool + apart[b] * row, S[b] * row * sizeof *pool);
    float *out[3], *sums[3], *dkv[2], weights[2][40 * 110];
    for (size_t i = 0; i < 3; i++) {
        out[i] = random_array(N * H * E, 5, 1);
        sums[i] = random_array(N * H, 6, 1);
    }
    for (size_t i = 0; i < 2; i++) dkv[i] = ken_memory_zeroed(POOL * row, sizeof(float));
    struct ken_attend at_once = attend_job(q, dense, out[0], sums[0], q_start);
    struct ken_attend anywhere = attend_job(q, pool, out[1], sums[1], q_start);
    at_once.k_start = k_start;
    anywhere.k_start = apart;
    anywhere.k_count = S;
    struct ken_attend slow = anywhere;
    slow.out = out[2];
    slow.log_sum = sums[2];
    ken_attend_forward(&at_once);
    ken_attend_forward(&anywhere);
    ken_attend_forward_ref(&slow);
    assert_memory_equal(out[0], out[1], N * H * E * sizeof(float));
    check_close("out", out[1], out[2], N * H * E, 1e-5);
    ken_attend_weights(weights[0], &at_once, 3, 2);
    ken_attend_weights(weights[1], &anywhere, 3, 2);
    assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
    struct ken_attend_grad some = { .dout = dout, .dk = dkv[0], .dv = dkv[0] + KV * E };
    struct ken_attend_grad same = { .dout = dout, .dk = dkv[1], .dv = dkv[1] + KV * E };
    ken_attend_backward(&anywhere, &some);
    ken_attend_backward_ref(&slow, &same);
    check_close("dk and dv", dkv[0], dkv[1], POOL * row, 2e-5);
    anywhere.k_start = (const size_t[SEQUENCES]){ 100, 100, 100, 100 }; /* shared keys */
    slow.k_start = anywhere.k_start;
    ken_attend_forward(&anywhere);
    ken_attend_forward_ref(&slow);
    check_close("out of shared keys", out[1], out[2], N * H * E, 1e-5);
    free_arrays((float *[]){ q, pool, dense, dout, dkv[0], dkv[1] }, 6);
    free_arrays(out, 3);
    free_arrays(sums, 3);
}

static void keys_anywhere(void **state)
{
    (void)state;
    on_every_machine(check_keys_anywhere);
}

static void keys_that_are_not_there(void **state)
{
    (void)state;
    static const float numbers[12 * 8];
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    const struct {
        size_t first, count;
        bool edges;
        ken_status status;
    } cases[] = { { 4, 8, false, KEN_OK },
                  { 12, 0, false, KEN_OK },
                  { 5, 8, false, KEN_ERR_SHAPE },
                  { SIZE_MAX, 2, false, KEN_ERR_SHAPE },
                  { 0, SIZE_MAX, false, KEN_ERR_SHAPE },
                  { 0, 2, true, KEN_ERR_ARGUMENT } };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        struct ken_edges edges = { 0 };
        struct ken_attend_options options = { .queries = { (size_t[]){ 0, 2 }, 1 },
                                              .keys = { &cases[i].first, 1 },
                                              .k_count = &cases[i].count,
                                              .edges = cases[i].edges ? &edges : NULL,
                                              .heads = 2,
                                              .width = 4 };
        ken_tape_clear(&tape);
        ken_tensor *q = ken_tape_constant(&tape, numbers, 2, 8);
        ken_tensor *k = ken_tape_constant(&tape, numbers, 12, 8);
        ken_attend(&tape, q, k, k, NULL, NULL, &options);
        assert_int_equal(ken_tape_status(&tape), cases[i].status);
    }
    ken_tape_release(&tape);
}

/* ---- a model, piece by piece ----------------------------------------------------------------- */

enum { READ = 5, ROOM = 150 };
static const size_t lengths[READ] = { 17, 1, 0, 140, 40 };      /* of what the decoder reads  */
static const size_t heard_lengths[READ] = { 3, 0, 9, 21, 100 }; /* and of what the encoder read */
static const size_t slot_of[READ] = { 4, 0, 2, 5, 1 };

/* A model that reads `ids` through a cache. */
struct pieces {
    ken_model *model;
    ken_sequences heard, ids;
    ken_tape tape;
    struct ken_pass pass;
    ken_arena arena; /* of the cache */
    struct ken_cache cache;
    size_t kept[READ];
    float *rows; /* (all ids, D), filled piece by piece */
};

static void open_pieces(struct pieces *p, ken_model *model, const struct batch *heard,
                        const struct batch *ids)
{
    *p = (struct pieces){ .model = model, .heard = sequences_of(heard), .ids = sequences_of(ids) };
    assert_int_equal(ken_tape_init(&p->tape), KEN_OK);
    p->tape.recording = false;
    p->pass = (struct ken_pass){ .model = model, .tape = &p->tape };
    assert_int_equal(ken_cache_init(&p->cache, &p->arena, model->decoder,
                                    model->config.decoder_blocks, READ + 1, ROOM),
                     KEN_OK);
    p->rows = ken_memory_zeroed(ids->start[READ] * WIDTH, sizeof *p->rows);
    if (model->config.encoder_blocks == 0) return;
    struct ken_encoded memory = ken_model_encode(&p->pass, &p->heard);
    assert_int_equal(ken_cache_remember(&p->cache, &p->tape, model->decoder, memory.rows,
                                        memory.ragged),
                     KEN_OK);
}

static void close_pieces(struct pieces *p)
{
    ken_arena_release(&p->arena);
    ken_pass_release(&p->pass);
    ken_tape_release(&p->tape);
    ken_memory_free(p->rows);
}

/* Reads the next more[b] ids of each sequence b, which is kept in slot[b]. */
static void read_more(struct pieces *p, const size_t *more, const size_t *slot)
{
    size_t start[READ + 1] = { 0 }, first[READ], count[READ], heard[READ], heard_count[READ];
    int32_t ids[MOST_IDS];
    for (size_t b = 0; b < READ; b++) {
        start[b + 1] = start[b] + more[b];
        first[b] = slot[b] * p->cache.room;
        count[b] = p->kept[b] + more[b];
        heard[b] = p->heard.start[b];
        heard_count[b] = p->heard.start[b + 1] - heard[b];
        memcpy(ids + start[b], p->ids.ids + p->ids.start[b] + p->kept[b], more[b] * sizeof *ids);
    }
    ken_sequences read = { .ids = ids, .start = start, .count = READ };
    struct ken_cache_batch batch = { .cache = &p->cache,
                                     .first = first,
                                     .kept = p->kept,
                                     .count = count,
                                     .memory_first = heard,
                                     .memory_count = heard_count };
    ken_tape_clear(&p->tape);
    ken_tensor *rows = ken_model_decode_more(&p->pass, &read, &batch);
    if (ken_tape_status(&p->tape)) fail_msg("%s", ken_last_error());
    for (size_t b = 0; b < READ; b++) {
        size_t at = p->ids.start[b] + p->kept[b];
        memcpy(p->rows + at * WIDTH, rows->data + start[b] * WIDTH,
               more[b] * WIDTH * sizeof *p->rows);
        p->kept[b] += more[b];
    }
}

static size_t left(const struct pieces *p, size_t b)
{
    return p->ids.start[b + 1] - p->ids.start[b] - p->kept[b];
}

/* Reads half of each sequence in pieces of any size; then the cache is moved, enlarged and copied
 * from slot to slot; then the rest is read row by row, as in generation. */
static void read_all(struct pieces *p)
{
    size_t more[READ], moved[READ], kept[READ + 1] = { 0 }, from[READ + 1] = { 0 };
    for (uint64_t step = 0; step < 3; step++) {
        for (size_t b = 0; b < READ; b++) more[b] = ken_random_below(step, b, left(p, b) / 2 + 1);
        read_more(p, more, slot_of);
    }
    for (size_t b = 0; b < READ; b++) { /* slot 3 was free so far; it is used now */
        moved[b] = (slot_of[b] + 3) % (READ + 1);
        from[moved[b]] = slot_of[b];
        kept[moved[b]] = p->kept[b];
    }
    assert_int_equal(ken_cache_resize(&p->cache, READ + 1, 2 * ROOM, from, kept), KEN_OK);
    size_t unused = (3 + 3) % (READ + 1);
    ken_cache_copy(&p->cache, unused, moved[3], 0, p->kept[3] / 2);
    ken_cache_copy(&p->cache, unused, moved[3], p->kept[3] / 2, p->kept[3]);
    moved[3] = unused;
    for (size_t any = 1; any > 0;) {
        any = 0;
        for (size_t b = 0; b < READ; b++) any += more[b] = left(p, b) > 0;
        if (any > 0) read_more(p, more, moved);
    }
}

static const char *machine; /* NULL = the best one, where every combination is checked */

static void check_pieces(const struct variant *variant, enum use use)
{
    static struct batch heard, ids;
    struct pieces p;
    ken_model *model = variant_model(variant, use);
    random_batch(&heard, heard_lengths, READ, 0, INPUT_SIZE, 31);
    random_batch(&ids, lengths, READ, 0, OUTPUT_SIZE, 32);
    open_pieces(&p, model, &heard, &ids);
    read_all(&p);
    ken_tape_clear(&p.tape);
    struct ken_encoded memory;
    if (use == TRANSLATOR) memory = ken_model_encode(&p.pass, &p.heard);
    ken_tensor *rows = ken_model_decode(&p.pass, &p.ids, use == TRANSLATOR ? &memory : NULL);
    if (ken_tape_status(&p.tape)) fail_msg("%s", ken_last_error());
    for (size_t i = 0; i < ken_tensor_size(rows); i++)
        if (memcmp(&rows->data[i], &p.rows[i], sizeof(float)) != 0)
            fail_msg("%s, %s, %s: row %zu is %.9g piece by piece, %.9g at once", machine,
                     variant->name, use_names[use], i / WIDTH, (double)p.rows[i],
                     (double)rows->data[i]);
    close_pieces(&p);
    ken_model_free(model);
}

static void check_every_variant(void)
{
    machine = ken_kernels()->name;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = TRANSLATOR; use < USES; use++)
            if (is_possible(&variants[i], use)) check_pieces(&variants[i], use);
}

static void piece_by_piece_has_the_bits_of_at_once(void **state)
{
    (void)state;
    on_every_machine(check_every_variant);
}

static void a_step_that_does_not_fit(void **state)
{
    (void)state;
    static struct batch none;
    struct pieces p;
    ken_config config = small_config(WRITER);
    ken_model *model = new_model(&config);
    none = (struct batch){ .count = READ };
    open_pieces(&p, model, &none, &none);
    const struct {
        size_t first, kept, count;
    } bad[] = { { 0, 0, 2 }, { 0, 1, 1 }, { 6 * ROOM, 0, 1 }, { SIZE_MAX, 0, 1 } };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        ken_sequences one = { .ids = (int32_t[]){ 2 }, .start = (size_t[]){ 0, 1 }, .count = 1 };
        struct ken_cache_batch batch = { .cache = &p.cache,
                                         .first = &bad[i].first,
                                         .kept = &bad[i].kept,
                                         .count = &bad[i].count };
        ken_tape_clear(&p.tape);
        assert_null(ken_model_decode_more(&p.pass, &one, &batch));
        assert_int_equal(ken_tape_status(&p.tape), KEN_ERR_STATE);
    }
    close_pieces(&p);
    ken_model_free(model);
}

/* ---- generation with and without ------------------------------------------------------------- */

enum { LONGEST = 40, MOST_BEST = 3 }; /* longer than the cache is at first */

static void write_both(ken_model *model, const ken_sequences *input, ken_generation how,
                       const char *what)
{
    static struct written kept, anew;
    how.longest = LONGEST;
    write_to(&kept, model, input, &how);
    how.recompute = 1;
    write_to(&anew, model, input, &how);
    if (memcmp(&kept, &anew, sizeof kept) != 0) fail_msg("%s: differs without the cache", what);
}

static void check_generation(const struct variant *variant, enum use use)
{
    static struct batch input;
    ken_model *model = variant_model(variant, use);
    random_batch(&input, (size_t[READ]){ 3, 0, 9, 21, 1 }, READ, 0,
                 use == WRITER ? OUTPUT_SIZE : INPUT_SIZE, 33);
    ken_sequences in = sequences_of(&input);
    ken_generation how = ken_generation_default();
    write_both(model, &in, how, variant->name);
    how.beam = 4;
    how.best = MOST_BEST;
    write_both(model, &in, how, variant->name);
    how = ken_generation_default();
    how.temperature = 2;
    how.no_repeat = 3;
    write_both(model, &in, how, variant->name);
    ken_model_free(model);
}

static void generation_with_and_without(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = TRANSLATOR; use < USES; use++)
            if (is_possible(&variants[i], use)) check_generation(&variants[i], use);
}

/* ---- lack of memory -------------------------------------------------------------------------- */

static ken_status write_some(ken_model *model, struct written *written, enum use use,
                             ken_generation how)
{
    static struct batch input, prefix;
    memset(written, 0, sizeof *written);
    random_batch(&input, (size_t[]){ 3, 0, 11 }, 3, 0, OUTPUT_SIZE, 34);
    random_batch(&prefix, (size_t[]){ 0, 2, 4 }, 3, 0, OUTPUT_SIZE, 35);
    ken_sequences in = sequences_of(&input), before = sequences_of(&prefix);
    if (use == TRANSLATOR) how.prefix = &before;
    return ken_model_generate(model, written->ids, written->lengths, written->log_ps, &in, &how);
}

/* Every allocation fails, once or for ever: the call works without it or reports an error; nothing
 * leaks, and the next call gives the usual results. */
static void check_faults(enum use use, ken_mixing mixing, ken_weigh weigh, ken_generation how)
{
    static struct written calm, now;
    ken_config config = small_config(use);
    config.mixing = mixing;
    config.weigh = weigh;
    ken_model *model = new_model(&config);
    model->head.bias.data[config.end] = -100; /* long enough to need more room */
    assert_int_equal(write_some(model, &calm, use, how), KEN_OK);
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    ken_model_changed(model); /* so that its weights are packed again */
    assert_int_equal(write_some(model, &now, use, how), KEN_OK);
    uint64_t count = ken_fault_calls(KEN_FAULT_MEMORY), failures = 0;
    for (uint64_t nth = 1; nth <= count; nth++)
        for (int forever = 0; forever < 2; forever++) {
            ken_model_changed(model);
            ken_fault_arm(KEN_FAULT_MEMORY, nth, forever);
            ken_status status = write_some(model, &now, use, how);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            if (status) {
                assert_int_equal(status, KEN_ERR_MEMORY);
                assert_non_null(strstr(ken_last_error(), "no memory"));
                failures++;
                assert_int_equal(write_some(model, &now, use, how), KEN_OK);
            }
            assert_memory_equal(&now, &calm, sizeof now);
        }
    assert_true(count > 4 && failures > count);
    ken_model_free(model);
}

static void faults(void **state)
{
    (void)state;
    ken_generation beam = ken_generation_default();
    beam.longest = LONGEST;
    ken_generation draw = beam, anew = beam;
    beam.beam = 3;
    beam.best = 2;
    draw.temperature = 1;
    draw.top_k = 5;
    anew.recompute = 1;
    ken_generation brief = draw;
    brief.longest = anew.longest = 6; /* every step takes more memory than the last */
    for (enum use use = TRANSLATOR; use < USES; use++) {
        check_faults(use, KEN_MIX_ATTENTION, KEN_WEIGH_SOFTMAX, beam);
        check_faults(use, KEN_MIX_ATTENTION, KEN_WEIGH_SOFTMAX, draw);
        check_faults(use, KEN_MIX_ATTENTION, KEN_WEIGH_SOFTMAX, anew);
        check_faults(use, KEN_MIX_LSTM, KEN_WEIGH_SOFTMAX, brief);
        check_faults(use, KEN_MIX_CONFORMER, KEN_WEIGH_SOFTMAX, brief);
        check_faults(use, KEN_MIX_ATTENTION, KEN_WEIGH_PERFORMER, beam); /* keeps states */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_anywhere),
        cmocka_unit_test(keys_that_are_not_there),
        cmocka_unit_test(piece_by_piece_has_the_bits_of_at_once),
        cmocka_unit_test(a_step_that_does_not_fit),
        cmocka_unit_test(generation_with_and_without),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
