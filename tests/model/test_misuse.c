/* test_misuse.c - every documented misuse of ken.h gives an error with a message, does not crash,
 * and leaves the object usable. */
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

/* Checks that a call failed with this status and that its message contains these words. */
static void refused(ken_status status, ken_status expected, const char *words)
{
    if (status != expected || !strstr(ken_last_error(), words))
        fail_msg("%s, \"%s\"; expected %s, \"%s\"", ken_status_name(status), ken_last_error(),
                 ken_status_name(expected), words);
}

/* A configuration that is valid except for one member: its offset `where` and its `value`. */
struct spoiled {
    enum use use;
    const char *words; /* of the message */
    size_t where;
    union {
        size_t size;
        int number; /* enumerations and ids */
        float real;
    } value;
    size_t bytes;
};
#define SIZE(member, n) offsetof(ken_config, member), { .size = (n) }, sizeof(size_t)
#define NUMBER(member, n) offsetof(ken_config, member), { .number = (n) }, sizeof(int)
#define REAL(member, x) offsetof(ken_config, member), { .real = (x) }, sizeof(float)

static const struct spoiled spoiled[] = {
    { TAGGER, "unknown output", NUMBER(output, 3) },
    { TAGGER, "unknown output", NUMBER(output, -1) },
    { TAGGER, "unknown position", NUMBER(position, KEN_POSITION_COUNT) },
    { TAGGER, "unknown position", NUMBER(position, -1) },
    { TAGGER, "unknown activation", NUMBER(activation, KEN_ACT_COUNT) },
    { TAGGER, "unknown activation", NUMBER(activation, -1) },
    { TAGGER, "unknown score", NUMBER(score, KEN_SCORE_COUNT) },
    { TAGGER, "unknown weigh", NUMBER(weigh, KEN_WEIGH_COUNT) },
    { TAGGER, "input_size", SIZE(input_size, 0) },
    { TAGGER, "output_size", SIZE(output_size, 0) },
    { TAGGER, "width is 0", SIZE(width, 0) },
    { TAGGER, "multiple of heads", SIZE(width, 25) },
    { TAGGER, "must be at most 256", SIZE(width, 2000) },
    { TAGGER, "heads", SIZE(heads, 0) },
    { TAGGER, "heads", SIZE(heads, 5) },
    { TAGGER, "heads", SIZE(heads, 257) },
    { TAGGER, "multiple of kv_heads", SIZE(kv_heads, 3) },
    { TAGGER, "multiple of kv_heads", SIZE(kv_heads, 8) },
    { TAGGER, "hidden", SIZE(hidden, 0) },
    { TAGGER, "encoder block", SIZE(encoder_blocks, 0) },
    { TRANSLATOR, "decoder blocks", SIZE(decoder_blocks, 0) },
    { TRANSLATOR, "gat", NUMBER(score, KEN_SCORE_GAT) },
    { TRANSLATOR, "begin and end", NUMBER(begin, -1) },
    { TRANSLATOR, "begin and end", NUMBER(begin, OUTPUT_SIZE) },
    { WRITER, "begin and end", NUMBER(end, -1) },
    { WRITER, "begin and end", NUMBER(end, OUTPUT_SIZE) },
    { TAGGER, "dropout", REAL(dropout, 1) },
    { TAGGER, "dropout", REAL(dropout, -0.1f) },
    { TAGGER, "dropout", REAL(dropout, NAN) },
    { TAGGER, "dropout", REAL(attention_dropout, 1) },
    { TAGGER, "dropout", REAL(attention_dropout, NAN) },
    { TAGGER, "hidden_dropout", REAL(hidden_dropout, 1) },
    { TAGGER, "hidden_dropout", REAL(hidden_dropout, NAN) },
    { TAGGER, "word_dropout", REAL(word_dropout, 1) },
    { TAGGER, "word_dropout", REAL(word_dropout, NAN) },
    { WRITER, "word_dropout", REAL(word_dropout, 0.1f) },
    { TAGGER, "unknown input_kind", NUMBER(input_kind, 4) },
    { TAGGER, "unknown input_kind", NUMBER(input_kind, -1) },
    { WRITER, "input_kind is for encoders", NUMBER(input_kind, KEN_INPUT_ONE_HOT) },
    { TAGGER, "unknown value", NUMBER(value, 3) },
    { TAGGER, "unknown value", NUMBER(value, -1) },
    { TRANSLATOR, "value", NUMBER(value, KEN_VALUE_SET) },
    { CLASSIFIER, "unknown pooling", NUMBER(pooling, KEN_POOL_COUNT) },
    { CLASSIFIER, "unknown pooling", NUMBER(pooling, -1) },
    { TAGGER, "pooling", NUMBER(pooling, KEN_POOL_MAX) },
    { WRITER, "pooling", NUMBER(pooling, KEN_POOL_FIRST) },
    { WRITER, "letters", SIZE(letters, 5) },
    { TAGGER, "shared embedding is for generators", NUMBER(shared, 1) },
    { WRITER, "shared embedding needs an encoder", NUMBER(shared, 1) },
    { TRANSLATOR, "input_size and output_size to be equal", NUMBER(shared, 1) },
};

