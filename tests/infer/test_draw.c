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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_have_their_shares),
        cmocka_unit_test(places_are_drawn_apart),
        cmocka_unit_test(drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
