/* test_draw.c - sampling: ids are drawn with the probabilities of the model, and depend on the
 * seed, the sequence and the place (position) alone. */
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

enum { BEGIN = 0, END = 1, LONGEST = 16, COUNT = 5 };

enum { DRAWS = 4000 };

/* Draws one id from the same model again and again: sequence b of a batch is draw number b. */
static void count_draws(size_t counts[OUTPUT_SIZE], ken_model *model, ken_generation how)
{
    static size_t start[DRAWS + 1], lengths[DRAWS];
    static int32_t ids[DRAWS];
    ken_sequences nothing = { .start = start, .count = DRAWS };
    how.longest = 1;
    assert_int_equal(ken_model_generate(model, ids, lengths, NULL, &nothing, &how), KEN_OK);
    memset(counts, 0, OUTPUT_SIZE * sizeof *counts);
    for (size_t b = 0; b < DRAWS; b++) counts[lengths[b] ? ids[b] : END]++;
}

/* The expected probability of each id, from the logits of an empty sequence. */
static void expected_shares(double shares[OUTPUT_SIZE], ken_model *model, const ken_generation *how)
{
    static struct batch none;
    none = (struct batch){ .count = 1 };
    float *logits = forced_logits(model, &none, &none);
    double all[OUTPUT_SIZE], left = 0, sum = 0;
    size_t order[OUTPUT_SIZE], n = how->top_k ? how->top_k : OUTPUT_SIZE;
    for (size_t i = 0; i < OUTPUT_SIZE; i++) { /* the likeliest first */
        all[i] = i == BEGIN ? 0 : exp((double)logits[i] / (double)how->temperature);
        shares[i] = 0;
        size_t at = i;
        for (; at > 0 && all[i] > all[order[at - 1]]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    ken_memory_free(logits);
    for (size_t i = 0; i < n; i++) left += all[order[i]];
    for (size_t i = 0; i < n && sum < (double)how->top_p * left; i++)
        sum += shares[order[i]] = all[order[i]];
    for (size_t i = 0; i < OUTPUT_SIZE; i++) shares[i] /= sum;
}

/* Chi-square with up to 9 degrees of freedom exceeds 40 once in 100 000 times. */
static void check_shares(ken_model *model, const ken_generation *how)
{
    size_t counts[OUTPUT_SIZE];
    double shares[OUTPUT_SIZE], chi = 0;
    count_draws(counts, model, *how);
    expected_shares(shares, model, how);
    for (size_t i = 0; i < OUTPUT_SIZE; i++) {
        double expected = shares[i] * DRAWS, off = (double)counts[i] - expected;
        if (shares[i] == 0) assert_int_equal(counts[i], 0);
        else chi += off * off / expected;
    }
    if (!(chi < 40)) fail_msg("drawn with a chi-square of %g", chi);
}

static void draws_have_their_shares(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        ken_config config = small_config(WRITER);
        config.seed = seed;
        ken_model *model = new_model(&config);
        ken_generation how = ken_generation_default();
        how.seed = seed;
        for (int t = 0; t < 3; t++) {
            how.temperature = (float[]){ 1, 0.5f, 3 }[t];
            for (how.top_k = 0; how.top_k < 8; how.top_k += 4)
                for (int p = 0; p < 2; p++) {
                    how.top_p = p ? 0.6f : 1;
                    check_shares(model, &how);
                }
        }
        ken_model_free(model);
    }
}

/* Each place has a random number of its own: if nearly all ids are equally likely, the second id
 * equals the first only now and then. */
static void places_are_drawn_apart(void **state)
{
    (void)state;
    enum { PAIRS = 500 };
    static size_t start[PAIRS + 1], lengths[PAIRS];
    static int32_t ids[PAIRS * 2];
    size_t equal = 0, pairs = 0;
    ken_config config = small_config(WRITER);
    ken_model *model = new_model(&config);
    ken_sequences nothing = { .start = start, .count = PAIRS };
    ken_generation how = ken_generation_default();
    how.longest = 2;
    how.temperature = 1000;
    assert_int_equal(ken_model_generate(model, ids, lengths, NULL, &nothing, &how), KEN_OK);
    for (size_t b = 0; b < PAIRS; b++) {
        pairs += lengths[b] == 2;
        equal += lengths[b] == 2 && ids[2 * b] == ids[2 * b + 1];
    }
    assert_true(pairs > PAIRS * 6 / 10 && equal > pairs / 20 && equal < pairs / 5);
    ken_model_free(model);
}

/* With a single candidate nothing is random; otherwise only the seed makes a difference, and the
 * other sequences of the batch do not. */
static void drawing(void **state)
{
    (void)state;
    static struct batch input, others;
    static struct written greedy, drawn, again;
    ken_config config = small_config(TRANSLATOR);
    ken_model *model = new_model(&config);
    random_batch(&input, (size_t[]){ 5, 0, 12, 1, 3 }, COUNT, 0, INPUT_SIZE, 16);
    random_batch(&others, (size_t[]){ 5, 9 }, 2, 0, INPUT_SIZE, 16); /* the first is the same */
    ken_sequences in = sequences_of(&input), two = sequences_of(&others);
    ken_generation how = ken_generation_default();
    how.longest = LONGEST;
    write_to(&greedy, model, &in, &how);
    ken_generation certain[3] = { how, how, how };
    certain[0].temperature = certain[1].temperature = 5;
    certain[0].top_k = 1;
    certain[1].top_p = 1e-6f;
    certain[2].temperature = 1e-40f;
    for (size_t i = 0; i < 3; i++) {
        write_to(&drawn, model, &in, &certain[i]);
        assert_memory_equal(&drawn, &greedy, sizeof drawn);
    }
    how.temperature = 1;
    write_to(&drawn, model, &in, &how);
    write_to(&again, model, &in, &how);
    assert_memory_equal(&drawn, &again, sizeof drawn);
    write_to(&again, model, &two, &how);
    assert_memory_equal(drawn.ids, again.ids, LONGEST * sizeof *drawn.ids);
    assert_memory_equal(drawn.log_ps, again.log_ps, sizeof *drawn.log_ps);
    how.seed++;
    write_to(&again, model, &in, &how);
    assert_memory_not_equal(drawn.ids, again.ids, sizeof drawn.ids);
    ken_model_free(model);
}

/* ---- samples --------------------------------------------------------------------------------- */

enum { SAMPLES = 5 };

/* Sample s is the same alone, among few or many samples, and with any number of threads. Sample 0
 * is what a call without samples draws. */
static void samples_do_not_depend_on_their_number(void **state)
{
    (void)state;
    static struct batch input;
    static struct written all, some;
    static const enum use uses[] = { TRANSLATOR, WRITER };
    random_batch(&input, (size_t[]){ 5, 0, 7 }, 3, 2, OUTPUT_SIZE, 16);
    ken_sequences in = sequences_of(&input);
    for (size_t u = 0; u < KEN_COUNT(uses); u++) {
        ken_config config = small_config(uses[u]);
        ken_model *model = new_model(&config);
        ken_generation how = ken_generation_default();
        how.longest = LONGEST;
        how.temperature = 1;
        how.samples = SAMPLES;
        how.first = 40;
        write_to(&all, model, &in, &how);
        for (size_t s = 0; s < SAMPLES; s++)
            for (how.samples = 1; how.samples <= 2 && s + how.samples <= SAMPLES; how.samples++) {
                how.first_sample = s;
                assert_int_equal(ken_threads_set(1 + s % 2), KEN_OK);
                write_to(&some, model, &in, &how);
                for (size_t r = 0; r < 3 * how.samples; r++) {
                    size_t b = r / how.samples, at = b * SAMPLES + s + r % how.samples;
                    assert_int_equal(some.lengths[r], all.lengths[at]);
                    assert_memory_equal(some.ids + r * LONGEST, all.ids + at * LONGEST,
                                        some.lengths[r] * sizeof *some.ids);
                    assert_memory_equal(some.log_ps + r, all.log_ps + at, sizeof *some.log_ps);
                }
            }
        how.samples = 1;
        how.first_sample = 0;
        write_to(&some, model, &in, &how);
        assert_memory_equal(some.log_ps, all.log_ps, sizeof *all.log_ps);
        assert_memory_not_equal(all.ids, all.ids + LONGEST, LONGEST * sizeof *all.ids);
        ken_model_free(model);
    }
}

/* The samples of one sequence have the shares that the model gives to ids, as the draws of many
 * sequences have. */
static void samples_have_their_shares(void **state)
{
    (void)state;
    enum { DRAWN = 4000 };
    static int32_t ids[DRAWN];
    static size_t lengths[DRAWN];
    static float scores[DRAWN];
    double shares[OUTPUT_SIZE], counts[OUTPUT_SIZE] = { 0 }, chi = 0;
    ken_config config = small_config(WRITER);
    ken_model *model = new_model(&config);
    ken_sequences nothing = { .start = (size_t[]){ 0, 0 }, .count = 1 };
    ken_generation how = ken_generation_default();
    how.longest = 1;
    how.temperature = 1;
    how.samples = DRAWN;
    assert_int_equal(ken_model_generate(model, ids, lengths, scores, &nothing, &how), KEN_OK);
    for (size_t r = 0; r < DRAWN; r++) counts[lengths[r] ? ids[r] : END] += 1;
    expected_shares(shares, model, &how);
    for (size_t i = 0; i < OUTPUT_SIZE; i++) {
        double expected = shares[i] * DRAWN;
        if (expected > 0) chi += (counts[i] - expected) * (counts[i] - expected) / expected;
        else assert_true(counts[i] == 0);
    }
    if (!(chi < 40)) fail_msg("drawn with a chi-square of %g", chi);
    ken_model_free(model);
}

/* ---- streaming ------------------------------------------------------------------------------- */

struct heard {
    int32_t ids[SAMPLES * COUNT][LONGEST];
    size_t lengths[SAMPLES * COUNT];
    size_t samples, calls, stop; /* stop at this call; 0 = never */
};

static int hear(void *user, size_t sequence, size_t sample, int32_t id)
{
    struct heard *heard = user;
    size_t r = sequence * heard->samples + sample;
    assert_true(sample < heard->samples && heard->lengths[r] < LONGEST);
    heard->ids[r][heard->lengths[r]++] = id;
    return ++heard->calls == heard->stop ? 7 : 0;
}

/* The ids that are reported one by one are those of the result; a callback can stop the call. */
static void ids_are_reported(void **state)
{
    (void)state;
    static struct batch input;
    static struct written written;
    static struct heard heard;
    random_batch(&input, (size_t[]){ 5, 0, 12, 1, 3 }, COUNT, 0, INPUT_SIZE, 16);
    ken_sequences in = sequences_of(&input);
    ken_config config = small_config(TRANSLATOR);
    ken_model *model = new_model(&config);
    for (size_t samples = 0; samples <= SAMPLES; samples += SAMPLES) { /* 0 = the most likely ids */
        ken_generation how = ken_generation_default();
        how.longest = LONGEST;
        how.temperature = samples > 0;
        how.samples = ken_size_max(samples, 1);
        heard = (struct heard){ .samples = how.samples };
        how.on_id = hear;
        how.on_id_user = &heard;
        write_to(&written, model, &in, &how);
        for (size_t r = 0; r < COUNT * how.samples; r++) {
            assert_int_equal(heard.lengths[r], written.lengths[r]);
            assert_memory_equal(heard.ids[r], written.ids + r * LONGEST,
                                written.lengths[r] * sizeof *written.ids);
        }
        assert_true(heard.calls > 9);
        heard = (struct heard){ .samples = how.samples, .stop = 9 };
        assert_int_equal(ken_model_generate(model, written.ids, written.lengths, NULL, &in, &how),
                         KEN_ERR_STOPPED);
        assert_int_equal(heard.calls, 9);
    }
    ken_model_free(model);
}

static void samples_that_are_refused(void **state)
{
    (void)state;
    ken_config config = small_config(WRITER);
    ken_model *model = new_model(&config);
    ken_sequences nothing = { .start = (size_t[]){ 0, 0 }, .count = 1 };
    const struct {
        const char *words;
        size_t samples, beam;
        float temperature;
        ken_id_fn *on_id;
    } bad[] = {
        { "samples must be 1 or more", 0, 1, 1, NULL },
        { "several samples need a temperature", 2, 1, 0, NULL },
        { "beam must be 1", 2, 2, 1, NULL },
        { "on_id needs beam = 1", 1, 2, 0, hear },
        { "number of samples of", SIZE_MAX, 1, 1, NULL },
    };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        ken_generation how = ken_generation_default();
        how.samples = bad[i].samples;
        how.beam = bad[i].beam;
        how.temperature = bad[i].temperature;
        how.on_id = bad[i].on_id;
        assert_int_equal(ken_model_generate(model, NULL, NULL, NULL, &nothing, &how),
                         KEN_ERR_ARGUMENT);
        if (!strstr(ken_last_error(), bad[i].words)) fail_msg("%s", ken_last_error());
    }
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_their_shares),
        cmocka_unit_test(places_are_drawn_apart),
        cmocka_unit_test(drawing),
        cmocka_unit_test(samples_do_not_depend_on_their_number),
        cmocka_unit_test(samples_have_their_shares),
        cmocka_unit_test(ids_are_reported),
        cmocka_unit_test(samples_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