static void bad_configurations(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(spoiled); i++) {
        ken_config config = small_config(spoiled[i].use);
        ken_model *model = (ken_model *)&config; /* must become NULL */
        memcpy((char *)&config + spoiled[i].where, &spoiled[i].value, spoiled[i].bytes);
        refused(ken_model_new(&model, &config), KEN_ERR_ARGUMENT, spoiled[i].words);
        assert_null(model);
    }
    ken_model_free(NULL);
}

/* The same for reaches and Shaw's vectors. */
static void bad_reaches(void **state)
{
    (void)state;
    ken_model *model;
    ken_config shaw = small_config(TAGGER), blocks = shaw, random = shaw;
    shaw.position = KEN_POSITION_SHAW;
    shaw.score = KEN_SCORE_ADDITIVE;
    refused(ken_model_new(&model, &shaw), KEN_ERR_ARGUMENT, "shaw positions need the dot score");
    blocks.reach = KEN_REACH_BLOCKS;
    blocks.reach_block = 0;
    refused(ken_model_new(&model, &blocks), KEN_ERR_ARGUMENT, "reach_block must be 1 or more");
    blocks.reach_block = 5;
    blocks.window_left = 7;
    refused(ken_model_new(&model, &blocks), KEN_ERR_ARGUMENT, "for reach window and global");
    random.reach = KEN_REACH_RANDOM;
    random.reach_random = 33;
    refused(ken_model_new(&model, &random), KEN_ERR_ARGUMENT, "reach_random must be 0 to 32");
}

