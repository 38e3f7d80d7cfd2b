/* test_column.c - the smallest form of ids changes no id; spellings that are kept once and rows
 * that are made late give the batch, and the hash, of rows that are simply there. */
#include "base/fault.h"
#include "base/size.h"
#include "data/dataset.h"
#include "tests/unit.h"

#include <string.h>

static void add(struct ken_column *column, const int32_t *ids, size_t count)
{
    ken_buffer_append(&column->ids, ids, count * sizeof *ids);
    ken_column_end(column);
    assert_int_equal(ken_column_status(column), KEN_OK);
}

/* Ids that make the column wider at every border, in any order of arrival. */
static void ids_come_back(void **state)
{
    (void)state;
    static const int32_t values[] = { 0,   1,     254,   255,   256,    -1,        65534,
                                      127, 65535, 65536, 70000, 0xffff, INT32_MAX, 3 };
    static const size_t items[] = { 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4 };
    enum { COUNT = KEN_COUNT(values) };
    for (size_t first = 0; first < COUNT; first++) {
        struct ken_column column = { 0 };
        for (size_t i = 0; i < COUNT; i++) {
            add(&column, &values[(first + i) % COUNT], 1);
            if (first == 0) assert_int_equal(column.item, items[i]);
            for (size_t j = 0; j <= i; j++)
                assert_int_equal(ken_column_id(&column, j), values[(first + j) % COUNT]);
        }
        ken_buffer all = { 0 };
        ken_column_unpack(&column, &all, 0, COUNT);
        assert_int_equal(all.size, COUNT * sizeof(int32_t));
        ken_buffer_release(&all);
        ken_column_release(&column);
    }
}

/* Ids below 256, as pixels have them, take a byte; samples of 16 bits take two. */
static void pixels_and_samples(void **state)
{
    (void)state;
    struct ken_column pixels = { 0 }, samples = { 0 };
    for (int32_t i = 0; i < 256; i++) add(&pixels, &i, 1);
    assert_int_equal(pixels.packed.size, 256);
    for (int32_t i = 0; i < 100; i++) add(&samples, (int32_t[]){ i, -i, 32767 - i, -32768 + i }, 4);
    assert_int_equal(samples.packed.size, 800);
    for (int32_t i = 0; i < 100; i++)
        assert_int_equal(ken_column_id(&samples, 4 * (size_t)i + 3), -32768 + i);
    ken_column_release(&pixels);
    ken_column_release(&samples);
}

static void a_word_takes_two_bytes(void **state)
{
    (void)state;
    struct ken_column column = { 0 };
    for (int32_t i = 0; i < 30000; i++) add(&column, &i, 1);
    assert_int_equal(column.item, 2);
    assert_int_equal(column.packed.size, 60000);
    ken_column_release(&column);
}

static void the_last_sequence_is_taken_back(void **state)
{
    (void)state;
    struct ken_column column = { 0 };
    add(&column, (int32_t[]){ 7, 8 }, 2);
    add(&column, (int32_t[]){ 900, -1, 5 }, 3);
    ken_column_drop(&column);
    assert_int_equal(ken_column_count(&column), 1);
    add(&column, (int32_t[]){ 6 }, 1);
    assert_int_equal(ken_column_id(&column, 0), 7);
    assert_int_equal(ken_column_id(&column, 1), 8);
    assert_int_equal(ken_column_id(&column, 2), 6);
    ken_column_drop(&column);
    ken_column_drop(&column);
    ken_column_drop(&column); /* nothing is left to take back */
    assert_int_equal(ken_column_count(&column), 0);
    ken_column_release(&column);
}

/* ---- the same examples, kept in three ways --------------------------------------------------- */

enum { EXAMPLES = 5, WIDTH = 3 };
static const char *const texts[EXAMPLES] = { "to be", "", "or not to be", "be", "to to to" };

/* A row for each word, of its length, its first letter and its place. */
static ken_status make_rows(const void *side, ken_dataset *out, const char *kept, size_t size)
{
    const float *scale = side;
    out->input.width = WIDTH;
    for (size_t at = 0, place = 0; at < size; place++) {
        size_t length = strcspn(kept + at, " ");
        float row[WIDTH] = { *scale * (float)length, (float)kept[at], (float)place };
        ken_buffer_append(&out->input.numbers, row, sizeof row);
        at += length + strspn(kept + at + length, " ");
    }
    ken_column_end(&out->input);
    return ken_dataset_status(out);
}

static size_t words_in(const char *text)
{
    size_t words = text[0] != '\0';
    for (; *text; text++) words += *text == ' ';
    return words;
}

static void fill_rows(ken_dataset *dataset, const float *scale, bool late)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        if (late) {
            ken_strings_add(&dataset->kept, texts[i], strlen(texts[i]));
            ken_column_skip(&dataset->input, words_in(texts[i]));
        } else {
            assert_int_equal(make_rows(scale, dataset, texts[i], strlen(texts[i])), KEN_OK);
        }
        add(&dataset->target, (int32_t[]){ (int32_t)i }, 1);
        dataset->count++;
    }
    if (late) dataset->late = make_rows;
    dataset->late_side = scale;
}

