/* test_places.c - each kind of position (position encoding) as in its paper: T5's buckets, heads
 * that act as a convolution, states of a GRU, floater that starts as the sinusoid and learns; and
 * positions as numbers. test_places_use.c tests them in whole models. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "kernel/flow.h"
#include "tests/arrays.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ken_model *model_of(enum use use, ken_position position, size_t longest)
{
    ken_config config = small_config(use);
    config.position = position;
    config.longest = longest;
    return new_model(&config);
}

/* ---- buckets --------------------------------------------------------------------------------- */

struct known_bucket {
    ptrdiff_t ahead;
    int32_t bucket;
};

static void check_buckets(const struct known_bucket *known, size_t count, bool past)
{
    for (size_t i = 0; i < count; i++)
        if (ken_bucket_of(known[i].ahead, past) != known[i].bucket)
            fail_msg("%td ahead: bucket %d, expected %d", known[i].ahead,
                     (int)ken_bucket_of(known[i].ahead, past), (int)known[i].bucket);
}

static void buckets_of_distances(void **state)
{
    (void)state;
    static const struct known_bucket both[] = {
        { 0, 0 },    { -1, 1 },    { -7, 7 },   { -8, 8 },    { -11, 8 },   { -16, 10 },
        { -64, 14 }, { -128, 15 }, { 1, 17 },   { 7, 23 },    { 8, 24 },    { 11, 24 },
        { 12, 25 },  { 15, 25 },   { 16, 26 },  { 22, 26 },   { 23, 27 },   { 31, 27 },
        { 32, 28 },  { 45, 28 },   { 46, 29 },  { 63, 29 },   { 64, 30 },   { 90, 30 },
        { 91, 31 },  { 127, 31 },  { 128, 31 }, { 9999, 31 }, { -9999, 15 }
    };
    static const struct known_bucket past[] = {
        { 5, 0 },    { 0, 0 },     { -15, 15 },  { -16, 16 },  { -18, 16 }, { -19, 17 },
        { -20, 17 }, { -21, 18 },  { -24, 19 },  { -27, 20 },  { -31, 21 }, { -32, 21 },
        { -64, 26 }, { -113, 31 }, { -128, 31 }, { -9999, 31 }
    };
    check_buckets(both, KEN_COUNT(both), false);
    check_buckets(past, KEN_COUNT(past), true);
    for (ptrdiff_t r = -300; r < 300; r++) { /* grows with the distance, by at most one at a time */
        int32_t here = ken_bucket_of(-labs(r), true), next = ken_bucket_of(-labs(r) - 1, true);
        assert_true(next == here || next == here + 1);
    }
}

/* The numbers that are added to the scores: in the encoder for both sides, in the decoder for the
 * past only; the second block has a table of its own. */
static void buckets_in_the_scores(void **state)
{
    (void)state;
    enum { COUNT = 200, H = 4 };
    static float numbers[H * (2 * COUNT - 1)];
    /* `longest` does not matter */
    ken_model *model = model_of(TRANSLATOR, KEN_POSITION_BUCKETS, 3);
    for (ken_look side = KEN_LOOK_ENCODER; side <= KEN_LOOK_DECODER; side++) {
        struct ken_block *blocks = side == KEN_LOOK_ENCODER ? model->encoder : model->decoder;
        ken_tensor *table = &blocks[1].attention.buckets;
        assert_true(table->rows == H && table->cols == KEN_BUCKETS);
        for (size_t i = 0; i < ken_tensor_size(table); i++) table->data[i] = (float)i;
        assert_int_equal(ken_model_places(model, numbers, side, KEN_PLACE_SCORE, 1, COUNT), KEN_OK);
        for (size_t h = 0; h < H; h++)
            for (ptrdiff_t d = 1 - COUNT; d < COUNT; d++) {
                int32_t bucket = ken_bucket_of(d, side == KEN_LOOK_DECODER);
                assert_true(numbers[h * (2 * COUNT - 1) + (size_t)(COUNT - 1 + d)] ==
                            (float)(h * KEN_BUCKETS + (size_t)bucket));
            }
        assert_int_equal(ken_model_places(model, numbers, side, KEN_PLACE_SCORE, 0, COUNT), KEN_OK);
        for (size_t i = 0; i < KEN_COUNT(numbers); i++) assert_true(numbers[i] == 0);
    }
    ken_model_free(model);
}

