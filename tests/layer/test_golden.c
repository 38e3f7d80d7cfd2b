/* test_golden.c - attention, multi-head attention, blocks and whole models against PyTorch: results
 * and all gradients, on every instruction set of this machine. ken runs as one ragged batch what
 * PyTorch ran sequence by sequence. The vectors are in tests/golden/, from tools/golden.py. */
#include "base/size.h"
#include "layer/block.h"
#include "model/pass.h"
#include "tests/arrays.h"
#include "tests/golden.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <stdio.h>

/* ---- attention ------------------------------------------------------------------------------- */

static const float slopes[2] = { 0x1p-4f, 0x1p-8f };

static const struct attention_case {
    const char *name;
    bool cross;
    const char *vector, *bias; /* names of its parameters, or NULL */
    struct ken_attend_options options;
} attention_cases[] = {
    { "full", .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED } },
    { "past", .options = { .left = KEN_UNLIMITED } },
    { "window", .options = { .left = 2, .right = 1 } },
    { "alibi past", .options = { .left = KEN_UNLIMITED, .slope = slopes } },
    { "relative", .bias = "relative",
      .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED, .span = 2 } },
    { "relative window", .bias = "relative", .options = { .left = 2, .right = 1, .span = 2 } },
    { "grouped", .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED, .kv_heads = 1 } },
    { "cross", true, .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED } },
    { "cross past", true, .options = { .left = KEN_UNLIMITED } },
    { "cross alibi", true,
      .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED, .slope = slopes } },
    { "additive", .vector = "vector",
      .options = { .left = KEN_UNLIMITED, .right = KEN_UNLIMITED, .score = KEN_SCORE_ADDITIVE } },
    { "gat", .options = { .left = KEN_UNLIMITED,
                          .right = KEN_UNLIMITED,
                          .width = 1,
                          .leak = 0.2f,
                          .score = KEN_SCORE_GAT } },
    { "relu window", .options = { .left = 2, .right = 1, .weigh = KEN_WEIGH_RELU } },
    { "sigmoid past", .options = { .left = KEN_UNLIMITED, .weigh = KEN_WEIGH_SIGMOID } },
    { "gatv2", .vector = "vector",
      .options = { .left = KEN_UNLIMITED,
                   .right = KEN_UNLIMITED,
                   .leak = 0.2f,
                   .score = KEN_SCORE_GATV2 } },
    { "gatv2 grouped", .vector = "vector",
      .options = { .left = KEN_UNLIMITED,
                   .right = KEN_UNLIMITED,
                   .leak = 0.2f,
                   .kv_heads = 1,
                   .score = KEN_SCORE_GATV2 } },
};

static void check_attention_case(struct golden *g, const struct attention_case *c)
{
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    struct ken_attend_options options = c->options;
    options.heads = 2;
    options.value_width = 4;
    if (options.width == 0) options.width = 4;
    options.queries = golden_ragged(g, "queries");
    if (c->cross) options.keys = golden_ragged(g, "keys");
    ken_tensor *q = golden_get(g, "q");
    ken_tensor *k = golden_get(g, c->cross ? "far_k" : "k");
    ken_tensor *v = golden_get(g, c->cross ? "far_v" : "v");
    ken_tensor *vector = c->vector ? golden_get(g, "%s", c->vector) : NULL;
    ken_tensor *bias = c->bias ? golden_get(g, "%s", c->bias) : NULL;
    ken_tensor *out = ken_attend(&tape, q, k, v, vector, bias, &options);
    golden_backward(g, &tape, out, c->name, golden_get(g, "dout"));
    golden_expect(g, q->grad, ken_tensor_size(q), "%s.d.q", c->name);
    golden_expect(g, k->grad, ken_tensor_size(k), "%s.d.k", c->name);
    golden_expect(g, v->grad, ken_tensor_size(v), "%s.d.v", c->name);
    if (vector) golden_expect(g, vector->grad, 8, "%s.d.vector", c->name);
    if (bias) golden_expect(g, bias->grad, 10, "%s.d.relative", c->name);
    ken_tape_release(&tape);
}

static void check_attention(void)
{
    struct golden g;
    golden_open(&g, "attention");
    for (size_t c = 0; c < KEN_COUNT(attention_cases); c++)
        check_attention_case(&g, &attention_cases[c]);
    golden_close(&g);
}

static void attention(void **state)
{
    (void)state;
    on_every_machine(check_attention);
}

/* ---- multi-head attention -------------------------------------------------------------------- */

static void walk_self(void *layer, ken_visitor *visitor)
{
    ken_attention_visit(layer, visitor, "self");
}

static void walk_cross(void *layer, ken_visitor *visitor)
{
    ken_attention_visit(layer, visitor, "cross");
}

/* The weights of all heads in the first sequence. */
static void check_weights(struct golden *g, const ken_tape *tape, const struct ken_seen *seen,
                          const char *name, size_t T, size_t S)
{
    float weights[2 * 16];
    assert_in_range(T * S, 1, 16);
    for (size_t h = 0; h < 2; h++)
        assert_int_equal(ken_attend_look(weights + h * T * S, tape, seen->out, 0, h), KEN_OK);
    golden_expect(g, weights, 2 * T * S, "%s.weights", name);
}

