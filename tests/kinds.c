/* kinds.c - see kinds.h. */
#include "tests/kinds.h"

#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

const struct kind kinds[KINDS] = {
    { "tags of ids", KEN_EACH },
    { "tags of one-hot", KEN_EACH, KEN_INPUT_ONE_HOT },
    { "tags of vectors", KEN_EACH, KEN_INPUT_VECTORS },
    { "tags of spelt words", KEN_EACH, .letters = true, .word_dropout = true },
    { "tags of spelt one-hot", KEN_EACH, KEN_INPUT_ONE_HOT, .letters = true },
    { "numbers for ids", KEN_EACH, .value = KEN_VALUE_NUMBER, .hidden_dropout = true },
    { "numbers for vectors", KEN_EACH, KEN_INPUT_VECTORS, KEN_VALUE_NUMBER },
    { "sets for words", KEN_EACH, .value = KEN_VALUE_SET, .word_dropout = true },
    { "class by mean", KEN_WHOLE },
    { "class by maximum", KEN_WHOLE, KEN_INPUT_ONE_HOT, .pooling = KEN_POOL_MAX },
    { "class by first", KEN_WHOLE, KEN_INPUT_VECTORS, .pooling = KEN_POOL_FIRST },
    { "class by attention", KEN_WHOLE, .pooling = KEN_POOL_ATTENTIVE, .letters = true },
    { "number of a whole", KEN_WHOLE, KEN_INPUT_VECTORS, KEN_VALUE_NUMBER, KEN_POOL_ATTENTIVE },
    { "set of a whole", KEN_WHOLE, .value = KEN_VALUE_SET, .letters = true },
    { "shared", KEN_GENERATE, .shared = true, .word_dropout = true },
    { "shared and tied", KEN_GENERATE, .shared = true, .tied = true, .letters = true },
    { "sequence of vectors", KEN_GENERATE, KEN_INPUT_VECTORS, .hidden_dropout = true },
    { "tags of nodes", KEN_EACH, .links = true },
    { "graph attention network", KEN_EACH, KEN_INPUT_BAGS, .links = true, .mixing = KEN_MIX_BARE,
      .score = KEN_SCORE_GAT, .link_numbers = true },
    { "gatv2 network", KEN_EACH, KEN_INPUT_ONE_HOT, KEN_VALUE_SET, .links = true,
      .mixing = KEN_MIX_BARE, .score = KEN_SCORE_GATV2 },
    { "class of a graph, bare", KEN_WHOLE, KEN_INPUT_VECTORS, .links = true, .link_numbers = true,
      .mixing = KEN_MIX_BARE },
    { "number of a graph", KEN_WHOLE, KEN_INPUT_VECTORS, KEN_VALUE_NUMBER, KEN_POOL_SUM,
      .links = true, .link_numbers = true },
    { "set of a graph by distance", KEN_WHOLE, KEN_INPUT_VECTORS, KEN_VALUE_SET, .links = true,
      .link_numbers = true, .distance = true },
    { "bags", KEN_WHOLE, KEN_INPUT_BAGS, .links = true, .score = KEN_SCORE_GATV2 },
    { "sequence of a graph", KEN_GENERATE, .links = true, .distance = true },
    { "class of stacked rows", KEN_WHOLE, KEN_INPUT_VECTORS, .stack = 3 },
    { "sequence of stacked rows", KEN_GENERATE, KEN_INPUT_VECTORS, .stack = 4 },
    { "stacked rows with places", KEN_GENERATE, KEN_INPUT_VECTORS, .stack = 2, .axes = 2,
      .position = KEN_POSITION_LEARNED },
    { "bare, stacked", KEN_WHOLE, KEN_INPUT_VECTORS, .stack = 2, .mixing = KEN_MIX_BARE },
    { "placed, sinusoid", KEN_EACH, .axes = 1, .position = KEN_POSITION_SINUSOID },
    { "placed twice, sinusoid", KEN_WHOLE, KEN_INPUT_VECTORS, .axes = 2,
      .position = KEN_POSITION_SINUSOID },
    { "placed twice, learned", KEN_EACH, .axes = 2, .position = KEN_POSITION_LEARNED },
    { "placed twice, rotary", KEN_GENERATE, .axes = 2, .position = KEN_POSITION_ROTARY },
};

const struct kind *kind_named(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    fail_msg("no kind is called %s", name);
    return NULL;
}

ken_config kind_config(const struct kind *kind)
{
    static const enum use uses[] = { TAGGER, CLASSIFIER, TRANSLATOR };
    ken_config config = small_config(uses[kind->output]);
    config.input_kind = kind->input;
    config.value = kind->value;
    config.pooling = kind->pooling;
    if (kind->letters) config.letters = LETTERS;
    config.letters_width = 8;
    if (kind->word_dropout) config.word_dropout = 0.25f;
    config.shared = kind->shared;
    config.tied = kind->tied;
    if (kind->shared) config.input_size = OUTPUT_SIZE;
    if (kind->hidden_dropout) config.hidden_dropout = 0.2f;
    if (kind->stack > 0) config.input_stack = kind->stack;
    if (kind->axes > 0) {
        config.place_axes = kind->axes;
        config.position = kind->position;
        if (kind->axes > 1) config.heads = 3; /* of width 8: two halves of pairs */
    }
    config.mixing = kind->mixing;
    if (kind->mixing == KEN_MIX_BARE) config.position = KEN_POSITION_NONE;
    if (!kind->links) return config;
    config.position = kind->distance ? KEN_POSITION_DISTANCE : KEN_POSITION_NONE;
    config.reach = kind->distance ? KEN_REACH_WINDOW : KEN_REACH_EDGES;
    config.edge_size = kind->link_numbers ? LINK_NUMBERS : 0;
    config.score = kind->score;
    config.last_heads = 3;
    config.activation = KEN_ACT_ELU;
    return config;
}

