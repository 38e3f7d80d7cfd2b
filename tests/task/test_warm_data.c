/* test_warm_data.c - what a task takes over, besides weights, from the model it starts from:
 * vocabularies, scales and thresholds; and what is refused. */
#include "base/fault.h"
#include "base/size.h"
#include "task/store.h"
#include "tests/folder.h"
#include "tests/starts.h"
#include "tests/unit.h"

#include <string.h>

/* ---- tokenisers ------------------------------------------------------------------------------ */

static ken_tokeniser learn(enum ken_unit unit, uint64_t least, size_t most, const char *text,
                           const ken_tokeniser *old)
{
    ken_tokeniser tokeniser = { .options = { unit, most, least, false } };
    assert_int_equal(ken_tokeniser_see(&tokeniser, text, strlen(text)), KEN_OK);
    if (ken_tokeniser_finish_from(&tokeniser, old)) fail_msg("%s", ken_last_error());
    return tokeniser;
}

/* Checks all names after the special ones, in the order of their ids. */
static void check_names(const ken_vocabulary *vocabulary, const char *expected)
{
    char names[400] = "";
    for (size_t i = KEN_ID_FIRST; i < ken_vocabulary_size(vocabulary); i++) {
        strcat(names, i > KEN_ID_FIRST ? " " : "");
        strcat(names, ken_vocabulary_name(vocabulary, (int32_t)i, NULL));
    }
    assert_string_equal(names, expected);
}

static void new_words_come_behind_the_old_ones(void **state)
{
    (void)state;
    const char *more = "ox ox ox ox cow cow emu emu emu hen bat bat bat";
    ken_tokeniser old = learn(KEN_UNIT_WORDS, 2, 0, "cow cow cow bat bat hen", NULL);
    check_names(&old.tokens, "cow bat");
    static const struct {
        uint64_t least;
        size_t most;
        const char *names;
    } cases[] = { { 2, 0, "cow bat ox emu" },
                  { 1, 0, "cow bat ox emu hen" },
                  { 4, 0, "cow bat ox" },
                  { 1, KEN_ID_FIRST + 3, "cow bat ox" },
                  { 1, KEN_ID_FIRST + 1, "cow bat" } };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_tokeniser first = learn(KEN_UNIT_WORDS, cases[i].least, cases[i].most, more, &old);
        check_names(&first.tokens, cases[i].names);
        /* those of `old`; h and n occurred only once */
        check_names(&first.letters, "c o w a b t e x m u");
        /* learning from the same text again adds nothing, so a resumed run has the same ids */
        ken_tokeniser again = learn(KEN_UNIT_WORDS, cases[i].least, cases[i].most, more, &first);
        check_names(&again.tokens, cases[i].names);
        check_names(&again.letters, "c o w a b t e x m u");
        ken_tokeniser_release(&first);
        ken_tokeniser_release(&again);
    }
    ken_tokeniser_release(&old);
}

static void subwords_stay_and_another_unit_is_refused(void **state)
{
    (void)state;
    ken_tokeniser old = learn(KEN_UNIT_SUBWORDS, 1, 0, "low lower low lower slow", NULL);
    ken_tokeniser more = learn(KEN_UNIT_SUBWORDS, 1, 0, "high higher high higher high", &old);
    ken_buffer a = { 0 }, b = { 0 };
    assert_int_equal(ken_tokeniser_write(&old, &a), KEN_OK);
    assert_int_equal(ken_tokeniser_write(&more, &b), KEN_OK);
    assert_string_equal(a.data, b.data);
    ken_tokeniser other = { .options = { .unit = KEN_UNIT_CHARACTERS } };
    assert_int_equal(ken_tokeniser_finish_from(&other, &old), KEN_ERR_ARGUMENT);
    ken_buffer_release(&a);
    ken_buffer_release(&b);
    ken_tokeniser_release(&other);
    ken_tokeniser_release(&more);
    ken_tokeniser_release(&old);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void scales_stay(void **state)
{
    static const char keys[] = "format = vectors\ntarget = 3\n[output]\nkind = each\n"
                               "value = number";
    (void)state;
    struct ken_taken taken;
    ken_task *old = start_old("1\t2\t3\n3\t8\t5\n", keys, "old.ken");
    ken_task *new = start_made(&taken, "100\t200\t7\n300\t100\t1\n", keys, folder_path("old.ken"),
                               NULL);
    for (size_t j = 0; j < 2; j++) {
        assert_true(new->input.scaling.mean[j] == old->input.scaling.mean[j]);
        assert_true(new->input.scaling.deviation[j] == old->input.scaling.deviation[j]);
    }
    assert_true(new->numbers.mean[0] == 4 && new->numbers.deviation[0] == 1);
    assert_int_equal(taken.taken, taken.tensors);
    assert_int_equal(taken.partly, 0);
    ken_task_free(new);
    assert_int_equal(start_new(&new, "1\t2\t3\t4\n", keys, folder_path("old.ken")), KEN_OK);
    assert_int_equal(start_set_up(new, &taken, NULL), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "r:2: data.train: rows of 3 numbers"));
    assert_non_null(strstr(ken_last_error(), "was trained on rows of 2"));
    ken_task_free(new);
    ken_task_free(old);
}

