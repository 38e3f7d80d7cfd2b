/* test_graph_laws.c - laws for every model of graphs: the order of the nodes does not matter, nodes
 * without links and empty graphs are fine, and wrong links are refused. */
#include "base/random.h"
#include "base/size.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

enum { NODES = 14 };

static const size_t lengths[] = { NODES };

/* to[i] is the new number of node i. */
static void shuffle(size_t to[NODES], uint64_t key)
{
    for (size_t i = 0; i < NODES; i++) {
        size_t j = (size_t)ken_random_below(key, i, i + 1);
        to[i] = to[j];
        to[j] = i;
    }
}

/* The same graph with its nodes in another order; the links keep their order. */
static void permute(struct sample *sample, const ken_config *c, const size_t to[NODES])
{
    static struct sample old;
    old = *sample;
    struct batch *bags = &sample->letters;
    size_t from[NODES];
    for (size_t i = 0; i < NODES; i++) from[to[i]] = i;
    for (size_t i = 0; i < NODES; i++) {
        sample->input.ids[to[i]] = old.input.ids[i];
        memcpy(sample->numbers + to[i] * c->input_size, old.numbers + i * c->input_size,
               c->input_size * sizeof(float));
    }
    for (size_t e = 0; e < 2 * old.link_start[1]; e++) sample->pairs[e] = (int32_t)to[old.pairs[e]];
    if (c->input_kind != KEN_INPUT_BAGS) return;
    *bags = (struct batch){ 0 };
    for (size_t i = 0; i < NODES; i++)
        add_sequence(bags, old.letters.ids + old.letters.start[from[i]],
                     length_of(&old.letters, from[i]));
}

static void check_order(const struct kind *kind)
{
    static struct sample sample;
    static float before[MOST_NUMBERS], after[MOST_NUMBERS];
    size_t to[NODES];
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    random_sample(&sample, kind, lengths, 1, 40);
    size_t count = sample_result(before, model, kind, &sample);
    shuffle(to, 41);
    permute(&sample, &config, to);
    assert_int_equal(sample_result(after, model, kind, &sample), count);
    bool each = kind->output == KEN_EACH;
    for (size_t i = 0; i < count; i++) {
        size_t row = i / OUTPUT_SIZE, moved = each ? to[row] * OUTPUT_SIZE + i % OUTPUT_SIZE : i;
        double off = fabs((double)before[i] - (double)after[moved]);
        if (!(off <= 2e-6 * (1 + fabs((double)before[i]))))
            fail_msg("%s: %g became %g in another order", kind->name, (double)before[i],
                     (double)after[moved]);
    }
    ken_model_free(model);
}

static void order_means_nothing(void **state)
{
    size_t graphs = 0;
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        if (!kinds[i].links) continue;
        check_order(&kinds[i]);
        graphs++;
    }
    assert_true(graphs >= 8);
}

/* Without any links, with and without loops, every number stays finite, forward and backward. */
static void alone(void **state)
{
    static struct sample sample;
    static float results[MOST_NUMBERS];
    static const size_t none[] = { 0, 3, 0 };
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        if (!kinds[i].links) continue;
        ken_config config = kind_config(&kinds[i]);
        ken_training training = ken_training_default();
        ken_trainer *trainer;
        ken_report report;
        config.loops = i % 2;
        ken_model *model = new_model(&config);
        random_sample(&sample, &kinds[i], none, KEN_COUNT(none), 42);
        memset(sample.link_start, 0, sizeof sample.link_start);
        size_t count = sample_result(results, model, &kinds[i], &sample);
        for (size_t j = 0; j < count; j++) assert_true(isfinite(results[j]));
        assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
        if (sample_step(trainer, &sample, &report)) fail_msg("%s", ken_last_error());
        assert_true(isfinite(report.loss) && isfinite(report.norm));
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

static void wrong_links(void **state)
{
    static struct sample sample;
    static float results[MOST_NUMBERS];
    const struct kind *kind = NULL;
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].link_numbers && kinds[i].output == KEN_WHOLE) kind = &kinds[i];
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    random_sample(&sample, kind, lengths, 1, 43);
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_OK);
    sample.pairs[7] = NODES;
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "input graph 0 has 14 nodes, but link 3 names node 14");
    sample.pairs[7] = -1;
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_ERR_ARGUMENT);
    sample.pairs[7] = 0;
    sample.link_numbers[5] = INFINITY;
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_ERR_ARGUMENT);
    sample.link_numbers[5] = 0;
    sample.links.numbers = NULL;
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_ERR_ARGUMENT);
    sample.in.links = NULL;
    assert_int_equal(ken_model_predict(model, results, &sample.in), KEN_ERR_ARGUMENT);
    assert_string_equal(ken_last_error(), "input graphs have no links");
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_means_nothing),
        cmocka_unit_test(alone),
        cmocka_unit_test(wrong_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
