/* test_base.c - tests status, sizes, memory and arenas. */
#include "base/arena.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "base/status.h"
#include "tests/unit.h"

#include <pthread.h>
#include <string.h>

/* ---- Status --------------------------------------------------------------------------------- */

static void names_of_statuses(void **state)
{
    (void)state;
    static const char *const names[] = {
        [KEN_OK] = "KEN_OK",
        [KEN_ERR_ARGUMENT] = "KEN_ERR_ARGUMENT",
        [KEN_ERR_SHAPE] = "KEN_ERR_SHAPE",
        [KEN_ERR_MEMORY] = "KEN_ERR_MEMORY",
        [KEN_ERR_IO] = "KEN_ERR_IO",
        [KEN_ERR_FORMAT] = "KEN_ERR_FORMAT",
        [KEN_ERR_DIVERGED] = "KEN_ERR_DIVERGED",
        [KEN_ERR_STATE] = "KEN_ERR_STATE",
        [KEN_ERR_SPACE] = "KEN_ERR_SPACE",
        [KEN_ERR_STOPPED] = "KEN_ERR_STOPPED",
    };
    for (size_t status = 0; status < KEN_COUNT(names); status++)
        assert_string_equal(ken_status_name((ken_status)status), names[status]);
    assert_string_equal(ken_status_name((ken_status)KEN_COUNT(names)), "unknown status");
    assert_string_equal(ken_status_name((ken_status)1000), "unknown status");
    assert_string_equal(ken_status_name((ken_status)-1), "unknown status");
    assert_string_equal(ken_version(), KEN_VERSION);
}

static void *other_thread(void *fresh)
{
    *(bool *)fresh = ken_last_error()[0] == 0;
    ken_fail(KEN_ERR_SHAPE, "of the other thread");
    return NULL;
}

static void errors_belong_to_threads(void **state)
{
    (void)state;
    bool fresh = false;
    pthread_t thread;
    assert_int_equal(ken_fail(KEN_ERR_IO, "cannot open %s: %d", "x", 7), KEN_ERR_IO);
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &fresh), 0);
    pthread_join(thread, NULL);
    assert_true(fresh);
    assert_string_equal(ken_last_error(), "cannot open x: 7");
    char longest[2000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    ken_fail(KEN_ERR_IO, "%s", longest); /* cut, not overrun */
    assert_in_range(strlen(ken_last_error()), 100, sizeof longest - 2);
}

/* Messages quote files and arguments. Control characters in them are escaped, and a long message is
 * never cut in the middle of an escape or of a character. */
static void errors_are_plain(void **state)
{
    (void)state;
    char longest[2000];
    ken_fail(KEN_ERR_IO, "cannot open %s", "\x1b]0;x\a\xc2\x9b\xff\xc3\xbc\n");
    assert_string_equal(ken_last_error(), "cannot open \\u001b]0;x\\u0007\\u009b\\xff\xc3\xbc\\n");
    ken_fail_because(KEN_ERR_IO, "in %s", "\t");
    assert_string_equal(ken_last_error(),
                        "in \\t: cannot open \\u001b]0;x\\u0007\\u009b\\xff\xc3\xbc\\n");
    for (size_t shift = 0; shift < 5; shift++) {
        memset(longest, 'x', shift);
        for (size_t i = shift; i + 1 < sizeof longest; i += 2) memcpy(longest + i, "\xc3\xbc", 2);
        longest[sizeof longest - 1] = 0;
        ken_fail(KEN_ERR_IO, "%s", longest);
        assert_null(strchr(ken_last_error(), '\\'));
        assert_in_range(strlen(ken_last_error()), 500, 511);
        for (size_t i = shift; i + 1 < sizeof longest; i++) longest[i] = '\x1b';
        ken_fail(KEN_ERR_IO, "%s", longest);
        assert_string_equal(ken_last_error() + strlen(ken_last_error()) - 6, "\\u001b");
    }
}

static ken_status fails_at(int step, int *reached)
{
    *reached = 1;
    KEN_TRY(step == 1 ? KEN_ERR_SHAPE : KEN_OK);
    *reached = 2;
    KEN_TRY(step == 2 ? KEN_ERR_STATE : KEN_OK);
    *reached = 3;
    return KEN_OK;
}

