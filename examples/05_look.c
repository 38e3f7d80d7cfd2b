/* 05_look.c - looking into a model: which letters of its input does it look at while it writes?
 *
 * A model with one head in one block learns to write words of eight letters backwards, and
 * ken_model_look() returns its cross-attention weights exactly as they were used. Row t has the
 * weights for choosing letter t; column j belongs to the j-th letter of the input. Expect large
 * weights on the diagonal from the top right to the bottom left: the picture of "backwards". The
 * last row belongs to the end of the word. Next: 06_vectors.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 400, WORDS = 32, LETTERS = 8, FIRST = 2, IDS = FIRST + 26 };

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
    training.warm_up = 40;
    training.rate = 4e-3;
    ken_trainer *trainer;
    must(ken_trainer_new(&trainer, model, &training));
    for (int step = 1; step <= STEPS; step++) {
        int32_t there[WORDS * LETTERS], back[WORDS * LETTERS];
        size_t start[WORDS + 1] = { 0 };
        const ken_report *report;
        for (size_t b = 0; b < WORDS; b++) {
            size_t at = b * LETTERS, end = at + LETTERS;
            for (size_t i = 0; i < LETTERS; i++)
                there[at + i] = back[end - 1 - i] = FIRST + rand() % 26;
            start[b + 1] = end;
        }
        ken_sequences input = { there, start, WORDS }, target = { back, start, WORDS };
        must(ken_trainer_step(trainer, &input, &target, &report));
        if (step % 100 == 0) printf("step %d: loss %.3f\n", step, report->loss);
    }
    ken_trainer_free(trainer);
}

static void look(ken_model *model, const char *word)
{
    int32_t ids[LETTERS], written[LETTERS];
    float weights[(LETTERS + 1) * LETTERS];
    size_t n = strlen(word), start[] = { 0, n }, length;
    for (size_t i = 0; i < n; i++) ids[i] = FIRST + word[i] - 'a';
    ken_sequences input = { ids, start, 1 };
    ken_generation how = ken_generation_default();
    how.longest = LETTERS;
    must(ken_model_generate(model, written, &length, NULL, &input, &how));
    size_t end[] = { 0, length };
    ken_sequences output = { written, end, 1 };
    must(ken_model_look(model, weights, KEN_LOOK_CROSS, 0, 0, &input, &output));
    printf("\n   ");
    for (size_t j = 0; j < n; j++) printf("     %c", word[j]);
    for (size_t t = 0; t <= length; t++) { /* one row more than letters: the end is chosen too */
        printf("\n %c ", t < length ? 'a' + written[t] - FIRST : '.');
        for (size_t j = 0; j < n; j++) printf("  %.2f", weights[t * n + j]);
    }
    printf("\n");
}

int main(void)
{
    ken_config config = ken_config_default(KEN_GENERATE);
    config.input_size = config.output_size = IDS;
    config.encoder_blocks = config.decoder_blocks = 1;
    config.heads = 1;
    config.width = 48;
    config.hidden = 96;
    config.position = KEN_POSITION_LEARNED;
    config.longest = LETTERS + 1;
    config.dropout = config.attention_dropout = 0;
    ken_model *model;
    must(ken_model_new(&model, &config));
    train(model);
    look(model, "desserts");
    ken_model_free(model);
    return 0;
}
