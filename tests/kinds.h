/* kinds.h - small models of every kind of input, value and pooling, and examples for them. */
#ifndef TESTS_KINDS_H
#define TESTS_KINDS_H

#include "tests/models.h"

enum { LETTERS = 9, MOST_NUMBERS = 1 << 14 };

enum { KINDS = 33, MOST_LINKS = 2048, LINK_NUMBERS = 3 };
extern const struct kind {
    const char *name;
    ken_output output;
    ken_input input;
    ken_value value;
    ken_pooling pooling;
    bool letters, word_dropout, shared, tied, hidden_dropout;
    bool links, link_numbers; /* a graph */
    ken_mixing mixing;
    ken_score score;
    bool distance;         /* as position, of all nodes; else they see along links */
    size_t stack;          /* rows of numbers that become one; 0: each by itself   */
    size_t axes;           /* coordinates of the places that are given; 0: none are */
    ken_position position; /* with them; else it is as usual               */
} kinds[KINDS];

const struct kind *kind_named(const char *name); /* fails the test if there is none */

/* Two blocks, dropout on, as small_config(). */
ken_config kind_config(const struct kind *kind);

/* Random input and target for a kind; the struct owns its arrays. */
struct sample {
    struct batch input, target, letters;
    float numbers[MOST_NUMBERS]; /* of the input   */
    float answers[MOST_NUMBERS]; /* of the target  */
    int32_t pairs[2 * MOST_LINKS];
    float link_numbers[LINK_NUMBERS * MOST_LINKS];
    size_t link_start[MOST_SEQUENCES + 1];
    ken_links links;
    ken_sequences in, to, spelled;
    int32_t places[2 * MOST_IDS];
};

/* The links of sequences from .. to - 1; `start` has room for their number plus one. */
ken_links links_of(const struct sample *sample, size_t *start, size_t from, size_t to);
void random_sample(struct sample *sample, const struct kind *kind, const size_t *lengths,
                   size_t count, uint64_t key);
ken_status sample_step(ken_trainer *trainer, const struct sample *sample, ken_report *report);

/* The model's result for the input: probabilities, numbers or, for a generator, the logits given
 * the target. `results` has room for MOST_NUMBERS; returns the number of results. */
size_t sample_result(float *results, ken_model *model, const struct kind *kind,
                     const struct sample *sample);

#endif
