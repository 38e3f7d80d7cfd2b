/* test_rows.c - rows that carry their own shape: a front end that makes fewer rows than it reads,
 * and places that are given instead of counted. Gradients, batches, files and threads of such
 * models are tested with all kinds (kinds.c). */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const size_t lengths[] = { 7, 0, 1, 12, 3 };
enum { COUNT = sizeof lengths / sizeof *lengths, ROWS = 23, NUMBERS = INPUT_SIZE };

static void refused(ken_status status, const char *words)
{
    assert_int_equal(status, KEN_ERR_ARGUMENT);
    if (!strstr(ken_last_error(), words)) fail_msg("\"%s\" has no \"%s\"", ken_last_error(), words);
}

/* ---- stacking -------------------------------------------------------------------------------- */

/* A model that reads rows of numbers, `stack` of them as one. */
static ken_config stacked_config(enum use use, size_t stack)
{
    ken_config config = small_config(use);
    config.input_kind = KEN_INPUT_VECTORS;
    config.input_stack = stack;
    return config;
}

static void fill_numbers(float *numbers, ken_sequences *in, size_t *start)
{
    for (size_t i = 0; i < ROWS * NUMBERS; i++) numbers[i] = ken_random_normal(3, i);
    start[0] = 0;
    for (size_t b = 0; b < COUNT; b++) start[b + 1] = start[b] + lengths[b];
    *in = (ken_sequences){ .start = start, .count = COUNT, .numbers = numbers };
}

/* The same rows stacked by hand, which a model of wider rows reads. */
static ken_sequences stack_by_hand(const ken_sequences *in, float *wide, size_t *start,
                                   size_t stack)
{
    size_t at = 0;
    start[0] = 0;
    for (size_t b = 0; b < in->count; b++) {
        for (size_t i = in->start[b]; i < in->start[b + 1]; i += stack, at++)
            for (size_t j = 0; j < stack * NUMBERS; j++) {
                size_t row = i + j / NUMBERS;
                wide[at * stack * NUMBERS + j] = row < in->start[b + 1]
                                                     ? in->numbers[row * NUMBERS + j % NUMBERS]
                                                     : 0;
            }
        start[b + 1] = at;
    }
    return (ken_sequences){ .start = start, .count = in->count, .numbers = wide };
}

static void stacking_is_a_wider_row(void **state)
{
    (void)state;
    static float numbers[ROWS * NUMBERS], wide[2 * ROWS * NUMBERS * 5];
    size_t start[COUNT + 1], wide_start[COUNT + 1];
    ken_sequences in;
    fill_numbers(numbers, &in, start);
    for (size_t stack = 2; stack <= 5; stack++)
        for (enum use use = CLASSIFIER; use <= TRANSLATOR; use++) {
            ken_config config = stacked_config(use, stack), by_hand = stacked_config(use, 1);
            by_hand.input_size = stack * NUMBERS;
            ken_model *model = new_model(&config), *other = new_model(&by_hand);
            ken_sequences as = stack_by_hand(&in, wide, wide_start, stack);
            if (use == CLASSIFIER) {
                float a[COUNT * OUTPUT_SIZE], b[COUNT * OUTPUT_SIZE];
                assert_int_equal(ken_model_predict(model, a, &in), KEN_OK);
                assert_int_equal(ken_model_predict(other, b, &as), KEN_OK);
                assert_memory_equal(a, b, sizeof a);
            } else {
                static struct written a, b;
                ken_generation how = ken_generation_default();
                how.longest = 12;
                how.beam = stack % 2 ? 3 : 1;
                for (how.recompute = 0; how.recompute < 2; how.recompute++) {
                    write_to(&a, model, &in, &how);
                    write_to(&b, other, &as, &how);
                    assert_memory_equal(&a, &b, sizeof a);
                }
            }
            ken_model_free(model);
            ken_model_free(other);
        }
}

