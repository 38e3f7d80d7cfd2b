/* test_inputs.c - the kinds of input and output of a model: one-hot rows, vectors, spelling, word
 * dropout, pooling, numbers and sets, shared embeddings. */
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/arrays.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static const size_t lengths[] = { 4, 0, 9, 1, 6 };
enum { COUNT = KEN_COUNT(lengths) };

static ken_tensor *weights_of(const ken_model *model, const char *name)
{
    for (size_t i = 0; i < model->parameters.count; i++)
        if (strcmp(model->parameters.list[i].name, name) == 0)
            return model->parameters.list[i].tensor;
    return NULL;
}

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    fail_msg("no kind %s", name);
    return NULL;
}

/* Compares a model that reads ids as one-hot rows with one that is given those rows as numbers. */
static void one_hot_is_a_linear_layer(void **state)
{
    (void)state;
    static struct sample sample;
    static float ids[MOST_NUMBERS], rows[MOST_NUMBERS];
    ken_config config = kind_config(kind_of("tags of one-hot"));
    ken_model *one_hot = new_model(&config);
    config.input_kind = KEN_INPUT_VECTORS;
    ken_model *vectors = new_model(&config);
    for (size_t i = 0; i < vectors->parameters.count; i++) {
        const struct ken_named *to = &vectors->parameters.list[i];
        const ken_tensor *from = weights_of(one_hot, to->name);
        if (from) memcpy(to->tensor->data, from->data, ken_tensor_size(from) * sizeof(float));
    }
    for (size_t d = 0; d < WIDTH; d++) {
        one_hot->input_bias.data[d] = vectors->input_layer.bias.data[d] = ken_random_normal(1, d);
        for (size_t v = 0; v < INPUT_SIZE; v++)
            vectors->input_layer.weight.data[d * INPUT_SIZE + v] = one_hot->input_table
                                                                       .data[v * WIDTH + d];
    }
    random_sample(&sample, kind_of("tags of one-hot"), lengths, COUNT, 1);
    size_t count = sample_result(ids, one_hot, kind_of("tags of one-hot"), &sample);
    memset(sample.numbers, 0, sizeof sample.numbers);
    for (size_t i = 0; i < sample.input.start[COUNT]; i++)
        sample.numbers[i * INPUT_SIZE + (size_t)sample.input.ids[i]] = 1;
    sample.in.numbers = sample.numbers;
    sample_result(rows, vectors, kind_of("tags of vectors"), &sample);
    check_close("one-hot", rows, ids, count, 1e-6);
    ken_model_free(one_hot);
    ken_model_free(vectors);
}

static double gelu(double x)
{
    return x * 0.5 * erfc(-x * M_SQRT1_2);
}

/* The largest answer of filter f of k letters anywhere in a word. */
static double strongest(const ken_model *model, const int32_t *word, size_t length, size_t k,
                        size_t f)
{
    const struct ken_spelling *s = &model->spelling;
    const struct ken_filters *filters = &s->kinds[k - KEN_SPELLING_SHORTEST];
    size_t C = s->inside;
    double most = length > 0 ? -INFINITY : 0;
    for (size_t place = 0; place < length; place++) {
        double sum = filters->bias.data[f];
        for (size_t tap = 0; tap < k; tap++) {
            size_t before = (k - 1) / 2; /* number of letters to the left of the place */
            if (place + tap < before || place + tap - before >= length) continue;
            const float *letter = s->table.data + (size_t)word[place + tap - before] * C;
            for (size_t c = 0; c < C; c++)
                sum += (double)filters->weight.data[(f * k + tap) * C + c] * letter[c] *
                       sqrt((double)C);
        }
        most = fmax(most, gelu(sum));
    }
    return most;
}

static void spelling_by_hand(void **state)
{
    (void)state;
    static struct sample sample;
    const struct kind *kind = kind_of("tags of spelt words");
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    struct ken_spelling *s = &model->spelling;
    random_sample(&sample, kind, lengths, COUNT, 2);
    const struct batch *letters = &sample.letters;
    for (size_t i = 0; i < WIDTH; i++) s->bias.data[i] = ken_random_normal(3, i);
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    const ken_tensor *y = ken_spelling_apply(&tape, s, letters->ids,
                                             (ken_ragged){ letters->start, letters->count });
    assert_non_null(y);
    assert_int_equal(y->rows, sample.input.start[COUNT]);
    for (size_t w = 0; w < letters->count; w++)
        for (size_t d = 0; d < WIDTH; d++) {
            double sum = s->bias.data[d];
            for (size_t k = 0; k < KEN_SPELLING_KINDS; k++)
                for (size_t f = 0; f < s->inside; f++)
                    sum += s->kinds[k].join.data[d * s->inside + f] *
                           strongest(model, letters->ids + letters->start[w], length_of(letters, w),
                                     k + KEN_SPELLING_SHORTEST, f);
            assert_true(fabs(sum - (double)y->data[w * WIDTH + d]) < 1e-4);
        }
    ken_tape_release(&tape);
    ken_model_free(model);
}

