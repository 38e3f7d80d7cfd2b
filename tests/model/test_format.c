/* test_format.c - files that the reader of docs/FORMAT.md (format_reader.h) must understand to the
 * last byte, by the tables of that page: files of older versions, and one of each kind of model. */
#include "base/size.h"
#include "tests/folder.h"
#include "tests/format_reader.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Configuration --------------------------------------------------------------------------- */

static size_t size_of(const struct reader *r, const char *field)
{
    return (size_t)json_integer_value(json_object_get(r->config, field));
}

/* Returns the value of a field that is written only if it is not 1. */
static size_t rare_of(const struct reader *r, const char *field)
{
    size_t size = json_object_get(r->config, field) ? size_of(r, field) : 1;
    assert_true(size != 1 || !json_object_get(r->config, field));
    return size;
}

static bool flag_of(const struct reader *r, const char *field)
{
    return json_is_true(json_object_get(r->config, field));
}

static bool is(const struct reader *r, const char *field, const char *word)
{
    return strcmp(json_string_value(json_object_get(r->config, field)), word) == 0;
}

/* Every field has the type that the page says, and there are no others. */
static void check_config(const struct reader *r)
{
    static const struct {
        const char *fields;
        char type;
    } types[] = {
        { "output input_kind value pooling position score weigh activation mixing reach", 'w' },
        { "input_size output_size letters letters_width encoder_blocks decoder_blocks width hidden "
          "heads kv_heads longest window_left window_right neighbours reach_global reach_block "
          "reach_random landmarks features edge_size last_heads unknown begin end",
          'n' },
        { "gated rms_norm post_norm tied shared both_ways loops", 'f' },
        { "word_dropout dropout attention_dropout hidden_dropout", 's' },
        { "seed", 'w' },
    };
    size_t known = 0;
    for (size_t t = 0; t < KEN_COUNT(types); t++) {
        char list[512], *rest = list, *field;
        snprintf(list, sizeof list, "%s", types[t].fields);
        for (; (field = strsep(&rest, " ")); known++) {
            const json_t *value = json_object_get(r->config, field);
            bool good = types[t].type == 'w'   ? json_is_string(value)
                        : types[t].type == 'n' ? json_is_integer(value) || json_is_null(value)
                        : types[t].type == 'f' ? json_is_boolean(value)
                                               : json_is_number(value);
            if (!good) fail_msg("ken.config: %s", field);
        }
    }
    known += json_object_get(r->config, "input_stack") != NULL; /* only if it is not 1 */
    known += json_object_get(r->config, "place_axes") != NULL;
    assert_int_equal(json_object_size(r->config), known);
}

/* ---- Names and shapes ------------------------------------------------------------------------ */