/* One letter id for each byte of a word; kept for each row, or once for each word. */
static void fill_letters(ken_dataset *dataset, bool once)
{
    for (size_t i = 0; i < EXAMPLES; i++) {
        for (const char *at = texts[i]; *at;) {
            size_t length = strcspn(at, " "), known = ken_vocabulary_size(&dataset->words);
            int32_t word = 0;
            ken_buffer_append(&dataset->input.ids, &(int32_t){ 2 }, sizeof(int32_t));
            if (once) {
                assert_int_equal(ken_vocabulary_add(&dataset->words, at, length, &word), KEN_OK);
                ken_buffer_append(&dataset->spelled.ids, &word, sizeof word);
            }
            for (size_t k = 0; k < length && (!once || (size_t)word == known); k++)
                ken_buffer_append(&dataset->letters.ids, &(int32_t){ at[k] }, sizeof(int32_t));
            if (!once || (size_t)word == known) ken_column_end(&dataset->letters);
            at += length + strspn(at + length, " ");
        }
        if (once) ken_column_end(&dataset->spelled);
        ken_column_end(&dataset->input);
        dataset->count++;
    }
}

static void same_batch(const ken_dataset *a, const ken_dataset *b)
{
    static const size_t examples[] = { 4, 1, 2, 2, 0 };
    ken_gathered x = { 0 }, y = { 0 };
    for (int again = 0; again < 2; again++) { /* memory that is used again changes nothing */
        assert_int_equal(ken_gather(&x, a, examples, KEN_COUNT(examples)), KEN_OK);
        assert_int_equal(ken_gather(&y, b, examples, KEN_COUNT(examples)), KEN_OK);
    }
    for (size_t i = 0; i < KEN_COUNT(x.memory); i++)
        for (size_t k = 0; k < 3; k++) {
            assert_int_equal(x.memory[i][k].size, y.memory[i][k].size);
            if (x.memory[i][k].size > 0)
                assert_memory_equal(x.memory[i][k].data, y.memory[i][k].data, x.memory[i][k].size);
        }
    ken_gathered_release(&x);
    ken_gathered_release(&y);
}

static void same_hash(const ken_dataset *a, const ken_dataset *b)
{
    char x[KEN_SHA256_HEX], y[KEN_SHA256_HEX];
    assert_int_equal(ken_dataset_hash(a, x), KEN_OK);
    assert_int_equal(ken_dataset_hash(b, y), KEN_OK);
    assert_string_equal(x, y);
}

static void rows_made_late_are_the_rows(void **state)
{
    (void)state;
    const float scale = 0.5f;
    ken_dataset there = { 0 }, late = { 0 };
    fill_rows(&there, &scale, false);
    fill_rows(&late, &scale, true);
    for (size_t i = 0; i < EXAMPLES; i++)
        assert_int_equal(ken_dataset_rows(&there, i, false), ken_dataset_rows(&late, i, false));
    same_batch(&there, &late);
    same_hash(&there, &late);
    ken_dataset_release(&there);
    ken_dataset_release(&late);
}

static void letters_kept_once_are_the_letters(void **state)
{
    (void)state;
    ken_dataset each = { 0 }, once = { 0 };
    fill_letters(&each, false);
    fill_letters(&once, true);
    assert_int_equal(ken_column_count(&each.letters), 10);
    assert_int_equal(ken_column_count(&once.letters), 4); /* to be or not */
    same_batch(&each, &once);
    same_hash(&each, &once);
    /* an example that is taken back leaves no row behind, in either form */
    each.count--, once.count--;
    ken_dataset_drop(&each);
    ken_dataset_drop(&once);
    same_hash(&each, &once);
    ken_dataset_release(&each);
    ken_dataset_release(&once);
}

/* Every allocation fails once: an error, and no leak. */
static void memory_that_fails(void **state)
{
    (void)state;
    for (uint64_t k = 1;; k++) {
        struct ken_column column = { 0 };
        ken_fault_arm(KEN_FAULT_MEMORY, k, false);
        for (int32_t id = -1; id < 70000; id += 997) {
            ken_buffer_append(&column.ids, &id, sizeof id);
            ken_column_end(&column);
        }
        ken_status status = ken_column_status(&column);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        ken_column_release(&column);
        if (!status) break;
        assert_int_equal(status, KEN_ERR_MEMORY);
        assert_true(k < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_come_back),
        cmocka_unit_test(pixels_and_samples),
        cmocka_unit_test(a_word_takes_two_bytes),
        cmocka_unit_test(the_last_sequence_is_taken_back),
        cmocka_unit_test(rows_made_late_are_the_rows),
        cmocka_unit_test(letters_kept_once_are_the_letters),
        cmocka_unit_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