/* ---- Word dropout ---------------------------------------------------------------------------- */

enum { WORDS = 4000, UNKNOWN = 7 };

/* Each word is a sequence of its own; words that were not dropped have a gradient. */
static void read_words(bool *read, float share, uint64_t key)
{
    static int32_t ids[WORDS], labels[WORDS];
    static size_t start[WORDS + 1];
    ken_config config = small_config(TAGGER);
    config.input_size = WORDS;
    config.width = config.hidden = 4;
    config.encoder_blocks = config.heads = 1;
    config.dropout = config.attention_dropout = 0;
    config.word_dropout = share;
    config.unknown = UNKNOWN;
    ken_model *model = new_model(&config);
    for (size_t i = 0; i < WORDS; i++) ids[i] = (int32_t)i, labels[i] = 1, start[i + 1] = i + 1;
    ken_sequences in = { ids, start, WORDS }, to = { labels, start, WORDS };
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.training = true;
    tape.random_key = key;
    ken_tensor *loss = loss_on(&tape, learning(model), &in, &to, 0);
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    for (size_t i = 0; i < WORDS; i++)
        read[i] = model->input_table.grad[i * 4] != 0 || model->input_table.grad[i * 4 + 1] != 0;
    ken_tape_release(&tape);
    ken_model_free(model);
}

static void word_dropout_statistics(void **state)
{
    (void)state;
    static const float shares[] = { 0, 0.1f, 0.5f, 0.9f };
    static bool read[WORDS], again[WORDS];
    for (size_t s = 0; s < KEN_COUNT(shares); s++) {
        size_t dropped = 0, both = 0;
        read_words(read, shares[s], 11);
        assert_true(read[UNKNOWN]);
        for (size_t i = 0; i < WORDS; i++) dropped += !read[i];
        double p = (double)shares[s], deviation = sqrt(WORDS * p * (1 - p));
        assert_true(fabs((double)dropped - WORDS * p) <= 4 * deviation + 1);
        ken_threads_set(3);
        read_words(again, shares[s], 11); /* depends on the step, not on threads */
        ken_threads_set(0);
        assert_memory_equal(read, again, sizeof read);
        read_words(again, shares[s], 12);
        for (size_t i = 0; i < WORDS; i++) both += !read[i] && !again[i];
        assert_true(fabs((double)both - WORDS * p * p) <=
                    4 * sqrt(WORDS * p * p * (1 - p * p)) + 1);
    }
}

static double training_loss(ken_model *model, const struct sample *sample)
{
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.training = true;
    ken_tensor *loss = loss_on(&tape, learning(model), &sample->in, &sample->to, 0);
    if (!loss) fail_msg("%s", ken_last_error());
    double value = loss->data[0];
    ken_tape_release(&tape);
    return value;
}

/* If all words are dropped, only their letters are left. */
static void letters_stay(void **state)
{
    (void)state;
    static struct sample sample, other;
    const struct kind *kind = kind_of("tags of spelt words");
    ken_config config = kind_config(kind);
    config.dropout = config.attention_dropout = 0;
    config.word_dropout = 0.9999999f;
    ken_model *model = new_model(&config);
    random_sample(&sample, kind, lengths, COUNT, 4);
    double dropped = training_loss(model, &sample);
    other = sample;
    other.in.letters = &sample.spelled;
    for (size_t i = 0; i < MOST_IDS; i++) other.input.ids[i] = config.unknown;
    other.in.ids = other.input.ids;
    other.to.ids = sample.target.ids;
    assert_true(dropped == training_loss(model, &other)); /* to the last bit */
    static struct sample spelt;
    random_sample(&spelt, kind, lengths, COUNT, 5);
    spelt.in.ids = sample.in.ids;
    spelt.to = sample.to;
    assert_true(dropped != training_loss(model, &spelt));
    ken_model_free(model);
}