__attribute__((format(printf, 4, 5))) static void expect(struct reader *r, size_t rows, size_t cols,
                                                         const char *format, ...)
{
    char name[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    const json_t *shape = json_object_get(json_object_get(r->header, name), "shape");
    if (!shape || format_at(shape, 0) != rows || format_at(shape, 1) != cols)
        fail_msg("tensor %s is not %zu x %zu", name, rows, cols);
    r->seen++;
}

static void linear(struct reader *r, const char *block, const char *name, size_t in, size_t out)
{
    expect(r, out, in, "%s%s.weight", block, name);
    expect(r, 1, out, "%s%s.bias", block, name);
}

static void norm(struct reader *r, const char *block, const char *name)
{
    expect(r, 1, size_of(r, "width"), "%s%s.gain", block, name);
    if (!flag_of(r, "rms_norm")) expect(r, 1, size_of(r, "width"), "%s%s.bias", block, name);
}

/* The shape of one attention layer: H heads of width E, K of them for keys and values. */
struct shape {
    size_t H, E, K;
    bool bare, last; /* last: a bare block that gives the answer */
};

static struct shape shape_of(const struct reader *r, size_t i)
{
    struct shape s = { .H = size_of(r, "heads"), .bare = is(r, "mixing", "bare") };
    s.last = s.bare && is(r, "output", "each") && i + 1 == size_of(r, "encoder_blocks");
    s.E = size_of(r, "width") / s.H;
    if (s.last) s.H = size_of(r, "last_heads"), s.E = size_of(r, "output_size");
    s.K = size_of(r, "kv_heads") && !s.last ? size_of(r, "kv_heads") : s.H;
    return s;
}

static size_t projected(const struct reader *r, const struct shape *s)
{
    if (is(r, "score", "gat")) return s->H * s->E;
    if (is(r, "score", "gatv2") && s->bare) return 2 * s->H * s->E;
    return s->H * s->E + 2 * s->K * s->E;
}

static void check_positions(struct reader *r, const char *b, const struct shape *s)
{
    size_t span = 2 * size_of(r, "longest") + 1;
    if (is(r, "position", "relative")) expect(r, s->H, span, "%sattention.relative", b);
    if (is(r, "position", "buckets")) expect(r, s->H, 32, "%sattention.buckets", b);
    if (is(r, "position", "shaw")) {
        expect(r, span, s->E, "%sattention.shaw_k", b);
        expect(r, span, s->E, "%sattention.shaw_v", b);
    }
    if (is(r, "position", "quadratic")) {
        expect(r, 1, s->H, "%sattention.sharp", b);
        expect(r, 1, s->H, "%sattention.centre", b);
    }
}

static void check_attention(struct reader *r, const char *b, size_t i, bool decoder)
{
    struct shape s = shape_of(r, i);
    size_t D = size_of(r, "width"), all = projected(r, &s);
    bool distance = is(r, "position", "distance"), graph = distance || is(r, "reach", "edges");
    size_t W = graph && !decoder ? size_of(r, "edge_size") + (distance ? 11 : 0) : 0;
    if (s.bare && i > 0) expect(r, all, D, "%sattention.project.weight", b);
    if (!s.bare) linear(r, b, "attention.project", D, all);
    if (is(r, "score", "additive") || is(r, "score", "gatv2"))
        expect(r, s.H, s.E, "%sattention.vector", b);
    if (is(r, "score", "gat")) {
        expect(r, s.H, s.E, "%sattention.ask", b);
        expect(r, s.H, s.E, "%sattention.answer", b);
    }
    check_positions(r, b, &s);
    if (W > 0) {
        expect(r, s.H * W, all, "%sattention.edge_ask.weight", b);
        expect(r, s.bare ? s.H * s.E : D, s.H * W, "%sattention.edge_out.weight", b);
    }
    if (s.bare) expect(r, 1, s.last ? s.E : s.H * s.E, "%sattention.bias", b);
    else linear(r, b, "attention.out", D, D);
    if (!s.bare) norm(r, b, "norm_attention");
}

static void check_recurrent(struct reader *r, const char *b, bool decoder)
{
    static const char *const ways[] = { "forwards", "backwards" };
    bool both = flag_of(r, "both_ways") && !decoder, gru = is(r, "mixing", "gru");
    size_t D = size_of(r, "width"), S = both ? D / 2 : D;
    size_t GS = S * (is(r, "mixing", "rnn") ? 1 : gru ? 3 : 4);
    for (size_t w = 0; w < 1 + (size_t)both; w++) {
        expect(r, GS, D, "%srecurrent.%s.w_input", b, ways[w]);
        expect(r, GS, S, "%srecurrent.%s.w_hidden", b, ways[w]);
        expect(r, 1, GS, "%srecurrent.%s.bias_input", b, ways[w]);
        if (gru) expect(r, 1, GS, "%srecurrent.%s.bias_hidden", b, ways[w]);
        expect(r, D, S, "%srecurrent.%s.out.weight", b, ways[w]);
        if (w == 0) expect(r, 1, D, "%srecurrent.%s.out.bias", b, ways[w]);
    }
    norm(r, b, "norm_mix");
}

static void check_convolve(struct reader *r, const char *b)
{
    size_t D = size_of(r, "width"), taps = 2 * size_of(r, "neighbours") + 1;
    bool window = is(r, "mixing", "fc-window"), conformer = is(r, "mixing", "conformer");
    if (window) expect(r, D, taps * D, "%sconvolve.taps", b);
    else expect(r, taps, D, "%sconvolve.taps", b);
    expect(r, 1, D, "%sconvolve.bias", b);
    if (conformer) linear(r, b, "convolve.in", D, 2 * D);
    if (conformer) norm(r, b, "convolve.norm");
    if (!window) linear(r, b, "convolve.out", D, D);
    norm(r, b, conformer ? "norm_convolve" : "norm_mix");
}

static void check_forward(struct reader *r, const char *b, const char *part)
{
    size_t D = size_of(r, "width"), F = size_of(r, "hidden");
    char name[32];
    snprintf(name, sizeof name, "%s_in", part);
    linear(r, b, name, D, flag_of(r, "gated") ? 2 * F : F);
    snprintf(name, sizeof name, "%s_out", part);
    linear(r, b, name, F, D);
    snprintf(name, sizeof name, "norm_%s", part);
    norm(r, b, name);
}

static void check_block(struct reader *r, const char *b, size_t i, bool decoder)
{
    size_t D = size_of(r, "width");
    bool bare = is(r, "mixing", "bare"), conformer = is(r, "mixing", "conformer");
    if (conformer) check_forward(r, b, "half");
    if (bare || conformer || is(r, "mixing", "attention")) check_attention(r, b, i, decoder);
    if (is(r, "mixing", "rnn") || is(r, "mixing", "lstm") || is(r, "mixing", "gru"))
        check_recurrent(r, b, decoder);
    if (decoder && size_of(r, "encoder_blocks") > 0) {
        struct shape s = shape_of(r, i);
        linear(r, b, "cross.project", D, D);
        linear(r, b, "cross.remember", D, 2 * s.K * s.E);
        linear(r, b, "cross.out", D, D);
        if (is(r, "score", "additive") || is(r, "score", "gatv2"))
            expect(r, s.H, s.E, "%scross.vector", b);
        norm(r, b, "norm_cross");
    }
    if (conformer || is(r, "mixing", "conv") || is(r, "mixing", "fc-window")) check_convolve(r, b);
    if (!bare) check_forward(r, b, "forward");
    if (conformer) norm(r, b, "norm_closing");
}

static void check_side(struct reader *r, const char *side, const char *places, size_t blocks)
{
    size_t D = size_of(r, "width");
    bool last = !flag_of(r, "post_norm") && !is(r, "mixing", "conformer") &&
                !is(r, "mixing", "bare");
    char name[64];
    if (blocks == 0) return;
    for (size_t i = 0; i < blocks; i++) {
        snprintf(name, sizeof name, "%s.%zu.", side, i);
        check_block(r, name, i, strcmp(side, "decoder") == 0);
    }
    snprintf(name, sizeof name, "%s.", side);
    if (last) norm(r, name, "norm");
    size_t axes = strcmp(side, "decoder") == 0 ? 1 : rare_of(r, "place_axes");
    if (is(r, "position", "learned")) expect(r, axes * size_of(r, "longest"), D, "%s", places);
    if (is(r, "position", "rnn")) {
        expect(r, 3 * D, 1, "%s.input", places);
        expect(r, 3 * D, D, "%s.hidden", places);
        expect(r, 1, 3 * D, "%s.bias", places);
    }
    if (is(r, "position", "floater")) {
        expect(r, 3 * blocks, D, "%s.start", places);
        expect(r, D, D + 1, "%s.in.weight", places);
        expect(r, 1, D, "%s.in.bias", places);
        expect(r, D, D + 1, "%s.out.weight", places);
        expect(r, 1, D, "%s.out.bias", places);
    }
}

static void check_input(struct reader *r)
{
    struct shape first = shape_of(r, 0);
    size_t D = size_of(r, "width"), V = size_of(r, "input_size"), C = size_of(r, "letters_width");
    size_t columns = first.bare ? projected(r, &first) : D;
    if (is(r, "input_kind", "vectors"))
        expect(r, columns, V * rare_of(r, "input_stack"), "input.weight");
    else expect(r, V, columns, "input");
    if (is(r, "input_kind", "vectors") && !first.bare) expect(r, 1, D, "input.bias");
    if (is(r, "input_kind", "one-hot") && !first.bare) expect(r, 1, D, "input_bias");
    if (size_of(r, "letters") == 0) return;
    expect(r, size_of(r, "letters"), C, "spelling.table");
    for (size_t k = 2; k <= 5; k++) {
        expect(r, C, k * C, "spelling.%zu.weight", k);
        expect(r, 1, C, "spelling.%zu.bias", k);
        expect(r, D, C, "spelling.%zu.join", k);
    }
    expect(r, 1, D, "spelling.bias");
}

/* Every tensor is one of the tables, and the other way round. */
static void check_model(struct reader *r)
{
    size_t D = size_of(r, "width"), O = size_of(r, "output_size");
    bool generates = is(r, "output", "generate");
    assert_string_equal(json_string_value(json_object_get(r->notes, "ken.format")), "1");
    check_config(r);
    if (size_of(r, "encoder_blocks") > 0) check_input(r);
    check_side(r, "encoder", "input_places", size_of(r, "encoder_blocks"));
    check_side(r, "decoder", "target_places", size_of(r, "decoder_blocks"));
    if (generates && !flag_of(r, "shared")) expect(r, O, D, "target");
    if (is(r, "pooling", "attentive")) expect(r, 1, D, "pool_score");
    if (!(generates && flag_of(r, "tied")) && !(is(r, "mixing", "bare") && is(r, "output", "each")))
        linear(r, "", "head", D, O);
    assert_int_equal(r->seen, json_object_size(r->header) - 1);
}

/* ---- Tests ----------------------------------------------------------------------------------- */

static void check_file(const char *path)
{
    struct reader r;
    format_read(&r, path);
    format_check_sum(&r);
    check_model(&r);
    format_release(&r);
}

static void save_and_check(ken_model *model)
{
    const char *path = folder_path("x.ken");
    assert_int_equal(ken_model_save(model, path), KEN_OK);
    check_file(path);
    ken_model_free(model);
}

static void older_files(void **state)
{
    (void)state;
    check_file("tests/witness/0.1/tagger.ken");
    check_file("tests/witness/0.1/vectors.ken");
    check_file("tests/witness/0.1/generator.ken");
    check_file("tests/witness/0.1/graph.ken");
}

static void every_variant(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = 0; use < USES; use++)
            if (is_possible(&variants[i], use)) save_and_check(variant_model(&variants[i], use));
}