/* One row for `stack` of them, and one for what is left. */
static void a_look_has_the_rows_of_the_encoder(void **state)
{
    (void)state;
    static float numbers[ROWS * NUMBERS], weights[12 * 12];
    size_t start[COUNT + 1];
    ken_sequences in;
    fill_numbers(numbers, &in, start);
    const int32_t ids[] = { 3, 4 };
    ken_sequences to = { ids, (size_t[]){ 0, 2 }, 1 };
    ken_config config = stacked_config(TRANSLATOR, 3);
    assert_int_equal(ken_config_rows(&config, lengths[0]), 3);
    ken_model *model = new_model(&config);
    const struct {
        ken_look which;
        size_t T, S;
    } looks[] = { { KEN_LOOK_ENCODER, 3, 3 },
                  { KEN_LOOK_CROSS, 3, 3 },
                  { KEN_LOOK_DECODER, 3, 3 } };
    for (size_t k = 0; k < KEN_COUNT(looks); k++) {
        size_t size = looks[k].T * looks[k].S;
        for (size_t i = 0; i < KEN_COUNT(weights); i++) weights[i] = 77;
        assert_int_equal(ken_model_look(model, weights, looks[k].which, 1, 0, &in, &to), KEN_OK);
        for (size_t t = 0; t < looks[k].T; t++) {
            double sum = 0;
            for (size_t s = 0; s < looks[k].S; s++) sum += (double)weights[t * looks[k].S + s];
            assert_true(fabs(sum - 1) < 1e-5);
        }
        for (size_t i = size; i < KEN_COUNT(weights); i++) assert_true(weights[i] == 77);
    }
    ken_model_free(model);
}

static void stacks_that_cannot_be(void **state)
{
    (void)state;
    ken_model *model;
    ken_config each = stacked_config(TAGGER, 2), ids = small_config(CLASSIFIER);
    ken_config graph = stacked_config(CLASSIFIER, 2), none = stacked_config(CLASSIFIER, 0);
    refused(ken_model_new(&model, &each), "no label for each (KEN_EACH)");
    ids.input_stack = 2;
    refused(ken_model_new(&model, &ids), "rows of numbers: KEN_INPUT_VECTORS");
    graph.reach = KEN_REACH_EDGES;
    graph.position = KEN_POSITION_NONE;
    refused(ken_model_new(&model, &graph), "input_stack does not support graphs");
    refused(ken_model_new(&model, &none), "input_stack must be 1 to 1024");
    none.input_stack = 1025;
    refused(ken_model_new(&model, &none), "input_stack must be 1 to 1024");
    none.input_stack = 1024;
    none.input_size = SIZE_MAX / 1024 + 1;
    refused(ken_model_new(&model, &none), "too large to be stacked");
}

/* ---- places ---------------------------------------------------------------------------------- */

static const ken_position placed[] = { KEN_POSITION_SINUSOID, KEN_POSITION_LEARNED,
                                       KEN_POSITION_ROTARY };

static void counted_places_are_the_default(void **state)
{
    (void)state;
    static struct batch input;
    static int32_t places[MOST_IDS];
    static float a[MOST_IDS * OUTPUT_SIZE], b[MOST_IDS * OUTPUT_SIZE];
    random_batch(&input, lengths, COUNT, 0, INPUT_SIZE, 5);
    for (size_t k = 0; k < KEN_COUNT(placed); k++) {
        ken_config config = small_config(TAGGER);
        config.position = placed[k];
        ken_model *model = new_model(&config);
        ken_sequences in = sequences_of(&input);
        assert_int_equal(ken_model_predict(model, a, &in), KEN_OK);
        for (size_t s = 0; s < COUNT; s++)
            for (size_t i = input.start[s]; i < input.start[s + 1]; i++)
                places[i] = (int32_t)(i - input.start[s]);
        in.places = places;
        assert_int_equal(ken_model_predict(model, b, &in), KEN_OK);
        assert_memory_equal(a, b, ROWS * OUTPUT_SIZE * sizeof *a);
        places[3] = 40; /* and they are read */
        assert_int_equal(ken_model_predict(model, b, &in), KEN_OK);
        assert_memory_not_equal(a, b, ROWS * OUTPUT_SIZE * sizeof *a);
        ken_model_free(model);
    }
}

