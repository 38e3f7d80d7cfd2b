/* test_linear_model.c - models whose attention forms no n x n scores: a look shows the weights that
 * were used; landmarks for all rows are full attention; saving and any number of threads change
 * nothing; choices that make no sense are refused by name; and generating an id costs the same at
 * any place. (test_cache.c tests the cache, test_model_gradients.c and test_ops.c test
 * gradients.) */
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/matmul.h"
#include "model/pass.h"
#include "tests/folder.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINEAR, PERFORMER, NYSTROM, WAYS };

static const char *name_of(int way)
{
    if (way == NYSTROM) return ken_word(KEN_CHOICE_REACH, KEN_REACH_NYSTROM);
    return ken_word(KEN_CHOICE_WEIGH, way == LINEAR ? KEN_WEIGH_LINEAR : KEN_WEIGH_PERFORMER);
}

static ken_config config_of(enum use use, int way)
{
    ken_config config = small_config(use);
    config.weigh = way == LINEAR      ? KEN_WEIGH_LINEAR
                   : way == PERFORMER ? KEN_WEIGH_PERFORMER
                                      : KEN_WEIGH_SOFTMAX;
    config.reach = way == NYSTROM ? KEN_REACH_NYSTROM : KEN_REACH_WINDOW;
    config.landmarks = 8;
    config.features = 20;
    return config;
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Rows of weights are distributions over the visible keys; with landmarks they add up to 1, but not
 * all are positive. */
static void check_shares(const float *weights, size_t T, size_t S, bool causal, int way)
{
    for (size_t i = 0; i < T; i++) {
        double sum = 0;
        for (size_t j = 0; j < S; j++) {
            double weight = weights[i * S + j];
            if (causal && j > i) assert_true(weight == 0);
            else if (way != NYSTROM) assert_true(weight > 0);
            sum += weight;
        }
        if (!(fabs(sum - (S > 0)) < (way == NYSTROM ? 1e-2 : 1e-5)))
            fail_msg("%s: row %zu of %zu sums to %g", name_of(way), i, T, sum);
    }
}

/* The output of attention is the weighted sum of the values. For the first block, whose input is
 * known, the values are computed with the layer's own projection. */
static void check_looks(int way, enum use use, ken_look which, size_t n, size_t m)
{
    static struct examples examples;
    size_t T = which == KEN_LOOK_ENCODER ? n : m + 1, S = which == KEN_LOOK_DECODER ? m + 1 : n;
    random_examples(&examples, TRANSLATOR, (size_t[]){ n, m }, 2, 13);
    ken_sequences input = sequences_of(&examples.input), target = sequences_of(&examples.target);
    ken_config config = config_of(use, way);
    ken_model *model = new_model(&config);
    float *weights = ken_memory_new(T * S + 1, sizeof *weights);
    for (size_t h = 0; h < config.heads; h++) {
        if (ken_model_look(model, weights, which, 1, h, &input, &target))
            fail_msg("%s: %s", name_of(way), ken_last_error());
        check_shares(weights, T, S, which == KEN_LOOK_DECODER, way);
    }
    assert_int_equal(ken_model_look(model, weights, which, 0, KEN_ALL_HEADS, &input, &target),
                     KEN_OK);
    check_shares(weights, T, S, which == KEN_LOOK_DECODER, way);
    ken_memory_free(weights);
    ken_model_free(model);
}

static void looks_show_shares(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 9, 6 }, { 0, 4 }, { 70, 140 } };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++)
        for (int way = 0; way < WAYS; way++) {
            size_t n = sizes[i][0], m = sizes[i][1];
            check_looks(way, TAGGER, KEN_LOOK_ENCODER, n, m);
            if (way == NYSTROM) continue;
            check_looks(way, TRANSLATOR, KEN_LOOK_ENCODER, n, m);
            check_looks(way, TRANSLATOR, KEN_LOOK_DECODER, n, m);
            check_looks(way, TRANSLATOR, KEN_LOOK_CROSS, n, m);
            check_looks(way, WRITER, KEN_LOOK_DECODER, n, m);
        }
}

