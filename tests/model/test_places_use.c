/* test_places_use.c - positions in whole models: sequences longer than all before, any number of
 * threads, tables that are kept while a sequence is generated and dropped when weights change, lack
 * of memory, and files from versions with fewer kinds. (test_model.c tests a sequence alone and in
 * a batch, test_cache.c with and without a cache.) */
#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "model/pass.h"
#include "model/model_file.h"
#include "tests/folder.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <math.h>
#include <string.h>

static ken_model *model_of(enum use use, ken_position position, size_t longest)
{
    ken_config config = small_config(use);
    config.position = position;
    config.longest = longest;
    return new_model(&config);
}

/* ---- longer than anything before ------------------------------------------------------------- */

/* Results are finite, or for learned positions there is an error with a reason; never a crash. */
static void check_long(ken_position position, enum use use)
{
    static struct batch input, target;
    enum { LONG = 333, SHORT = 5, LONGEST = 8 };
    ken_model *model = model_of(use, position, LONGEST);
    ken_sequences in, to;
    const int32_t *predict;
    ken_tape tape;
    for (size_t n = SHORT; n <= LONG; n += LONG - SHORT) { /* first the usual length */
        random_batch(&input, (size_t[]){ n, 3 }, 2, 0, INPUT_SIZE, 1);
        random_batch(&target, (size_t[]){ 2, n }, 2, 0, OUTPUT_SIZE, 2);
        in = sequences_of(&input);
        to = sequences_of(&target);
        assert_int_equal(ken_tape_init(&tape), KEN_OK);
        tape.recording = false;
        struct ken_pass pass = { .model = model, .tape = &tape };
        ken_tensor *rows = use == TRANSLATOR || use == WRITER
                               ? ken_model_forced(&pass, &in, &to, &predict)
                               : ken_model_encode(&pass, &in).rows;
        ken_pass_release(&pass);
        if (position == KEN_POSITION_LEARNED && n > LONGEST) {
            assert_int_equal(ken_tape_status(&tape), KEN_ERR_ARGUMENT);
            assert_non_null(
                strstr(ken_last_error(), "learned positions have only 8 places (longest)"));
        } else {
            if (ken_tape_status(&tape)) fail_msg("%s", ken_last_error());
            for (size_t i = 0; i < ken_tensor_size(rows); i++) assert_true(isfinite(rows->data[i]));
        }
        ken_tape_release(&tape);
    }
    ken_model_free(model);
}

static void long_sequences(void **state)
{
    (void)state;
    for (int position = 0; position < KEN_POSITION_DISTANCE; position++)
        for (enum use use = 0; position != KEN_POSITION_SHAW && use < USES; use++)
            check_long((ken_position)position, use);
}

