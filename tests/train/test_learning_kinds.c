/* test_learning_kinds.c - models with every kind of input and every kind of answer learn a small
 * task, to a stated quality on examples that were not trained on. */
#include "base/random.h"
#include "base/size.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SYMBOLS = 8, FIRST = 3, LONGEST = 6, BATCH = 48, COLUMNS = 5, BITS = 3 };

/* Writes the row of numbers of a symbol: a fixed code with a little noise. */
static void write_row(float *row, size_t symbol, uint64_t noise)
{
    for (size_t j = 0; j < COLUMNS; j++)
        row[j] = ken_random_normal(symbol, j) + 0.1f * ken_random_normal(noise, j);
}

/* The width of the answers that the model is trained for. */
static size_t answers_of(const ken_config *c)
{
    static const size_t widths[] = { [KEN_VALUE_CLASS] = FIRST + SYMBOLS,
                                     [KEN_VALUE_NUMBER] = 2,
                                     [KEN_VALUE_SET] = BITS };
    return widths[c->value];
}

/* The answer of a row is the symbol before it (none for the first row), as a class, as two numbers
 * or as bits. */
static void answer_row(struct sample *s, const ken_config *c, const int32_t *symbols, size_t t)
{
    size_t at = s->target.start[s->target.count] + t;
    int32_t before = t > 0 ? symbols[t - 1] : KEN_IGNORED;
    float *answers = s->answers + at * answers_of(c);
    s->target.ids[at] = before;
    for (size_t j = 0; j < answers_of(c) && c->value != KEN_VALUE_CLASS; j++)
        answers[j] = t == 0                      ? NAN
                     : c->value == KEN_VALUE_SET ? (float)(before >> j & 1)
                     : j == 0                    ? (float)before / SYMBOLS
                                                 : cosf((float)symbols[t]);
}

/* The answer of a whole sequence is its first symbol, as a class, as numbers or as bits. */
static void answer_whole(struct sample *s, const ken_config *c, const int32_t *symbols)
{
    size_t at = s->target.start[s->target.count];
    float *answers = s->answers + at * answers_of(c);
    s->target.ids[at] = symbols[0];
    for (size_t j = 0; j < answers_of(c) && c->value != KEN_VALUE_CLASS; j++)
        answers[j] = c->value == KEN_VALUE_SET ? (float)(symbols[0] >> j & 1)
                     : j == 0                  ? (float)symbols[0] / SYMBOLS
                                               : cosf((float)symbols[0]);
}

/* Words and their letters: more of them than a struct batch holds. */
static struct spelt {
    int32_t ids[BATCH * LONGEST * LONGEST];
    size_t start[BATCH * LONGEST + 1];
    size_t count;
} spelt;

/* A word is one to three letters that mean nothing, a hyphen, and the letter of the symbol. */
static void spell(int32_t symbol, uint64_t key)
{
    size_t at = spelt.start[spelt.count], length = 1 + (size_t)ken_random_below(key, 0, 3);
    for (size_t i = 0; i < length; i++)
        spelt.ids[at++] = (int32_t)ken_random_below(key, i + 1, SYMBOLS);
    spelt.ids[at++] = SYMBOLS;
    spelt.ids[at++] = symbol;
    spelt.start[++spelt.count] = at;
}

static void add_example(struct sample *s, const ken_config *c, const int32_t *symbols,
                        size_t length, uint64_t key)
{
    int32_t ids[LONGEST];
    size_t at = s->input.start[s->input.count], from = s->target.start[s->target.count];
    for (size_t t = 0; t < length; t++) {
        write_row(s->numbers + (at + t) * COLUMNS, (size_t)symbols[t],
                  ken_random_key(key, 100 + t));
        spell(symbols[t], ken_random_key(key, 200 + t));
        ids[t] = c->letters > 0 ? c->unknown : symbols[t];
        if (c->output == KEN_EACH) answer_row(s, c, symbols, t);
        if (c->output == KEN_GENERATE) s->target.ids[from + t] = FIRST + symbols[t];
    }
    if (c->output == KEN_WHOLE) answer_whole(s, c, symbols);
    add_sequence(&s->input, ids, length);
    s->target.start[++s->target.count] = from + (c->output == KEN_WHOLE ? 1 : length);
}

/* Random sequences of symbols and their answers. With spelling, all words are unknown and only the
 * letters give the symbol. */
static void make_task(struct sample *s, const ken_config *c, uint64_t key)
{
    s->input = s->target = (struct batch){ 0 };
    spelt.count = 0;
    for (size_t b = 0; b < BATCH; b++) {
        uint64_t own = ken_random_key(key, b);
        int32_t symbols[LONGEST];
        size_t length = 2 + (size_t)ken_random_below(own, 0, LONGEST - 1);
        for (size_t t = 0; t < length; t++)
            symbols[t] = (int32_t)ken_random_below(own, t + 1, SYMBOLS);
        add_example(s, c, symbols, length, own);
    }
    s->in = sequences_of(&s->input);
    s->to = sequences_of(&s->target);
    s->spelled = (ken_sequences){ spelt.ids, spelt.start, spelt.count };
    s->in.numbers = s->numbers;
    s->to.numbers = s->answers;
    s->in.letters = &s->spelled;
}

