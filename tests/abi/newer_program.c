/* newer_program.c - a program of a later version, whose structs have more fields than the library
 * knows: it is refused in words, instead of running without what it asked for. */
#include "ken.h"
#include "tests/abi/edge.h"

#include <string.h>

static int refused(ken_status status)
{
    return status == KEN_ERR_ARGUMENT && strstr(ken_last_error(), "newer ken") != NULL;
}

int main(void)
{
    int32_t ids[4];
    size_t lengths[1], start[] = { 0, 0 };
    ken_sequences none = { .ids = ids, .start = start, .count = 1 };
    ken_model *model = NULL;
    ken_trainer *trainer = NULL;
    ken_config config = ken_config_default(KEN_GENERATE);
    check("fields that the library does not know are 0",
          config.size == sizeof config && config.abi_later[0] == 0 && config.abi_later[2] == 0);
    config.input_size = config.output_size = 4;
    config.width = config.hidden = 8;
    check("a newer ken_config", refused(ken_model_new(&model, &config)) && !model);
    config.size = offsetof(ken_config, abi_later);
    check("the part of it that is known", ken_model_new(&model, &config) == KEN_OK);
    ken_training training = ken_training_default();
    check("a newer ken_training", refused(ken_trainer_new(&trainer, model, &training)) && !trainer);
    ken_generation how = ken_generation_default();
    check("a newer ken_generation",
          refused(ken_model_generate(model, ids, lengths, NULL, &none, &how)));
    ken_model_free(model);
    return failed;
}