/* The attention weights follow from these numbers; with projections of 0, from positions alone. */
static void weights_follow_the_numbers(void **state)
{
    (void)state;
    enum { T = 40, H = 4 };
    static const ken_position kinds[] = { KEN_POSITION_ALIBI, KEN_POSITION_RELATIVE,
                                          KEN_POSITION_BUCKETS, KEN_POSITION_QUADRATIC };
    static struct batch batch;
    static float weights[T * T], numbers[H * (2 * T - 1)];
    random_batch(&batch, (size_t[]){ T }, 1, 0, INPUT_SIZE, 15);
    ken_sequences input = sequences_of(&batch);
    for (size_t k = 0; k < KEN_COUNT(kinds); k++) {
        ken_model *model = model_of(TAGGER, kinds[k], 7);
        for (size_t i = 0; i < model->parameters.count; i++) {
            ken_tensor *tensor = model->parameters.list[i].tensor;
            bool project = strstr(model->parameters.list[i].name, "project") != NULL;
            for (size_t j = 0; j < ken_tensor_size(tensor); j++)
                tensor->data[j] = project ? 0 : tensor->data[j] + 0.3f * ken_random_normal(i, j);
        }
        assert_int_equal(ken_model_places(model, numbers, KEN_LOOK_ENCODER, KEN_PLACE_SCORE, 0, T),
                         KEN_OK);
        for (size_t h = 0; h < H; h++) {
            const float *bias = numbers + h * (2 * T - 1) + T - 1;
            assert_int_equal(ken_model_look(model, weights, KEN_LOOK_ENCODER, 0, h, &input, NULL),
                             KEN_OK);
            for (ptrdiff_t i = 0; i < T; i++) {
                double sum = 0;
                for (ptrdiff_t j = 0; j < T; j++) sum += exp((double)bias[j - i]);
                for (ptrdiff_t j = 0; j < T; j++)
                    if (!(fabs(weights[i * T + j] - exp((double)bias[j - i]) / sum) < 1e-5))
                        fail_msg("kind %d, head %zu: weight of %td for %td is %g", (int)kinds[k], h,
                                 j, i, (double)weights[i * T + j]);
            }
        }
        ken_model_free(model);
    }
}

/* ---- quadratic: a layer that is a convolution ------------------------------------------------ */

enum { TAPS = 5, IN = 3, OUT = TAPS * IN };

/* Scores ignore content, head h attends to the row at shift h - TAPS / 2, its values are the input,
 * and its slice of the output projection is the matrix of the tap. */
static void make_convolution(struct ken_attention *layer, const float *taps)
{
    ken_tensor *project = &layer->project.weight, *out = &layer->out.weight;
    memset(project->data, 0, ken_tensor_size(project) * sizeof(float));
    for (size_t h = 0; h < TAPS; h++)
        for (size_t e = 0; e < IN; e++) project->data[(2 * OUT + h * IN + e) * OUT + e] = 1;
    for (size_t i = 0; i < OUT; i++)
        for (size_t h = 0; h < TAPS; h++)
            for (size_t e = 0; e < IN; e++)
                out->data[i * OUT + h * IN + e] = taps[(h * OUT + i) * IN + e];
    for (size_t h = 0; h < TAPS; h++) {
        layer->sharp.data[h] = logf(40);
        layer->centre.data[h] = (float)h - TAPS / 2;
    }
}

static void place_weights(void *layer, ken_visitor *visitor)
{
    ken_attention_visit(layer, visitor, "layer");
}

