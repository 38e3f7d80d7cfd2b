/* test_updates.c - updates from several batches (gradient accumulation), the moving average of the
 * weights, and a diverged step, which changes nothing. */
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/kinds.h"
#include "tests/unit.h"
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t lengths[] = { 4, 7, 0, 9, 1, 3 };
enum { COUNT = KEN_COUNT(lengths) };

static ken_trainer *trainer_of(ken_model *model, double average)
{
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    training.warm_up = 0;
    training.average = average;
    if (ken_trainer_new(&trainer, model, &training)) fail_msg("%s", ken_last_error());
    return trainer;
}

/* Sequences from .. to - 1 of a sample, as views with their own starts. */
struct part {
    ken_sequences in, to, spelled;
    size_t in_start[COUNT + 1], to_start[COUNT + 1], letter_start[64], link_start[COUNT + 1];
    ken_links links;
};

static ken_sequences cut(const ken_sequences *all, size_t *start, size_t from, size_t to,
                         size_t width)
{
    ken_sequences part = *all;
    size_t first = all->start[from];
    for (size_t b = from; b <= to; b++) start[b - from] = all->start[b] - first;
    if (all->ids) part.ids += first;
    if (all->numbers) part.numbers += first * width;
    part.start = start;
    part.count = to - from;
    return part;
}

static struct ken_pair part_of(struct part *part, const struct sample *all, const ken_config *c,
                               size_t from, size_t to)
{
    part->in = cut(&all->in, part->in_start, from, to, c->input_size);
    part->to = cut(&all->to, part->to_start, from, to, c->output_size);
    if (all->in.places) part->in.places += all->in.start[from] * c->place_axes;
    if (all->in.links) {
        part->links = links_of(all, part->link_start, from, to);
        part->in.links = &part->links;
    }
    if (c->letters > 0 || c->input_kind == KEN_INPUT_BAGS) {
        part->spelled = cut(&all->spelled, part->letter_start, all->in.start[from],
                            all->in.start[to], 0);
        part->in.letters = &part->spelled;
    }
    return (struct ken_pair){ &part->in, &part->to };
}

/* Compares one update from one batch with one from the same examples in four batches, of which one
 * is empty. */
static void check_parts(const struct kind *kind)
{
    static struct sample sample;
    static struct part parts[4];
    static const size_t bounds[] = { 0, 1, 4, 4, COUNT };
    ken_config config = kind_config(kind);
    config.dropout = config.attention_dropout = config.hidden_dropout = config.word_dropout = 0;
    ken_model *whole = new_model(&config), *pieces = new_model(&config);
    ken_trainer *first = trainer_of(whole, 0), *second = trainer_of(pieces, 0);
    ken_report one, four;
    struct ken_pair pairs[4];
    random_sample(&sample, kind, lengths, COUNT, 3);
    for (size_t i = 0; i < 4; i++)
        pairs[i] = part_of(&parts[i], &sample, &config, bounds[i], bounds[i + 1]);
    assert_int_equal(sample_step(first, &sample, &one), KEN_OK);
    if (ken_trainer_update(second, pairs, 4, &four)) fail_msg("%s", ken_last_error());
    assert_int_equal(one.counted, four.counted);
    assert_int_equal(one.rows, four.rows);
    assert_true(one.counted > 0 && one.step == four.step && one.rate == four.rate);
    assert_true(fabs(one.loss - four.loss) < 1e-5 * (1 + one.loss));
    assert_true(fabs(one.norm - four.norm) < 1e-4 * one.norm);
    assert_true(one.accuracy == four.accuracy);
    /* Adam's first step is nearly the sign of the gradient, so moments show more than weights */
    for (size_t i = 0; i < first->optimiser.size; i++) {
        double a = first->optimiser.moments[i], b = second->optimiser.moments[i];
        if (!(fabs(a - b) <= 1e-6 + 1e-4 * fabs(a)))
            fail_msg("%s: gradient %zu is %g in one piece, %g in four", kind->name, i, a, b);
    }
    ken_trainer_free(first);
    ken_trainer_free(second);
    ken_model_free(whole);
    ken_model_free(pieces);
}

static void pieces_are_the_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) check_parts(&kinds[i]);
}

/* The batches of one update have different dropout, and a bad batch among them cancels the whole
 * update. */
static void batches_of_an_update(void **state)
{
    (void)state;
    static struct sample sample;
    ken_config config = kind_config(kind_named("tags of ids"));
    ken_model *model = new_model(&config);
    ken_trainer *trainer = trainer_of(model, 0);
    ken_report once, twice;
    random_sample(&sample, kind_named("tags of ids"), lengths, COUNT, 4);
    struct ken_pair pairs[] = { { &sample.in, &sample.to }, { &sample.in, &sample.to } };
    uint64_t before = hash_of_weights(model);
    assert_int_equal(ken_trainer_update(trainer, pairs, 0, NULL), KEN_ERR_ARGUMENT);
    ken_sequences wrong = sample.to;
    wrong.count--;
    pairs[1].target = &wrong;
    assert_int_equal(ken_trainer_update(trainer, pairs, 2, NULL), KEN_ERR_SHAPE);
    assert_true(hash_of_weights(model) == before);
    pairs[1].target = &sample.to;
    assert_int_equal(ken_trainer_update(trainer, pairs, 1, &once), KEN_OK);
    uint64_t after = hash_of_weights(model);
    ken_trainer_free(trainer);
    ken_model_free(model);

    model = new_model(&config);
    trainer = trainer_of(model, 0);
    assert_int_equal(ken_trainer_update(trainer, pairs, 2, &twice), KEN_OK);
    assert_true(once.loss != twice.loss && hash_of_weights(model) != after);
    assert_int_equal(twice.counted, 2 * once.counted);
    ken_trainer_free(trainer);
    ken_model_free(model);
}

