/* models.c - see models.h. */
#include "tests/models.h"

#include "base/memory.h"
#include "base/random.h"
#include "infer/session.h"
#include "tests/unit.h"

#include <string.h>

const char *const use_names[USES] = { "tagger", "classifier", "translator", "writer" };

void add_sequence(struct batch *batch, const int32_t *ids, size_t length)
{
    size_t at = batch->start[batch->count];
    assert_true(batch->count < MOST_SEQUENCES && at + length <= MOST_IDS);
    memcpy(batch->ids + at, ids, length * sizeof *ids);
    batch->start[++batch->count] = at + length;
}

void random_batch(struct batch *batch, const size_t *lengths, size_t count, int32_t lowest,
                  int32_t below, uint64_t key)
{
    *batch = (struct batch){ 0 };
    for (size_t b = 0; b < count; b++) {
        int32_t ids[MOST_IDS];
        assert_true(lengths[b] <= MOST_IDS);
        for (size_t i = 0; i < lengths[b]; i++)
            ids[i] = lowest + (int32_t)ken_random_below(ken_random_key(key, b), i,
                                                        (uint64_t)(below - lowest));
        add_sequence(batch, ids, lengths[b]);
    }
}

size_t length_of(const struct batch *batch, size_t b)
{
    return batch->start[b + 1] - batch->start[b];
}

void only_sequence(struct batch *one, const struct batch *all, size_t b)
{
    *one = (struct batch){ 0 };
    add_sequence(one, all->ids + all->start[b], length_of(all, b));
}

ken_sequences sequences_of(const struct batch *batch)
{
    return (ken_sequences){ batch->ids, batch->start, batch->count };
}

ken_config small_config(enum use use)
{
    static const ken_output outputs[USES] = { KEN_EACH, KEN_WHOLE, KEN_GENERATE, KEN_GENERATE };
    ken_config config = ken_config_default(outputs[use]);
    config.input_size = INPUT_SIZE;
    config.output_size = OUTPUT_SIZE;
    config.width = WIDTH;
    config.hidden = 40;
    if (use == WRITER) config.encoder_blocks = 0;
    return config;
}

ken_model *new_model(const ken_config *config)
{
    ken_model *model;
    if (ken_model_new(&model, config)) fail_msg("%s", ken_last_error());
    return model;
}