static void quadratic_heads_are_a_convolution(void **state)
{
    (void)state;
    static const size_t start[] = { 0, 13, 13, 14, 21 };
    enum { N = 21, B = 4 };
    struct ken_attention layer;
    struct ken_attention_config config = { .width = OUT,
                                           .heads = TAPS,
                                           .left = KEN_UNLIMITED,
                                           .right = KEN_UNLIMITED,
                                           .position = KEN_ATTENTION_QUADRATIC,
                                           .span = 10 };
    ken_parameters parameters;
    ken_tape tape;
    assert_int_equal(ken_attention_init(&layer, &config), KEN_OK);
    assert_int_equal(ken_parameters_init(&parameters, place_weights, &layer, 1), KEN_OK);
    for (size_t h = 0; h < TAPS; h++) /* the initial values */
        assert_true(layer.sharp.data[h] == 0 && layer.centre.data[h] == (float)h - TAPS / 2);
    float *taps = random_array(TAPS * OUT * IN, 1, 1), *x = random_array(N * OUT, 2, 1);
    make_convolution(&layer, taps);
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_ragged rows = { start, B };
    struct ken_attention_call call = { ken_tape_constant(&tape, x, N, OUT), rows };
    ken_tensor *y = ken_attention_apply(&tape, &layer, &call);
    if (ken_tape_status(&tape)) fail_msg("%s", ken_last_error());
    for (size_t b = 0; b < B; b++)
        for (ptrdiff_t i = (ptrdiff_t)start[b]; i < (ptrdiff_t)start[b + 1]; i++)
            for (size_t o = 0; o < OUT; o++) {
                double sum = 0;
                for (ptrdiff_t h = 0; h < TAPS; h++) { /* beyond an end: the last row there */
                    ptrdiff_t j = i + h - TAPS / 2;
                    if (j < (ptrdiff_t)start[b]) j = (ptrdiff_t)start[b];
                    if (j >= (ptrdiff_t)start[b + 1]) j = (ptrdiff_t)start[b + 1] - 1;
                    for (size_t e = 0; e < IN; e++)
                        sum += (double)taps[((size_t)h * OUT + o) * IN + e] *
                               x[j * OUT + (ptrdiff_t)e];
                }
                double got = y->data[i * OUT + (ptrdiff_t)o];
                if (!(fabs(got - sum) < 1e-5))
                    fail_msg("row %td, column %zu: %g, the convolution has %g", i, o, got, sum);
            }
    ken_tape_release(&tape);
    ken_parameters_release(&parameters);
    free_arrays((float *[]){ taps, x }, 2);
}

/* ---- tables at the input --------------------------------------------------------------------- */

/* Tables of the four kinds that have one; a place does not depend on how many follow. */
static void places_at_the_input(void **state)
{
    (void)state;
    enum { COUNT = 40, FEW = 7 };
    static const ken_position kinds[] = { KEN_POSITION_SINUSOID, KEN_POSITION_LEARNED,
                                          KEN_POSITION_RNN, KEN_POSITION_FLOATER };
    static float many[COUNT * WIDTH], few[FEW * WIDTH], other[COUNT * WIDTH];
    for (size_t k = 0; k < KEN_COUNT(kinds); k++) {
        ken_model *model = model_of(TRANSLATOR, kinds[k], COUNT);
        ken_look sides[] = { KEN_LOOK_ENCODER, KEN_LOOK_DECODER };
        assert_int_equal(ken_model_places(model, few, sides[0], KEN_PLACE_INPUT, 0, FEW), KEN_OK);
        assert_int_equal(ken_model_places(model, many, sides[0], KEN_PLACE_INPUT, 0, COUNT),
                         KEN_OK);
        assert_int_equal(ken_model_places(model, other, sides[1], KEN_PLACE_INPUT, 0, COUNT),
                         KEN_OK);
        assert_memory_equal(few, many, sizeof few);
        bool fixed = kinds[k] == KEN_POSITION_SINUSOID || kinds[k] == KEN_POSITION_FLOATER;
        assert_true(fixed == (memcmp(many, other, sizeof many) == 0));
        if (fixed) assert_true(many[WIDTH] == sinf(1) && many[WIDTH + 1] == cosf(1));
        for (size_t i = 0; i + 1 < COUNT; i++) { /* neighbours differ before any training */
            double apart = 0;
            for (size_t j = 0; j < WIDTH; j++)
                apart += fabs(many[i * WIDTH + j] - many[(i + 1) * WIDTH + j]);
            if (!(apart > 1e-3)) fail_msg("kind %zu: places %zu and the next are alike", k, i);
        }
        ken_model_free(model);
    }
}

