/* test_vocabulary.c - tests strings and their numbers, the selection of strings, and the heap. */
#include "unit/vocabulary.h"

#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "unit/heap.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static void numbers_of_strings(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    ken_vocabulary vocabulary = { 0 };
    assert_int_equal(ken_vocabulary_find(&vocabulary, "x", 1), KEN_NO_ID);
    for (int round = 1; round <= 3; round++)
        for (int i = 0; i < COUNT; i++) {
            char name[16];
            int32_t id;
            size_t length = (size_t)snprintf(name, sizeof name, "%x", i * 77);
            assert_int_equal(ken_vocabulary_add(&vocabulary, name, length, &id), KEN_OK);
            assert_int_equal(id, i);
            assert_int_equal(ken_vocabulary_find(&vocabulary, name, length), i);
            assert_int_equal(ken_vocabulary_count(&vocabulary, id), round);
            assert_string_equal(ken_vocabulary_name(&vocabulary, id, NULL), name);
        }
    assert_int_equal(ken_vocabulary_size(&vocabulary), COUNT);
    assert_int_equal(ken_vocabulary_find(&vocabulary, "none", 4), KEN_NO_ID);
    ken_vocabulary_release(&vocabulary);
    assert_int_equal(ken_vocabulary_size(&vocabulary), 0);
}

/* Strings that differ only in length, in bytes 0, or after the eighth byte. */
static void close_strings(void **state)
{
    (void)state;
    static const char bytes[20] = { 0 };
    ken_vocabulary vocabulary = { 0 };
    for (size_t length = 0; length <= sizeof bytes; length++)
        for (size_t at = 0; at <= length; at++) {
            char text[20] = { 0 };
            int32_t id;
            if (at < length) text[at] = 1;
            assert_int_equal(ken_vocabulary_add(&vocabulary, text, length, &id), KEN_OK);
            assert_int_equal(id, ken_vocabulary_size(&vocabulary) - 1);
        }
    for (size_t length = 0, id = 0; length <= sizeof bytes; id += ++length)
        assert_int_equal(ken_vocabulary_find(&vocabulary, bytes, length), id + length);
    ken_vocabulary_release(&vocabulary);
}

static void add_times(ken_vocabulary *vocabulary, const char *name, int times)
{
    for (int i = 0; i < times; i++)
        assert_int_equal(ken_vocabulary_add(vocabulary, name, strlen(name), NULL), KEN_OK);
}

static void check_kept(const ken_vocabulary *from, size_t reserved, uint64_t least, size_t most,
                       const char *expected)
{
    ken_vocabulary kept = { 0 };
    ken_buffer names = { 0 };
    assert_int_equal(ken_vocabulary_keep(&kept, from, reserved, least, most), KEN_OK);
    for (size_t i = 0; i < ken_vocabulary_size(&kept); i++)
        ken_buffer_format(&names, "%s%llu ", ken_vocabulary_name(&kept, (int32_t)i, NULL),
                          (unsigned long long)ken_vocabulary_count(&kept, (int32_t)i));
    assert_string_equal(ken_buffer_string(&names), expected);
    ken_buffer_release(&names);
    ken_vocabulary_release(&kept);
}

static void the_most_frequent(void **state)
{
    (void)state;
    ken_vocabulary from = { 0 };
    check_kept(&from, 0, 0, SIZE_MAX, "");
    add_times(&from, "zero", 1);
    add_times(&from, "one", 9);
    add_times(&from, "b", 3);
    add_times(&from, "ba", 3);
    add_times(&from, "a", 3);
    add_times(&from, "rare", 1);
    add_times(&from, "often", 8);
    check_kept(&from, 0, 0, SIZE_MAX, "one9 often8 a3 b3 ba3 rare1 zero1 ");
    check_kept(&from, 2, 2, SIZE_MAX, "zero1 one9 often8 a3 b3 ba3 ");
    check_kept(&from, 2, 2, 4, "zero1 one9 often8 a3 ");
    check_kept(&from, 2, 2, 1, "zero1 one9 "); /* the reserved ones are always kept */
    check_kept(&from, 0, 100, SIZE_MAX, "");
    ken_vocabulary_release(&from);
}

static void no_memory(void **state)
{
    (void)state;
    bool reached = true;
    for (uint64_t nth = 1; reached; nth++) {
        ken_vocabulary vocabulary = { 0 }, kept = { 0 };
        ken_status status = KEN_OK;
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        for (int i = 0; i < 300 && !status; i++) {
            char name[16];
            size_t length = (size_t)snprintf(name, sizeof name, "%d", i % 200);
            status = ken_vocabulary_add(&vocabulary, name, length, NULL);
        }
        if (!status) status = ken_vocabulary_keep(&kept, &vocabulary, 3, 2, 100);
        reached = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, reached ? KEN_ERR_MEMORY : KEN_OK);
        ken_vocabulary_release(&vocabulary);
        ken_vocabulary_release(&kept);
    }
}

static void heap(void **state)
{
    (void)state;
    ken_heap items = { 0 };
    for (uint64_t round = 0; round < 200; round++) {
        for (uint64_t i = 0; i < round; i++)
            assert_int_equal(ken_heap_push(&items, ken_random_below(round, i, 10),
                                           ken_random_below(round, i + 1000, 10)),
                             KEN_OK);
        struct ken_heap_item last = { 0, 0 };
        for (uint64_t i = 0; i < round; i++) {
            struct ken_heap_item item = ken_heap_pop(&items);
            assert_true(item.first > last.first ||
                        (item.first == last.first && item.second >= last.second));
            last = item;
        }
        assert_int_equal(items.count, 0);
    }
    ken_heap_release(&items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_strings),
        cmocka_unit_test(close_strings),
        cmocka_unit_test(the_most_frequent),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