/* The result of a single layer is the weights times the values, head by head. */
static void check_layer(int way, bool causal)
{
    enum { T = 90, D = 24, H = 4, E = D / H };
    static const size_t start[] = { 0, T };
    static float x[T * D], weight[4 * D * D], weights[T * T];
    struct ken_attention_config config = { .width = D,
                                           .heads = H,
                                           .weigh = config_of(TAGGER, way).weigh,
                                           .reach = config_of(TAGGER, way).reach,
                                           .left = KEN_UNLIMITED,
                                           .right = causal ? 0 : KEN_UNLIMITED,
                                           .landmarks = 8,
                                           .features = 20,
                                           .seed = 3 };
    struct ken_attention layer;
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    assert_int_equal(ken_attention_init(&layer, &config), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(x); i++) x[i] = ken_random_normal(1, i);
    for (size_t i = 0; i < KEN_COUNT(weight); i++) weight[i] = 0.2f * ken_random_normal(2, i);
    layer.project.weight = (ken_tensor){ .data = weight, .rows = 3 * D, .cols = D };
    layer.project.weight.needs_grad = true; /* so that everything is recorded */
    layer.out.weight = (ken_tensor){ .data = weight + 3 * D * D, .rows = D, .cols = D };
    ken_ragged rows = { start, 1 };
    ken_tensor *in = ken_tape_constant(&tape, x, T, D);
    ken_tensor *values = ken_dense_apply(&tape, &layer.project, in, KEN_ACT_NONE);
    struct ken_seen seen;
    ken_attention_apply(&tape, &layer, &(struct ken_attention_call){ in, rows, .seen = &seen });
    assert_int_equal(ken_tape_status(&tape), KEN_OK);
    for (size_t h = 0; h < H; h++) {
        assert_int_equal(ken_attention_look(weights, &tape, &layer, &seen, 0, h, T), KEN_OK);
        for (size_t i = 0; i < T; i++)
            for (size_t e = 0; e < E; e++) {
                double sum = 0;
                for (size_t j = 0; j < T; j++)
                    sum += (double)weights[i * T + j] * values->data[j * 3 * D + 2 * D + h * E + e];
                double out = seen.out->data[i * D + h * E + e];
                if (!(fabs(sum - out) < 2e-5 * (1 + fabs(sum))))
                    fail_msg("%s: row %zu is %g, its weights make %g", name_of(way), i, out, sum);
            }
    }
    ken_attention_release(&layer);
    ken_tape_release(&tape);
}

static void looks_show_what_was_used(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) check_layer(way, false);
    check_layer(LINEAR, true);
    check_layer(PERFORMER, true);
}

/* ---- landmarks ------------------------------------------------------------------------------- */

/* The difference between an encoder with this many landmarks and one with full attention, relative
 * to its rows; `sharp` multiplies the projections. */
static double distance(size_t landmarks, float sharp)
{
    static struct batch batch;
    random_batch(&batch, (size_t[]){ 40, 0, 1, 64, 17 }, 5, 0, INPUT_SIZE, 15);
    float *rows[2];
    for (int way = 0; way < 2; way++) {
        ken_config config = config_of(TAGGER, NYSTROM);
        config.landmarks = landmarks;
        config.encoder_blocks = 1;
        if (way == 1) config.reach = KEN_REACH_WINDOW;
        ken_model *model = new_model(&config);
        ken_tensor *project = &model->encoder[0].attention.project.weight;
        for (size_t i = 0; i < 2 * WIDTH * WIDTH; i++) project->data[i] *= sharp; /* q and k */
        rows[way] = encoder_rows(model, &batch);
        ken_model_free(model);
    }
    double difference = 0, size = 0;
    for (size_t i = 0; i < batch.start[batch.count] * WIDTH; i++) {
        difference += pow((double)rows[0][i] - rows[1][i], 2);
        size += pow(rows[1][i], 2);
    }
    ken_memory_free(rows[0]);
    ken_memory_free(rows[1]);
    return sqrt(difference / size);
}