/* The states of the GRU agree with its formula. */
static void states_of_the_rnn(void **state)
{
    (void)state;
    enum { COUNT = 9, D = WIDTH };
    static float rows[COUNT * D];
    ken_model *model = model_of(TAGGER, KEN_POSITION_RNN, 1);
    const struct ken_places *p = &model->input_places;
    for (size_t i = 0; i < 3 * D; i++) p->rnn_bias.data[i] = ken_random_normal(3, i);
    assert_int_equal(ken_model_places(model, rows, KEN_LOOK_ENCODER, KEN_PLACE_INPUT, 0, COUNT),
                     KEN_OK);
    double h[D] = { 0 }, next[D];
    for (size_t t = 0; t < COUNT; t++) {
        for (size_t i = 0; i < D; i++) {
            double gate[3];
            for (size_t g = 0; g < 3; g++) {
                gate[g] = p->rnn_bias.data[g * D + i];
                for (size_t j = 0; j < D; j++)
                    gate[g] += p->rnn_hidden.data[(g * D + i) * D + j] * h[j];
            }
            double r = 1 / (1 + exp(-gate[0] - p->rnn_input.data[i]));
            double z = 1 / (1 + exp(-gate[1] - p->rnn_input.data[D + i]));
            next[i] = (1 - z) * tanh(p->rnn_input.data[2 * D + i] + r * gate[2]) + z * h[i];
        }
        memcpy(h, next, sizeof h);
        for (size_t i = 0; i < D; i++) assert_true(fabs(h[i] - rows[t * D + i]) < 1e-5);
    }
    ken_model_free(model);
}

/* ---- floater --------------------------------------------------------------------------------- */

static const size_t lengths[] = { 9, 0, 31, 1 };

/* With the same seed, both have the same weights and the same logits, bit by bit. */
static void floater_begins_as_the_sinusoid(void **state)
{
    (void)state;
    static struct examples examples;
    for (enum use use = TRANSLATOR; use < USES; use++) {
        random_examples(&examples, use, lengths, KEN_COUNT(lengths), 3);
        ken_model *plain = model_of(use, KEN_POSITION_SINUSOID, 1);
        ken_model *model = model_of(use, KEN_POSITION_FLOATER, 1);
        size_t rows = examples.target.start[KEN_COUNT(lengths)] + KEN_COUNT(lengths);
        float *a = forced_logits(plain, &examples.input, &examples.target);
        float *b = forced_logits(model, &examples.input, &examples.target);
        assert_true(ken_model_size(model) > ken_model_size(plain));
        assert_memory_equal(a, b, rows * OUTPUT_SIZE * sizeof *a);
        free_arrays((float *[]){ a, b }, 2);
        ken_model_free(plain);
        ken_model_free(model);
    }
}

/* All of its parameters change from 0 within a few steps: none is stuck. */
static void floater_learns(void **state)
{
    (void)state;
    static struct examples examples;
    enum { STEPS = 4 };
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    ken_model *model = model_of(TRANSLATOR, KEN_POSITION_FLOATER, 1);
    training.warm_up = 1;
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    random_examples(&examples, TRANSLATOR, lengths, KEN_COUNT(lengths), 4);
    const struct ken_places *p = &model->input_places;
    float *into = copy_of(p->flow_in.data, ken_tensor_size(&p->flow_in));
    for (size_t step = 0; step < STEPS; step++)
        if (train_step(trainer, TRANSLATOR, &examples, NULL)) fail_msg("%s", ken_last_error());
    const ken_tensor *zeros[] = { &p->flow_start, &p->flow_out, &p->flow_out_bias,
                                  &p->flow_in_bias };
    for (size_t i = 0; i < KEN_COUNT(zeros); i++) {
        size_t moved = 0, size = ken_tensor_size(zeros[i]);
        for (size_t j = 0; j < size; j++) moved += zeros[i]->data[j] != 0;
        if (!(2 * moved > size)) fail_msg("parameter %zu: %zu of %zu have moved", i, moved, size);
    }
    assert_true(memcmp(into, p->flow_in.data, ken_tensor_size(&p->flow_in) * sizeof *into) != 0);
    free_arrays(&into, 1);
    ken_trainer_free(trainer);
    ken_model_free(model);
}

/* Its biases agree with the definition of the flow, for each block and part, with fewer key
 * heads. */
static void biases_of_floater(void **state)
{
    (void)state;
    enum { COUNT = 11, D = WIDTH, KV = WIDTH / 2, BLOCKS = 2 };
    static float numbers[COUNT * D];
    const struct variant few = { "", KEN_POSITION_FLOATER, .kv_heads = 2 }; /* of 4 */
    ken_model *model = variant_model(&few, TAGGER);                         /* no weights of 0 */
    const struct ken_places *p = &model->input_places;
    struct ken_flow job = { .R = 3 * BLOCKS,
                            .D = D,
                            .F = D,
                            .places = COUNT,
                            .steps = 1,
                            .pace = 0x1p-6f,
                            .activation = KEN_ACT_RELU,
                            .start = p->flow_start.data,
                            .w_in = p->flow_in.data,
                            .b_in = p->flow_in_bias.data,
                            .w_out = p->flow_out.data,
                            .b_out = p->flow_out_bias.data };
    static double path[COUNT * 3 * BLOCKS * (D + 1)], space[9 * D];
    ken_flow_forward_ref(path, &job, space);
    for (size_t part = 0; part < 3; part++)
        for (size_t block = 0; block < BLOCKS; block++) {
            size_t cols = part == 0 ? D : KV;
            assert_int_equal(ken_model_places(model, numbers, KEN_LOOK_ENCODER,
                                              KEN_PLACE_QUERY + part, block, COUNT),
                             KEN_OK);
            for (size_t i = 0; i < COUNT * cols; i++) {
                size_t row = i / cols * 3 * BLOCKS + part * BLOCKS + block;
                double expected = path[row * (D + 1) + i % cols];
                assert_true(fabs(numbers[i] - expected) < 1e-5);
            }
        }
    ken_model_free(model);
}