/* Choices that are valid alone but not together, and sizes that no machine has memory for. */
static void bad_combinations(void **state)
{
    (void)state;
    ken_model *model;
    ken_config rotary = small_config(TAGGER), odd = rotary, learned = rotary, gat = rotary;
    rotary.position = odd.position = KEN_POSITION_ROTARY;
    rotary.score = KEN_SCORE_ADDITIVE;
    refused(ken_model_new(&model, &rotary), KEN_ERR_ARGUMENT,
            "rotary positions need the dot score");
    odd.heads = 8; /* of width 3 */
    refused(ken_model_new(&model, &odd), KEN_ERR_ARGUMENT, "even head width");
    learned.position = KEN_POSITION_LEARNED;
    learned.longest = 0;
    refused(ken_model_new(&model, &learned), KEN_ERR_ARGUMENT, "longest is 0");
    gat.score = KEN_SCORE_GAT;
    gat.kv_heads = 2;
    refused(ken_model_new(&model, &gat), KEN_ERR_ARGUMENT, "gat");
    ken_config vectors = small_config(TAGGER), words = vectors, shared = small_config(TRANSLATOR);
    vectors.input_kind = KEN_INPUT_VECTORS;
    vectors.letters = 5;
    refused(ken_model_new(&model, &vectors), KEN_ERR_ARGUMENT, "letters are for words");
    vectors.letters = 0;
    vectors.word_dropout = 0.1f;
    refused(ken_model_new(&model, &vectors), KEN_ERR_ARGUMENT, "word_dropout is for words");
    words.letters = 5;
    words.letters_width = 0;
    refused(ken_model_new(&model, &words), KEN_ERR_ARGUMENT, "letters_width is 0");
    words.letters = 0;
    words.word_dropout = 0.1f;
    words.unknown = INPUT_SIZE;
    refused(ken_model_new(&model, &words), KEN_ERR_ARGUMENT, "unknown id below input_size");
    words.unknown = -1;
    refused(ken_model_new(&model, &words), KEN_ERR_ARGUMENT, "unknown id below input_size");
    shared.shared = 1;
    shared.input_size = OUTPUT_SIZE;
    shared.input_kind = KEN_INPUT_ONE_HOT;
    refused(ken_model_new(&model, &shared), KEN_ERR_ARGUMENT, "KEN_INPUT_IDS");

    /* 2 longest + 1 wraps around to 1 for the second of these */
    static const size_t enormous[] = { SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4 };
    for (size_t i = 0; i < KEN_COUNT(enormous); i++) {
        ken_config relative = small_config(TAGGER), wide = relative, many = relative;
        relative.position = KEN_POSITION_RELATIVE;
        relative.longest = enormous[i];
        refused(ken_model_new(&model, &relative), KEN_ERR_ARGUMENT, "relative");
        learned.longest = wide.hidden = many.encoder_blocks = enormous[i];
        refused(ken_model_new(&model, &learned), KEN_ERR_MEMORY, "no memory for");
        refused(ken_model_new(&model, &wide), KEN_ERR_MEMORY, "no memory for");
        wide.gated = 1;
        refused(ken_model_new(&model, &wide), KEN_ERR_MEMORY, "no memory for");
        refused(ken_model_new(&model, &many), KEN_ERR_MEMORY, "no memory for");
        many = small_config(WRITER);
        many.output_size = enormous[i];
        refused(ken_model_new(&model, &many), KEN_ERR_MEMORY, "no memory for");
    }
}

static void bad_training(void **state)
{
    (void)state;
    ken_config config = small_config(TAGGER);
    ken_model *model = new_model(&config);
    const struct {
        const char *words;
        ken_training training;
    } bad[] = {
        { "unknown schedule", { .schedule = 4 } },
        { "unknown schedule", { .schedule = -1 } },
        { "learning rate", { .rate = -1 } },
        { "learning rate", { .rate = NAN } },
        { "learning rate", { .rate = 1e19 } },
        { "floor", { .floor = 1.5 } },
        { "warm_up is 5", { .schedule = KEN_SCHEDULE_COSINE, .warm_up = 5, .steps = 4 } },
        { "decay", { .schedule = KEN_SCHEDULE_STABLE_DECAY, .steps = 4, .decay = 5 } },
        { "smoothing", { .smoothing = 1 } },
        { "smoothing", { .smoothing = NAN } },
        { "beta", { .beta1 = 1 } },
        { "beta", { .beta2 = -0.5 } },
        { "eps", { .eps = 0 } },
        { "decay", { .eps = 1e-8, .weight_decay = -1 } },
        { "decay", { .eps = 1e-8, .weight_decay = INFINITY } },
        { "clip", { .eps = 1e-8, .clip = NAN } },
        { "average", { .average = 1 } },
        { "average", { .average = -0.1 } },
        { "average", { .average = NAN } },
    };
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        ken_trainer *trainer = (ken_trainer *)model;
        ken_training training = bad[i].training;
        training.size = sizeof training;
        refused(ken_trainer_new(&trainer, model, &training), KEN_ERR_ARGUMENT, bad[i].words);
        assert_null(trainer);
    }
    ken_trainer_free(NULL);
    ken_model_free(model);
    config.value = KEN_VALUE_NUMBER;
    model = new_model(&config);
    ken_training smooth = ken_training_default();
    ken_trainer *trainer;
    smooth.smoothing = 0.1f;
    refused(ken_trainer_new(&trainer, model, &smooth), KEN_ERR_ARGUMENT,
            "smoothing is for classes");
    ken_model_free(model);
}