static void check_multihead_case(struct golden *g, const char *name, size_t right, bool cross)
{
    struct ken_attention layer;
    ken_parameters parameters;
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    struct ken_attention_config config = { .width = 6,
                                           .heads = 2,
                                           .cross = cross,
                                           .right = right,
                                           .left = KEN_UNLIMITED,
                                           .biased = true };
    assert_int_equal(ken_attention_init(&layer, &config), KEN_OK);
    ken_walk_fn *walk = cross ? walk_cross : walk_self;
    assert_int_equal(ken_parameters_init(&parameters, walk, &layer, 1), KEN_OK);
    assert_int_equal(ken_parameters_learn(&parameters), KEN_OK);
    golden_load(g, &parameters, "");
    ken_tensor *x = golden_get(g, "x"), *memory = cross ? golden_get(g, "memory") : NULL;
    ken_ragged queries = golden_ragged(g, "queries"), keys = golden_ragged(g, "keys");
    struct ken_seen seen;
    struct ken_attention_call call = { x, queries, .memory = memory, .memory_rows = keys,
                                       .seen = &seen };
    ken_tensor *y = ken_attention_apply(&tape, &layer, &call);
    golden_backward(g, &tape, y, name, golden_get(g, "dout"));
    golden_expect(g, x->grad, ken_tensor_size(x), "%s.d.x", name);
    if (cross) golden_expect(g, memory->grad, ken_tensor_size(memory), "%s.d.memory", name);
    golden_expect_gradients(g, &parameters, name);
    check_weights(g, &tape, &seen, name, queries.start[1],
                  cross ? keys.start[1] : queries.start[1]);
    ken_tape_release(&tape);
    ken_parameters_release(&parameters);
}

static void check_multihead(void)
{
    struct golden g;
    golden_open(&g, "multihead");
    check_multihead_case(&g, "all", KEN_UNLIMITED, false);
    check_multihead_case(&g, "past", 0, false);
    check_multihead_case(&g, "other", KEN_UNLIMITED, true);
    golden_close(&g);
}