static void every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        ken_config config = kind_config(&kinds[i]);
        save_and_check(new_model(&config));
    }
}

/* Notes as JSON, and each vocabulary as long as the table that its ids have. */
static void notes_of_a_task(void **state)
{
    (void)state;
    struct reader r;
    format_read(&r, "tests/witness/0.1/tagger.ken");
    const char *const keys[] = { "recipe", "input",     "output",      "labels", "scales",
                                 "sizes",  "threshold", "data.sha256", "metrics" };
    for (size_t i = 0; i < KEN_COUNT(keys); i++)
        assert_true(json_is_string(json_object_get(r.notes, keys[i])));
    assert_int_equal(json_object_size(r.notes), KEN_COUNT(keys) + 3);
    json_t *input = json_loads(json_string_value(json_object_get(r.notes, "input")), 0, NULL);
    json_t *labels = json_loads(json_string_value(json_object_get(r.notes, "labels")), 0, NULL);
    assert_string_equal(json_string_value(json_object_get(input, "unit")), "words");
    assert_int_equal(json_object_size(input), 5);
    assert_int_equal(json_array_size(json_object_get(input, "tokens")) + 3,
                     size_of(&r, "input_size"));
    assert_int_equal(json_array_size(json_object_get(input, "letters")) + 3,
                     size_of(&r, "letters"));
    assert_int_equal(json_array_size(labels), size_of(&r, "output_size"));
    json_decref(input);
    json_decref(labels);
    format_release(&r);
}

