/* test_checkpoint.c - a run that is stopped at any step and resumed from its checkpoint gives the
 * bits of one that never stopped; a checkpoint that does not fit changes nothing. */
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "model/model_file.h"
#include "tests/folder.h"
#include "tests/kinds.h"
#include "tests/unit.h"
#include "train/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 20 };
static const size_t lengths[] = { 4, 0, 9, 1 };

/* A model, its trainer and their examples. */
struct run {
    const struct kind *kind;
    ken_model *model;
    ken_trainer *trainer;
    uint64_t losses; /* hash of the reports */
};

static struct run begin(const struct kind *kind, double average, uint64_t seed)
{
    struct run run = { .kind = kind };
    ken_config config = kind_config(kind);
    ken_training training = ken_training_default();
    config.seed = seed;
    training.steps = STEPS;
    training.warm_up = 5;
    training.average = average;
    run.model = new_model(&config);
    if (ken_trainer_new(&run.trainer, run.model, &training)) fail_msg("%s", ken_last_error());
    return run;
}

static void end(struct run *run)
{
    ken_trainer_free(run->trainer);
    ken_model_free(run->model);
}

/* Trains to step `to`; updates have one or two batches. */
static void go(struct run *run, uint64_t to)
{
    static struct sample samples[2];
    while (run->trainer->optimiser.step < to) {
        uint64_t step = run->trainer->optimiser.step;
        struct ken_pair pairs[2];
        ken_report report;
        for (size_t i = 0; i < 2; i++) {
            random_sample(&samples[i], run->kind, lengths, KEN_COUNT(lengths), 10 * step + i);
            pairs[i] = (struct ken_pair){ &samples[i].in, &samples[i].to };
        }
        if (ken_trainer_update(run->trainer, pairs, 1 + step % 2, &report))
            fail_msg("%s", ken_last_error());
        run->losses = hash_of(run->losses, &report.loss, sizeof report.loss);
    }
}

static uint64_t state_of(const struct run *run)
{
    const ken_optimiser *optimiser = &run->trainer->optimiser;
    uint64_t hash = hash_of_weights(run->model);
    hash = hash_of(hash, optimiser->moments, 2 * optimiser->size * sizeof(float));
    if (run->trainer->average)
        hash = hash_of(hash, run->trainer->average, optimiser->size * sizeof(float));
    return hash_of(hash, &optimiser->step, sizeof optimiser->step);
}

static const char *path(void)
{
    return folder_path("last.ckpt");
}

static ken_status load(struct run *run)
{
    ken_safetensors file;
    KEN_TRY(ken_safetensors_read(&file, path()));
    ken_status status = ken_checkpoint_load(run->trainer, &file, path());
    ken_safetensors_release(&file);
    return status;
}

static void stopped_at_every_step(void **state)
{
    (void)state;
    static const size_t which[] = { 3, 6, 15 }; /* spelt words, numbers, shared and tied */
    for (size_t k = 0; k < KEN_COUNT(which); k++) {
        const struct kind *kind = &kinds[which[k]];
        struct run whole = begin(kind, 0.95, 1);
        go(&whole, STEPS);
        for (uint64_t stop = 0; stop <= STEPS; stop++) {
            struct run first = begin(kind, 0.95, 1);
            go(&first, stop);
            if (ken_checkpoint_save(first.trainer, path(), NULL, 0))
                fail_msg("%s", ken_last_error());
            uint64_t losses = first.losses;
            end(&first);
            struct run second = begin(kind, 0.95, 1);
            go(&second, 2); /* to another state */
            second.losses = losses;
            if (load(&second)) fail_msg("%s", ken_last_error());
            go(&second, STEPS);
            if (state_of(&whole) != state_of(&second) || whole.losses != second.losses)
                fail_msg("%s: other bits after a stop at step %d", kind->name, (int)stop);
            end(&second);
        }
        end(&whole);
    }
}

/* A checkpoint saved or loaded while the model holds the average of its weights: each number goes
 * where it belongs. */
static void while_exchanged(void **state)
{
    (void)state;
    struct run run = begin(kind_named("tags of ids"), 0.5, 1),
               other = begin(kind_named("tags of ids"), 0.5, 1);
    struct ken_note note = { "epoch", "3" };
    char *plain, *exchanged;
    size_t size, same;
    go(&run, 3);
    uint64_t before = state_of(&run);
    assert_int_equal(ken_checkpoint_save(run.trainer, path(), &note, 1), KEN_OK);
    assert_int_equal(ken_file_read(&plain, &size, path(), SIZE_MAX), KEN_OK);
    ken_trainer_swap_average(run.trainer);
    assert_int_equal(ken_checkpoint_save(run.trainer, path(), &note, 1), KEN_OK);
    assert_int_equal(ken_file_read(&exchanged, &same, path(), SIZE_MAX), KEN_OK);
    assert_true(size == same && memcmp(plain, exchanged, size) == 0);
    ken_trainer_swap_average(run.trainer);
    assert_true(state_of(&run) == before);
    ken_trainer_swap_average(other.trainer);
    assert_int_equal(load(&other), KEN_OK);
    assert_true(state_of(&other) == before && !other.trainer->swapped);
    ken_safetensors file;
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    assert_string_equal(ken_safetensors_note(&file, "epoch"), "3");
    assert_non_null(ken_safetensors_find(&file, "adam.v.head.weight"));
    assert_non_null(ken_safetensors_find(&file, "average.input"));
    ken_safetensors_release(&file);
    ken_memory_free(plain);
    ken_memory_free(exchanged);
    end(&run);
    end(&other);
}

