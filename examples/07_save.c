/* 07_save.c - a model as a file: train, save, load, and get the same answers to the last bit. The
 * task: is a word of the letters a to e a palindrome, the same backwards?
 *
 * Expect it to be right about nearly all words after a second or two. The file is a safetensors
 * file, so other programs can read it too; a save is all or nothing, and a file with one wrong bit
 * is refused. `07_save FILE` keeps the file. Next: 08_recipe.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 600, WORDS = 64, LONGEST = 7, LETTERS = 5 };

static void must(ken_status status)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", ken_status_name(status), ken_last_error());
    exit(1);
}

struct words {
    int32_t letters[WORDS * LONGEST];
    int32_t answers[WORDS]; /* 1 = the same backwards */
    size_t start[WORDS + 1], each[WORDS + 1];
};

/* Every other word is made a palindrome. */
static void make_words(struct words *words)
{
    size_t at = 0;
    words->start[0] = words->each[0] = 0;
    for (size_t b = 0; b < WORDS; b++) {
        size_t length = 3 + (size_t)rand() % (LONGEST - 2);
        int32_t *word = words->letters + at;
        words->answers[b] = 1;
        for (size_t i = 0; i < length; i++)
            word[i] = b % 2 && i >= (length + 1) / 2 ? word[length - 1 - i] : rand() % LETTERS;
        for (size_t i = 0; i < length; i++)
            if (word[i] != word[length - 1 - i]) words->answers[b] = 0;
        words->start[b + 1] = at += length;
        words->each[b + 1] = b + 1;
    }
}

static void train(ken_model *model)
{
    static struct words words;
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    const ken_report *report = NULL;
    training.steps = STEPS;
    training.rate = 3e-3;
    must(ken_trainer_new(&trainer, model, &training));
    for (int step = 1; step <= STEPS; step++) {
        make_words(&words);
        ken_sequences input = { words.letters, words.start, WORDS };
        ken_sequences target = { words.answers, words.each, WORDS };
        must(ken_trainer_step(trainer, &input, &target, &report));
    }
    printf("after %d steps: %.0f %% right\n", STEPS, 100 * report->accuracy);
    ken_trainer_free(trainer);
}

int main(int count, char **arguments)
{
    static struct words words;
    static float before[WORDS * 2], after[WORDS * 2];
    const char *path = count > 1 ? arguments[1] : "07_save.ken";
    ken_config config = ken_config_default(KEN_WHOLE);
    config.input_size = LETTERS;
    config.output_size = 2;
    config.width = 32;
    config.hidden = 64;
    config.dropout = config.attention_dropout = 0;

    ken_model *model, *loaded;
    must(ken_model_new(&model, &config));
    train(model);
    must(ken_model_save(model, path));
    must(ken_model_load(&loaded, path));

    make_words(&words);
    ken_sequences input = { words.letters, words.start, WORDS };
    must(ken_model_predict(model, before, &input));
    must(ken_model_predict(loaded, after, &input));
    int same = memcmp(before, after, sizeof before) == 0;
    printf("%zu weights in %s; loaded, it gives %s answers\n", ken_model_size(loaded), path,
           same ? "the same" : "OTHER");
    if (count == 1) remove(path);
    ken_model_free(model);
    ken_model_free(loaded);
    return !same;
}
