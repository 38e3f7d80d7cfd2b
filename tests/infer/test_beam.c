/* test_beam.c - beam search: against the enumeration of all sequences, against a plain
 * implementation of the rule in ken.h, and properties of its results. */
#include "base/memory.h"
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BEGIN = 0, END = 1 };

/* A sequence and its score. */
struct result {
    int32_t ids[16];
    size_t length;
    bool ends;
    double log_p, score;
};

static int better_first(const void *a, const void *b)
{
    double x = ((const struct result *)a)->score, y = ((const struct result *)b)->score;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void give_score(struct result *result, float penalty)
{
    size_t n = result->length + result->ends;
    result->score = n > 0 ? result->log_p / pow((double)n, (double)penalty) : result->log_p;
}

static void expect(const struct result *expected, const int32_t *ids, size_t length, double log_p,
                   const char *what, size_t rank)
{
    if (length != expected->length || memcmp(ids, expected->ids, length * sizeof *ids) != 0 ||
        fabs(log_p - expected->log_p) > 1e-4)
        fail_msg("%s: result %zu has %zu ids, log p %g; expected %zu ids, log p %g", what, rank,
                 length, log_p, expected->length, expected->log_p);
}

/* ---- all sequences --------------------------------------------------------------------------- */

enum { TINY = 5, LETTERS = 3, DEEP = 4, ALL = 1 + 3 + 9 + 27 + 81, WIDE = 128 };

/* Sequence number n of all sequences, which are ordered by length: of no letter, of one, of two
 * ... */
static void spell(struct result *result, size_t n)
{
    size_t of_length = 1;
    result->length = 0;
    for (; n >= of_length; of_length *= LETTERS) {
        n -= of_length;
        result->length++;
    }
    for (size_t i = 0; i < result->length; i++, n /= LETTERS)
        result->ids[i] = END + 1 + (int32_t)(n % LETTERS);
    result->ends = result->length < DEEP;
}

/* All sequences of up to DEEP letters with their scores, the best first. */
static void enumerate(struct result *all, ken_model *model, const ken_sequences *input,
                      float penalty)
{
    for (size_t n = 0; n < ALL; n++) {
        struct result *result = &all[n];
        size_t ids;
        spell(result, n);
        ken_sequences target = { .ids = result->ids,
                                 .start = (size_t[]){ 0, result->length },
                                 .count = 1 };
        assert_int_equal(score_targets(model, &result->log_p, &ids, input, &target, 0,
                                       result->ends),
                         KEN_OK);
        assert_int_equal(ids, result->length + result->ends);
        give_score(result, penalty);
    }
    qsort(all, ALL, sizeof *all, better_first);
}

/* A beam so wide that it drops nothing finds all sequences in the right order. */
static void a_wide_beam_finds_everything(void **state)
{
    (void)state;
    static struct result all[ALL];
    static int32_t ids[WIDE * DEEP];
    static size_t lengths[WIDE];
    static float log_ps[WIDE];
    for (size_t n = 0; n < 12; n++) {
        ken_config config = small_config(n % 2 ? WRITER : TRANSLATOR);
        config.output_size = TINY;
        config.seed = n;
        ken_model *model = new_model(&config);
        ken_sequences input = { .ids = (int32_t[]){ 3, 7, 1 }, .start = (size_t[]){ 0, 3 }, 1 };
        ken_sequences nothing = { .start = (size_t[]){ 0, 0 }, .count = 1 };
        const ken_sequences *in = n % 2 ? &nothing : &input;
        ken_generation how = ken_generation_default();
        how.beam = how.best = WIDE;
        how.longest = DEEP;
        how.length_penalty = (float)(n / 2) * 0.4f;
        enumerate(all, model, in, how.length_penalty);
        assert_int_equal(ken_model_generate(model, ids, lengths, log_ps, in, &how), KEN_OK);
        for (size_t r = 0; r < ALL; r++)
            expect(&all[r], ids + r * DEEP, lengths[r], log_ps[r], "wide beam", r);
        for (size_t r = ALL; r < WIDE; r++) /* there are no more results */
            assert_true(lengths[r] == 0 && log_ps[r] == -INFINITY);
        ken_model_free(model);
    }
}

/* ---- the rule, plainly ----------------------------------------------------------------------- */

enum { MOST_BEAM = 5, LONG = 12 };

/* ln p of every id that may follow: all ids so far are given (teacher forcing), and the last row is
 * used. */
static void next_log_p(double log_p[OUTPUT_SIZE], ken_model *model, const struct batch *input,
                       const struct result *so_far)
{
    static struct batch target;
    target = (struct batch){ 0 };
    add_sequence(&target, so_far->ids, so_far->length);
    float *logits = forced_logits(model, input, &target),
          *row = logits + so_far->length * OUTPUT_SIZE;
    double sum = 0;
    for (size_t i = 0; i < OUTPUT_SIZE; i++) sum += exp((double)row[i]);
    for (size_t i = 0; i < OUTPUT_SIZE; i++) log_p[i] = (double)row[i] - log(sum);
    ken_memory_free(logits);
}

/* All continuations of all open hypotheses, the most likely first; returns their number. */
static size_t continuations(struct result *all, ken_model *model, const struct batch *input,
                            const struct result *living, size_t alive)
{
    size_t count = 0;
    for (size_t a = 0; a < alive; a++) {
        double log_p[OUTPUT_SIZE];
        next_log_p(log_p, model, input, &living[a]);
        for (int32_t id = BEGIN + 1; id < OUTPUT_SIZE; id++) {
            struct result *next = &all[count++];
            *next = living[a];
            next->score = next->log_p = living[a].log_p + log_p[id];
            next->ends = id == END;
            if (id != END) next->ids[next->length++] = id;
        }
    }
    qsort(all, count, sizeof *all, better_first);
    return count;
}

/* Beam search as ken.h describes it; gives the results, best first, and returns their number. */
static size_t search_plainly(struct result *results, ken_model *model, const struct batch *input,
                             const ken_generation *how)
{
    struct result living[MOST_BEAM] = { { .length = 0 } }, all[MOST_BEAM * OUTPUT_SIZE];
    size_t alive = 1, ended = 0;
    for (size_t length = 0; length < how->longest && alive > 0; length++) {
        size_t count = continuations(all, model, input, living, alive);
        alive = 0;
        for (size_t rank = 0; rank < count && rank < 2 * how->beam && alive < how->beam; rank++) {
            if (!all[rank].ends) living[alive++] = all[rank];
            else if (rank < how->beam) results[ended++] = all[rank];
        }
        for (size_t r = 0; r < ended; r++) give_score(&results[r], how->length_penalty);
        qsort(results, ended, sizeof *results, better_first);
        struct result first = living[0];
        give_score(&first, how->length_penalty);
        if (ended >= how->beam && !(first.score > results[how->best - 1].score)) return ended;
    }
    for (size_t a = 0; a < alive; a++) {
        results[ended] = living[a];
        give_score(&results[ended++], how->length_penalty);
    }
    qsort(results, ended, sizeof *results, better_first);
    return ended;
}

static const size_t input_lengths[] = { 5, 0, 12, 1 };
enum { INPUTS = KEN_COUNT(input_lengths) };

static void check_rule(enum use use, uint64_t seed, ken_generation how, size_t stopped[2])
{
    static struct batch input, one;
    static struct result results[(LONG + 1) * MOST_BEAM];
    int32_t ids[INPUTS * MOST_BEAM * LONG];
    size_t lengths[INPUTS * MOST_BEAM];
    float log_ps[INPUTS * MOST_BEAM];
    ken_config config = small_config(use);
    config.seed = seed;
    ken_model *model = new_model(&config);
    model->head.bias.data[END] = (float)(seed % 3); /* so that sequences end early or late */
    random_batch(&input, input_lengths, INPUTS, 0, use == WRITER ? 1 : INPUT_SIZE, seed);
    if (use == WRITER) input = (struct batch){ .count = INPUTS }; /* from nothing */
    ken_sequences in = sequences_of(&input);
    assert_int_equal(ken_model_generate(model, ids, lengths, log_ps, &in, &how), KEN_OK);
    for (size_t b = 0; b < INPUTS; b++) {
        only_sequence(&one, &input, b);
        size_t count = search_plainly(results, model, &one, &how);
        for (size_t r = 0; r < how.best; r++) {
            size_t at = b * how.best + r;
            assert_true(r < count);
            expect(&results[r], ids + at * how.longest, lengths[at], log_ps[at], use_names[use], r);
            stopped[results[r].ends]++;
        }
    }
    ken_model_free(model);
}

static void the_rule_is_kept(void **state)
{
    (void)state;
    size_t stopped[2] = { 0 }; /* results that were cut off, and that ended */
    for (uint64_t seed = 1; seed <= 24; seed++) {
        ken_generation how = ken_generation_default();
        how.beam = 1 + seed % MOST_BEAM;
        how.best = 1 + seed % how.beam;
        how.length_penalty = (float)(seed % 4) * 0.5f;
        how.longest = seed % 2 ? LONG : 4;
        check_rule(seed % 3 ? TRANSLATOR : WRITER, seed, how, stopped);
    }
    assert_true(stopped[0] > 20 && stopped[1] > 20);
}

/* ---- properties of results ------------------------------------------------------------------- */

/* A beam of 1 takes the most likely id at each step, whatever the penalty. */
static void a_beam_of_one_is_greedy(void **state)
{
    (void)state;
    static struct batch input;
    static struct written first, other;
    random_batch(&input, input_lengths, INPUTS, 0, INPUT_SIZE, 41);
    ken_sequences in = sequences_of(&input);
    for (uint64_t seed = 1; seed < 10; seed++) {
        ken_config config = small_config(TRANSLATOR);
        config.seed = seed;
        ken_model *model = new_model(&config);
        ken_generation how = ken_generation_default();
        how.longest = LONG;
        write_to(&first, model, &in, &how);
        for (int penalty = 0; penalty < 4; penalty++) {
            how.length_penalty = (float)penalty;
            write_to(&other, model, &in, &how);
            assert_memory_equal(&first, &other, sizeof first);
        }
        ken_model_free(model);
    }
}

/* Results are sorted by score, none occurs twice, and log p is that of teacher forcing. */
static void check_results(ken_model *model, const ken_sequences *input, const struct written *w,
                          const ken_generation *how)
{
    for (size_t at = 0; at < INPUTS * how->best; at++) {
        const int32_t *ids = w->ids + at * how->longest;
        struct result now = { .length = w->lengths[at],
                              .ends = w->lengths[at] < how->longest,
                              .log_p = w->log_ps[at] };
        size_t b = at / how->best, counted;
        double log_p;
        ken_sequences target = { .ids = ids, .start = (size_t[]){ 0, now.length }, .count = 1 };
        ken_sequences source = { .ids = input->ids + input->start[b],
                                 .start = (size_t[]){ 0, input->start[b + 1] - input->start[b] },
                                 .count = 1 };
        assert_int_equal(score_targets(model, &log_p, &counted, &source, &target, 0, now.ends),
                         KEN_OK);
        assert_true(fabs(log_p - now.log_p) < 1e-4);
        give_score(&now, how->length_penalty);
        for (size_t before = b * how->best; before < at; before++) {
            struct result earlier = { .length = w->lengths[before],
                                      .ends = w->lengths[before] < how->longest,
                                      .log_p = w->log_ps[before] };
            give_score(&earlier, how->length_penalty);
            assert_true(earlier.score >= now.score - 1e-6);
            assert_false(earlier.length == now.length && memcmp(ids, w->ids + before * how->longest,
                                                                now.length * sizeof *ids) == 0);
        }
    }
}

/* No bit of a result depends on the other inputs of the batch. */
static void results_alone_and_together(void **state)
{
    (void)state;
    static struct batch input, one;
    static struct written all, alone;
    random_batch(&input, input_lengths, INPUTS, 0, INPUT_SIZE, 42);
    ken_sequences in = sequences_of(&input);
    for (uint64_t seed = 1; seed < 8; seed++) {
        ken_config config = small_config(TRANSLATOR);
        config.seed = seed;
        config.position = seed % 2 ? KEN_POSITION_ROTARY : KEN_POSITION_ALIBI;
        ken_model *model = new_model(&config);
        ken_generation how = ken_generation_default();
        how.longest = LONG;
        how.beam = 1 + seed % MOST_BEAM;
        how.best = how.beam;
        how.length_penalty = (float)(seed % 3) * 0.6f;
        write_to(&all, model, &in, &how);
        check_results(model, &in, &all, &how);
        for (size_t b = 0; b < INPUTS; b++) {
            only_sequence(&one, &input, b);
            ken_sequences single = sequences_of(&one);
            write_to(&alone, model, &single, &how);
            size_t at = b * how.best;
            assert_memory_equal(alone.ids, all.ids + at * LONG,
                                how.best * LONG * sizeof *alone.ids);
            assert_memory_equal(alone.lengths, all.lengths + at, how.best * sizeof *alone.lengths);
            assert_memory_equal(alone.log_ps, all.log_ps + at, how.best * sizeof *alone.log_ps);
        }
        ken_model_free(model);
    }
}

/* On average, a wider beam finds more likely sequences. */
static void wider_is_not_worse(void **state)
{
    (void)state;
    static struct batch input;
    static struct written w;
    double sum[3] = { 0 };
    random_batch(&input, input_lengths, INPUTS, 0, INPUT_SIZE, 43);
    ken_sequences in = sequences_of(&input);
    for (uint64_t seed = 1; seed < 20; seed++) {
        ken_config config = small_config(TRANSLATOR);
        config.seed = seed;
        ken_model *model = new_model(&config);
        ken_generation how = ken_generation_default();
        how.longest = LONG;
        how.length_penalty = 0;
        for (size_t i = 0; i < 3; i++) {
            how.beam = 1 + 2 * i;
            write_to(&w, model, &in, &how);
            for (size_t b = 0; b < INPUTS; b++) sum[i] += (double)w.log_ps[b];
        }
        ken_model_free(model);
    }
    assert_true(sum[0] < sum[1] && sum[1] < sum[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wide_beam_finds_everything),
        cmocka_unit_test(the_rule_is_kept),
        cmocka_unit_test(a_beam_of_one_is_greedy),
        cmocka_unit_test(results_alone_and_together),
        cmocka_unit_test(wider_is_not_worse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