/* ---- Pooling, numbers and sets --------------------------------------------------------------- */

static double pooled(const float *rows, const double *weight, size_t length, size_t d,
                     ken_pooling how)
{
    double sum = 0, most = length > 0 ? -INFINITY : 0;
    for (size_t i = 0; i < length; i++) {
        most = fmax(most, rows[i * WIDTH + d]);
        sum += (how == KEN_POOL_MEAN    ? 1 / (double)length
                : how == KEN_POOL_FIRST ? i == 0
                : how == KEN_POOL_LAST  ? i == length - 1
                : how == KEN_POOL_SUM   ? 1
                                        : weight[i]) *
               rows[i * WIDTH + d];
    }
    return how == KEN_POOL_MAX ? most : sum;
}

/* softmax of the rows' scores */
static void score_rows(double *weight, const float *rows, const ken_model *model, size_t length)
{
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        weight[i] = 0;
        for (size_t d = 0; d < WIDTH; d++)
            weight[i] += (double)rows[i * WIDTH + d] * model->pool_score.data[d];
        sum += weight[i] = exp(weight[i]);
    }
    for (size_t i = 0; i < length; i++) weight[i] /= sum;
}

/* Compares with rows that are pooled by hand; numbers are used as they are, sets through the
 * sigmoid. */
static void check_pooling(ken_pooling pooling, ken_value value)
{
    static struct batch input;
    float numbers[COUNT * OUTPUT_SIZE];
    ken_config config = small_config(CLASSIFIER);
    config.pooling = pooling;
    config.value = value;
    ken_model *model = new_model(&config);
    for (size_t d = 0; d < WIDTH && pooling == KEN_POOL_ATTENTIVE; d++)
        model->pool_score.data[d] = ken_random_normal(6, d);
    for (size_t j = 0; j < OUTPUT_SIZE; j++) model->head.bias.data[j] = ken_random_normal(7, j);
    random_batch(&input, lengths, COUNT, 0, INPUT_SIZE, 8);
    ken_sequences in = sequences_of(&input);
    assert_int_equal(ken_model_predict(model, numbers, &in), KEN_OK);
    float *rows = encoder_rows(model, &input);
    for (size_t b = 0; b < COUNT; b++) {
        const float *own = rows + input.start[b] * WIDTH;
        double weight[16];
        if (pooling == KEN_POOL_ATTENTIVE) score_rows(weight, own, model, lengths[b]);
        for (size_t j = 0; j < OUTPUT_SIZE; j++) {
            double sum = model->head.bias.data[j];
            for (size_t d = 0; d < WIDTH; d++)
                sum += (double)model->head.weight.data[j * WIDTH + d] *
                       pooled(own, weight, lengths[b], d, pooling);
            if (value == KEN_VALUE_SET) sum = 1 / (1 + exp(-sum));
            assert_true(fabs(sum - (double)numbers[b * OUTPUT_SIZE + j]) < 1e-5);
        }
    }
    ken_memory_free(rows);
    ken_model_free(model);
}

static void pooling_by_hand(void **state)
{
    (void)state;
    for (ken_pooling pooling = 0; pooling < KEN_POOL_COUNT; pooling++) {
        check_pooling(pooling, KEN_VALUE_NUMBER);
        check_pooling(pooling, KEN_VALUE_SET);
    }
}

/* ---- All kinds ------------------------------------------------------------------------------- */

/* Sequence b of a sample as a sample of its own. */
static struct sample *only(const struct sample *all, const ken_config *c, size_t b)
{
    static struct sample one;
    size_t from = all->input.start[b], rows = length_of(&all->input, b);
    only_sequence(&one.input, &all->input, b);
    only_sequence(&one.target, &all->target, b);
    one.in = sequences_of(&one.input);
    one.to = sequences_of(&one.target);
    memcpy(one.numbers, all->numbers + from * c->input_size, rows * c->input_size * sizeof(float));
    one.in.numbers = one.numbers;
    one.links = links_of(all, one.link_start, b, b + 1);
    one.in.links = &one.links;
    one.letters = (struct batch){ 0 };
    bool parts = c->letters > 0 || c->input_kind == KEN_INPUT_BAGS;
    for (size_t i = from; i < from + rows && parts; i++)
        add_sequence(&one.letters, all->letters.ids + all->letters.start[i],
                     length_of(&all->letters, i));
    one.spelled = sequences_of(&one.letters);
    one.in.letters = &one.spelled;
    memcpy(one.places, all->places + from * c->place_axes,
           rows * c->place_axes * sizeof *one.places);
    one.in.places = all->in.places ? one.places : NULL;
    return &one;
}