/* ---- The moving average ---------------------------------------------------------------------- */

static void average_by_hand(void **state)
{
    (void)state;
    static struct sample sample;
    ken_config config = kind_config(kind_named("tags of spelt words"));
    ken_model *model = new_model(&config);
    ken_trainer *trainer = trainer_of(model, 0.5);
    const ken_tensor *tensor = model->parameters.list[1].tensor;
    double *mean = ken_memory_new(ken_tensor_size(tensor), sizeof *mean);
    size_t at = ken_tensor_size(model->parameters.list[0].tensor); /* where it is in the average */
    for (size_t i = 0; i < ken_tensor_size(tensor); i++) mean[i] = tensor->data[i];
    for (uint64_t step = 1; step <= 12; step++) {
        random_sample(&sample, kind_named("tags of spelt words"), lengths, COUNT, step);
        assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
        double d = fmin(0.5, (1 + (double)step) / (10 + (double)step));
        for (size_t i = 0; i < ken_tensor_size(tensor); i++) {
            mean[i] = d * mean[i] + (1 - d) * tensor->data[i];
            assert_true(fabs(mean[i] - (double)trainer->average[at + i]) < 1e-6);
        }
    }
    uint64_t weights = hash_of_weights(model);
    ken_trainer_swap_average(trainer);
    assert_true(hash_of_weights(model) != weights);
    for (size_t i = 0; i < ken_tensor_size(tensor); i++)
        assert_true(fabs(mean[i] - (double)tensor->data[i]) < 1e-6);
    assert_int_equal(sample_step(trainer, &sample, NULL), KEN_ERR_STATE);
    assert_non_null(strstr(ken_last_error(), "swap them back"));
    ken_trainer_swap_average(trainer);
    assert_true(hash_of_weights(model) == weights);
    assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
    ken_memory_free(mean);
    ken_trainer_free(trainer);
    ken_model_free(model);
}

/* The average has no effect on training: the weights are the same with and without it. */
static void average_changes_nothing(void **state)
{
    (void)state;
    static struct sample sample;
    uint64_t hashes[2];
    for (size_t i = 0; i < 2; i++) {
        ken_config config = kind_config(kind_named("class by mean"));
        ken_model *model = new_model(&config);
        ken_trainer *trainer = trainer_of(model, i == 0 ? 0 : 0.99);
        for (uint64_t step = 1; step <= 3; step++) {
            random_sample(&sample, kind_named("class by mean"), lengths, COUNT, step);
            assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
        }
        hashes[i] = hash_of_weights(model);
        if (i == 0) ken_trainer_swap_average(trainer); /* does nothing if there is no average */
        assert_true(hash_of_weights(model) == hashes[i]);
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
    assert_true(hashes[0] == hashes[1]);
}

/* ---- Divergence ------------------------------------------------------------------------------ */

static uint64_t hash_of_state(const ken_trainer *trainer)
{
    const ken_optimiser *optimiser = &trainer->optimiser;
    uint64_t hash = hash_of_weights(trainer->model);
    hash = hash_of(hash, optimiser->moments, 2 * optimiser->size * sizeof(float));
    hash = hash_of(hash, trainer->average, optimiser->size * sizeof(float));
    return hash_of(hash, &optimiser->step, sizeof optimiser->step);
}

/* If a batch diverges after two good ones, weights, moments and average do not change. */
static void divergence_leaves_no_trace(void **state)
{
    (void)state;
    static struct sample sample, endless;
    const struct kind *kind = kind_named("number of a whole");
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    ken_trainer *trainer = trainer_of(model, 0.9);
    random_sample(&sample, kind, lengths, COUNT, 5);
    random_sample(&endless, kind, lengths, COUNT, 6);
    assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
    for (size_t i = 0; i < OUTPUT_SIZE; i++) endless.answers[i] = 3e38f;
    struct ken_pair pairs[] = { { &sample.in, &sample.to },
                                { &sample.in, &sample.to },
                                { &endless.in, &endless.to } };
    uint64_t before = hash_of_state(trainer);
    ken_report report = { .step = 77 };
    assert_int_equal(ken_trainer_update(trainer, pairs, 3, &report), KEN_ERR_DIVERGED);
    assert_int_equal(report.step, 77);
    assert_true(hash_of_state(trainer) == before);
    static const char *const words[] = { "at step 2:", "learning rate 0.00", "loss inf",
                                         "gradient norm", "worst in " };
    for (size_t i = 0; i < KEN_COUNT(words); i++)
        if (!strstr(ken_last_error(), words[i]))
            fail_msg("no \"%s\" in \"%s\"", words[i], ken_last_error());
    for (size_t i = 0; i < model->parameters.count; i++) {
        const ken_tensor *tensor = model->parameters.list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++) assert_true(tensor->grad[j] == 0);
    }
    assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
    uint64_t after = hash_of_state(trainer);
    ken_trainer_free(trainer);
    ken_model_free(model);

    model = new_model(&config); /* as if the failed update had not happened */
    trainer = trainer_of(model, 0.9);
    for (size_t i = 0; i < 2; i++) assert_int_equal(sample_step(trainer, &sample, NULL), KEN_OK);
    assert_true(hash_of_state(trainer) == after);
    ken_trainer_free(trainer);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(batches_of_an_update),
        cmocka_unit_test(average_by_hand),
        cmocka_unit_test(average_changes_nothing),
        cmocka_unit_test(divergence_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