/* A stacked sequence whose places are counted is one whose places are not given. */
static void groups_are_counted(void **state)
{
    (void)state;
    static float numbers[ROWS * NUMBERS];
    float a[COUNT * OUTPUT_SIZE], b[COUNT * OUTPUT_SIZE];
    int32_t places[ROWS];
    size_t start[COUNT + 1];
    ken_sequences in;
    fill_numbers(numbers, &in, start);
    ken_config config = stacked_config(CLASSIFIER, 3);
    ken_model *model = new_model(&config);
    assert_int_equal(ken_model_predict(model, a, &in), KEN_OK);
    for (size_t s = 0; s < COUNT; s++)
        for (size_t i = start[s]; i < start[s + 1]; i++) places[i] = (int32_t)(i - start[s]);
    in.places = places;
    assert_int_equal(ken_model_predict(model, b, &in), KEN_OK);
    assert_memory_equal(a, b, sizeof a);
    ken_model_free(model);
}

/* What is added at the input for each row of (line, column), by the formula. */
static double by_formula(const ken_model *model, ken_position position, const int32_t *place,
                         size_t j)
{
    if (position == KEN_POSITION_LEARNED) {
        const float *table = model->input_places.learned.data;
        size_t second = model->config.longest + (size_t)place[1];
        return (double)table[(size_t)place[0] * WIDTH + j] + (double)table[second * WIDTH + j];
    }
    size_t half = WIDTH / 2, i = j % half;
    double angle = place[j / half] * pow(10000, -2.0 * (double)(i / 2) / (double)half);
    return i % 2 ? cos(angle) : sin(angle);
}

static void two_coordinates_are_added(void **state)
{
    (void)state;
    enum { LINES = 3, COLUMNS = 5, PIXELS = LINES * COLUMNS };
    static const float zeros[PIXELS * WIDTH];
    static const size_t start[] = { 0, PIXELS };
    for (size_t k = 0; k < 2; k++) {
        ken_config config = small_config(TAGGER);
        config.position = placed[k];
        config.place_axes = 2;
        config.longest = 6;
        ken_model *model = new_model(&config);
        int32_t places[2 * PIXELS];
        for (int32_t i = 0; i < PIXELS; i++) {
            places[2 * i] = i / COLUMNS;
            places[2 * i + 1] = i % COLUMNS;
        }
        ken_tape tape;
        struct ken_place_tables tables = { 0 };
        assert_int_equal(ken_tape_init(&tape), KEN_OK);
        ken_tensor *x = ken_tape_constant(&tape, zeros, PIXELS, WIDTH);
        x = ken_places_add(&tape, &model->input_places, &tables, x,
                           &(struct ken_where){ { start, 1 }, NULL, places });
        for (size_t i = 0; i < PIXELS * WIDTH; i++)
            assert_true(fabs((double)x->data[i] -
                             by_formula(model, placed[k], places + i / WIDTH * 2, i % WIDTH)) <
                        1e-6);
        ken_place_tables_drop(&tables);
        ken_tape_release(&tape);

        /* and as numbers: a table for each coordinate */
        float numbers[2 * COLUMNS * WIDTH];
        assert_int_equal(ken_model_places(model, numbers, KEN_LOOK_ENCODER, KEN_PLACE_INPUT, 0,
                                          COLUMNS),
                         KEN_OK);
        for (size_t j = 0; j < WIDTH; j++)
            assert_true(fabs((double)numbers[2 * WIDTH + j] +
                             (double)numbers[(COLUMNS + 4) * WIDTH + j] -
                             by_formula(model, placed[k], (int32_t[]){ 2, 4 }, j)) < 1e-6);
        ken_model_free(model);
    }
}

