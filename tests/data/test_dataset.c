/* test_dataset.c - tests columns, the batches that are gathered from them, and their order. */
#include "data/dataset.h"

#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <string.h>

/* Adds `count` sequences of 0 to 6 ids, with 0 to 3 letters for each row, and targets of as many
 * rows with `width` numbers each; width 0 means that targets are ids. */
static void fill(ken_dataset *dataset, size_t count, size_t width)
{
    int32_t next = 0, letter = 0;
    float number = 0;
    dataset->target.width = width;
    dataset->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t rows = ken_random_below(1, i, 7);
        for (size_t t = 0; t < rows; t++) {
            ken_buffer_append(&dataset->input.ids, &next, sizeof next);
            for (size_t k = ken_random_below(2, (uint64_t)next, 4); k > 0; k--, letter++)
                ken_buffer_append(&dataset->letters.ids, &letter, sizeof letter);
            ken_column_end(&dataset->letters);
            for (size_t k = 0; k < width; k++, number++)
                ken_buffer_append(&dataset->target.numbers, &number, sizeof number);
            if (width == 0) ken_buffer_append(&dataset->target.ids, &next, sizeof next);
            next++;
        }
        ken_column_end(&dataset->input);
        ken_column_end(&dataset->target);
    }
    assert_int_equal(ken_dataset_status(dataset), KEN_OK);
}

static void columns(void **state)
{
    (void)state;
    struct ken_column column = { .width = 2 };
    static const float numbers[] = { 1, 2, 3, 4, 5, 6 };
    assert_int_equal(ken_column_count(&column), 0);
    assert_int_equal(ken_column_start(&column, 0), 0);
    ken_column_end(&column); /* an empty sequence */
    ken_buffer_append(&column.numbers, numbers, sizeof numbers);
    ken_column_end(&column);
    ken_column_end(&column);
    assert_int_equal(ken_column_count(&column), 3);
    assert_int_equal(ken_column_start(&column, 1), 0);
    assert_int_equal(ken_column_start(&column, 2), 3);
    assert_int_equal(ken_column_start(&column, 3), 3);
    ken_dataset dataset = { .count = 3, .input = column };
    ken_dataset_release(&dataset);
}

static void rows(void **state)
{
    (void)state;
    ken_dataset dataset = { 0 };
    fill(&dataset, 20, 0);
    for (size_t i = 0; i < 20; i++) {
        size_t n = ken_column_start(&dataset.input, i + 1) - ken_column_start(&dataset.input, i);
        assert_int_equal(ken_dataset_rows(&dataset, i, false), n);
        assert_int_equal(ken_dataset_rows(&dataset, i, true), 2 * n + 1);
    }
    ken_dataset writer = { .count = 20, .target = dataset.target }; /* a language model */
    for (size_t i = 0; i < 20; i++)
        assert_int_equal(ken_dataset_rows(&writer, i, true),
                         ken_dataset_rows(&dataset, i, false) + 1);
    ken_dataset_release(&dataset);
    assert_int_equal(dataset.count, 0);
}

/* Compares sequence b of a batch with sequence e of the column it came from. */
static void check_sequence(const ken_sequences *got, size_t b, const struct ken_column *column,
                           size_t e)
{
    size_t from = ken_column_start(column, e), count = ken_column_start(column, e + 1) - from;
    size_t width = column->width;
    const float *numbers = (const float *)(const void *)column->numbers.data;
    assert_int_equal(got->start[b + 1] - got->start[b], count);
    for (size_t i = 0; i < count && width == 0; i++)
        assert_int_equal(got->ids[got->start[b] + i], ken_column_id(column, from + i));
    if (count > 0 && width > 0)
        assert_memory_equal(got->numbers + got->start[b] * width, numbers + from * width,
                            count * width * sizeof *numbers);
}