/* Sequences that are valid except for one thing; two sequences of lengths 3 and 2 are valid. */
static void bad_sequences(void **state)
{
    (void)state;
    static const int32_t ids[] = { 1, 2, 3, 4, 5 };
    static const int32_t large[] = { 1, 2, 3, INPUT_SIZE, 5 }, negative[] = { 1, -1, 3, 4, 5 };
    const struct {
        const char *words;
        ken_sequences sequences;
    } bad[] = {
        { "input sequences are missing", { ids, NULL, 2 } },
        { "5 rows but no ids", { NULL, (size_t[]){ 0, 3, 5 }, 2 } },
        { "start[0] is 1", { ids, (size_t[]){ 1, 3, 5 }, 2 } },
        { "sequence 1 ends before it starts", { ids, (size_t[]){ 0, 3, 2 }, 2 } },
        { "sequence 1 has id 13 at place 0", { large, (size_t[]){ 0, 3, 5 }, 2 } },
        { "sequence 0 has id -1 at place 1", { negative, (size_t[]){ 0, 3, 5 }, 2 } },
        { "sequences, expected at most", { ids, (size_t[]){ 0, 3, 5 }, SIZE_MAX } },
        { "start[2] is 18446744073709551615", { ids, (size_t[]){ 0, 3, SIZE_MAX }, 2 } },
    };
    float numbers[5 * OUTPUT_SIZE];
    int32_t written[8];
    size_t lengths[2];
    ken_config each = small_config(TAGGER), generate = small_config(TRANSLATOR);
    ken_model *tagger = new_model(&each), *translator = new_model(&generate);
    for (size_t i = 0; i < KEN_COUNT(bad); i++) {
        const ken_sequences *s = &bad[i].sequences;
        refused(ken_model_predict(tagger, numbers, s), KEN_ERR_ARGUMENT, bad[i].words);
        refused(write_most_likely(translator, written, lengths, s, 4), KEN_ERR_ARGUMENT,
                bad[i].words);
        refused(ken_model_look(tagger, numbers, KEN_LOOK_ENCODER, 0, 0, s, NULL), KEN_ERR_ARGUMENT,
                bad[i].words);
    }
    refused(ken_model_predict(tagger, numbers, NULL), KEN_ERR_ARGUMENT,
            "input sequences are missing");
    ken_sequences good = { ids, (size_t[]){ 0, 3, 5 }, 2 };
    assert_int_equal(ken_model_predict(tagger, numbers, &good), KEN_OK);
    ken_model_free(tagger);
    ken_model_free(translator);
}

/* Rows of numbers, and words with letters, that are valid except for one thing. */
static void bad_numbers(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 2 };
    static const size_t start[] = { 0, 1, ROWS };
    float good[ROWS * COLUMNS] = { 1, 2, 3, 4, 5, 6 }, spoilt[ROWS * COLUMNS] = { 0, 0, 0, NAN };
    float endless[ROWS * COLUMNS] = { 0, -INFINITY }, results[ROWS * COLUMNS];
    ken_config config = small_config(TAGGER);
    config.input_kind = KEN_INPUT_VECTORS;
    config.input_size = config.output_size = COLUMNS;
    config.value = KEN_VALUE_NUMBER;
    ken_model *numbers = new_model(&config);
    config.value = KEN_VALUE_SET;
    ken_model *sets = new_model(&config);
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    ken_sequences in = { NULL, start, 2, .numbers = good }, to = in, none = { NULL, start, 2 };
    refused(ken_model_predict(numbers, results, &none), KEN_ERR_ARGUMENT, "rows but no numbers");
    in.numbers = spoilt;
    refused(ken_model_predict(numbers, results, &in), KEN_ERR_ARGUMENT,
            "input sequence 1 has nan at place 0, column 1");
    in.numbers = endless;
    refused(ken_model_predict(numbers, results, &in), KEN_ERR_ARGUMENT, "sequence 0 has -inf");
    in.numbers = good;
    assert_int_equal(ken_trainer_new(&trainer, numbers, &training), KEN_OK);
    to.numbers = endless;
    refused(ken_trainer_step(trainer, &in, &to, NULL), KEN_ERR_ARGUMENT, "target sequence 0");
    refused(ken_trainer_step(trainer, &in, &none, NULL), KEN_ERR_ARGUMENT, "rows but no numbers");
    to.numbers = spoilt; /* NaN means unknown */
    assert_int_equal(ken_trainer_step(trainer, &in, &to, NULL), KEN_OK);
    ken_trainer_free(trainer);
    assert_int_equal(ken_trainer_new(&trainer, sets, &training), KEN_OK);
    to.numbers = good;
    refused(ken_trainer_step(trainer, &in, &to, NULL), KEN_ERR_ARGUMENT, "target sequence 0 has 2");
    ken_trainer_free(trainer);
    ken_model_free(numbers);
    ken_model_free(sets);
}

