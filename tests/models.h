/* models.h - small models and batches, for the tests of models as a whole. */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include "model/pass.h"

#include <stdint.h>

enum { MOST_IDS = 4096, MOST_SEQUENCES = 64 };

/* Sequences that own their arrays, so that a test has nothing to free. */
struct batch {
    int32_t ids[MOST_IDS];
    size_t start[MOST_SEQUENCES + 1];
    size_t count;
};

void add_sequence(struct batch *batch, const int32_t *ids, size_t length);

/* Sequences of these lengths, their ids random from `lowest` to `below` - 1. */
void random_batch(struct batch *batch, const size_t *lengths, size_t count, int32_t lowest,
                  int32_t below, uint64_t key);
void only_sequence(struct batch *one, const struct batch *all, size_t b);
size_t length_of(const struct batch *batch, size_t b);
ken_sequences sequences_of(const struct batch *batch);

/* The four uses of a model: a label for each id, one for the whole sequence, a sequence for a
 * sequence, and a language model. */
enum use { TAGGER, CLASSIFIER, TRANSLATOR, WRITER, USES };
extern const char *const use_names[USES];
enum { INPUT_SIZE = 13, OUTPUT_SIZE = 11, WIDTH = 24 }; /* of small_config() */

/* Two blocks with 4 heads and dropout. */
ken_config small_config(enum use use);
ken_model *new_model(const ken_config *config); /* fails the test if it cannot */

/* Models that differ in one or a few choices: every position, score, weigh, reach ... */
enum { VARIANTS = 47 };
extern const struct variant {
    const char *name;
    ken_position position;
    ken_score score;
    ken_weigh weigh;
    size_t kv_heads;
    size_t window; /* number of keys to the left, one fewer to the right; 0 = all */
    bool gated, rms_norm, post_norm, tied;
    ken_mixing mixing;
    size_t neighbours;
    bool one_way;
    ken_reach reach;
    size_t reach_block; /* 0 = the default */
} variants[VARIANTS];
const struct variant *variant_named(const char *name); /* fails the test if there is none */
bool is_possible(const struct variant *variant, enum use use);
ken_model *variant_model(const struct variant *variant, enum use use);

/* The encoder's rows (N, D); and the logits (M, output_size) of a generator given the target
 * (teacher forcing). The caller frees them with ken_memory_free(). */
float *encoder_rows(ken_model *model, const struct batch *input);
float *forced_logits(ken_model *model, const struct batch *input, const struct batch *target);

/* ken_model_loss() of a model on a tape, with a factor of 1. */
ken_tensor *loss_on(ken_tape *tape, const ken_model *model, const ken_sequences *input,
                    const ken_sequences *target, float smoothing);

/* Gives a model gradients, as a trainer would; they stay with it. Call it before a backward. */
ken_model *learning(ken_model *model);

/* The most likely sequences, as ken_model_generate() writes them. */
ken_status write_most_likely(ken_model *model, int32_t *ids, size_t *lengths,
                             const ken_sequences *input, size_t longest);

/* ken_session_score() in a session of its own. */
ken_status score_targets(const ken_model *model, double *log_probability, size_t *ids,
                         const ken_sequences *input, const ken_sequences *target, size_t skip,
                         bool ends);

/* What generation wrote; all bits are 0 where nothing was. Fails the test if it cannot. */
struct written {
    int32_t ids[MOST_IDS];
    size_t lengths[MOST_SEQUENCES];
    float log_ps[MOST_SEQUENCES];
};
void write_to(struct written *written, ken_model *model, const ken_sequences *input,
              const ken_generation *how);

/* Random input and target, of the lengths that a training step of this use needs. */
struct examples {
    struct batch input, target;
};
void random_examples(struct examples *examples, enum use use, const size_t *lengths, size_t count,
                     uint64_t key);
ken_status train_step(ken_trainer *trainer, enum use use, const struct examples *examples,
                      ken_report *report);

/* A hash of 64 bits that changes if any bit of the memory does. */
uint64_t hash_of(uint64_t hash, const void *memory, size_t bytes);
uint64_t hash_of_weights(const ken_model *model);

#endif