const struct variant variants[VARIANTS] = {
    { "no positions", KEN_POSITION_NONE },
    { "sinusoid", KEN_POSITION_SINUSOID },
    { "learned", KEN_POSITION_LEARNED },
    { "rotary", KEN_POSITION_ROTARY },
    { "alibi", KEN_POSITION_ALIBI },
    { "relative", KEN_POSITION_RELATIVE },
    { "additive", KEN_POSITION_SINUSOID, .score = KEN_SCORE_ADDITIVE },
    { "gat", KEN_POSITION_SINUSOID, .score = KEN_SCORE_GAT },
    { "gatv2", KEN_POSITION_SINUSOID, .score = KEN_SCORE_GATV2 },
    { "relu weights", KEN_POSITION_ALIBI, .weigh = KEN_WEIGH_RELU },
    { "sigmoid weights", KEN_POSITION_RELATIVE, .weigh = KEN_WEIGH_SIGMOID },
    { "no weighing", KEN_POSITION_ROTARY, .weigh = KEN_WEIGH_NONE },
    { "two key heads", KEN_POSITION_ROTARY, .kv_heads = 2, .tied = true },
    { "one key head", KEN_POSITION_SINUSOID, .score = KEN_SCORE_ADDITIVE, .kv_heads = 1 },
    { "window", KEN_POSITION_SINUSOID, .window = 1 },
    { "wide window", KEN_POSITION_ALIBI, .window = 40, .kv_heads = 1 },
    { "gated", KEN_POSITION_SINUSOID, .gated = true, .rms_norm = true },
    { "post-norm", KEN_POSITION_SINUSOID, .post_norm = true },
    { "post rms norm", KEN_POSITION_LEARNED, .post_norm = true, .rms_norm = true, .tied = true },
    { "fc", KEN_POSITION_SINUSOID, .mixing = KEN_MIX_FC },
    { "fc-window", KEN_POSITION_NONE, .mixing = KEN_MIX_FC_WINDOW, .neighbours = 2 },
    { "conv", KEN_POSITION_LEARNED, .mixing = KEN_MIX_CONV, .neighbours = 3 },
    { "no neighbours", KEN_POSITION_NONE, .mixing = KEN_MIX_CONV, .neighbours = 0 },
    { "rnn", KEN_POSITION_NONE, .mixing = KEN_MIX_RNN, .post_norm = true },
    { "lstm", KEN_POSITION_ROTARY, .mixing = KEN_MIX_LSTM, .rms_norm = true, .tied = true },
    { "gru", KEN_POSITION_RELATIVE, .mixing = KEN_MIX_GRU, .gated = true },
    { "rnn, one way", KEN_POSITION_NONE, .mixing = KEN_MIX_RNN, .one_way = true },
    { "lstm, one way", KEN_POSITION_SINUSOID, .mixing = KEN_MIX_LSTM, .one_way = true },
    { "conformer", KEN_POSITION_RELATIVE, .mixing = KEN_MIX_CONFORMER, .neighbours = 2 },
    { "gated conformer", KEN_POSITION_SINUSOID, .mixing = KEN_MIX_CONFORMER, .neighbours = 1,
      .gated = true, .rms_norm = true, .kv_heads = 2 },
    { "linear", KEN_POSITION_SINUSOID, .weigh = KEN_WEIGH_LINEAR },
    { "linear, two key heads", KEN_POSITION_LEARNED, .weigh = KEN_WEIGH_LINEAR, .kv_heads = 2 },
    { "performer", KEN_POSITION_NONE, .weigh = KEN_WEIGH_PERFORMER, .kv_heads = 1 },
    { "nystrom", KEN_POSITION_SINUSOID, .reach = KEN_REACH_NYSTROM },
    { "sparsemax", KEN_POSITION_SINUSOID, .weigh = KEN_WEIGH_SPARSEMAX },
    { "shaw", KEN_POSITION_SHAW, .kv_heads = 2 },
    { "global", KEN_POSITION_ALIBI, .window = 3, .reach = KEN_REACH_GLOBAL },
    { "blocks", KEN_POSITION_SHAW, .weigh = KEN_WEIGH_SPARSEMAX, .reach = KEN_REACH_BLOCKS,
      .reach_block = 6 },
    { "random", KEN_POSITION_ROTARY, .reach = KEN_REACH_RANDOM, .reach_block = 1 },
    { "random blocks", KEN_POSITION_RELATIVE, .score = KEN_SCORE_ADDITIVE,
      .reach = KEN_REACH_RANDOM, .reach_block = 9 },
    /* segments are as long as the sequences whose gradients are compared with differences */
    { "segments", KEN_POSITION_SHAW, .weigh = KEN_WEIGH_SIGMOID, .reach = KEN_REACH_SEGMENTS,
      .reach_block = 16 },
    { "buckets", KEN_POSITION_BUCKETS },
    { "quadratic", KEN_POSITION_QUADRATIC },
    { "rnn positions", KEN_POSITION_RNN },
    { "floater", KEN_POSITION_FLOATER },
    { "floater, two key heads", KEN_POSITION_FLOATER, .kv_heads = 2, .post_norm = true },
    { "buckets, sigmoid", KEN_POSITION_BUCKETS, .weigh = KEN_WEIGH_SIGMOID, .window = 5 },
};

const struct variant *variant_named(const char *name)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, name) == 0) return &variants[i];
    fail_msg("no variant is called %s", name);
    return NULL;
}

bool is_possible(const struct variant *variant, enum use use)
{
    bool generates = use == TRANSLATOR || use == WRITER;
    if (generates && variant->reach == KEN_REACH_NYSTROM) return false;
    return use != TRANSLATOR || variant->score != KEN_SCORE_GAT;
}

/* Parameters that start at 0, as those of many positions do, would hide mistakes. */
static void fill_zeros(ken_model *model)
{
    for (size_t i = 0; i < model->parameters.count; i++) {
        ken_tensor *tensor = model->parameters.list[i].tensor;
        size_t size = ken_tensor_size(tensor), zeros = 0;
        for (size_t j = 0; j < size; j++) zeros += tensor->data[j] == 0;
        for (size_t j = 0; zeros == size && j < size; j++)
            tensor->data[j] = 0.2f * ken_random_normal(900 + i, j);
    }
}

ken_model *variant_model(const struct variant *variant, enum use use)
{
    ken_config config = small_config(use);
    config.position = variant->position;
    config.score = variant->score;
    config.weigh = variant->weigh;
    config.reach = variant->reach;
    config.landmarks = 7;
    config.features = 20;
    config.kv_heads = variant->kv_heads;
    if (variant->window > 0) {
        config.window_left = variant->window;
        config.window_right = variant->window - 1;
    }
    config.reach = variant->reach;
    if (variant->reach_block > 0) config.reach_block = variant->reach_block;
    config.gated = variant->gated;
    config.rms_norm = variant->rms_norm;
    config.post_norm = variant->post_norm;
    config.tied = variant->tied;
    config.mixing = variant->mixing;
    config.neighbours = variant->neighbours;
    config.both_ways = !variant->one_way;
    ken_model *model = new_model(&config);
    fill_zeros(model);
    return model;
}

