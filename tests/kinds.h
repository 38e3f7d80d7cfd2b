/* kinds.h - small models of every kind of input, value and pooling, and examples for them. */
#ifndef TESTS_KINDS_H
#define TESTS_KINDS_H

#include "tests/models.h"

enum { LETTERS = 9, MOST_NUMBERS = 1 << 14 };

enum { KINDS = 17 };
extern const struct kind {
    const char *name;
    ken_output output;
    ken_input input;
    ken_value value;
    ken_pooling pooling;
    bool letters, word_dropout, shared, tied, hidden_dropout;
} kinds[KINDS];

/* Two blocks, dropout on, as small_config(). */
ken_config kind_config(const struct kind *kind);

/* Random input and target, as the kind wants them; owns its arrays. */
struct sample {
    struct batch input, target, letters;
    float numbers[MOST_NUMBERS]; /* of the input   */
    float answers[MOST_NUMBERS]; /* of the target  */
    ken_sequences in, to, spelled;
};
void random_sample(struct sample *sample, const struct kind *kind, const size_t *lengths,
                   size_t count, uint64_t key);
ken_status sample_step(ken_trainer *trainer, const struct sample *sample, ken_report *report);

/* What the model makes of the input: probabilities, numbers, or of a generator the logits when it
 * is given the target. `results` has room for MOST_NUMBERS; returns how many they are. */
size_t sample_result(float *results, ken_model *model, const struct kind *kind,
                     const struct sample *sample);

#endif