static void a_checkpoint(void **state)
{
    (void)state;
    struct reader r, model;
    const char *const groups[] = { "weight.", "adam.m.", "adam.v." };
    const char *name;
    json_t *entry;
    format_read(&r, "tests/witness/0.1/stopped/last.ckpt");
    format_read(&model, "tests/witness/0.1/vectors.ken");
    format_check_sum(&r);
    check_config(&r);
    assert_string_equal(json_string_value(json_object_get(r.notes, "ken.checkpoint")), "1");
    assert_string_equal(json_string_value(json_object_get(r.notes, "ken.step")), "21");
    json_object_foreach(model.header, name, entry)
    {
        const json_t *shape = json_object_get(entry, "shape");
        if (strcmp(name, "__metadata__") == 0) continue;
        for (size_t g = 0; g < KEN_COUNT(groups); g++)
            expect(&r, format_at(shape, 0), format_at(shape, 1), "%s%s", groups[g], name);
    }
    assert_int_equal(r.seen, json_object_size(r.header) - 1);
    json_t *loop = json_loads(json_string_value(json_object_get(r.notes, "loop")), 0, NULL);
    assert_int_equal(json_object_size(loop), 7);
    assert_true(json_is_false(json_object_get(loop, "done")));
    json_decref(loop);
    format_release(&r);
    format_release(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_files),  cmocka_unit_test(every_variant),
        cmocka_unit_test(every_kind),   cmocka_unit_test(notes_of_a_task),
        cmocka_unit_test(a_checkpoint),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
