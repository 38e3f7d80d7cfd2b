/* test_determinism.c - the same seed gives the same bits: in every run, with any number of threads,
 * and for problems that the kernels cut in every possible way. */
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <stdio.h>

static const size_t counts[] = { 1, 2, 3, 7 };

/* The results of a run: all losses, norms and accuracies, and the weights. */
struct run {
    enum use use;
    ken_config config;
    uint64_t training_seed;
    const size_t *lengths;
    size_t count, steps;
};

static uint64_t hash_of_run(const struct run *run)
{
    static struct examples examples;
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    uint64_t hash = 0;
    training.schedule = KEN_SCHEDULE_INVERSE_ROOT;
    training.warm_up = 10;
    training.smoothing = 0.1f;
    training.seed = run->training_seed;
    ken_model *model = new_model(&run->config);
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    for (size_t step = 0; step < run->steps; step++) {
        ken_report report = { 0 };
        random_examples(&examples, run->use, run->lengths, run->count, 100 + step);
        if (train_step(trainer, run->use, &examples, &report)) fail_msg("%s", ken_last_error());
        assert_int_equal(report.step, step + 1);
        double facts[] = { report.loss, report.norm, report.accuracy };
        hash = hash_of(hash, facts, sizeof facts);
    }
    hash ^= hash_of_weights(model);
    ken_trainer_free(trainer);
    ken_model_free(model);
    return hash;
}

static void same_for_all_threads(const char *name, const struct run *run)
{
    uint64_t first = 0;
    for (size_t i = 0; i < KEN_COUNT(counts); i++) {
        assert_int_equal(ken_threads_set(counts[i]), KEN_OK);
        uint64_t hash = hash_of_run(run);
        if (i == 0) first = hash;
        if (hash != first) fail_msg("%s: other bits with %zu threads", name, counts[i]);
    }
}

static const size_t lengths[] = { 9, 0, 31, 1, 64, 17, 5, 40 };

static struct run usual_run(enum use use)
{
    return (struct run){ .use = use,
                         .config = small_config(use),
                         .training_seed = 1,
                         .lengths = lengths,
                         .count = KEN_COUNT(lengths),
                         .steps = 50 };
}

/* 50 steps with dropout and clipping, for each use of a model. */
static void threads_leave_no_trace(void **state)
{
    (void)state;
    for (enum use use = 0; use < USES; use++) {
        struct run run = usual_run(use);
        same_for_all_threads(use_names[use], &run);
    }
}

/* Parameters of attention get gradients from all sequences. A window, fewer key heads and a single
 * long sequence each make backward cut its work differently. */
static void threads_and_unusual_cuts(void **state)
{
    (void)state;
    static const size_t one_long[] = { 1100 }, many[] = { 200, 3, 130, 0, 257 };
    struct run run = usual_run(TAGGER);
    run.steps = 2;
    run.lengths = one_long;
    run.count = 1;
    run.config.kv_heads = 1;
    same_for_all_threads("one long sequence", &run);
    run.config.kv_heads = 2;
    run.config.window_left = 300;
    run.config.window_right = 7;
    same_for_all_threads("one long sequence and a window", &run);
    run.lengths = many;
    run.count = KEN_COUNT(many);
    run.config.kv_heads = 0;
    run.config.position = KEN_POSITION_RELATIVE;
    same_for_all_threads("relative positions", &run);
    run.config.position = KEN_POSITION_LEARNED;
    run.config.score = KEN_SCORE_ADDITIVE;
    run.config.gated = run.config.rms_norm = run.config.post_norm = 1;
    same_for_all_threads("additive score", &run);
    run.config.score = KEN_SCORE_GAT;
    run.config.weigh = KEN_WEIGH_SIGMOID;
    same_for_all_threads("gat score", &run);
    run.config.score = KEN_SCORE_GATV2;
    same_for_all_threads("gatv2 score", &run);
    run.config.score = KEN_SCORE_DOT;
    run.config.weigh = KEN_WEIGH_SPARSEMAX;
    run.config.position = KEN_POSITION_SHAW;
    run.config.window_left = run.config.window_right = KEN_UNLIMITED;
    run.config.reach = KEN_REACH_RANDOM;
    run.config.reach_block = 10;
    same_for_all_threads("random blocks, sparsemax and Shaw's vectors", &run);
}

/* Linear attention (sums over chunks) and landmarks, for one long sequence and for many. */
static void threads_and_linear_attention(void **state)
{
    (void)state;
    static const size_t one_long[] = { 700 }, many[] = { 200, 3, 130, 0, 64 };
    for (size_t i = 0; i < 6; i++) {
        struct run run = usual_run(i == 1 ? TRANSLATOR : i == 3 ? WRITER : TAGGER);
        run.steps = 2;
        run.lengths = i % 2 ? many : one_long;
        run.count = i % 2 ? KEN_COUNT(many) : 1;
        run.config.features = 40;
        run.config.weigh = i < 2   ? KEN_WEIGH_LINEAR
                           : i < 4 ? KEN_WEIGH_PERFORMER
                                   : KEN_WEIGH_SOFTMAX;
        run.config.reach = i < 4 ? KEN_REACH_WINDOW : KEN_REACH_NYSTROM;
        run.config.kv_heads = i < 4 ? 2 : 0;
        same_for_all_threads("linear attention or landmarks", &run);
    }
}

/* Rows, columns and depth larger than one block of the matrix product. */
static void threads_and_wide_models(void **state)
{
    (void)state;
    static const size_t many[] = { 100, 3, 130, 0, 57 };
    struct run run = usual_run(WRITER);
    run.lengths = many;
    run.count = KEN_COUNT(many);
    run.steps = 2;
    run.config.width = 160;
    run.config.hidden = 331;
    run.config.output_size = 997;
    run.config.tied = 1;
    same_for_all_threads("wide", &run);
}

/* Every kind of block, both halves of a generator. */
static void threads_and_kinds_of_blocks(void **state)
{
    (void)state;
    static const size_t many[] = { 40, 3, 0, 27 };
    for (ken_mixing mixing = KEN_MIX_FC; mixing < KEN_MIX_BARE; mixing++) {
        struct run run = usual_run(TRANSLATOR);
        run.lengths = many;
        run.count = KEN_COUNT(many);
        run.steps = 2;
        run.config.mixing = mixing;
        same_for_all_threads(ken_word(KEN_CHOICE_MIXING, mixing), &run);
    }
}

static void seeds_decide(void **state)
{
    (void)state;
    assert_int_equal(ken_threads_set(0), KEN_OK);
    for (enum use use = 0; use < USES; use++) {
        struct run run = usual_run(use), other_start = run, other_dropout = run;
        run.steps = other_start.steps = other_dropout.steps = 10;
        other_start.config.seed = 2;
        other_dropout.training_seed = 2;
        uint64_t first = hash_of_run(&run), again = hash_of_run(&run);
        assert_true(first == again);
        assert_true(first != hash_of_run(&other_start));
        assert_true(first != hash_of_run(&other_dropout));
    }
}

/* Without dropout the seed of the training has no effect. */
static void no_dropout_no_chance(void **state)
{
    (void)state;
    struct run run = usual_run(TRANSLATOR);
    run.steps = 5;
    run.config.dropout = run.config.attention_dropout = 0;
    uint64_t first = hash_of_run(&run);
    run.training_seed = 2;
    assert_true(first == hash_of_run(&run));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_linear_attention),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(threads_and_unusual_cuts),
        cmocka_unit_test(threads_and_wide_models),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(no_dropout_no_chance),
        cmocka_unit_test(threads_and_kinds_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
