/* 02_tagger.c - a model that must look around: in "we can can the can" the same word is an
 * auxiliary, a verb and a noun, and only its neighbours show which.
 *
 * A small grammar makes the sentences. The model reads words, learns one tag for each (KEN_EACH),
 * and is then asked about new sentences. Expect every tag to be right after a second. Next:
 * 03_sequences.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>

enum { WE, THEY, THE, A, CAN, FISH, RUN, WALK, WORDS };
enum { PRONOUN, ARTICLE, AUXILIARY, NOUN, VERB, TAGS };
enum { STEPS = 400, SENTENCES = 32, LONGEST = 6 };

static const char *const words[] = { "we", "they", "the", "a", "can", "fish", "run", "walk" };
static const char *const tags[] = { "pronoun", "article", "auxiliary", "noun", "verb" };

/* Sentences one after another, and where each begins: ken_sequences. */
struct text {
    int32_t words[SENTENCES * LONGEST], tags[SENTENCES * LONGEST];
    size_t start[SENTENCES + 1];
    size_t length, count;
};

static void say(struct text *text, int word, int tag)
{
    text->words[text->length] = word;
    text->tags[text->length++] = tag;
}

static void say_thing(struct text *text) /* "the can" */
{
    say(text, THE + rand() % 2, ARTICLE);
    say(text, CAN + rand() % 4, NOUN);
}

/* (pronoun | thing) [can] verb [thing] */
static void say_sentence(struct text *text)
{
    if (rand() % 2) say(text, WE + rand() % 2, PRONOUN);
    else say_thing(text);
    if (rand() % 2) say(text, CAN, AUXILIARY);
    say(text, CAN + rand() % 4, VERB);
    if (rand() % 2) say_thing(text);
    text->start[++text->count] = text->length;
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
    ken_trainer *trainer;
    const ken_report *report;
    training.steps = STEPS;
    training.warm_up = 40;
    training.rate = 3e-3;
    must(ken_trainer_new(&trainer, model, &training));
    for (int step = 1; step <= STEPS; step++) {
        struct text text = { 0 };
        while (text.count < SENTENCES) say_sentence(&text);
        ken_sequences input = { text.words, text.start, text.count };
        ken_sequences target = { text.tags, text.start, text.count };
        must(ken_trainer_step(trainer, &input, &target, &report));
        if (step % 100 == 0)
            printf("step %3d: loss %.3f, %5.1f %% of the tags right\n", step, report->loss,
                   100 * report->accuracy);
    }
    ken_trainer_free(trainer);
}

static void tag(ken_model *model, const int32_t *sentence, size_t length)
{
    float probabilities[LONGEST * TAGS];
    size_t start[] = { 0, length };
    ken_sequences input = { sentence, start, 1 };
    must(ken_model_predict(model, probabilities, &input));
    for (size_t i = 0; i < length; i++) {
        int best = 0;
        for (int t = 1; t < TAGS; t++)
            if (probabilities[i * TAGS + t] > probabilities[i * TAGS + best]) best = t;
        printf("%s%s/%s", i > 0 ? " " : "", words[sentence[i]], tags[best]);
    }
    printf("\n");
}

int main(void)
{
    ken_config config = ken_config_default(KEN_EACH);
    config.input_size = WORDS;
    config.output_size = TAGS;
    config.width = 32;
    config.hidden = 64;
    ken_model *model;
    must(ken_model_new(&model, &config));
    train(model);
    tag(model, (int32_t[]){ WE, CAN, CAN, THE, CAN }, 5);
    tag(model, (int32_t[]){ THE, CAN, CAN, FISH }, 4);
    tag(model, (int32_t[]){ THEY, FISH, A, FISH }, 4);
    tag(model, (int32_t[]){ THE, RUN, CAN, THE, WALK }, 5);
    ken_model_free(model);
    return 0;
}
