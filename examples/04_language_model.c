/* 04_language_model.c - a generator without an encoder (a language model): it reads a text letter
 * by letter, learns which letter comes next, and can then continue any beginning.
 *
 * While training, `input` is NULL, because there is nothing to read but the text itself; while
 * generating, it is the beginning of the text. Letters are their own ids; the ids 0 and 1, which
 * begin and end a sequence, occur in no text. Expect the verse to be continued by heart after a few
 * seconds: a model this small can learn nothing else from so little text. Next: 05_look.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 300, PIECES = 8, PIECE = 72, LETTERS = 128, MORE = 50 };

/* The verse is sung as a round: the first line follows the last. */
static const char text[] = "one for the baker who rises at four, "
                           "two for the carter who knocks at the door, "
                           "three for the teacher who chalks up the time, "
                           "four for the poet who looks for a rhyme, ";
enum { PERIOD = sizeof text - 1 };

static void must(ken_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", ken_last_error());
    exit(1);
}

static void train(ken_model *model)
{
    ken_training training = ken_training_default();
    training.steps = STEPS;
    training.warm_up = 30;
    training.rate = 3e-3;
    ken_trainer *trainer;
    must(ken_trainer_new(&trainer, model, &training));
    for (int step = 1; step <= STEPS; step++) {
        int32_t ids[PIECES * PIECE];
        size_t start[PIECES + 1] = { 0 };
        const ken_report *report;
        for (size_t b = 0; b < PIECES; b++) {
            size_t at = (size_t)rand() % PERIOD;
            for (size_t i = 0; i < PIECE; i++) ids[b * PIECE + i] = text[(at + i) % PERIOD];
            start[b + 1] = (b + 1) * PIECE;
        }
        ken_sequences target = { ids, start, PIECES };
        must(ken_trainer_step(trainer, NULL, &target, &report));
        if (step % 100 == 0)
            printf("step %d: loss %.3f, %.0f %% of the letters foreseen\n", step, report->loss,
                   100 * report->accuracy);
    }
    ken_trainer_free(trainer);
}

static void go_on(ken_model *model, const char *beginning)
{
    int32_t ids[PIECE], more[MORE];
    size_t start[] = { 0, strlen(beginning) }, length;
    for (size_t i = 0; i < start[1]; i++) ids[i] = beginning[i];
    ken_sequences input = { ids, start, 1 };
    ken_generation how = ken_generation_default(); /* always the most likely letter */
    how.longest = MORE;
    must(ken_model_generate(model, more, &length, NULL, &input, &how));
    printf("%s|", beginning);
    for (size_t i = 0; i < length; i++) putchar(more[i]);
    printf("\n");
}

int main(void)
{
    ken_config config = ken_config_default(KEN_GENERATE);
    config.encoder_blocks = 0; /* this makes it a language model */
    config.output_size = LETTERS;
    config.width = 64;
    config.hidden = 128;
    config.position = KEN_POSITION_ROTARY;
    config.dropout = config.attention_dropout = 0;
    ken_model *model;
    must(ken_model_new(&model, &config));
    train(model);
    go_on(model, "two for the ");
    go_on(model, "chalks up ");
    go_on(model, "four for the poet ");
    ken_model_free(model);
    return 0;
}
