/* test_buffer.c - tests buffers and lists of strings that grow, and their sticky errors. */
#include "base/buffer.h"

#include "base/fault.h"
#include "base/random.h"
#include "tests/unit.h"

#include <string.h>

static void empty_ones(void **state)
{
    (void)state;
    ken_buffer buffer = { 0 };
    assert_string_equal(ken_buffer_string(&buffer), "");
    assert_int_equal(ken_buffer_status(&buffer), KEN_OK);
    ken_buffer_clear(&buffer);
    assert_null(buffer.data);
    ken_buffer_append(&buffer, NULL, 0);
    assert_int_equal(buffer.size, 0);
    assert_string_equal(ken_buffer_string(&buffer), "");
    ken_buffer_release(&buffer);
    ken_buffer_release(&buffer);
    ken_strings strings = { 0 };
    assert_int_equal(ken_strings_status(&strings), KEN_OK);
    ken_strings_release(&strings);
}

/* A 0 follows the last byte after every step, and growing keeps the old bytes. */
static void growing(void **state)
{
    (void)state;
    ken_buffer buffer = { 0 };
    for (size_t i = 0; i < 3000; i++) {
        char piece[40];
        memset(piece, 'a' + (int)(i % 26), sizeof piece);
        ken_buffer_append(&buffer, piece, i % sizeof piece);
        assert_true(buffer.size < buffer.room);
        assert_int_equal(buffer.data[buffer.size], 0);
    }
    const char *at = buffer.data;
    for (size_t i = 0; i < 3000; i++)
        for (size_t k = 0; k < i % 40; k++) assert_int_equal(*at++, 'a' + (int)(i % 26));
    size_t room = buffer.room;
    ken_buffer_clear(&buffer);
    assert_int_equal(buffer.size, 0);
    assert_int_equal(buffer.room, room);
    assert_string_equal(ken_buffer_string(&buffer), "");
    ken_buffer_release(&buffer);
}

static void formats(void **state)
{
    (void)state;
    ken_buffer buffer = { 0 };
    ken_buffer_text(&buffer, "x = ");
    ken_buffer_format(&buffer, "%d, %s", 42, "forty-two");
    assert_string_equal(buffer.data, "x = 42, forty-two");
    ken_buffer_format(&buffer, "%s", "");
    assert_int_equal(buffer.size, 17);
    ken_buffer_format(&buffer, "%5000d", 7); /* longer than the room */
    assert_int_equal(buffer.size, 5017);
    assert_int_equal(buffer.data[5016], '7');
    ken_buffer_release(&buffer);
}

static void absurd_sizes(void **state)
{
    (void)state;
    ken_buffer buffer = { 0 };
    ken_buffer_text(&buffer, "here");
    ken_buffer_append(&buffer, "", SIZE_MAX - 2); /* overflows: nothing is read or written */
    assert_int_equal(ken_buffer_status(&buffer), KEN_ERR_MEMORY);
    ken_buffer_text(&buffer, "more");
    assert_string_equal(buffer.data, "here"); /* sticky */
    ken_buffer_clear(&buffer);
    ken_buffer_text(&buffer, "new");
    assert_int_equal(ken_buffer_status(&buffer), KEN_OK);
    assert_string_equal(buffer.data, "new");
    ken_buffer_release(&buffer);
}

static void lists_of_strings(void **state)
{
    (void)state;
    ken_strings strings = { 0 };
    static const char bytes[16] = "ab\0cd\0";
    for (size_t i = 0; i < 1000; i++)
        ken_strings_add(&strings, bytes, (size_t)ken_random_below(1, i, sizeof bytes + 1));
    assert_int_equal(ken_strings_status(&strings), KEN_OK);
    assert_int_equal(strings.count, 1000);
    for (size_t i = 0; i < 1000; i++) {
        size_t length;
        const char *text = ken_strings_at(&strings, i, &length);
        assert_int_equal(length, ken_random_below(1, i, sizeof bytes + 1));
        assert_memory_equal(text, bytes, length);
        assert_int_equal(text[length], 0);
        assert_ptr_equal(text, ken_strings_at(&strings, i, NULL));
    }
    ken_strings_release(&strings);
    assert_int_equal(strings.count, 0);
}

static void no_memory(void **state)
{
    (void)state;
    uint64_t calls = 1;
    for (uint64_t nth = 1; nth <= calls; nth++) {
        ken_strings strings = { 0 };
        ken_buffer buffer = { 0 };
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        for (int i = 0; i < 100; i++) {
            ken_strings_add(&strings, "word", 4);
            ken_buffer_format(&buffer, "%d ", i);
        }
        calls = ken_fault_calls(KEN_FAULT_MEMORY);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        bool bad_strings = ken_strings_status(&strings) == KEN_ERR_MEMORY;
        bool bad_buffer = ken_buffer_status(&buffer) == KEN_ERR_MEMORY;
        assert_int_equal(bad_strings + bad_buffer, 1); /* the other one did not fail */
        assert_int_equal(strings.count == 100, !bad_strings);
        for (size_t i = 0; i < strings.count; i++)
            assert_string_equal(ken_strings_at(&strings, i, NULL), "word");
        ken_strings_release(&strings);
        ken_buffer_release(&buffer);
    }
    assert_true(calls > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_ones),       cmocka_unit_test(growing),
        cmocka_unit_test(formats),          cmocka_unit_test(absurd_sizes),
        cmocka_unit_test(lists_of_strings), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