/* The six steps of the pseudo-inverse do not invert directions in which the matrix is smaller than
 * about a fifteenth of its largest: an error of 0.3 to 0.7 % of the rows. */
static void landmarks_for_all_rows_are_full_attention(void **state)
{
    (void)state;
    static const float sharp[] = { 0.5f, 1, 2, 4 };
    for (size_t i = 0; i < KEN_COUNT(sharp); i++) {
        double all = distance(64, sharp[i]), some = distance(8, sharp[i]);
        printf("# scores times %g: 64 landmarks are off by %.2g, 8 by %.2g\n",
               (double)(sharp[i] * sharp[i]), all, some);
        assert_true(all < 1e-2 && some > 3 * all);
    }
}

/* ---- files, threads, refusals ---------------------------------------------------------------- */

static void a_file_keeps_the_random_directions(void **state)
{
    (void)state;
    static struct batch batch;
    ken_config config = config_of(TAGGER, PERFORMER);
    config.seed = 12345;
    ken_model *model = new_model(&config), *loaded;
    random_batch(&batch, (size_t[]){ 30, 5 }, 2, 0, INPUT_SIZE, 15);
    const char *path = folder_path("performer.ken");
    assert_int_equal(ken_model_save(model, path), KEN_OK);
    assert_int_equal(ken_model_load(&loaded, path), KEN_OK);
    float *before = encoder_rows(model, &batch), *after = encoder_rows(loaded, &batch);
    assert_memory_equal(before, after, batch.start[2] * WIDTH * sizeof *before);
    assert_memory_not_equal(model->encoder[0].attention.random, model->encoder[1].attention.random,
                            config.features * 6 * sizeof(float));
    ken_memory_free(before);
    ken_memory_free(after);
    ken_model_free(model);
    ken_model_free(loaded);
}

static void refused(ken_config config, const char *words)
{
    ken_model *model;
    assert_int_equal(ken_model_new(&model, &config), KEN_ERR_ARGUMENT);
    if (!strstr(ken_last_error(), words))
        fail_msg("\"%s\", expected \"%s\"", ken_last_error(), words);
}

static void choices_that_do_not_go_together(void **state)
{
    (void)state;
    static const struct {
        ken_position position;
        const char *name;
    } positions[] = { { KEN_POSITION_ROTARY, "rotary" },
                      { KEN_POSITION_ALIBI, "alibi" },
                      { KEN_POSITION_RELATIVE, "relative" } };
    for (int way = 0; way < WAYS; way++) {
        ken_config good = config_of(TAGGER, way), bad = good;
        for (size_t i = 0; i < KEN_COUNT(positions); i++) {
            bad.position = positions[i].position;
            refused(bad, positions[i].name);
        }
        bad = good;
        bad.score = KEN_SCORE_ADDITIVE;
        refused(bad, "dot score");
        bad = good;
        bad.window_left = 5;
        refused(bad, "window");
        bad = good;
        bad.window_right = 5;
        refused(bad, "window");
    }
    ken_config bad = config_of(TAGGER, PERFORMER);
    bad.features = 0;
    refused(bad, "features");
    bad.features = 4097;
    refused(bad, "features");
    bad = config_of(TAGGER, NYSTROM);
    bad.landmarks = 0;
    refused(bad, "landmarks");
    bad.landmarks = 257;
    refused(bad, "landmarks");
    bad = config_of(TAGGER, NYSTROM);
    bad.weigh = KEN_WEIGH_RELU;
    refused(bad, "softmax");
    bad.weigh = KEN_WEIGH_LINEAR;
    refused(bad, "reach");
    bad = config_of(TAGGER, NYSTROM);
    bad.kv_heads = 2;
    refused(bad, "kv_heads equal to heads");
    refused(config_of(TRANSLATOR, NYSTROM), "generator");
    refused(config_of(WRITER, NYSTROM), "generator");
}