/* The share of known answers that are wrong; for numbers the mean squared error divided by the
 * variance. */
static double share_wrong(ken_model *model, const struct sample *s)
{
    static float results[MOST_NUMBERS];
    const ken_config *c = &model->config;
    size_t V = c->output_size, rows = s->to.start[s->to.count];
    double wrong = 0, known = 0;
    assert_int_equal(ken_model_predict(model, results, &s->in), KEN_OK);
    for (size_t i = 0; i < rows; i++) {
        const float *row = results + i * V, *answer = s->answers + i * V;
        size_t best = 0;
        for (size_t j = 1; j < V; j++) best = row[j] > row[best] ? j : best;
        if (c->value == KEN_VALUE_CLASS && s->target.ids[i] != KEN_IGNORED) {
            known++;
            wrong += best != (size_t)s->target.ids[i];
        }
        for (size_t j = 0; j < V && c->value != KEN_VALUE_CLASS; j++) {
            if (isnan(answer[j])) continue;
            double e = (double)row[j] - (double)answer[j], variance = j == 0 ? 0.08 : 0.5;
            known++;
            wrong += c->value == KEN_VALUE_SET ? (row[j] > 0.5f) != (answer[j] > 0.5f)
                                               : e * e / variance;
        }
    }
    return wrong / known;
}

static ken_config task_config(ken_output output, ken_input input, ken_value value)
{
    ken_config config = ken_config_default(output);
    config.input_kind = input;
    config.value = value;
    config.input_size = input == KEN_INPUT_VECTORS ? COLUMNS : SYMBOLS;
    config.output_size = answers_of(&config);
    config.width = 24;
    config.hidden = 48;
    config.encoder_blocks = output == KEN_EACH ? 2 : 1;
    config.dropout = config.attention_dropout = 0;
    return config;
}

/* Trains a model and returns the loss of the last step; the caller owns *model. */
static double learn(ken_model **model, const ken_config *config, uint64_t steps)
{
    static struct sample sample;
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    ken_report report = { 0 };
    training.rate = 5e-3;
    training.steps = steps;
    training.warm_up = steps / 10;
    *model = new_model(config);
    if (ken_trainer_new(&trainer, *model, &training)) fail_msg("%s", ken_last_error());
    for (uint64_t step = 0; step < steps; step++) {
        make_task(&sample, config, 1000 + step);
        if (sample_step(trainer, &sample, &report)) fail_msg("%s", ken_last_error());
    }
    ken_trainer_free(trainer);
    return report.loss;
}

static void check_learnt(const ken_config *config, uint64_t steps, double most)
{
    static struct sample fresh;
    ken_model *model;
    learn(&model, config, steps);
    make_task(&fresh, config, 7);
    double wrong = share_wrong(model, &fresh);
    if (!(wrong <= most))
        fail_msg("output %d, input %d, value %d, pooling %d: %.3f wrong, at most %.3f allowed",
                 config->output, config->input_kind, config->value, config->pooling, wrong, most);
    ken_model_free(model);
}

static void each_and_whole(void **state)
{
    (void)state;
    for (ken_output output = KEN_EACH; output <= KEN_WHOLE; output++)
        for (ken_input input = KEN_INPUT_IDS; input <= KEN_INPUT_VECTORS; input++)
            for (ken_value value = KEN_VALUE_CLASS; value <= KEN_VALUE_SET; value++) {
                ken_config config = task_config(output, input, value);
                bool numbers = value == KEN_VALUE_NUMBER; /* numbers need more steps than classes */
                check_learnt(&config, numbers ? 400 : 180, numbers ? 0.1 : 0.05);
            }
}

static void every_pooling(void **state)
{
    (void)state;
    for (ken_pooling pooling = KEN_POOL_MAX; pooling < KEN_POOL_COUNT; pooling++) {
        ken_config config = task_config(KEN_WHOLE, KEN_INPUT_VECTORS, KEN_VALUE_CLASS);
        config.pooling = pooling;
        check_learnt(&config, 180, 0.05);
    }
}

/* Unknown words that differ only in their spelling. */
static void spelling(void **state)
{
    (void)state;
    ken_config config = task_config(KEN_EACH, KEN_INPUT_IDS, KEN_VALUE_CLASS);
    config.letters = SYMBOLS + 1;
    config.letters_width = 12;
    config.word_dropout = 0.2f;
    check_learnt(&config, 320, 0.05);
}

/* Sequences from vectors, and with one table for both sides. */
static void generators(void **state)
{
    (void)state;
    ken_model *model;
    ken_config config = task_config(KEN_GENERATE, KEN_INPUT_VECTORS, KEN_VALUE_CLASS);
    double loss = learn(&model, &config, 220);
    ken_model_free(model);
    if (!(loss < 0.1)) fail_msg("vectors: loss %g", loss);
    config = task_config(KEN_GENERATE, KEN_INPUT_IDS, KEN_VALUE_CLASS);
    config.input_size = config.output_size;
    config.shared = config.tied = 1;
    loss = learn(&model, &config, 220);
    ken_model_free(model);
    if (!(loss < 0.1)) fail_msg("shared and tied: loss %g", loss);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_and_whole),
        cmocka_unit_test(every_pooling),
        cmocka_unit_test(spelling),
        cmocka_unit_test(generators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