/* A copy of a tensor's numbers; fails the test if there is none. */
static float *numbers_of(ken_tape *tape, const ken_tensor *tensor)
{
    if (ken_tape_status(tape)) fail_msg("%s", ken_last_error());
    size_t size = ken_tensor_size(tensor);
    float *copy = ken_memory_new(size, sizeof *copy);
    memcpy(copy, tensor->data, size * sizeof *copy);
    ken_tape_release(tape);
    return copy;
}

float *encoder_rows(ken_model *model, const struct batch *input)
{
    ken_tape tape;
    ken_sequences in = sequences_of(input);
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.recording = false;
    struct ken_pass pass = { .model = model, .tape = &tape };
    ken_tensor *rows = ken_model_encode(&pass, &in).rows;
    ken_pass_release(&pass);
    return numbers_of(&tape, rows);
}

float *forced_logits(ken_model *model, const struct batch *input, const struct batch *target)
{
    ken_tape tape;
    ken_sequences in = sequences_of(input), to = sequences_of(target);
    const int32_t *predict;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.recording = false;
    struct ken_pass pass = { .model = model, .tape = &tape };
    ken_tensor *logits = ken_model_logits(&pass, ken_model_forced(&pass, &in, &to, &predict));
    ken_pass_release(&pass);
    return numbers_of(&tape, logits);
}

ken_model *learning(ken_model *model)
{
    assert_int_equal(ken_parameters_learn(&model->parameters), KEN_OK);
    return model;
}

/* Backward does not read the tables of places, so they may end here. */
ken_tensor *loss_on(ken_tape *tape, const ken_model *model, const ken_sequences *input,
                    const ken_sequences *target, float smoothing)
{
    struct ken_pass pass = { .model = model, .tape = tape };
    ken_tensor *loss = ken_model_loss(&pass, input, target, smoothing, 1, NULL);
    ken_pass_release(&pass);
    return loss;
}

ken_status write_most_likely(ken_model *model, int32_t *ids, size_t *lengths,
                             const ken_sequences *input, size_t longest)
{
    ken_generation how = ken_generation_default();
    how.longest = longest;
    return ken_model_generate(model, ids, lengths, NULL, input, &how);
}

ken_status score_targets(const ken_model *model, double *log_probability, size_t *ids,
                         const ken_sequences *input, const ken_sequences *target, size_t skip,
                         bool ends)
{
    struct ken_session session;
    KEN_TRY(ken_session_init(&session, model, NULL));
    ken_status status = ken_session_score(&session, log_probability, ids, input, target, skip,
                                          ends);
    ken_session_release(&session);
    return status;
}

void write_to(struct written *written, ken_model *model, const ken_sequences *input,
              const ken_generation *how)
{
    memset(written, 0, sizeof *written);
    assert_true(input->count * how->best <= MOST_SEQUENCES &&
                input->count * how->best * how->longest <= MOST_IDS);
    if (ken_model_generate(model, written->ids, written->lengths, written->log_ps, input, how))
        fail_msg("%s", ken_last_error());
}

void random_examples(struct examples *examples, enum use use, const size_t *lengths, size_t count,
                     uint64_t key)
{
    size_t ones[MOST_SEQUENCES], reversed[MOST_SEQUENCES];
    for (size_t b = 0; b < count; b++) {
        ones[b] = 1;
        reversed[b] = lengths[count - 1 - b];
    }
    const size_t *wanted[USES] = { lengths, ones, reversed, lengths };
    int32_t lowest = use == TAGGER || use == CLASSIFIER ? KEN_IGNORED : 0;
    random_batch(&examples->input, lengths, count, 0, INPUT_SIZE, key);
    random_batch(&examples->target, wanted[use], count, lowest, OUTPUT_SIZE, key + 1);
}

ken_status train_step(ken_trainer *trainer, enum use use, const struct examples *examples,
                      ken_report *report)
{
    ken_sequences input = sequences_of(&examples->input);
    ken_sequences target = sequences_of(&examples->target);
    const ken_report *made;
    ken_status status = ken_trainer_step(trainer, use == WRITER ? NULL : &input, &target, &made);
    if (!status && report) *report = *made;
    return status;
}

uint64_t hash_of(uint64_t hash, const void *memory, size_t bytes)
{
    const unsigned char *byte = memory;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return ken_random_mix(hash);
}

uint64_t hash_of_weights(const ken_model *model)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < model->parameters.count; i++) {
        const ken_tensor *tensor = model->parameters.list[i].tensor;
        hash = hash_of(hash, tensor->data, ken_tensor_size(tensor) * sizeof *tensor->data);
    }
    return hash;
}