/* Every allocation of a Performer fails once: there is an error, and no model is made. */
static void no_memory_for_directions(void **state)
{
    (void)state;
    ken_config config = config_of(TRANSLATOR, PERFORMER);
    ken_model *model;
    uint64_t nth = 1;
    for (;; nth++) {
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        ken_status status = ken_model_new(&model, &config);
        uint64_t calls = ken_fault_calls(KEN_FAULT_MEMORY);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        if (calls < nth) break;
        assert_int_equal(status, KEN_ERR_MEMORY);
        assert_null(model);
    }
    ken_model_free(model);
    assert_true(nth > 8); /* the directions of six attentions among them */
}

/* ---- cost ------------------------------------------------------------------------------------ */

enum { NEAR = 100, FAR = 10000, TIMED = 100 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); /* of this thread, because others may be busy */
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

/* Reads `more` ids after the kept ones; returns microseconds. */
static double read_more(ken_tape *tape, ken_model *model, struct ken_cache *cache, size_t *kept,
                        size_t more)
{
    static const int32_t ids[FAR];
    size_t zero = 0, start[] = { 0, more }, count = *kept + more;
    ken_sequences read = { .ids = ids, .start = start, .count = 1 };
    struct ken_cache_batch batch = { .cache = cache,
                                     .first = &zero,
                                     .kept = kept,
                                     .count = &count };
    double before = now();
    ken_tape_clear(tape);
    ken_model_decode_more(&(struct ken_pass){ .model = model, .tape = tape }, &read, &batch);
    if (ken_tape_status(tape)) fail_msg("%s", ken_last_error());
    *kept += more;
    return now() - before;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median_of_ids(ken_tape *tape, ken_model *model, struct ken_cache *cache, size_t *kept,
                            size_t place)
{
    double times[TIMED];
    read_more(tape, model, cache, kept, place - *kept);
    for (size_t i = 0; i < TIMED; i++) times[i] = read_more(tape, model, cache, kept, 1);
    qsort(times, TIMED, sizeof *times, compare);
    return times[TIMED / 2];
}

static size_t cache_floats(const struct ken_cache *cache)
{
    size_t floats = 0;
    for (size_t i = 0; i < cache->count; i++) {
        assert_true(cache->blocks[i].own.state);
        floats += cache->slots * cache->blocks[i].own.cols;
    }
    return floats;
}

static void an_id_costs_the_same_everywhere(void **state)
{
    (void)state;
    assert_int_equal(ken_threads_set(1), KEN_OK);
    for (int way = LINEAR; way <= PERFORMER; way++) {
        ken_config config = config_of(WRITER, way);
        config.position = KEN_POSITION_NONE; /* a table of sinusoids would grow */
        ken_model *model = new_model(&config);
        struct ken_cache cache, other;
        ken_arena arena;
        ken_arena_init(&arena);
        ken_tape tape;
        size_t kept = 0;
        assert_int_equal(ken_tape_init(&tape), KEN_OK);
        tape.recording = false;
        assert_int_equal(ken_cache_init(&other, &arena, model->decoder, 2, 1, NEAR), KEN_OK);
        assert_int_equal(ken_cache_init(&cache, &arena, model->decoder, 2, 1, FAR + TIMED), KEN_OK);
        assert_int_equal(cache_floats(&cache), cache_floats(&other));
        double near = median_of_ids(&tape, model, &cache, &kept, NEAR);
        double far = median_of_ids(&tape, model, &cache, &kept, FAR);
        printf("# %s: an id takes %.1f us at %d, %.1f us at %d; a sequence is %zu kB\n",
               name_of(way), near, NEAR, far, FAR, cache_floats(&cache) * sizeof(float) / 1024);
        assert_true(far < 2 * near);
        ken_arena_release(&arena);
        ken_tape_release(&tape);
        ken_model_free(model);
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_show_shares),
        cmocka_unit_test(looks_show_what_was_used),
        cmocka_unit_test(landmarks_for_all_rows_are_full_attention),
        cmocka_unit_test(a_file_keeps_the_random_directions),
        cmocka_unit_test(choices_that_do_not_go_together),
        cmocka_unit_test(no_memory_for_directions),
        cmocka_unit_test(an_id_costs_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