/* A tenth of the targets are unknown. */
static void random_numbers(float *numbers, size_t count, ken_value value, bool target, uint64_t key)
{
    assert_true(count <= MOST_NUMBERS);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = ken_random_normal(key, i);
        if (target && value == KEN_VALUE_SET) numbers[i] = numbers[i] > 0;
        if (target && ken_random_uniform(key + 1, i) < 0.1f) numbers[i] = NAN;
    }
}

/* About two links for each node, some of them to itself, some twice. */
static void random_links(struct sample *sample, uint64_t key)
{
    const struct batch *nodes = &sample->input;
    size_t at = 0;
    for (size_t b = 0; b < nodes->count; b++) {
        size_t n = length_of(nodes, b);
        for (size_t i = 0; i < 2 * n; i++, at++)
            for (size_t end = 0; end < 2; end++)
                sample->pairs[2 * at + end] = (int32_t)ken_random_below(key, 2 * at + end, n);
        sample->link_start[b + 1] = at;
    }
    assert_true(at <= MOST_LINKS);
    random_numbers(sample->link_numbers, at * LINK_NUMBERS, KEN_VALUE_NUMBER, false, key + 1);
    sample->links = (ken_links){ sample->pairs, sample->link_start, sample->link_numbers };
    sample->in.links = &sample->links;
}

ken_links links_of(const struct sample *sample, size_t *start, size_t from, size_t to)
{
    size_t first = sample->link_start[from];
    for (size_t b = from; b <= to; b++) start[b - from] = sample->link_start[b] - first;
    return (ken_links){ sample->pairs + 2 * first, start,
                        sample->link_numbers + first * LINK_NUMBERS };
}

/* Up to six small ids for each row. */
static void random_bags(struct sample *sample, size_t rows, int32_t below, uint64_t key)
{
    size_t lengths[MOST_SEQUENCES];
    assert_true(rows <= MOST_SEQUENCES);
    for (size_t i = 0; i < rows; i++) lengths[i] = (size_t)ken_random_below(key, i, 7);
    random_batch(&sample->letters, lengths, rows, 0, below, key + 1);
    sample->spelled = sequences_of(&sample->letters);
    sample->in.letters = &sample->spelled;
}

void random_sample(struct sample *sample, const struct kind *kind, const size_t *lengths,
                   size_t count, uint64_t key)
{
    ken_config c = kind_config(kind);
    size_t ones[MOST_SEQUENCES], rows = 0;
    for (size_t b = 0; b < count; b++) ones[b] = 1;
    bool generates = kind->output == KEN_GENERATE;
    random_batch(&sample->input, lengths, count, 0, (int32_t)c.input_size, key);
    random_batch(&sample->target, kind->output == KEN_WHOLE ? ones : lengths, count,
                 generates ? 0 : KEN_IGNORED, OUTPUT_SIZE, key + 1);
    rows = sample->input.start[count];
    random_numbers(sample->numbers, rows * c.input_size, c.value, false, key + 2);
    random_numbers(sample->answers, sample->target.start[count] * OUTPUT_SIZE, c.value, true,
                   key + 4);
    sample->in = sequences_of(&sample->input);
    sample->to = sequences_of(&sample->target);
    if (c.input_kind == KEN_INPUT_VECTORS) {
        sample->in.ids = NULL;
        sample->in.numbers = sample->numbers;
    }
    if (c.value != KEN_VALUE_CLASS) {
        sample->to.ids = NULL;
        sample->to.numbers = sample->answers;
    }
    if (c.letters > 0) random_bags(sample, rows, LETTERS, key + 6);
    if (c.input_kind == KEN_INPUT_BAGS) random_bags(sample, rows, INPUT_SIZE, key + 6);
    if (kind->links) random_links(sample, key + 8);
    for (size_t i = 0; i < rows * kind->axes; i++)
        sample->places[i] = (int32_t)ken_random_below(key + 9, i, 20);
    sample->in.places = kind->axes > 0 ? sample->places : NULL;
}

ken_status sample_step(ken_trainer *trainer, const struct sample *sample, ken_report *report)
{
    const ken_report *made;
    ken_status status = ken_trainer_step(trainer, &sample->in, &sample->to, &made);
    if (!status && report) *report = *made;
    return status;
}

size_t sample_result(float *results, ken_model *model, const struct kind *kind,
                     const struct sample *sample)
{
    const ken_sequences *in = &sample->in;
    size_t count = OUTPUT_SIZE * (kind->output == KEN_EACH ? in->start[in->count] : in->count);
    ken_tape tape;
    const int32_t *predict;
    if (kind->output != KEN_GENERATE) {
        assert_true(count <= MOST_NUMBERS);
        if (ken_model_predict(model, results, in)) fail_msg("%s: %s", kind->name, ken_last_error());
        return count;
    }
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.recording = false;
    struct ken_pass pass = { .model = model, .tape = &tape };
    ken_tensor *rows = ken_model_forced(&pass, in, &sample->to, &predict);
    const ken_tensor *logits = ken_model_logits(&pass, rows);
    ken_pass_release(&pass);
    if (!logits) fail_msg("%s: %s", kind->name, ken_last_error());
    count = ken_tensor_size(logits);
    assert_true(count <= MOST_NUMBERS);
    memcpy(results, logits->data, count * sizeof *results);
    ken_tape_release(&tape);
    return count;
}
