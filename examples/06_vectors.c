/* 06_vectors.c - numbers in, numbers out: a thermometer that often fails.
 *
 * Every hour has a row of two numbers: the reading (0 if there is none), and whether there is one.
 * The answer is the true temperature of every hour, including those without a reading. Rows of
 * numbers are passed as `numbers`, where earlier examples passed ids: input_size says how many
 * numbers a row has, and output_size how many are to be predicted. Attention finds the readings
 * nearby and those of the same hour of other days. Expect an error of about a degree after a few
 * seconds. Next: 07_save.c */
#include "ken.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 400, PLACES = 16, HOURS = 72 };

static void must(ken_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", ken_last_error());
    exit(1);
}

static float random_between(float low, float high)
{
    return low + (high - low) * (float)rand() / (float)RAND_MAX;
}

struct places {
    float readings[PLACES * HOURS * 2]; /* the reading, and 1 if there is one */
    float truth[PLACES * HOURS];
    size_t start[PLACES + 1];
};

/* Three days of warm noons and cold nights, with different weather at each place. Numbers around 0
 * and 1 are easiest to learn from, so a degree is 0.1. */
static void observe(struct places *places)
{
    places->start[0] = 0;
    for (size_t b = 0; b < PLACES; b++) {
        float mean = random_between(-1, 1), swing = random_between(0.3f, 1),
              trend = random_between(-0.01f, 0.01f);
        for (size_t t = 0; t < HOURS; t++) {
            size_t at = b * HOURS + t;
            float noon = sinf((float)(t % 24) * 6.2831853f / 24);
            places->truth[at] = mean + swing * noon + trend * (float)t;
            int there = rand() % 3 == 0;
            places->readings[2 * at] = there ? places->truth[at] + random_between(-0.1f, 0.1f) : 0;
            places->readings[2 * at + 1] = (float)there;
        }
        places->start[b + 1] = (b + 1) * HOURS;
    }
}

/* Root of the mean squared error, in degrees. */
static double error_of(const float *guess, const float *truth)
{
    double sum = 0;
    for (size_t i = 0; i < PLACES * HOURS; i++)
        sum += ((double)guess[i] - (double)truth[i]) * ((double)guess[i] - (double)truth[i]);
    return 10 * sqrt(sum / (PLACES * HOURS));
}

int main(void)
{
    static struct places places;
    static float guess[PLACES * HOURS], flat[PLACES * HOURS];
    ken_config config = ken_config_default(KEN_EACH);
    config.input_kind = KEN_INPUT_VECTORS;
    config.input_size = 2;
    config.value = KEN_VALUE_NUMBER;
    config.output_size = 1;
    config.width = 32;
    config.hidden = 64;
    config.dropout = config.attention_dropout = 0;
    ken_training training = ken_training_default();
    training.steps = STEPS;
    training.rate = 3e-3;

    ken_model *model;
    ken_trainer *trainer;
    must(ken_model_new(&model, &config));
    must(ken_trainer_new(&trainer, model, &training));
    ken_sequences input = { NULL, places.start, PLACES, .numbers = places.readings };
    ken_sequences target = { NULL, places.start, PLACES, .numbers = places.truth };
    for (int step = 1; step <= STEPS; step++) {
        const ken_report *report;
        observe(&places);
        must(ken_trainer_step(trainer, &input, &target, &report));
        if (step % 100 == 0) printf("step %d: mean squared error %.4f\n", step, report->loss);
    }
    ken_trainer_free(trainer);

    observe(&places); /* weather that the model has not seen */
    must(ken_model_predict(model, guess, &input));
    printf("error %.1f degrees; of always guessing 0: %.1f\n", error_of(guess, places.truth),
           error_of(flat, places.truth));
    printf("hour  reading  guess  truth\n");
    for (size_t t = 0; t < 12; t++) {
        if (places.readings[2 * t + 1] > 0)
            printf("%4zu %8.1f", t, 10 * (double)places.readings[2 * t]);
        else printf("%4zu        -", t);
        printf("%7.1f%7.1f\n", 10 * (double)guess[t], 10 * (double)places.truth[t]);
    }
    ken_model_free(model);
    return 0;
}