/* Distances beyond `longest` count as `longest`. */
static void distances_that_end(void **state)
{
    (void)state;
    enum { COUNT = 12, LONGEST = 5, H = 4 };
    static float numbers[H][2 * COUNT - 1];
    static const ken_position kinds[] = { KEN_POSITION_RELATIVE, KEN_POSITION_QUADRATIC };
    for (size_t k = 0; k < KEN_COUNT(kinds); k++) {
        ken_model *model = model_of(TAGGER, kinds[k], LONGEST);
        ken_tensor *relative = &model->encoder[0].attention.relative;
        for (size_t i = 0; relative->data && i < ken_tensor_size(relative); i++)
            relative->data[i] = (float)i;
        assert_int_equal(ken_model_places(model, numbers[0], KEN_LOOK_ENCODER, KEN_PLACE_SCORE, 0,
                                          COUNT),
                         KEN_OK);
        for (size_t h = 0; h < H; h++) {
            const float *middle = numbers[h] + COUNT - 1;
            for (ptrdiff_t d = LONGEST; d < COUNT; d++)
                assert_true(middle[d] == middle[LONGEST] && middle[-d] == middle[-LONGEST]);
            assert_true(middle[LONGEST] != middle[LONGEST - 1]);
            double c = (double)h - 2; /* four heads have centres -2, -1, 0 and 1 */
            for (ptrdiff_t d = -LONGEST; k == 1 && d <= LONGEST; d++)
                assert_true(fabs(middle[d] + ((double)d - c) * ((double)d - c) - c * c) < 1e-5);
        }
        ken_model_free(model);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static const ken_position made[] = { KEN_POSITION_BUCKETS, KEN_POSITION_QUADRATIC, KEN_POSITION_RNN,
                                     KEN_POSITION_FLOATER };

/* A hash of the losses, norms and weights of a few steps, and of what is generated between them. */
static uint64_t hash_of_run(ken_position position, size_t steps)
{
    static struct examples examples;
    static struct written written;
    static const size_t lengths[] = { 9, 0, 131, 1, 64 };
    ken_training training = ken_training_default();
    ken_trainer *trainer;
    uint64_t hash = 0;
    ken_model *model = model_of(TRANSLATOR, position, 40);
    training.warm_up = 1;
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    ken_generation how = ken_generation_default();
    how.longest = 20;
    for (size_t step = 0; step < steps; step++) {
        ken_report report;
        random_examples(&examples, TRANSLATOR, lengths, KEN_COUNT(lengths), 100 + step);
        if (train_step(trainer, TRANSLATOR, &examples, &report)) fail_msg("%s", ken_last_error());
        ken_sequences input = sequences_of(&examples.input);
        write_to(&written, model, &input, &how);
        double facts[] = { report.loss, report.norm };
        hash = hash_of(hash, facts, sizeof facts) ^ hash_of(hash, &written, sizeof written);
    }
    hash ^= hash_of_weights(model);
    ken_trainer_free(trainer);
    ken_model_free(model);
    return hash;
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    static const size_t counts[] = { 1, 2, 3, 7 };
    for (size_t k = 0; k < KEN_COUNT(made); k++) {
        uint64_t first = 0;
        for (size_t i = 0; i < KEN_COUNT(counts); i++) {
            assert_int_equal(ken_threads_set(counts[i]), KEN_OK);
            uint64_t hash = hash_of_run(made[k], 3);
            if (i == 0) first = hash;
            if (hash != first)
                fail_msg("kind %d: other bits with %zu threads", (int)made[k], counts[i]);
        }
    }
    assert_int_equal(ken_threads_set(0), KEN_OK);
}

/* ---- tables that are kept -------------------------------------------------------------------- */

/* Written before and after the weights changed, in one session: the second time as by a model that
 * wrote nothing before. */
static void nothing_is_stale(void **state)
{
    (void)state;
    static struct batch input;
    static struct written before, after, fresh;
    random_batch(&input, (size_t[]){ 7, 12 }, 2, 0, INPUT_SIZE, 6);
    ken_sequences in = sequences_of(&input);
    ken_generation how = ken_generation_default();
    how.longest = 30;
    for (size_t k = 0; k < KEN_COUNT(made); k++) {
        const struct variant variant = { "", made[k] };
        ken_model *model = variant_model(&variant, TRANSLATOR);
        ken_model *other = variant_model(&variant, TRANSLATOR);
        ken_session *session;
        assert_int_equal(ken_session_new(&session, model, NULL), KEN_OK);
        memset(&after, 0, sizeof after);
        memset(&before, 0, sizeof before);
        assert_int_equal(ken_session_generate(session, before.ids, before.lengths, before.log_ps,
                                              &in, &how),
                         KEN_OK);
        ken_model_changed(model);
        for (size_t i = 0; i < model->parameters.count; i++) {
            const ken_tensor *a = model->parameters.list[i].tensor;
            const ken_tensor *b = other->parameters.list[i].tensor;
            for (size_t j = 0; j < ken_tensor_size(a); j++)
                a->data[j] = b->data[j] += 0.3f * ken_random_normal(i, j);
        }
        assert_int_equal(ken_session_generate(session, after.ids, after.lengths, after.log_ps, &in,
                                              &how),
                         KEN_OK);
        write_to(&fresh, other, &in, &how);
        assert_memory_equal(&after, &fresh, sizeof after);
        assert_memory_not_equal(&after, &before, sizeof after);
        ken_session_free(session);
        ken_model_free(model);
        ken_model_free(other);
    }
}

/* For a sequence that grows by one place at a time, the table is made log2(n) times, not n
 * times. */
static void tables_grow_in_leaps(void **state)
{
    (void)state;
    enum { LENGTH = 200 };
    for (size_t k = 2; k < KEN_COUNT(made); k++) {
        const struct variant variant = { "", made[k] };
        ken_model *model = variant_model(&variant, WRITER);
        const struct ken_places *places = &model->target_places;
        bool rnn = made[k] == KEN_POSITION_RNN;
        struct ken_place_tables tables = { 0 };
        const struct ken_kept *kept = rnn ? &tables.rows : &tables.biases;
        ken_tape tape;
        size_t leaps = 0, last = 0;
        assert_int_equal(ken_tape_init(&tape), KEN_OK);
        tape.recording = false;
        for (size_t n = 1; n <= LENGTH; n++) {
            size_t count = n;
            ken_tape_clear(&tape);
            assert_non_null(rnn ? ken_places_rows(&tape, places, &tables, &count)
                                : ken_places_biases(&tape, places, &tables, &count));
            assert_true(count >= n && count == kept->places);
            leaps += count != last;
            last = count;
        }
        assert_int_equal(leaps, 9); /* 1, 2, 4 ... 256 */
        ken_place_tables_drop(&tables);
        assert_null(kept->data);
        ken_tape_release(&tape);
        ken_model_free(model);
    }
}

/* Memory ends at every allocation of a generation: an error that is said, and the next call is as
 * if nothing had happened. */
static void memory_that_ends(void **state)
{
    (void)state;
    static struct batch input;
    static struct written calm, now;
    random_batch(&input, (size_t[]){ 7, 12 }, 2, 0, INPUT_SIZE, 6);
    ken_sequences in = sequences_of(&input);
    ken_generation how = ken_generation_default();
    how.longest = 9;
    for (size_t k = 0; k < KEN_COUNT(made); k++) {
        const struct variant variant = { "", made[k] };
        ken_model *model = variant_model(&variant, TRANSLATOR);
        write_to(&calm, model, &in, &how);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        ken_model_changed(model); /* so that its weights are packed again */
        write_to(&now, model, &in, &how);
        uint64_t count = ken_fault_calls(KEN_FAULT_MEMORY), failures = 0;
        for (uint64_t nth = 1; nth <= count; nth++) {
            ken_model_changed(model);
            ken_fault_arm(KEN_FAULT_MEMORY, nth, true);
            ken_status status = ken_model_generate(model, now.ids, now.lengths, now.log_ps, &in,
                                                   &how);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_true(status == KEN_OK || status == KEN_ERR_MEMORY);
            failures += status != KEN_OK;
            write_to(&now, model, &in, &how);
            assert_memory_equal(&now, &calm, sizeof now);
        }
        assert_true(count > 2 && 2 * failures > count);
        ken_model_free(model);
    }
}

/* ---- older files ----------------------------------------------------------------------------- */

/* A file of an older version, whose configuration has no keys for other blocks and reaches. */
static void files_from_before(void **state)
{
    (void)state;
    static const ken_position old[] = { KEN_POSITION_NONE,    KEN_POSITION_SINUSOID,
                                        KEN_POSITION_LEARNED, KEN_POSITION_ROTARY,
                                        KEN_POSITION_ALIBI,   KEN_POSITION_RELATIVE };
    for (size_t k = 0; k < KEN_COUNT(old); k++) {
        ken_model *model = model_of(TRANSLATOR, old[k], 6), *loaded;
        ken_safetensors file;
        struct ken_note notes[4];
        char config[4096];
        size_t count = 0;
        assert_int_equal(ken_model_save(model, folder_path("new")), KEN_OK);
        assert_int_equal(ken_safetensors_read(&file, folder_path("new")), KEN_OK);
        for (size_t i = 0; i < file.note_count; i++) {
            if (strcmp(file.notes[i].key, KEN_CHECKSUM_KEY) == 0) continue;
            assert_true(count < KEN_COUNT(notes));
            notes[count] = file.notes[i];
            if (strcmp(notes[count].key, KEN_CONFIG_KEY) == 0) {
                size_t end = (size_t)(strstr(notes[count].value, ",\"mixing\"") -
                                      notes[count].value);
                assert_true(end < sizeof config - 2);
                memcpy(config, notes[count].value, end);
                memcpy(config + end, "}", 2);
                notes[count].value = config;
            }
            count++;
        }
        assert_int_equal(ken_safetensors_write(folder_path("old"), file.tensors, file.count, notes,
                                               count),
                         KEN_OK);
        if (ken_model_load(&loaded, folder_path("old"))) fail_msg("%s", ken_last_error());
        assert_null(ken_config_difference(&loaded->config, &model->config));
        assert_true(hash_of_weights(loaded) == hash_of_weights(model));
        ken_safetensors_release(&file);
        ken_model_free(loaded);
        ken_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_sequences),         cmocka_unit_test(distances_that_end),
        cmocka_unit_test(threads_leave_no_trace), cmocka_unit_test(nothing_is_stale),
        cmocka_unit_test(tables_grow_in_leaps),   cmocka_unit_test(memory_that_ends),
        cmocka_unit_test(files_from_before),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