static void trying(void **state)
{
    (void)state;
    int reached;
    assert_int_equal(fails_at(1, &reached), KEN_ERR_SHAPE);
    assert_int_equal(reached, 1);
    assert_int_equal(fails_at(2, &reached), KEN_ERR_STATE);
    assert_int_equal(reached, 2);
    assert_int_equal(fails_at(3, &reached), KEN_OK);
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

static void size_overflow(void **state)
{
    (void)state;
    size_t result, half = SIZE_MAX / 2 + 1;
    assert_true(ken_size_mul(&result, half, 1) && result == half);
    assert_false(ken_size_mul(&result, half, 2));
    assert_false(ken_size_mul(&result, SIZE_MAX, SIZE_MAX));
    assert_true(ken_size_mul(&result, SIZE_MAX, 0) && result == 0);
    assert_true(ken_size_add(&result, half, half - 1) && result == SIZE_MAX);
    assert_false(ken_size_add(&result, half, half));
    assert_false(ken_size_add(&result, SIZE_MAX, 1));
    assert_int_equal(ken_size_groups(0, 7), 0);
    assert_int_equal(ken_size_groups(7, 7), 1);
    assert_int_equal(ken_size_groups(8, 7), 2);
    assert_true(ken_size_groups(SIZE_MAX, 1) == SIZE_MAX);
    assert_int_equal(ken_size_round_up(65, 64), 128);
    assert_int_equal(ken_size_min(3, 5), 3);
    assert_int_equal(ken_size_max(3, 5), 5);
}

/* ---- Memory --------------------------------------------------------------------------------- */

static void memory(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 4096, (2 << 20) - 1, 2 << 20, 5000001 };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++) {
        unsigned char *block = ken_memory_zeroed(sizes[i], 1);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % 64, 0);
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(block[j], 0);
        memset(block, 7, sizes[i]);
        block = ken_memory_resize(block, sizes[i], 2 * sizes[i] + 1, 1);
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(block[j], 7);
        block = ken_memory_resize(block, 2 * sizes[i] + 1, sizes[i] / 2, 1); /* shrinks too */
        for (size_t j = 0; j < sizes[i] / 2; j++) assert_int_equal(block[j], 7);
        ken_memory_free(block);
    }
    ken_memory_free(NULL);
    void *fresh = ken_memory_resize(NULL, 0, 3, 5);
    assert_non_null(fresh);
    ken_memory_free(fresh);
    static const size_t absurd[][2] = { { SIZE_MAX, 1 },
                                        { SIZE_MAX / 2, 3 },
                                        { SIZE_MAX - 64, 1 },
                                        { (size_t)1 << 62, 1 } };
    for (size_t i = 0; i < KEN_COUNT(absurd); i++) {
        assert_null(ken_memory_new(absurd[i][0], absurd[i][1]));
        assert_null(ken_memory_zeroed(absurd[i][0], absurd[i][1]));
    }
}

/* Before a fault is armed nothing is counted, so that no thread writes to memory that all read. */
static void nothing_is_counted(void **state)
{
    (void)state;
    ken_memory_free(ken_memory_new(1, 1));
    assert_int_equal(ken_fault_calls(KEN_FAULT_MEMORY), 0);
}

static void memory_faults(void **state)
{
    (void)state;
    for (int forever = 0; forever < 2; forever++) {
        ken_fault_arm(KEN_FAULT_MEMORY, 3, forever);
        for (int call = 1; call <= 6; call++) {
            void *block = ken_memory_new(10, 1);
            assert_int_equal(block == NULL, call == 3 || (forever && call > 3));
            ken_memory_free(block);
        }
        assert_int_equal(ken_fault_calls(KEN_FAULT_MEMORY), 6);
    }
    void *old = (void *)&state;
    assert_null(ken_memory_resize(old, 8, 16, 1)); /* `old` is untouched, not freed */
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
}

/* ---- Arenas --------------------------------------------------------------------------------- */

static size_t blocks_made(ken_arena *arena, size_t count, size_t size)
{
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false); /* starts counting again */
    for (size_t i = 0; i < count; i++) assert_non_null(ken_arena_take(arena, size, 1));
    return (size_t)ken_fault_calls(KEN_FAULT_MEMORY);
}

/* Arrays of all sizes are aligned, do not overlap, and never move. */
static void arena_arrays(void **state)
{
    (void)state;
    enum { ARRAYS = 500 };
    ken_arena arena;
    unsigned char *arrays[ARRAYS];
    size_t sizes[ARRAYS];
    ken_arena_init(&arena);
    for (size_t i = 0; i < ARRAYS; i++) {
        sizes[i] = (size_t)ken_random_below(2, i, i % 50 == 0 ? 300000 : 3000);
        arrays[i] = ken_arena_take(&arena, sizes[i], 1);
        assert_non_null(arrays[i]);
        assert_int_equal((uintptr_t)arrays[i] % 64, 0);
        memset(arrays[i], (int)(i % 251), sizes[i]);
    }
    for (size_t i = 0; i < ARRAYS; i++)
        for (size_t j = 0; j < sizes[i]; j++) assert_int_equal(arrays[i][j], i % 251);
    const unsigned char *zeroed = ken_arena_take_zeroed(&arena, 1000, 7);
    for (size_t j = 0; j < 7000; j++) assert_int_equal(zeroed[j], 0);
    assert_null(ken_arena_take(&arena, SIZE_MAX / 2, 3));
    assert_null(ken_arena_take(&arena, SIZE_MAX, 1));
    assert_null(ken_arena_take(&arena, SIZE_MAX - 100, 1));
    assert_null(ken_arena_take(&arena, (size_t)1 << 62, 1));
    assert_int_equal(arena.used, arena.peak);
    ken_arena_release(&arena);
    assert_int_equal(arena.used, 0);
    assert_int_equal(arena.peak, 0);
}