/* ---- what does not exist --------------------------------------------------------------------- */

static void refused(ken_status status, const char *words)
{
    if (status != KEN_ERR_ARGUMENT || !strstr(ken_last_error(), words))
        fail_msg("%s, \"%s\"; expected \"%s\"", ken_status_name(status), ken_last_error(), words);
}

static void parts_that_are_not_there(void **state)
{
    (void)state;
    float one[4 * WIDTH];
    ken_model *rotary = model_of(TAGGER, KEN_POSITION_ROTARY, 1);
    ken_model *learned = model_of(WRITER, KEN_POSITION_LEARNED, 3);
    for (int what = KEN_PLACE_INPUT; what <= KEN_PLACE_SCORE; what++)
        refused(ken_model_places(rotary, one, KEN_LOOK_ENCODER, (ken_place)what, 0, 1),
                "no such part");
    refused(ken_model_places(rotary, one, KEN_LOOK_DECODER, KEN_PLACE_INPUT, 0, 1), "no such side");
    refused(ken_model_places(rotary, one, KEN_LOOK_CROSS, KEN_PLACE_INPUT, 0, 1), "no such side");
    refused(ken_model_places(rotary, one, KEN_LOOK_ENCODER, KEN_PLACE_SCORE, 2, 1),
            "no such block");
    refused(ken_model_places(learned, one, KEN_LOOK_DECODER, KEN_PLACE_INPUT, 0, 4),
            "has learned 3");
    refused(ken_model_places(learned, one, KEN_LOOK_DECODER, KEN_PLACE_INPUT, 0, 0),
            "count is 0, expected 1 to");
    refused(ken_model_places(learned, one, KEN_LOOK_ENCODER, KEN_PLACE_INPUT, 0, 1),
            "no such side");
    assert_int_equal(ken_model_places(learned, one, KEN_LOOK_DECODER, KEN_PLACE_INPUT, 9, 3),
                     KEN_OK);
    ken_model_free(rotary);
    ken_model_free(learned);
}

static void choices_that_do_not_go_together(void **state)
{
    (void)state;
    ken_model *model;
    ken_config config = small_config(TAGGER);
    config.position = KEN_POSITION_FLOATER;
    config.score = KEN_SCORE_GAT;
    refused(ken_model_new(&model, &config), "floater positions change q, k and v");
    config = small_config(TAGGER);
    config.position = KEN_POSITION_QUADRATIC;
    config.longest = KEN_UNLIMITED;
    refused(ken_model_new(&model, &config), "longest of at most 2^24");
    for (int inside = KEN_ATTENTION_ROTARY; inside <= KEN_ATTENTION_FLOATER; inside++) {
        struct ken_attention layer; /* between two sequences there are no distances */
        struct ken_attention_config cross = { .width = 8,
                                              .heads = 2,
                                              .cross = true,
                                              .position = (enum ken_attention_position)inside };
        refused(ken_attention_init(&layer, &cross), "cross-attention takes no positions");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_of_distances),
        cmocka_unit_test(buckets_in_the_scores),
        cmocka_unit_test(weights_follow_the_numbers),
        cmocka_unit_test(quadratic_heads_are_a_convolution),
        cmocka_unit_test(places_at_the_input),
        cmocka_unit_test(states_of_the_rnn),
        cmocka_unit_test(floater_begins_as_the_sinusoid),
        cmocka_unit_test(floater_learns),
        cmocka_unit_test(biases_of_floater),
        cmocka_unit_test(parts_that_are_not_there),
        cmocka_unit_test(choices_that_do_not_go_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