/* Rotary scores of two rows depend on the differences of their coordinates alone. */
static void rotary_knows_differences(void **state)
{
    (void)state;
    static struct batch input;
    static float a[MOST_IDS], b[MOST_IDS];
    ken_config config = small_config(TAGGER);
    config.position = KEN_POSITION_ROTARY;
    config.place_axes = 2;
    config.heads = 3;
    config.encoder_blocks = 1;
    ken_model *model = new_model(&config);
    random_batch(&input, lengths, COUNT, 0, INPUT_SIZE, 6);
    int32_t places[2 * ROWS];
    ken_sequences in = sequences_of(&input);
    in.places = places;
    size_t size = lengths[0] * lengths[0];
    for (int32_t shift = 0; shift < 2; shift++) {
        for (size_t i = 0; i < 2 * ROWS; i++)
            places[i] = (int32_t)ken_random_below(8, i, 9) + shift * (i % 2 ? 3 : 50);
        assert_int_equal(ken_model_look(model, shift ? b : a, KEN_LOOK_ENCODER, 0, 1, &in, NULL),
                         KEN_OK);
    }
    for (size_t i = 0; i < size; i++) assert_true(fabsf(a[i] - b[i]) < 1e-5f);
    places[1]++; /* another column of one row: other weights */
    assert_int_equal(ken_model_look(model, b, KEN_LOOK_ENCODER, 0, 1, &in, NULL), KEN_OK);
    assert_true(fabsf(a[1] - b[1]) > 1e-5f);
    ken_model_free(model);
}

static void places_that_cannot_be(void **state)
{
    (void)state;
    static const char *const names[KEN_POSITION_COUNT] = {
        [KEN_POSITION_ALIBI] = "alibi counts",         [KEN_POSITION_RELATIVE] = "relative counts",
        [KEN_POSITION_SHAW] = "shaw counts",           [KEN_POSITION_BUCKETS] = "buckets counts",
        [KEN_POSITION_QUADRATIC] = "quadratic counts", [KEN_POSITION_RNN] = "rnn counts",
        [KEN_POSITION_FLOATER] = "floater counts",     [KEN_POSITION_DISTANCE] = "distance counts",
    };
    ken_model *model;
    for (ken_position p = 0; p < KEN_POSITION_COUNT; p++) {
        ken_config config = small_config(TAGGER);
        config.position = p;
        config.place_axes = 2;
        config.heads = 3;
        if (names[p]) refused(ken_model_new(&model, &config), names[p]);
        else ken_model_free(new_model(&config));
    }
    ken_config config = small_config(WRITER);
    config.place_axes = 2;
    refused(ken_model_new(&model, &config), "place_axes is for encoders");
    config = small_config(TAGGER);
    config.place_axes = 3;
    refused(ken_model_new(&model, &config), "place_axes must be 1 or 2");
    config.place_axes = 2;
    config.position = KEN_POSITION_ROTARY; /* heads of width 6 */
    refused(ken_model_new(&model, &config), "a multiple of 4");
    config.position = KEN_POSITION_SINUSOID;
    config.width = 27;
    config.heads = 3;
    refused(ken_model_new(&model, &config), "even width");
    config = small_config(TAGGER);
    config.place_axes = 2;
    config.position = KEN_POSITION_LEARNED;
    config.longest = 6;
    model = new_model(&config);
    float results[2 * OUTPUT_SIZE];
    int32_t places[] = { 0, 5, 5, 0 };
    ken_sequences in = { (int32_t[]){ 1, 2 }, (size_t[]){ 0, 2 }, 1 };
    refused(ken_model_predict(model, results, &in), "no places, and place_axes is 2");
    in.places = places;
    assert_int_equal(ken_model_predict(model, results, &in), KEN_OK);
    places[2] = 6;
    refused(ken_model_predict(model, results, &in),
            "row 1: coordinate 0 is 6; coordinates are 0 to 5");
    places[2] = -1;
    refused(ken_model_predict(model, results, &in), "coordinate 0 is -1");
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacking_is_a_wider_row),
        cmocka_unit_test(a_look_has_the_rows_of_the_encoder),
        cmocka_unit_test(stacks_that_cannot_be),
        cmocka_unit_test(counted_places_are_the_default),
        cmocka_unit_test(groups_are_counted),
        cmocka_unit_test(two_coordinates_are_added),
        cmocka_unit_test(rotary_knows_differences),
        cmocka_unit_test(places_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
