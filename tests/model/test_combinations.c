/* test_combinations.c - models with every combination of score, weigh, reach and position. A legal
 * combination equals attention computed by hand and has the right gradients; others are refused, by
 * name, by the model and by the recipe. (test_attend.c tests the kernels, on every instruction set.
 * Reach edges and position distance need a graph and are not included here.) */
#include "base/random.h"
#include "base/size.h"
#include "task/task.h"
#include "tensor/gradcheck.h"
#include "tests/by_hand.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALL, WINDOW, PATTERNS, REACHES = PATTERNS + KEN_REACH_NYSTROM };
#define POSITIONS ((enum ken_position)(KEN_POSITION_FLOATER + 1))

struct combination {
    enum ken_score score;
    enum ken_weigh weigh;
    size_t reach;
    enum ken_position position;
    char name[64];
};

static const char *score_of(const struct combination *c)
{
    return ken_word(KEN_CHOICE_SCORE, (int)c->score);
}

static const char *weigh_of(const struct combination *c)
{
    return ken_word(KEN_CHOICE_WEIGH, (int)c->weigh);
}

static const char *reach_of(const struct combination *c)
{
    return ken_word(KEN_CHOICE_REACH, c->reach < PATTERNS ? 0 : (int)(c->reach - PATTERNS + 1));
}

static const char *position_of(const struct combination *c)
{
    return ken_word(KEN_CHOICE_POSITION, (int)c->position);
}

static const size_t lengths[] = { 7, 0, 1, 5 };

/* A tiny model in which every choice makes a difference for seven rows. */
static ken_config config_of(const struct combination *c)
{
    ken_config config = small_config(TAGGER);
    config.encoder_blocks = 1;
    config.width = 8;
    config.hidden = 8;
    config.heads = 2;
    config.score = c->score;
    config.weigh = c->weigh;
    config.position = c->position;
    config.longest = c->position == KEN_POSITION_LEARNED ? 7 : 3;
    config.reach = c->reach < PATTERNS ? KEN_REACH_WINDOW : c->reach - PATTERNS + 1;
    if (c->reach == WINDOW || config.reach == KEN_REACH_GLOBAL) {
        config.window_left = 2;
        config.window_right = 1;
    }
    config.reach_block = 2;
    config.reach_random = 1;
    config.landmarks = 3;
    config.features = 5;
    return config;
}

/* Some weights start at 0, where a mistake could hide. */
static void shake(ken_model *model)
{
    for (size_t i = 0; i < model->parameters.count; i++) {
        ken_tensor *tensor = model->parameters.list[i].tensor;
        for (size_t j = 0; j < ken_tensor_size(tensor); j++)
            tensor->data[j] += 0.1f * ken_random_normal(i, j);
    }
}

/* ---- the result ------------------------------------------------------------------------------ */

static void check_result(const struct combination *c, ken_model *model)
{
    enum { ROWS = 13 };
    size_t start[KEN_COUNT(lengths) + 1] = { 0 }, D = model->config.width;
    float x[ROWS * HAND_WIDTH];
    ken_tape tape;
    for (size_t b = 0; b < KEN_COUNT(lengths); b++) start[b + 1] = start[b] + lengths[b];
    for (size_t i = 0; i < ROWS * D; i++) x[i] = ken_random_normal(77, i);
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    tape.recording = false;
    ken_ragged rows = { start, KEN_COUNT(lengths) };
    struct ken_where where = { .rows = rows };
    struct ken_place_tables tables = { 0 };
    struct ken_attention_call call = { .x = ken_tape_constant(&tape, x, ROWS, D), .rows = rows };
    call.shift = ken_places_shift(&tape, &model->input_places, &tables, &where);
    const ken_tensor *y = ken_attention_apply(&tape, &model->encoder[0].attention, &call);
    if (ken_tape_status(&tape)) fail_msg("%s: %s", c->name, ken_last_error());
    for (size_t b = 0; b < rows.count; b++) {
        double expected[HAND_ROWS * HAND_WIDTH];
        size_t from = start[b] * D;
        attention_by_hand(expected, model, x + from, lengths[b]);
        for (size_t i = 0; i < lengths[b] * D; i++)
            if (!(fabs(y->data[from + i] - expected[i]) < 1e-5 * (1 + fabs(expected[i]))))
                fail_msg("%s: sequence %zu, number %zu: %.9g, by hand %.9g", c->name, b, i,
                         (double)y->data[from + i], expected[i]);
    }
    ken_place_tables_drop(&tables);
    ken_tape_release(&tape);
}

/* ---- gradients ------------------------------------------------------------------------------- */

struct network {
    ken_model *model;
    ken_sequences input, target;
};

static ken_tensor *loss_of(ken_tape *tape, void *context)
{
    const struct network *net = context;
    tape->random_key = 5; /* the same dropout at every call */
    return loss_on(tape, net->model, &net->input, &net->target, 0);
}