static void thresholds_and_labels_of_sets_stay(void **state)
{
    static const char keys[] = "format = fasttext\n[input]\nleast = 1\n[output]\nkind = whole\n"
                               "value = set";
    (void)state;
    struct ken_taken taken;
    ken_task *old = start_old("__label__p __label__q aa\n__label__r bb\n", keys, "old.ken");
    ken_task *new = start_made(&taken, "__label__q __label__z bb\n__label__z aa\n", keys,
                               folder_path("old.ken"), NULL);
    assert_true(new->threshold == 0.25f);
    start_check_row(new, old, "head.weight", 0, 1);
    assert_int_equal(taken.partly, 2);
    ken_task_free(new);
    ken_task_free(old);
}

/* Carbon and oxygen, then carbon and nitrogen: all of them are known. */
static void atoms_and_indices_are_added(void **state)
{
    static const char atoms[] = "format = tsv\n[input]\nunit = atoms\n[output]\nkind = whole";
    static const char nodes[] = "format = graphs\n[input]\nunit = indices\n[output]\nkind = whole";
    (void)state;
    struct ken_taken taken;
    ken_task *old = start_old("CCO\ta\nCC=O\tb\n", atoms, "old.ken");
    ken_task *cold = start_made(NULL, "CCN\ta\nC#N\tb\n", atoms, "", NULL);
    ken_task *new = start_made(&taken, "CCN\ta\nC#N\tb\n", atoms, folder_path("old.ken"), NULL);
    size_t more = 0, known = 0;
    for (size_t j = 0; j < new->input.scaling.width; j++) {
        bool was = old->input.scaling.deviation[j] == 1, is = cold->input.scaling.deviation[j] == 1;
        assert_true((new->input.scaling.deviation[j] == 1) == (was || is));
        more += is && !was;
        known += was && !is;
    }
    assert_true(more > 0 && known > 0);
    assert_int_equal(taken.partly, 0);
    ken_task_free(old);
    ken_task_free(cold);
    ken_task_free(new);
    old = start_old("{\"nodes\":[\"1 2\",\"4\"],\"edges\":[[0,1]],\"target\":\"x\"}\n"
                    "{\"nodes\":[\"3\"],\"edges\":[],\"target\":\"y\"}\n",
                    nodes, "old.ken");
    new = start_made(&taken,
                     "{\"nodes\":[\"7 2\"],\"edges\":[],\"target\":\"x\"}\n"
                     "{\"nodes\":[\"1\"],\"edges\":[],\"target\":\"y\"}\n",
                     nodes, folder_path("old.ken"), NULL);
    assert_int_equal(old->input.index_count, 5);
    assert_int_equal(new->input.index_count, 8);
    start_check_row(new, old, "input", 4, 4);
    assert_int_equal(taken.partly, 1);
    ken_task_free(old);
    ken_task_free(new);
}

static void what_cannot_go_on_is_named(void **state)
{
    static const char words[] = "format = tsv\n[input]\nunit = words\nleast = 1\n[output]\n"
                                "kind = generate\nunit = words\nleast = 1\n";
    static const struct {
        const char *change, *expected;
    } cases[] = {
        { "input.unit=characters", "r: input.unit=characters: OLD was trained with words and" },
        { "input.lower=yes", "r: input.lower=yes: OLD was trained with no and cannot" },
        { "input.letters=yes", "r: input.letters=yes: OLD was trained with no and cannot" },
        { "input.table=one-hot", "r: input.table=one-hot: OLD was trained with embedding" },
        { "output.unit=bytes", "r: output.unit=bytes: OLD was trained with words and cannot" },
        { "output.lower=yes", "r: output.lower=yes: OLD was trained with no and cannot" },
        { "output.shared=yes", "r: output.shared=yes: OLD was trained with no and cannot" },
    };
    (void)state;
    ken_task *old = start_old("a b\tc d\n", words, "OLD");
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_task *task, *opened = old;
        assert_int_equal(start_new(&task, "a b\tc d\n", words, folder_path("OLD")), KEN_OK);
        assert_int_equal(ken_recipe_set(task->recipe, cases[i].change), KEN_OK);
        ken_task *changed;
        assert_int_equal(ken_task_new(&changed, task->recipe), KEN_OK);
        assert_int_equal(ken_warm_open(&opened, changed, NULL), KEN_ERR_ARGUMENT);
        assert_null(opened);
        char said[600], *at = said;
        for (const char *c = ken_last_error(); *c; c++) { /* removes the folder from the message */
            size_t folder = strlen(folder_name());
            if (strncmp(c, folder_name(), folder) == 0) c += folder + 1;
            *at++ = *c;
        }
        *at = '\0';
        if (!strstr(said, cases[i].expected)) fail_msg("%s\nwanted: %s", said, cases[i].expected);
        ken_task_free(changed);
        ken_task_free(task);
    }
    ken_task_free(old);
}