static void bad_letters(void **state)
{
    (void)state;
    static const int32_t ids[] = { 1, 2, 3 }, letters[] = { 0, 1, 2, 4, 5 };
    static const size_t start[] = { 0, 1, 3 }, words[] = { 0, 2, 2, 4 }, more[] = { 0, 2, 4, 5, 5 };
    float results[3 * OUTPUT_SIZE];
    ken_config config = small_config(TAGGER);
    config.letters = 5;
    ken_model *model = new_model(&config);
    ken_sequences in = { ids, start, 2 }, spelt = { letters, words, 3 };
    refused(ken_model_predict(model, results, &in), KEN_ERR_ARGUMENT,
            "letter sequences are missing");
    in.letters = &spelt;
    assert_int_equal(ken_model_predict(model, results, &in), KEN_OK);
    spelt.count = 2;
    refused(ken_model_predict(model, results, &in), KEN_ERR_SHAPE,
            "letters of 2 words, expected 3");
    spelt.count = 3;
    spelt.ids = NULL;
    refused(ken_model_predict(model, results, &in), KEN_ERR_ARGUMENT, "4 rows but no ids");
    spelt.ids = letters;
    spelt.start = more;
    refused(ken_model_predict(model, results, &in), KEN_ERR_ARGUMENT, "letter sequence 2 has id 5");
    ken_model_free(model);
}

/* Steps with targets that do not fit have no effect on the next valid step. */
static void bad_targets(void **state)
{
    (void)state;
    static const int32_t ids[] = { 1, 2, 3, 4, 5, OUTPUT_SIZE };
    const size_t two[] = { 0, 3, 5 };
    const ken_sequences good = { ids, two, 2 }, few = { ids, (size_t[]){ 0, 1 }, 1 };
    const ken_sequences large = { ids + 1, two, 2 };
    const ken_sequences minus = { (int32_t[]){ -2 }, (size_t[]){ 0, 1 }, 1 };
    const ken_sequences unknown = { (int32_t[]){ 1, -1, 2, 3, 4 }, two, 2 };
    const ken_sequences labels = { ids, (size_t[]){ 0, 1, 2 }, 2 };
    for (enum use use = 0; use < USES; use++) {
        ken_config config = small_config(use);
        ken_model *model = new_model(&config);
        ken_training training = ken_training_default();
        ken_trainer *trainer;
        assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
        uint64_t before = hash_of_weights(model);
        refused(ken_trainer_step(trainer, &good, NULL, NULL), KEN_ERR_ARGUMENT, "target sequences");
        refused(ken_trainer_step(trainer, &good, &large, NULL), KEN_ERR_ARGUMENT, "id 11");
        refused(ken_trainer_step(trainer, &good, &minus, NULL), KEN_ERR_ARGUMENT, "id -2");
        if (use != WRITER) {
            refused(ken_trainer_step(trainer, NULL, &good, NULL), KEN_ERR_ARGUMENT, "input seq");
            refused(ken_trainer_step(trainer, &good, &few, NULL), KEN_ERR_SHAPE,
                    "found 1 target for");
        }
        if (use >= TRANSLATOR)
            refused(ken_trainer_step(trainer, &good, &unknown, NULL), KEN_ERR_ARGUMENT, "id -1");
        assert_true(hash_of_weights(model) == before);
        const ken_sequences *target = use == CLASSIFIER ? &labels : &good;
        assert_int_equal(ken_trainer_step(trainer, &good, target, NULL), KEN_OK);
        assert_true(hash_of_weights(model) != before);
        ken_trainer_free(trainer);
        ken_model_free(model);
    }
}

