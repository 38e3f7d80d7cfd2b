/* test_model_file.c - a model gives the same bits after saving and loading; a file that is damaged,
 * hostile or of another kind is refused with a reason, and so is a model that cannot be saved. */
#include "base/buffer.h"
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "model/model_file.h"
#include "tests/folder.h"
#include "tests/kinds.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t lengths[] = { 5, 0, 9 };
enum { COUNT = KEN_COUNT(lengths) };

static const char *path(void)
{
    return folder_path("model.ken");
}

static ken_model *load(const char *from)
{
    ken_model *model;
    if (ken_model_load(&model, from)) fail_msg("%s", ken_last_error());
    return model;
}

static void check_round(const struct kind *kind)
{
    static struct sample sample;
    static float before[MOST_NUMBERS], after[MOST_NUMBERS];
    ken_config config = kind_config(kind);
    ken_model *model = new_model(&config);
    random_sample(&sample, kind, lengths, COUNT, 1);
    size_t count = sample_result(before, model, kind, &sample);
    if (ken_model_save(model, path())) fail_msg("%s: %s", kind->name, ken_last_error());
    ken_model *loaded = load(path());
    assert_int_equal(sample_result(after, loaded, kind, &sample), count);
    assert_memory_equal(before, after, count * sizeof *before);
    assert_true(hash_of_weights(loaded) == hash_of_weights(model));
    assert_null(ken_config_difference(&loaded->config, &model->config));
    ken_model_free(model);
    ken_model_free(loaded);
}

static void every_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) check_round(&kinds[i]);
}

static void every_variant(void **state)
{
    (void)state;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = 0; use < USES; use++) {
            if (!is_possible(&variants[i], use)) continue;
            ken_model *model = variant_model(&variants[i], use);
            assert_int_equal(ken_model_save(model, path()), KEN_OK);
            ken_model *loaded = load(path());
            assert_true(hash_of_weights(loaded) == hash_of_weights(model));
            assert_null(ken_config_difference(&loaded->config, &model->config));
            ken_model_free(model);
            ken_model_free(loaded);
        }
}

/* No field of a configuration is forgotten: whichever byte is changed, it differs. The exception is
 * the size; there are no unused bytes between fields. */
static void every_field(void **state)
{
    (void)state;
    ken_config config = ken_config_default(KEN_WHOLE), read;
    size_t unseen = 0;
    config.input_size = config.output_size = 3;
    config.seed = UINT64_MAX;
    config.dropout = 0.1f;
    config.window_left = 7;
    config.window_right = 5;
    config.longest = KEN_UNLIMITED;
    ken_buffer text = { 0 };
    ken_config_write(&text, &config);
    assert_int_equal(ken_config_read(&read, text.data, "x"), KEN_OK);
    assert_null(ken_config_difference(&config, &read));
    assert_true(read.seed == UINT64_MAX && read.window_left == 7 && read.longest == KEN_UNLIMITED &&
                read.dropout == 0.1f);
    config.longest = 3;
    config.both_ways = config.loops = 0; /* any bit of a 1 could change without effect */
    for (size_t i = 0; i < sizeof config; i++) {
        ken_config changed = config;
        ((unsigned char *)&changed)[i] ^= 1;
        unseen += ken_config_difference(&config, &changed) == NULL;
    }
    assert_int_equal(unseen, sizeof config.size);
    ken_buffer_release(&text);
}

/* ---- Hostile files --------------------------------------------------------------------------- */

/* Writes the file again with a piece of the configuration or of a note replaced and a valid
 * checksum. */
static void forge(const ken_safetensors *file, const char *from, const char *to)
{
    struct ken_note notes[8];
    ken_buffer text = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < file->note_count; i++) {
        if (strcmp(file->notes[i].key, KEN_CHECKSUM_KEY) == 0) continue;
        notes[count] = file->notes[i];
        const char *found = strcmp(notes[count].key, KEN_CONFIG_KEY) == 0
                                ? strstr(notes[count].value, from)
                                : NULL;
        if (found) {
            ken_buffer_append(&text, notes[count].value, (size_t)(found - notes[count].value));
            ken_buffer_text(&text, to);
            ken_buffer_text(&text, found + strlen(from));
            notes[count].value = text.data;
        }
        count++;
    }
    if (!text.data) fail_msg("%s is not in the configuration", from);
    assert_int_equal(ken_safetensors_write(folder_path("forged"), file->tensors, file->count, notes,
                                           count),
                     KEN_OK);
    ken_buffer_release(&text);
}