static void check_batch(const ken_gathered *batch, const ken_dataset *dataset,
                        const size_t *examples, size_t count)
{
    size_t row = 0;
    assert_int_equal(batch->input.count, count);
    assert_int_equal(batch->target.count, count);
    assert_int_equal(batch->input.start[0], 0);
    assert_ptr_equal(batch->input.letters, &batch->letters);
    assert_int_equal(batch->letters.count, batch->input.start[count]);
    for (size_t b = 0; b < count; b++) {
        check_sequence(&batch->input, b, &dataset->input, examples[b]);
        check_sequence(&batch->target, b, &dataset->target, examples[b]);
        size_t first = ken_column_start(&dataset->input, examples[b]);
        size_t last = ken_column_start(&dataset->input, examples[b] + 1);
        for (size_t r = first; r < last; r++, row++)
            check_sequence(&batch->letters, row, &dataset->letters, r);
    }
    assert_int_equal(row, batch->letters.count);
}

static void gathering(void **state)
{
    (void)state;
    for (size_t width = 0; width < 4; width += 3) {
        ken_dataset dataset = { 0 };
        ken_gathered batch = { 0 };
        fill(&dataset, 67, width);
        for (uint64_t round = 0; round < 50; round++) { /* the same batch again and again */
            size_t examples[17], count = ken_random_below(round, 0, 18);
            for (size_t i = 0; i < count; i++) examples[i] = ken_random_below(round, 1 + i, 67);
            assert_int_equal(ken_gather(&batch, &dataset, examples, count), KEN_OK);
            check_batch(&batch, &dataset, examples, count);
        }
        ken_gathered_release(&batch);
        ken_dataset_release(&dataset);
    }
}

/* If a dataset lacks a part, its batches lack it too. */
static void parts_may_be_missing(void **state)
{
    (void)state;
    ken_dataset full = { 0 };
    ken_gathered batch = { 0 };
    const size_t examples[] = { 3, 1 };
    fill(&full, 5, 0);
    const ken_dataset writer = { .count = 5, .target = full.target };
    const ken_dataset asked = { .count = 5, .input = full.input };
    assert_int_equal(ken_gather(&batch, &full, examples, 2), KEN_OK);
    assert_int_equal(ken_gather(&batch, &writer, examples, 2), KEN_OK);
    assert_int_equal(batch.input.count, 0);
    assert_int_equal(batch.target.count, 2);
    assert_null(batch.input.letters);
    assert_int_equal(ken_gather(&batch, &asked, examples, 2), KEN_OK);
    assert_int_equal(batch.input.count, 2);
    assert_int_equal(batch.letters.count, 0);
    assert_int_equal(batch.target.count, 0);
    assert_null(batch.input.letters);
    ken_gathered_release(&batch);
    ken_dataset_release(&full);
}

/* Every example occurs once; a batch is within the budget or has a single example; and no batch had
 * room for the next example. */
static void check_batches(const ken_batches *batches, const ken_dataset *dataset, size_t budget,
                          bool generates)
{
    bool seen[512] = { 0 };
    size_t from = 0;
    for (size_t b = 0; b < batches->count; b++) {
        size_t sum = 0;
        assert_true(batches->ends[b] > from);
        for (size_t i = from; i < batches->ends[b]; i++) {
            assert_true(batches->order[i] < dataset->count && !seen[batches->order[i]]);
            seen[batches->order[i]] = true;
            sum += ken_dataset_rows(dataset, batches->order[i], generates);
        }
        assert_true(sum <= budget || batches->ends[b] == from + 1);
        from = batches->ends[b];
        if (from < dataset->count)
            assert_true(sum + ken_dataset_rows(dataset, batches->order[from], generates) > budget);
    }
    assert_int_equal(from, dataset->count);
}