static void multihead(void **state)
{
    (void)state;
    on_every_machine(check_multihead);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void walk_block(void *block, ken_visitor *visitor)
{
    ken_block_visit(block, visitor);
}

static void check_block_case(struct golden *g, const char *name, const char *prefix,
                             const struct ken_block_config *config)
{
    struct ken_block block;
    ken_parameters parameters;
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    assert_int_equal(ken_block_init(&block, config), KEN_OK);
    assert_int_equal(ken_parameters_init(&parameters, walk_block, &block, 1), KEN_OK);
    assert_int_equal(ken_parameters_learn(&parameters), KEN_OK);
    golden_load(g, &parameters, prefix);
    ken_tensor *x = golden_get(g, "x"), *memory = NULL;
    struct ken_stream stream = { .rows = golden_ragged(g, "rows") };
    if (config->decoder) {
        stream.memory = memory = golden_get(g, "memory");
        stream.memory_rows = golden_ragged(g, "memory_rows");
    }
    ken_block_open(&tape, &block, &stream, x);
    /* the block also computes the norm of the next part, but the result is the sum before it */
    ken_block_apply(&tape, &block, &stream, ken_block_first_norm(&block));
    golden_backward(g, &tape, stream.sum, name, golden_get(g, "dout"));
    golden_expect(g, x->grad, ken_tensor_size(x), "%s.d.x", name);
    if (config->decoder)
        golden_expect(g, memory->grad, ken_tensor_size(memory), "%s.d.memory", name);
    golden_expect_gradients(g, &parameters, name);
    ken_tape_release(&tape);
    ken_parameters_release(&parameters);
}

static void check_blocks(void)
{
    static const struct {
        const char *name, *prefix;
        bool decoder, post_norm;
        enum ken_activation activation;
    } cases[] = {
        { "encoder pre relu", "encoder.", false, false, KEN_ACT_RELU },
        { "encoder pre gelu", "encoder.", false, false, KEN_ACT_GELU },
        { "encoder post relu", "encoder.", false, true, KEN_ACT_RELU },
        { "encoder post gelu", "encoder.", false, true, KEN_ACT_GELU },
        { "decoder pre relu", "decoder.", true, false, KEN_ACT_RELU },
        { "decoder pre gelu", "decoder.", true, false, KEN_ACT_GELU },
        { "decoder post relu", "decoder.", true, true, KEN_ACT_RELU },
        { "decoder post gelu", "decoder.", true, true, KEN_ACT_GELU },
    };
    struct golden g;
    golden_open(&g, "block");
    for (size_t c = 0; c < KEN_COUNT(cases); c++)
        check_block_case(&g, cases[c].name, cases[c].prefix,
                         &(struct ken_block_config){
                             .attention = { .width = 6,
                                            .heads = 2,
                                            .left = KEN_UNLIMITED,
                                            .right = cases[c].decoder ? 0 : KEN_UNLIMITED,
                                            .biased = true },
                             .decoder = cases[c].decoder,
                             .hidden = 7,
                             .eps = 1e-5f,
                             .activation = cases[c].activation,
                             .post_norm = cases[c].post_norm });
    check_block_case(&g, "modern", "modern.",
                     &(struct ken_block_config){ .attention = { .width = 6,
                                                                .heads = 3,
                                                                .kv_heads = 1,
                                                                .left = KEN_UNLIMITED,
                                                                .position = KEN_ATTENTION_ROTARY },
                                                 .hidden = 7,
                                                 .gated = true,
                                                 .activation = KEN_ACT_SILU,
                                                 .eps = 1e-5f,
                                                 .norm = KEN_NORM_RMS });
    golden_close(&g);
}

static void blocks(void **state)
{
    (void)state;
    on_every_machine(check_blocks);
}

/* Blocks with another token mixer in place of attention. */
static void check_rivals(void)
{
    static const struct {
        const char *name, *prefix;
        enum ken_mixing mixing;
        bool causal;
    } cases[] = {
        { "fc", "fc.", KEN_MIX_FC, false },
        { "fc-window causal", "fc-window causal.", KEN_MIX_FC_WINDOW, true },
        { "conv", "conv.", KEN_MIX_CONV, false },
        { "rnn", "rnn.", KEN_MIX_RNN, false },
        { "gru causal", "gru causal.", KEN_MIX_GRU, true },
        { "lstm", "lstm.", KEN_MIX_LSTM, false },
        { "conformer", "conformer.", KEN_MIX_CONFORMER, false },
        { "conformer causal", "conformer causal.", KEN_MIX_CONFORMER, true },
    };
    struct golden g;
    golden_open(&g, "rivals");
    for (size_t c = 0; c < KEN_COUNT(cases); c++)
        check_block_case(&g, cases[c].name, cases[c].prefix,
                         &(struct ken_block_config){
                             .attention = { .width = 6,
                                            .heads = 2,
                                            .left = KEN_UNLIMITED,
                                            .right = cases[c].causal ? 0 : KEN_UNLIMITED,
                                            .biased = true },
                             .mixing = cases[c].mixing,
                             .neighbours = 1,
                             .both_ways = true,
                             .causal = cases[c].causal,
                             .hidden = 7,
                             .eps = 1e-5f,
                             .activation = KEN_ACT_GELU });
    golden_close(&g);
}

static void rivals(void **state)
{
    (void)state;
    on_every_machine(check_rivals);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void check_model(struct golden *g, const char *name, const ken_config *config,
                        const ken_sequences *input, const ken_sequences *target, float smoothing)
{
    ken_model *model;
    ken_tape tape;
    char prefix[32];
    snprintf(prefix, sizeof prefix, "%s.", name);
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    assert_int_equal(ken_model_new(&model, config), KEN_OK);
    golden_load(g, &learning(model)->parameters, prefix);
    ken_tensor *loss = loss_on(&tape, model, input, target, smoothing);
    assert_int_equal(ken_tape_backward(&tape, loss), KEN_OK);
    golden_expect(g, loss->data, 1, "%s.loss", name);
    golden_expect_gradients(g, &model->parameters, name);
    ken_tape_release(&tape);
    ken_model_free(model);
}

static ken_sequences sequences(struct golden *g, const char *ids, const char *rows)
{
    ken_ragged ragged = golden_ragged(g, rows);
    return (ken_sequences){ golden_ids(g, ids), ragged.start, ragged.count };
}

static ken_config config_without_dropout(ken_output output)
{
    ken_config config = ken_config_default(output);
    config.dropout = config.attention_dropout = 0;
    config.width = 6;
    return config;
}

static void check_models(void)
{
    struct golden g;
    golden_open(&g, "model");
    ken_config tagger = config_without_dropout(KEN_EACH);
    tagger.input_size = 8;
    tagger.output_size = 3;
    tagger.heads = 2;
    tagger.hidden = 7;
    tagger.position = KEN_POSITION_LEARNED;
    tagger.longest = 5;
    tagger.post_norm = true;
    ken_sequences words = sequences(&g, "tagger.ids", "tagger.rows");
    ken_sequences labels = sequences(&g, "tagger.labels", "tagger.rows");
    check_model(&g, "tagger", &tagger, &words, &labels, 0);

    ken_config translator = config_without_dropout(KEN_GENERATE);
    translator.input_size = translator.output_size = 7;
    translator.heads = 3;
    translator.hidden = 8;
    translator.decoder_blocks = 1;
    translator.activation = KEN_ACT_RELU;
    translator.tied = true;
    ken_sequences from = sequences(&g, "translator.from_ids", "translator.from_rows");
    ken_sequences to = sequences(&g, "translator.to_ids", "translator.to_rows");
    check_model(&g, "translator", &translator, &from, &to, 0.1f);
    golden_close(&g);
}

static void models(void **state)
{
    (void)state;
    on_every_machine(check_models);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention), cmocka_unit_test(multihead), cmocka_unit_test(blocks),
        cmocka_unit_test(rivals),    cmocka_unit_test(models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