static void expect_refused(const char *words)
{
    ken_model *model = (ken_model *)&model;
    ken_status status = ken_model_load(&model, folder_path("forged"));
    if (status != KEN_ERR_FORMAT)
        fail_msg("%s instead of refused (%s)", ken_status_name(status), words);
    if (!strstr(ken_last_error(), words)) fail_msg("no \"%s\" in \"%s\"", words, ken_last_error());
    assert_non_null(strstr(ken_last_error(), "forged"));
    assert_null(model);
}

static const struct {
    const char *words, *from, *to;
} cases[] = {
    { "not JSON", "{", "[" },
    { "not JSON", "{", "{\"width\":24," },
    { "has no width", "\"width\"", "\"wide\"" },
    { "more fields", "{", "{\"wide\":24," },
    { "output: expected one of: each whole generate", "\"each\"", "\"every\"" },
    { "output: expected one of: each whole generate", "\"each\"", "0" },
    { "position: expected one of: none sinusoid", "\"sinusoid\"", "\"\"" },
    { "width: expected a whole number", "\"width\":24", "\"width\":-24" },
    { "width: expected a whole number", "\"width\":24", "\"width\":24.0" },
    { "width: expected a whole number", "\"width\":24", "\"width\":\"24\"" },
    { "width: expected a whole number", "\"width\":24", "\"width\":[24]" },
    { "not JSON", "\"width\":24", "\"width\":99999999999999999999" },
    { "multiple of heads", "\"width\":24", "\"width\":25" },
    { "is not 13 x 28", "\"width\":24", "\"width\":28" },
    { "not 13 x 20", "\"width\":24", "\"width\":20" },
    { "width is 0", "\"width\":24", "\"width\":0" },
    { "the width of a head", "\"width\":24", "\"width\":1099511627776" },
    { "weights", "\"hidden\":40", "\"hidden\":9223372036854775807" },
    { "weights", "\"hidden\":40", "\"hidden\":null" },
    { "hidden", "\"hidden\":40", "\"hidden\":0" },
    { "heads", "\"heads\":4", "\"heads\":0" },
    { "heads", "\"heads\":4", "\"heads\":5" },
    { "heads", "\"heads\":4", "\"heads\":2147483648" },
    { "heads", "\"kv_heads\":0", "\"kv_heads\":3" },
    { "more blocks", "\"encoder_blocks\":2", "\"encoder_blocks\":4294967296" },
    { "more blocks", "\"encoder_blocks\":2", "\"encoder_blocks\":null" },
    { "labels need", "\"encoder_blocks\":2", "\"encoder_blocks\":0" },
    { "is missing", "\"encoder_blocks\":2", "\"encoder_blocks\":3" },
    { "does not belong", "\"encoder_blocks\":2", "\"encoder_blocks\":1" },
    { "input_size is 0", "\"input_size\":13", "\"input_size\":0" },
    { "weights", "\"input_size\":13", "\"input_size\":1000000000000" },
    { "input is not 14 x 24", "\"input_size\":13", "\"input_size\":14" },
    { "input is not 12 x 24", "\"input_size\":13", "\"input_size\":12" },
    { "is missing", "\"input_kind\":\"ids\"", "\"input_kind\":\"vectors\"" },
    { "letters_width", "\"letters_width\":64", "\"letters_width\":-1" },
    { "spelling.table is missing", "\"letters\":0", "\"letters\":1" },
    { "pooling is for", "\"pooling\":\"mean\"", "\"pooling\":\"max\"" },
    { "dropout: expected a number", "\"dropout\":0.1", "\"dropout\":1" },
    { "dropout: expected a number", "\"dropout\":0.1", "\"dropout\":-0.1" },
    { "dropout: expected a number", "\"dropout\":0.1", "\"dropout\":null" },
    { "dropout: expected a number", "\"dropout\":0.1", "\"dropout\":0.99999999999" },
    { "not JSON", "\"dropout\":0.1", "\"dropout\":NaN" },
    { "gated: expected a boolean", "\"gated\":false", "\"gated\":0" },
    { "begin: expected an id", "\"begin\":0", "\"begin\":-1" },
    { "end: expected an id", "\"end\":1", "\"end\":2147483648" },
    { "seed: expected a string of digits", "\"seed\":\"1\"", "\"seed\":1" },
    { "seed: expected a string of digits", "\"seed\":\"1\"", "\"seed\":\"-1\"" },
    { "seed: expected a string of digits", "\"seed\":\"1\"", "\"seed\":\"18446744073709551616\"" },
    { "seed: expected a string of digits", "\"seed\":\"1\"", "\"seed\":\"\"" },
    { "shared embedding", "\"shared\":false", "\"shared\":true" },
    { "is not 24 x 24", "\"score\":\"dot\"", "\"score\":\"gat\"" },
    { "not JSON", "\"heads\":4", "\"position\":\"rotary\",\"heads\":8" }, /* duplicate key */
};