/* Checks the gradients that the four choices affect: attention, positions, and the embedding. */
static void check_gradients(const struct combination *c, ken_model *model)
{
    static struct examples examples;
    random_examples(&examples, TAGGER, lengths, KEN_COUNT(lengths), 31);
    struct network net = { learning(model), sequences_of(&examples.input),
                           sequences_of(&examples.target) };
    for (size_t i = 0; i < model->parameters.count; i++) {
        const char *name = model->parameters.list[i].name;
        ken_tensor *tensor = model->parameters.list[i].tensor;
        double worst;
        if (!strstr(name, "attention.") && strncmp(name, "input", 5) != 0) continue;
        if (ken_gradcheck(&worst, loss_of, &net, &tensor, 1, 2e-2f, 1))
            fail_msg("%s: %s", c->name, ken_last_error());
        if (!(worst < 0.1)) /* mostly below 0.001, with kinks 0.05; a wrong gradient gives 1 */
            fail_msg("%s: gradient of %s is off by %g", c->name, name, worst);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

/* Whether the message names one of the choices that are not the usual ones. */
static bool names_a_choice(const char *message, const struct combination *c)
{
    return (c->score != KEN_SCORE_DOT && strstr(message, score_of(c))) ||
           (c->weigh != KEN_WEIGH_SOFTMAX && strstr(message, weigh_of(c))) ||
           (c->reach != ALL && strstr(message, reach_of(c))) ||
           (c->position != KEN_POSITION_NONE && strstr(message, position_of(c)));
}

/* Checks that the recipe of the combination is refused before any data is read, with the message of
 * the model, but without the name of the part ("model: ") that it begins with, and the line of a
 * choice. */
static void check_recipe(const struct combination *c, const char *refused)
{
    if (refused && strstr(refused, ": ")) refused = strstr(refused, ": ") + 2;
    const char *window = c->reach == WINDOW ? "window_left = 2\n" : "";
    char text[512], line[32];
    ken_recipe *recipe;
    snprintf(text, sizeof text,
             "[data]\ntrain = nowhere\n[output]\nkind = each\n[model]\nscore = %s\nweigh = %s\n"
             "reach = %s\nposition = %s\n%s",
             score_of(c), weigh_of(c), reach_of(c), position_of(c), window);
    assert_int_equal(ken_recipe_parse(&recipe, text, "r"), KEN_OK);
    ken_status status = ken_settings_check(recipe);
    bool line_named = false;
    for (int i = 6; i <= 10; i++) {
        snprintf(line, sizeof line, "r:%d: model.", i);
        line_named = line_named || strncmp(ken_last_error(), line, strlen(line)) == 0;
    }
    if (!refused && status) fail_msg("%s: the recipe: %s", c->name, ken_last_error());
    if (refused && (!status || !line_named || !strstr(ken_last_error(), refused)))
        fail_msg("%s: the model: %s; its recipe: %s", c->name, refused,
                 status ? ken_last_error() : "fine");
    ken_recipe_free(recipe);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static size_t legal, refused;

static void check_combination(const struct combination *c)
{
    ken_config config = config_of(c);
    ken_model *model;
    ken_status status = ken_model_new(&model, &config);
    if (status) {
        char message[512];
        snprintf(message, sizeof message, "%s", ken_last_error());
        assert_int_equal(status, KEN_ERR_ARGUMENT);
        if (!names_a_choice(message, c)) fail_msg("%s: refused by \"%s\"", c->name, message);
        check_recipe(c, message);
        refused++;
        return;
    }
    shake(model);
    check_result(c, model);
    ken_model_free(model);
    /* finite differences do not see that gradients stop at the border of a segment */
    if (config.reach == KEN_REACH_SEGMENTS) config.reach_block = HAND_ROWS;
    model = new_model(&config);
    shake(model);
    check_gradients(c, model);
    ken_model_free(model);
    check_recipe(c, NULL);
    legal++;
}

static void every_combination(void **state)
{
    (void)state;
    struct combination c;
    for (c.score = 0; c.score < KEN_SCORE_COUNT; c.score++)
        for (c.weigh = 0; c.weigh < KEN_WEIGH_COUNT; c.weigh++)
            for (c.reach = 0; c.reach < REACHES; c.reach++)
                for (c.position = 0; c.position < POSITIONS; c.position++) {
                    snprintf(c.name, sizeof c.name, "%s, %s, %s, %s", score_of(&c), weigh_of(&c),
                             c.reach == ALL ? "all" : reach_of(&c), position_of(&c));
                    check_combination(&c);
                }
    assert_true(legal > 800 && refused > 0);
    printf("# %zu legal combinations checked, %zu refused by name\n", legal, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_combination) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