/* A file of weights alone does not say what the rows of its tensors mean. */
static void a_model_without_a_recipe_is_refused(void **state)
{
    static const char keys[] = "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole";
    (void)state;
    ken_task *old = start_old("a\tx\nb\ty\n", keys, "old.ken"), *task, *opened;
    assert_int_equal(ken_model_save(old->model, folder_path("bare.ken")), KEN_OK);
    assert_int_equal(start_new(&task, "a\tx\nb\ty\n", keys, folder_path("bare.ken")), KEN_OK);
    assert_int_equal(ken_warm_open(&opened, task, NULL), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), "train.from"));
    assert_non_null(strstr(ken_last_error(), "has no recipe"));
    ken_task_free(task);
    ken_task_free(old);
}

static void memory_that_fails_is_told(void **state)
{
    static const char keys[] = "format = tsv\n[input]\nleast = 1\nletters = yes\n[output]\n"
                               "kind = whole\nvalue = class";
    (void)state;
    ken_task *old = start_old("a b\tx\nb\ty\n", keys, "old.ken");
    bool failed = true;
    unsigned k;
    for (k = 1; failed; k++) {
        ken_task *task;
        struct ken_taken taken;
        assert_int_equal(start_new(&task, "a c\tx\nb\tz\n", keys, folder_path("old.ken")), KEN_OK);
        ken_fault_arm(KEN_FAULT_MEMORY, k, false);
        ken_status status = start_set_up(task, &taken, NULL);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        failed = status != KEN_OK;
        if (status && status != KEN_ERR_MEMORY) fail_msg("%u: %s", k, ken_last_error());
        ken_task_free(task);
    }
    assert_true(k > 100);
    ken_task_free(old);
}

/* Rewrites a model file with another note of its scales. */
static void forge_scales(const char *to, const char *from, size_t columns)
{
    ken_safetensors file;
    struct ken_note notes[32];
    size_t count = 0;
    ken_buffer scales = { 0 };
    for (int part = 0; part < 2; part++) {
        ken_buffer_text(&scales, part ? "],\"deviation\":[" : "{\"inputs\":{\"mean\":[");
        for (size_t i = 0; i < columns; i++) ken_buffer_format(&scales, "%s1", i > 0 ? "," : "");
    }
    ken_buffer_text(&scales, "]},\"numbers\":{\"mean\":[],\"deviation\":[]}}");
    assert_int_equal(ken_safetensors_read(&file, from), KEN_OK);
    for (size_t i = 0; i < file.note_count; i++) {
        if (strcmp(file.notes[i].key, KEN_CHECKSUM_KEY) == 0) continue;
        notes[count] = file.notes[i];
        if (strcmp(notes[count].key, "scales") == 0) notes[count].value = scales.data;
        count++;
    }
    assert_int_equal(ken_safetensors_write(to, file.tensors, file.count, notes, count), KEN_OK);
    ken_safetensors_release(&file);
    ken_buffer_release(&scales);
}

/* A row is divided by the deviations that the file has: another number of them would be read, or
 * written, beyond the row. */
static void scales_of_another_width_are_refused(void **state)
{
    static const struct {
        const char *data, *keys;
    } cases[] = {
        { "CCO\ta\nCC=O\tb\n", "format = tsv\n[input]\nunit = atoms\n[output]\nkind = whole" },
        { "1\t2\ta\n3\t4\tb\n", "format = vectors\n[output]\nkind = whole" },
    };
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_task *task = start_old(cases[i].data, cases[i].keys, "old.ken"), *forged;
        size_t width = task->input.scaling.width, widths[] = { 0, width - 1, width + 1, 100000 };
        forge_scales(folder_path("same.ken"), folder_path("old.ken"), width);
        assert_int_equal(ken_task_load(&forged, folder_path("same.ken")), KEN_OK);
        ken_task_free(forged);
        for (size_t w = 0; w < KEN_COUNT(widths); w++) {
            forge_scales(folder_path("forged.ken"), folder_path("old.ken"), widths[w]);
            assert_int_equal(ken_task_load(&forged, folder_path("forged.ken")), KEN_ERR_FORMAT);
            assert_null(forged);
        }
        ken_task_free(task);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_words_come_behind_the_old_ones),
        cmocka_unit_test(subwords_stay_and_another_unit_is_refused),
        cmocka_unit_test(scales_stay),
        cmocka_unit_test(scales_of_another_width_are_refused),
        cmocka_unit_test(thresholds_and_labels_of_sets_stay),
        cmocka_unit_test(atoms_and_indices_are_added),
        cmocka_unit_test(what_cannot_go_on_is_named),
        cmocka_unit_test(a_model_without_a_recipe_is_refused),
        cmocka_unit_test(memory_that_fails_is_told),
    };
    if (ken_threads_set(1)) return 1;
    return cmocka_run_group_tests(tests, folder_make_fast, folder_remove);
}