static void hostile_configurations(void **state)
{
    (void)state;
    ken_safetensors file;
    ken_config config = small_config(TAGGER);
    ken_model *model = new_model(&config);
    assert_int_equal(ken_model_save(model, path()), KEN_OK);
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        forge(&file, cases[i].from, cases[i].to);
        expect_refused(cases[i].words);
    }
    forge(&file, "{", "{"); /* the forger can write a valid file too */
    ken_model_free(model);
    model = load(folder_path("forged"));
    ken_model_free(model);
    ken_safetensors_release(&file);
}

/* The tensors and notes of a valid file, except for one thing. */
static void hostile_tensors(void **state)
{
    (void)state;
    static const char *const words[] = {
        "is missing",
        "is missing",
        "is not",
        "is not",
        "is not finite",
        "is not finite",
        "does not belong",
        "newer ken",
        "not a version",
        "not a version",
        "not a version",
        "no model of ken",
        "ken.config is missing",
    };
    ken_safetensors file;
    ken_config config = small_config(TAGGER);
    ken_model *model = new_model(&config);
    assert_int_equal(ken_model_save(model, path()), KEN_OK);
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(words); i++) {
        struct ken_stored tensors[64];
        struct ken_note notes[] = { { KEN_FORMAT_KEY, "1" },
                                    { KEN_CONFIG_KEY,
                                      ken_safetensors_note(&file, KEN_CONFIG_KEY) } };
        size_t count = file.count, note_count = 2, last = count - 1;
        float spoiled[WIDTH] = { 0 };
        assert_true(count < KEN_COUNT(tensors));
        memcpy(tensors, file.tensors, count * sizeof *tensors);
        struct ken_stored *norm = &tensors[0];
        while (norm->shape[0] != 1 || norm->shape[1] != WIDTH) norm++;
        switch (i) {
        case 0: count--; break;
        case 1: tensors[last].name = "head.biass"; break;
        case 2: norm->shape[0] = WIDTH, norm->shape[1] = 1; break;
        case 3: norm->dimensions = 1, norm->shape[0] = WIDTH; break;
        case 4: spoiled[3] = NAN, norm->data = spoiled; break;
        case 5: spoiled[WIDTH - 1] = -INFINITY, norm->data = spoiled; break;
        case 6: tensors[count++] = (struct ken_stored){ "extra", { 1, 1 }, 2, spoiled }; break;
        case 7: notes[0].value = "2"; break;
        case 8: notes[0].value = "0"; break;
        case 9: notes[0].value = "1.0"; break;
        case 10: notes[0].value = ""; break;
        case 11: notes[0].key = "format"; break;
        case 12: note_count = 1; break;
        }
        assert_int_equal(ken_safetensors_write(folder_path("forged"), tensors, count, notes,
                                               note_count),
                         KEN_OK);
        expect_refused(words[i]);
    }
    ken_safetensors_release(&file);
    ken_model_free(model);
}

/* The file of the smallest possible model, cut at every byte and with every bit flipped. */
static void every_damage(void **state)
{
    (void)state;
    ken_config config = ken_config_default(KEN_EACH);
    config.input_size = config.output_size = config.hidden = 2;
    config.width = config.heads = config.encoder_blocks = 1;
    ken_model *model = new_model(&config);
    char *data;
    size_t size;
    assert_int_equal(ken_model_save(model, path()), KEN_OK);
    ken_model_free(model);
    assert_int_equal(ken_file_read(&data, &size, path(), SIZE_MAX), KEN_OK);
    for (size_t cut = 0; cut < size; cut++) {
        file_of(folder_path("forged"), data, cut);
        expect_refused("");
    }
    for (size_t bit = 0; bit < 8 * size; bit++) {
        data[bit / 8] ^= (char)(1 << bit % 8);
        file_of(folder_path("forged"), data, size);
        data[bit / 8] ^= (char)(1 << bit % 8);
        expect_refused("");
    }
    ken_memory_free(data);
}