static void refused(struct run *run, const char *words)
{
    uint64_t before = state_of(run);
    assert_int_equal(load(run), KEN_ERR_FORMAT);
    if (!strstr(ken_last_error(), words)) fail_msg("no \"%s\" in \"%s\"", words, ken_last_error());
    assert_true(state_of(run) == before);
}

/* Writes a checkpoint with one thing changed and a valid checksum. */
static void forge(const ken_safetensors *file, const char *key, const char *value, size_t spoil,
                  float number)
{
    struct ken_note notes[8];
    struct ken_stored tensors[256];
    static float data[MOST_NUMBERS];
    size_t count = 0, size;
    for (size_t i = 0; i < file->note_count; i++) {
        if (strcmp(file->notes[i].key, KEN_CHECKSUM_KEY) == 0) continue;
        notes[count] = file->notes[i];
        if (key && strcmp(notes[count].key, key) == 0) notes[count].value = value;
        if (key && !value && strcmp(notes[count].key, key) == 0) continue;
        count++;
    }
    assert_true(file->count <= KEN_COUNT(tensors));
    memcpy(tensors, file->tensors, file->count * sizeof *tensors);
    if (spoil < file->count) {
        assert_true(ken_stored_size(&size, &tensors[spoil]) && size > 0 && size <= MOST_NUMBERS);
        memcpy(data, tensors[spoil].data, size * sizeof *data);
        data[size - 1] = number;
        tensors[spoil].data = data;
    }
    assert_int_equal(ken_safetensors_write(path(), tensors, file->count, notes, count), KEN_OK);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    struct run run = begin(kind_named("tags of ids"), 0, 1),
               average = begin(kind_named("tags of ids"), 0.9, 1);
    struct run other = begin(kind_named("tags of one-hot"), 0, 1),
               seed = begin(kind_named("tags of ids"), 0, 2);
    ken_safetensors file;
    go(&run, 2);
    assert_int_equal(ken_checkpoint_save(run.trainer, path(), NULL, 0), KEN_OK);
    refused(&average, "average");
    refused(&other, "input_kind differs");
    refused(&seed, "seed differs");
    ken_model *model;
    assert_int_equal(ken_model_load(&model, path()), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "no model of ken"));
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    size_t none = file.count;
    for (size_t i = 0; i < file.count; i += 11) {
        forge(&file, NULL, NULL, i, NAN);
        refused(&run, file.tensors[i].name);
    }
    forge(&file, "ken.checkpoint", "2", none, 0);
    refused(&run, "newer ken");
    forge(&file, "ken.checkpoint", NULL, none, 0);
    refused(&run, "no checkpoint of ken");
    forge(&file, "ken.step", "-1", none, 0);
    refused(&run, "ken.step");
    forge(&file, "ken.step", "18446744073709551615", none, 0);
    refused(&run, "ken.step");
    forge(&file, "ken.step", NULL, none, 0);
    refused(&run, "ken.step");
    forge(&file, "ken.config", "{}", none, 0);
    refused(&run, "ken.config");
    forge(&file, "ken.config", NULL, none, 0);
    refused(&run, "ken.config");
    ken_safetensors_release(&file);
    assert_int_equal(ken_model_save(run.model, path()), KEN_OK);
    refused(&run, "no checkpoint of ken");
    run.model->head.bias.data[0] = INFINITY; /* this cannot be saved */
    assert_int_equal(ken_checkpoint_save(run.trainer, path(), NULL, 0), KEN_ERR_DIVERGED);
    end(&run), end(&average), end(&other), end(&seed);
}

/* Damage is noticed anywhere in a checkpoint; here one byte of every 397 is damaged. */
static void damage(void **state)
{
    (void)state;
    struct run run = begin(kind_named("tags of ids"), 0, 1);
    char *data;
    size_t size;
    go(&run, 1);
    assert_int_equal(ken_checkpoint_save(run.trainer, path(), NULL, 0), KEN_OK);
    assert_int_equal(ken_file_read(&data, &size, path(), SIZE_MAX), KEN_OK);
    for (size_t at = 0; at < size; at += 397) {
        data[at] ^= (char)(1 << at % 8);
        file_of(path(), data, size);
        data[at] ^= (char)(1 << at % 8);
        refused(&run, path());
        file_of(path(), data, at);
        refused(&run, path());
    }
    ken_memory_free(data);
    end(&run);
}

/* Each allocation and each file operation fails in turn: the run is as before or as saved, never
 * something between. */
static void faults(void **state)
{
    (void)state;
    struct run run = begin(kind_named("tags of spelt words"), 0.9, 1),
               other = begin(kind_named("tags of spelt words"), 0.9, 1);
    go(&run, 2);
    uint64_t saved = state_of(&run), fresh = state_of(&other);
    for (enum ken_fault kind = 0; kind < KEN_FAULT_KINDS; kind++) {
        uint64_t count = 1;
        for (uint64_t nth = 0; nth <= count; nth++) {
            end(&other);
            other = begin(kind_named("tags of spelt words"), 0.9, 1);
            ken_fault_arm(kind, nth, false);
            ken_status wrote = ken_checkpoint_save(run.trainer, path(), NULL, 0);
            ken_status read = wrote ? KEN_ERR_IO : load(&other);
            if (nth == 0) count = ken_fault_calls(kind);
            ken_fault_arm(kind, 0, false);
            ken_status expected = kind == KEN_FAULT_MEMORY ? KEN_ERR_MEMORY : KEN_ERR_IO;
            assert_true(!wrote || wrote == expected);
            assert_true(wrote || !read || read == expected);
            assert_true(state_of(&run) == saved);
            assert_true(state_of(&other) == (read ? fresh : saved));
        }
        assert_true(count > 10);
    }
    end(&run), end(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_at_every_step),
        cmocka_unit_test(while_exchanged),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(damage),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
