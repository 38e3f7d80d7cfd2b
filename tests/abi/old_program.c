/* old_program.c - a program of version 0.2: compiled against the header as it was then, it must run
 * with every later library of the same soname. Its structs lie at the edge of memory, so a library
 * that takes them for larger ones is found out. */
#include "ken.h"
#include "tests/abi/edge.h"

#include <math.h>
#include <string.h>

static int32_t ids[] = { 3, 1, 4, 1, 5, 9, 2, 6 };
static size_t start[] = { 0, 3, 8 };
static ken_sequences batch = { .ids = ids, .start = start, .count = 2 };

static int says(ken_status status, const char *words)
{
    return status == KEN_ERR_ARGUMENT && strstr(ken_last_error(), words) != NULL;
}

static ken_model *make_model(void)
{
    ken_model *model = NULL;
    ken_config *config = at_the_edge(sizeof *config);
    memset(config, 0xff, sizeof *config);
    ken_config_init(config, sizeof *config, KEN_GENERATE);
    check("config: defaults", config->size == sizeof *config && config->output == KEN_GENERATE &&
                                  config->width == 128 && config->seed == 1);
    config->input_size = config->output_size = 10;
    config->width = 16;
    config->hidden = 16;
    config->heads = 2;
    config->dropout = 0;
    check("config: a model", ken_model_new(&model, config) == KEN_OK && model);
    ken_model *none = NULL;
    config->size = 0;
    check("config: no size", says(ken_model_new(&none, config), "ken_config_default()") && !none);
    config->size = sizeof *config - 1;
    check("config: smaller than ever", says(ken_model_new(&none, config), "ken_config_default()"));
    config->size = SIZE_MAX;
    check("config: larger than known", says(ken_model_new(&none, config), "newer ken"));
    return model;
}

static void train(ken_model *model)
{
    ken_training *training = at_the_edge(sizeof *training);
    ken_trainer *trainer = NULL;
    const ken_report *report = NULL;
    memset(training, 0xff, sizeof *training);
    ken_training_init(training, sizeof *training);
    check("training: defaults",
          training->size == sizeof *training && training->warm_up == 100 && training->clip == 1);
    training->warm_up = 0;
    training->rate = 0.01;
    check("training: a trainer", ken_trainer_new(&trainer, model, training) == KEN_OK && trainer);
    double first = 0;
    for (int step = 0; step < 60; step++) {
        if (ken_trainer_step(trainer, &batch, &batch, &report)) break;
        if (step == 0) first = report->loss;
    }
    check("training: the report", report && report->step == 60 && report->loss < 0.5 * first &&
                                      report->accuracy > 0.5 && report->peak_bytes > 0);
    training->size = 8;
    ken_trainer *none = NULL;
    check("training: smaller than ever",
          says(ken_trainer_new(&none, model, training), "ken_training_default()") && !none);
    ken_trainer_free(trainer);
}

static void generate(ken_model *model)
{
    enum { LONGEST = 12 };
    int32_t written[2 * LONGEST];
    size_t lengths[2];
    float scores[2];
    ken_generation *how = at_the_edge(sizeof *how);
    memset(how, 0xff, sizeof *how);
    ken_generation_init(how, sizeof *how);
    check("generation: defaults",
          how->size == sizeof *how && how->longest == 256 && how->top_p == 1 && how->first == 0);
    how->longest = LONGEST;
    how->beam = 2;
    check("generation: writes",
          ken_model_generate(model, written, lengths, scores, &batch, how) == KEN_OK &&
              lengths[0] <= LONGEST && isfinite(scores[0]));
    how->size = 0;
    check("generation: no size",
          says(ken_model_generate(model, written, lengths, scores, &batch, how),
               "ken_generation_default()"));
}

static void serve(const ken_model *model)
{
    ken_session_options *options = at_the_edge(sizeof *options);
    ken_session *session = NULL;
    memset(options, 0xff, sizeof *options);
    ken_session_options_init(options, sizeof *options);
    check("session: defaults", options->size == sizeof *options && options->threads == 0);
    check("session: a session", ken_session_new(&session, model, options) == KEN_OK && session);
    ken_session_free(session);
    options->size = 0;
    check("session: no size",
          says(ken_session_new(&session, model, options), "ken_session_options_default()"));
}

int main(void)
{
    ken_model *model = make_model();
    if (!model) return 1;
    train(model);
    generate(model);
    serve(model);
    int32_t nothing = 0;
    batch.reserved[3] = &nothing;
    ken_generation how = ken_generation_default();
    check("sequences: reserved is in use",
          says(ken_model_generate(model, NULL, NULL, NULL, &batch, &how),
               "ken_sequences.reserved"));
    ken_model_free(model);
    return failed;
}