/* ---- What cannot be saved, and faults -------------------------------------------------------- */

static void what_is_not_saved(void **state)
{
    (void)state;
    ken_config config = small_config(CLASSIFIER);
    ken_model *model = new_model(&config);
    assert_int_equal(ken_model_save(model, path()), KEN_OK);
    model->head.bias.data[1] = NAN;
    assert_int_equal(ken_model_save(model, path()), KEN_ERR_DIVERGED);
    assert_non_null(strstr(ken_last_error(), "head.bias"));
    model->head.bias.data[1] = 0;
    struct ken_note ours = { "ken.something", "1" };
    assert_int_equal(ken_model_store(model, path(), &ours, 1), KEN_ERR_ARGUMENT);
    struct ken_note theirs[] = { { "labels", "a\nb" }, { "recipe", "[model]\n" } };
    assert_int_equal(ken_model_store(model, path(), theirs, 2), KEN_OK);
    ken_safetensors file;
    ken_model *loaded;
    assert_int_equal(ken_safetensors_read(&file, path()), KEN_OK);
    assert_string_equal(ken_safetensors_note(&file, "labels"), "a\nb");
    assert_int_equal(ken_model_from(&loaded, &file, path()), KEN_OK);
    ken_safetensors_release(&file);
    assert_true(hash_of_weights(loaded) == hash_of_weights(model));
    ken_model_free(loaded);
    assert_int_equal(ken_model_load(&loaded, folder_path("none")), KEN_ERR_IO);
    assert_null(loaded);
    assert_int_equal(ken_model_save(model, folder_path("none/x")), KEN_ERR_IO);
    ken_model_free(model);
}

/* Saves over an old model and loads, with the nth call failing: the file is the old one or the new
 * one, and loading gives one of the two. */
static void walk_faults(enum ken_fault kind, ken_status expected)
{
    ken_config config = small_config(CLASSIFIER);
    ken_model *old = new_model(&config);
    config.seed = 2;
    ken_model *new = new_model(&config);
    uint64_t count = 1;
    size_t entries = 0, descriptors = 0;
    for (int forever = 0; forever < 2; forever++)
        for (uint64_t nth = 0; nth <= count; nth++) {
            ken_model *loaded = NULL;
            assert_int_equal(ken_model_save(old, path()), KEN_OK);
            if (entries == 0) entries = folder_entries(), descriptors = open_descriptors();
            ken_fault_arm(kind, nth, forever);
            ken_status saved = ken_model_save(new, path());
            ken_status read = ken_model_load(&loaded, path());
            if (nth == 0) count = ken_fault_calls(kind);
            ken_fault_arm(kind, 0, false);
            assert_true(saved == KEN_OK || saved == expected);
            assert_true(read == KEN_OK || read == expected);
            assert_true((read == KEN_OK) == (loaded != NULL));
            if (loaded)
                assert_true(hash_of_weights(loaded) == hash_of_weights(saved ? old : new) ||
                            hash_of_weights(loaded) == hash_of_weights(new));
            if (nth > 0 && forever) assert_true(saved || read);
            ken_model_free(loaded);
            loaded = load(path());
            assert_true(hash_of_weights(loaded) == hash_of_weights(old) ||
                        hash_of_weights(loaded) == hash_of_weights(new));
            ken_model_free(loaded);
            assert_int_equal(open_descriptors(), descriptors);
        }
    assert_true(count > 10);
    /* reuses the temporary file that was left */
    assert_int_equal(ken_model_save(old, path()), KEN_OK);
    assert_int_equal(folder_entries(), entries);
    ken_model_free(old);
    ken_model_free(new);
}

static void every_allocation(void **state)
{
    (void)state;
    walk_faults(KEN_FAULT_MEMORY, KEN_ERR_MEMORY);
}

static void every_system_call(void **state)
{
    (void)state;
    walk_faults(KEN_FAULT_IO, KEN_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),        cmocka_unit_test(every_variant),
        cmocka_unit_test(every_field),       cmocka_unit_test(hostile_configurations),
        cmocka_unit_test(hostile_tensors),   cmocka_unit_test(every_damage),
        cmocka_unit_test(what_is_not_saved), cmocka_unit_test(every_allocation),
        cmocka_unit_test(every_system_call),
    };
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