static void wrong_use(void **state)
{
    (void)state;
    static float numbers[8 * 8 * OUTPUT_SIZE];
    int32_t written[8];
    size_t lengths[1], one[] = { 0, 3 };
    ken_sequences in = { (int32_t[]){ 1, 2, 3 }, one, 1 }, none = { NULL, one, 0 };
    ken_config each = small_config(TAGGER), both = small_config(TRANSLATOR);
    ken_config text = small_config(WRITER);
    ken_model *tagger = new_model(&each), *translator = new_model(&both);
    ken_model *writer = new_model(&text);
    refused(ken_model_predict(translator, numbers, &in), KEN_ERR_STATE, "use generate");
    refused(write_most_likely(tagger, written, lengths, &in, 4), KEN_ERR_STATE, "use predict");

    const struct {
        ken_model *model;
        ken_look which;
        size_t block, head;
        const ken_sequences *input, *target;
        const char *words;
    } looks[] = {
        { tagger, KEN_LOOK_ENCODER, 2, 0, &in, NULL, "no block 2" },
        { tagger, KEN_LOOK_ENCODER, 0, 4, &in, NULL, "head 4" },
        { tagger, KEN_LOOK_DECODER, 0, 0, &in, &in, "with such attention" },
        { tagger, KEN_LOOK_CROSS, 0, 0, &in, &in, "with such attention" },
        { tagger, KEN_LOOK_ENCODER, 0, 0, NULL, NULL, "input sequences are missing" },
        { tagger, KEN_LOOK_ENCODER, 0, 0, &none, NULL, "the batch has no sequence" },
        { translator, 3, 0, 0, &in, &in, "with such attention" },
        { translator, -1, 0, 0, &in, &in, "with such attention" },
        { translator, KEN_LOOK_CROSS, 0, 0, &in, NULL, "target sequences are missing" },
        { translator, KEN_LOOK_CROSS, 0, 0, NULL, &in, "input sequences are missing" },
        { translator, KEN_LOOK_CROSS, 0, 0, &in, &none, "the batch has no sequence" },
        { writer, KEN_LOOK_ENCODER, 0, 0, &in, &in, "with such attention" },
        { writer, KEN_LOOK_CROSS, 0, 0, &in, &in, "with such attention" },
    };
    for (size_t i = 0; i < KEN_COUNT(looks); i++)
        refused(ken_model_look(looks[i].model, numbers, looks[i].which, looks[i].block,
                               looks[i].head, looks[i].input, looks[i].target),
                KEN_ERR_ARGUMENT, looks[i].words);
    ken_model_free(tagger);
    ken_model_free(translator);
    ken_model_free(writer);
}