static void batches(void **state)
{
    (void)state;
    static const size_t counts[] = { 0, 1, 7, 17, 67, 512 }, budgets[] = { 0, 1, 5, 40, SIZE_MAX };
    for (size_t c = 0; c < KEN_COUNT(counts); c++)
        for (size_t b = 0; b < KEN_COUNT(budgets); b++)
            for (int how = 0; how < 4; how++) {
                ken_dataset dataset = { 0 };
                ken_batches made;
                fill(&dataset, counts[c], 0);
                assert_int_equal(ken_batches_make(&made, &dataset, how & 1, budgets[b], how & 2, 9,
                                                  c),
                                 KEN_OK);
                check_batches(&made, &dataset, budgets[b], how & 1);
                for (size_t i = 0; i < counts[c] && !(how & 2); i++)
                    assert_int_equal(made.order[i], i);
                ken_batches_release(&made);
                ken_dataset_release(&dataset);
            }
}

/* The order of an epoch depends on (seed, epoch) alone, and each example is at each place equally
 * often. The numbers are fixed here, so that a later version resumes a run in the same order. */
static void order(void **state)
{
    (void)state;
    enum { COUNT = 9, EPOCHS = 18000 };
    static const size_t fixed[3][COUNT] = { { 1, 2, 7, 5, 3, 0, 6, 4, 8 },
                                            { 7, 4, 8, 3, 5, 6, 2, 1, 0 },
                                            { 4, 0, 7, 8, 5, 1, 6, 2, 3 } };
    size_t places[COUNT][COUNT] = { { 0 } };
    ken_dataset dataset = { 0 };
    fill(&dataset, COUNT, 0);
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        ken_batches made, again;
        assert_int_equal(ken_batches_make(&made, &dataset, false, 9, true, 1, epoch), KEN_OK);
        assert_int_equal(ken_batches_make(&again, &dataset, true, 1, true, 1, epoch), KEN_OK);
        assert_memory_equal(made.order, again.order, sizeof fixed[0]);
        if (epoch < 3) assert_memory_equal(made.order, fixed[epoch], sizeof fixed[0]);
        for (size_t i = 0; i < COUNT; i++) places[made.order[i]][i]++;
        ken_batches_release(&made);
        ken_batches_release(&again);
    }
    for (size_t e = 0; e < COUNT; e++)
        for (size_t i = 0; i < COUNT; i++) /* five standard deviations */
            assert_in_range(places[e][i], EPOCHS / COUNT - 211, EPOCHS / COUNT + 211);
    ken_dataset_release(&dataset);
}

static void faults(void **state)
{
    (void)state;
    const size_t examples[] = { 1, 4, 2 };
    size_t failures = 0;
    ken_dataset dataset = { 0 };
    fill(&dataset, 5, 2);
    for (uint64_t nth = 1, status = 1; status; nth++)
        for (int forever = 0; forever < 2; forever++) {
            ken_gathered batch = { 0 };
            ken_batches made;
            ken_fault_arm(KEN_FAULT_MEMORY, nth, forever);
            status = ken_batches_make(&made, &dataset, false, 3, true, 1, 1);
            if (!status) status = ken_gather(&batch, &dataset, examples, 3);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            if (status) {
                assert_int_equal(status, KEN_ERR_MEMORY);
                failures++;
                assert_int_equal(ken_gather(&batch, &dataset, examples, 3), KEN_OK); /* again */
            }
            check_batch(&batch, &dataset, examples, 3);
            ken_gathered_release(&batch);
            ken_batches_release(&made);
        }
    ken_dataset_release(&dataset);
    assert_true(failures > 10);
    int32_t id = 7; /* a column that could not grow says so */
    ken_fault_arm(KEN_FAULT_MEMORY, 1, true);
    ken_buffer_append(&dataset.input.ids, &id, sizeof id);
    ken_column_end(&dataset.input);
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    assert_int_equal(ken_dataset_status(&dataset), KEN_ERR_MEMORY);
    ken_dataset_release(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),   cmocka_unit_test(rows),
        cmocka_unit_test(gathering), cmocka_unit_test(parts_may_be_missing),
        cmocka_unit_test(batches),   cmocka_unit_test(order),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