static void check_alone(const struct kind *kind)
{
    static struct sample sample;
    static float all[MOST_NUMBERS], one[MOST_NUMBERS];
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    random_sample(&sample, kind, lengths, COUNT, 9);
    size_t count = sample_result(all, model, kind, &sample), at = 0;
    for (size_t b = 0; b < COUNT; b++) {
        size_t own = sample_result(one, model, kind, only(&sample, &config, b));
        if (memcmp(one, all + at, own * sizeof *one) != 0)
            fail_msg("%s: sequence %zu is another one alone", kind->name, b);
        at += own;
    }
    assert_int_equal(at, count);
    ken_model_free(model);
}

static void batches_leave_no_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) check_alone(&kinds[i]);
}

static uint64_t trained(const struct kind *kind, size_t threads)
{
    static struct sample sample;
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    training.warm_up = 2;
    training.average = 0.9;
    ken_threads_set(threads);
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    for (uint64_t step = 0; step < 4; step++) {
        random_sample(&sample, kind, lengths, COUNT, 20 + step);
        if (sample_step(trainer, &sample, NULL)) fail_msg("%s: %s", kind->name, ken_last_error());
    }
    uint64_t hash = hash_of_weights(model);
    ken_trainer_swap_average(trainer);
    hash ^= 3 * hash_of_weights(model);
    ken_trainer_free(trainer);
    ken_model_free(model);
    ken_threads_set(0);
    return hash;
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++)
        if (trained(&kinds[i], 1) != trained(&kinds[i], 3))
            fail_msg("%s: other weights with other threads", kinds[i].name);
}

/* Makes, trains and uses a model until something fails, and frees everything. */
static ken_status live(const struct kind *kind, const struct sample *sample, uint64_t *hash)
{
    static float results[MOST_NUMBERS];
    ken_config config = kind_config(kind);
    ken_training training = ken_training_default();
    ken_model *model;
    ken_trainer *trainer = NULL;
    training.average = 0.9;
    ken_status status = ken_model_new(&model, &config);
    if (!status) status = ken_trainer_new(&trainer, model, &training);
    if (!status) status = sample_step(trainer, sample, NULL);
    if (!status && kind->output != KEN_GENERATE)
        status = ken_model_predict(model, results, &sample->in);
    if (!status) *hash = hash_of_weights(model);
    ken_trainer_free(trainer);
    ken_model_free(model);
    return status;
}

/* Every allocation fails once: there is an error, or the call works without it. */
static void every_allocation(void **state)
{
    (void)state;
    static struct sample sample;
    for (size_t i = 0; i < KINDS; i++) {
        uint64_t calm = 0, hash = 0, count, failures = 0;
        random_sample(&sample, &kinds[i], lengths, COUNT, 14);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(live(&kinds[i], &sample, &calm), KEN_OK);
        count = ken_fault_calls(KEN_FAULT_MEMORY);
        for (uint64_t nth = 1; nth <= count; nth++) {
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_status status = live(&kinds[i], &sample, &hash);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            if (status) assert_int_equal(status, KEN_ERR_MEMORY);
            if (!status) assert_true(hash == calm);
            failures += status != KEN_OK;
        }
        assert_true(failures > count / 2);
    }
}

/* A shared embedding is one table, which encoder and decoder read and the output layer may use
 * too. */
static void shared_is_one_table(void **state)
{
    (void)state;
    ken_config config = kind_config(kind_of("shared and tied"));
    ken_model *model = new_model(&config);
    assert_ptr_equal(ken_model_target_table(model), &model->input_table);
    assert_ptr_equal(ken_model_head(model), &model->input_table);
    assert_null(weights_of(model, "target"));
    assert_null(weights_of(model, "head.weight"));
    size_t one = ken_model_size(model);
    ken_model_free(model);
    config.shared = 0;
    model = new_model(&config);
    assert_int_equal(ken_model_size(model), one + OUTPUT_SIZE * WIDTH);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_hot_is_a_linear_layer), cmocka_unit_test(spelling_by_hand),
        cmocka_unit_test(word_dropout_statistics),   cmocka_unit_test(letters_stay),
        cmocka_unit_test(pooling_by_hand),           cmocka_unit_test(batches_leave_no_trace),
        cmocka_unit_test(threads_leave_no_trace),    cmocka_unit_test(shared_is_one_table),
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