static void arena_marks(void **state)
{
    (void)state;
    ken_arena arena;
    ken_arena_init(&arena);
    ken_arena_mark empty = ken_arena_here(&arena); /* before any block exists */
    char *kept = ken_arena_take(&arena, 100, 1);
    memset(kept, 5, 100);
    ken_arena_mark mark = ken_arena_here(&arena);
    char *next = ken_arena_take(&arena, 1000, 1);
    for (int i = 0; i < 10; i++) ken_arena_take(&arena, 100000, 1); /* several blocks */
    size_t peak = arena.peak;
    ken_arena_rewind(&arena, mark);
    assert_int_equal(arena.used, 128);
    assert_int_equal(arena.peak, peak);
    for (int i = 0; i < 100; i++) assert_int_equal(kept[i], 5);
    assert_ptr_equal(ken_arena_take(&arena, 1000, 1), next); /* the same place again */
    ken_arena_rewind(&arena, mark);
    ken_arena_rewind(&arena, mark);
    ken_arena_rewind(&arena, empty);
    assert_int_equal(arena.used, 0);
    assert_non_null(ken_arena_take(&arena, 1, 1));
    ken_arena_release(&arena);
}

/* After one step the arena is one block of the peak size, and a second step takes no memory. */
static void arena_settles(void **state)
{
    (void)state;
    ken_arena arena;
    ken_arena_init(&arena);
    assert_true(blocks_made(&arena, 100, 40000) > 3);
    size_t peak = arena.peak;
    ken_arena_clear(&arena);
    assert_int_equal(arena.used, 0);
    assert_int_equal(arena.peak, peak);
    for (int step = 0; step < 3; step++) {
        assert_int_equal(blocks_made(&arena, 100, 40000), 0);
        ken_arena_clear(&arena);
    }
    ken_arena_release(&arena);

    /* even if a rewind gave back the memory that made the peak */
    for (int step = 0; step < 2; step++) {
        assert_int_equal(blocks_made(&arena, 1, 10000) > 0, step == 0);
        ken_arena_mark mark = ken_arena_here(&arena);
        assert_int_equal(blocks_made(&arena, 1, 1 << 20) > 0, step == 0);
        ken_arena_rewind(&arena, mark);
        ken_arena_clear(&arena);
    }
    ken_arena_release(&arena);
}

static void arena_faults(void **state)
{
    (void)state;
    ken_arena arena;
    ken_arena_init(&arena);
    ken_fault_arm(KEN_FAULT_MEMORY, 1, true);
    assert_null(ken_arena_take(&arena, 1, 1));
    assert_null(ken_arena_take_zeroed(&arena, 1, 1));
    /* the doubled block fails, the needed size succeeds */
    ken_fault_arm(KEN_FAULT_MEMORY, 1, false);
    assert_non_null(ken_arena_take(&arena, 10, 1));
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    char *kept = ken_arena_take(&arena, 10, 1);
    memset(kept, 3, 10);
    size_t used = arena.used;
    ken_fault_arm(KEN_FAULT_MEMORY, 1, true);
    assert_null(ken_arena_take(&arena, 1 << 20, 1)); /* and changes nothing */
    assert_int_equal(arena.used, used);
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    assert_non_null(ken_arena_take(&arena, 1 << 20, 1));
    for (int i = 0; i < 10; i++) assert_int_equal(kept[i], 3);
    ken_fault_arm(KEN_FAULT_MEMORY, 1, true);
    ken_arena_clear(&arena); /* cannot get its single block, but is usable later */
    assert_null(ken_arena_take(&arena, 1, 1));
    ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
    assert_non_null(ken_arena_take(&arena, 1, 1));
    ken_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_counted), /* first: the others arm faults */
        cmocka_unit_test(names_of_statuses),  cmocka_unit_test(errors_belong_to_threads),
        cmocka_unit_test(errors_are_plain),   cmocka_unit_test(trying),
        cmocka_unit_test(size_overflow),      cmocka_unit_test(memory),
        cmocka_unit_test(memory_faults),      cmocka_unit_test(arena_arrays),
        cmocka_unit_test(arena_marks),        cmocka_unit_test(arena_settles),
        cmocka_unit_test(arena_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