/* Reading, training and generating beyond the last learned position are refused. */
static void beyond_learned_positions(void **state)
{
    (void)state;
    static float numbers[8 * OUTPUT_SIZE];
    static const int32_t ids[8] = { 2, 2, 2, 2, 2, 2, 2, 2 };
    ken_config config = small_config(TAGGER);
    config.position = KEN_POSITION_LEARNED;
    config.longest = 7;
    ken_model *model = new_model(&config);
    ken_sequences fits = { ids, (size_t[]){ 0, 7 }, 1 }, longer = { ids, (size_t[]){ 0, 8 }, 1 };
    assert_int_equal(ken_model_predict(model, numbers, &fits), KEN_OK);
    refused(ken_model_predict(model, numbers, &longer), KEN_ERR_ARGUMENT,
            "8 rows, but learned positions");
    ken_model_free(model);

    config = small_config(WRITER); /* it also reads `begin`, so 6 ids fit and 7 do not */
    config.position = KEN_POSITION_LEARNED;
    config.longest = 7;
    model = new_model(&config);
    int32_t written[8];
    size_t length;
    ken_sequences prefix = { ids, (size_t[]){ 0, 6 }, 1 };
    assert_int_equal(write_most_likely(model, written, &length, &prefix, 1), KEN_OK);
    refused(write_most_likely(model, written, &length, &fits, 1), KEN_ERR_ARGUMENT,
            "8 rows, but learned positions");
    ken_model_free(model);
}

static void bad_attention(void **state)
{
    (void)state;
    static const size_t enormous[] = { SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4, (size_t)1 << 61 };
    float x[8] = { 0 }, out[8];
    refused(ken_attention(out, x, x, x, 2, 2, 0, 2, 0), KEN_ERR_ARGUMENT, "heads is 0");
    refused(ken_attention(out, x, x, x, 2, 2, 1, 0, 0), KEN_ERR_ARGUMENT, "width is 0");
    refused(ken_attention(out, x, x, x, 2, 2, 1, 257, 0), KEN_ERR_ARGUMENT, "width is 257");
    refused(ken_attention(out, x, x, x, 2, 2, 1, SIZE_MAX, 0), KEN_ERR_ARGUMENT, "width is");
    /* arrays of these sizes cannot exist, or have more tasks than threads can count */
    for (size_t i = 0; i < KEN_COUNT(enormous); i++) {
        size_t n = enormous[i];
        refused(ken_attention(out, x, x, x, n, 1, 1, 1, 0), KEN_ERR_ARGUMENT, "no array");
        refused(ken_attention(out, x, x, x, 1, n, 1, 1, 1), KEN_ERR_ARGUMENT, "no array");
        refused(ken_attention(out, x, x, x, 1, 1, n, 1, 0), KEN_ERR_ARGUMENT, "no array");
        refused(ken_attention(out, x, x, x, n, n, n, 256, 1), KEN_ERR_ARGUMENT, "no array");
        refused(ken_attention(NULL, NULL, x, x, 0, n, 1, 2, 0), KEN_ERR_ARGUMENT, "no array");
    }
    refused(ken_attention(out, x, x, x, 129, 1, (size_t)1 << 31, 1, 0), KEN_ERR_ARGUMENT,
            "no array");
    assert_int_equal(ken_attention(NULL, NULL, x, x, 0, 2, 1, 2, 0), KEN_OK);
    for (size_t i = 0; i < 8; i++) out[i] = 5;
    assert_int_equal(ken_attention(out, x, NULL, NULL, 2, 0, 2, 2, 0), KEN_OK);
    for (size_t i = 0; i < 8; i++) assert_true(out[i] == 0); /* a query that sees no key gets 0 */
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(ken_status_name(KEN_ERR_SHAPE), "KEN_ERR_SHAPE");
    for (ken_status status = KEN_OK; status <= KEN_ERR_STOPPED; status++)
        assert_int_equal(strncmp(ken_status_name(status), "KEN_", 4), 0);
    assert_string_equal(ken_status_name((ken_status)99), "unknown status");
    assert_string_equal(ken_status_name((ken_status)-1), "unknown status");
    assert_string_equal(ken_version(), KEN_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_configurations), cmocka_unit_test(bad_combinations),
        cmocka_unit_test(bad_reaches),        cmocka_unit_test(bad_training),
        cmocka_unit_test(bad_sequences),      cmocka_unit_test(bad_numbers),
        cmocka_unit_test(bad_letters),        cmocka_unit_test(bad_targets),
        cmocka_unit_test(wrong_use),          cmocka_unit_test(beyond_learned_positions),
        cmocka_unit_test(bad_attention),      cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
