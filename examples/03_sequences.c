/* 03_sequences.c - sequence to sequence: an encoder reads digits, a decoder writes them sorted.
 * Nobody explains sorting to it; it only sees pairs.
 *
 * A generator (KEN_GENERATE) writes id by id and decides itself where to stop, so it needs two ids
 * of its own: one that begins every answer and one that ends it. Here they are 0 and 1, and digit d
 * is id d + 2. Expect at least nine of ten new lists to be sorted without a mistake after a few
 * seconds. Next: 04_language_model.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 500, LISTS = 48, LONGEST = 7, FIRST = 2, IDS = FIRST + 10 };

/* Lists of digits and the same lists sorted. Both have the same lengths, so they share one
 * `start`. */
struct pairs {
    int32_t mixed[LISTS * LONGEST], sorted[LISTS * LONGEST];
    size_t start[LISTS + 1];
};

static int by_size(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void make_pairs(struct pairs *pairs)
{
    pairs->start[0] = 0;
    for (size_t b = 0; b < LISTS; b++) {
        size_t at = pairs->start[b], length = 1 + (size_t)rand() % LONGEST;
        for (size_t i = at; i < at + length; i++) pairs->mixed[i] = FIRST + rand() % 10;
        memcpy(pairs->sorted + at, pairs->mixed + at, length * sizeof(int32_t));
        qsort(pairs->sorted + at, length, sizeof(int32_t), by_size);
        pairs->start[b + 1] = at + length;
    }
}

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
    training.warm_up = 50;
    training.rate = 3e-3;
    ken_trainer *trainer;
    must(ken_trainer_new(&trainer, model, &training));
    for (int step = 1; step <= STEPS; step++) {
        struct pairs pairs;
        const ken_report *report;
        make_pairs(&pairs);
        ken_sequences input = { pairs.mixed, pairs.start, LISTS };
        ken_sequences target = { pairs.sorted, pairs.start, LISTS };
        must(ken_trainer_step(trainer, &input, &target, &report));
        if (step % 100 == 0) printf("step %d: loss %.3f\n", step, report->loss);
    }
    ken_trainer_free(trainer);
}

static void print_digits(const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < LONGEST; i++) putchar(i < count ? '0' + ids[i] - FIRST : ' ');
}

int main(void)
{
    ken_config config = ken_config_default(KEN_GENERATE);
    config.input_size = config.output_size = IDS;
    config.width = 48;
    config.hidden = 96;
    config.dropout = config.attention_dropout = 0;
    ken_model *model;
    must(ken_model_new(&model, &config));
    train(model);

    struct pairs fresh;
    int32_t answers[LISTS * LONGEST];
    size_t lengths[LISTS], right = 0;
    make_pairs(&fresh);
    ken_sequences input = { fresh.mixed, fresh.start, LISTS };
    ken_generation how = ken_generation_default();
    how.longest = LONGEST;
    must(ken_model_generate(model, answers, lengths, NULL, &input, &how));
    for (size_t b = 0; b < LISTS; b++) {
        size_t at = fresh.start[b], length = fresh.start[b + 1] - at;
        const int32_t *answer = answers + b * LONGEST; /* each has room for LONGEST ids */
        right += lengths[b] == length &&
                 memcmp(answer, fresh.sorted + at, length * sizeof *answer) == 0;
        if (b >= 5) continue;
        print_digits(fresh.mixed + at, length);
        printf(" -> ");
        print_digits(answer, lengths[b]);
        printf("\n");
    }
    printf("%zu of %d fresh lists are sorted without a mistake\n", right, LISTS);
    ken_model_free(model);
    return 0;
}
