/* test_options.c - structs that begin with their size: what is taken from a smaller one, and that
 * nothing beyond it is read or written. (Whole programs with other headers: tests/abi.) */
#include "base/options.h"
#include "base/size.h"
#include "ken.h"
#include "tests/unit.h"

#include <string.h>

#define BEGINS_AND_ENDS(type, last)                                                                \
    _Static_assert(offsetof(type, size) == 0 && sizeof(type) == KEN_OPTIONS_END(type, last),       \
                   #type " begins with its size and has no unused bytes after " #last)
BEGINS_AND_ENDS(ken_config, place_axes);
BEGINS_AND_ENDS(ken_training, seed);
BEGINS_AND_ENDS(ken_generation, on_id_user);
BEGINS_AND_ENDS(ken_session_options, threads);

/* Structs that take new fields in place of reserved ones: their size never changes. */
#define ENDS_RESERVED(type)                                                                        \
    _Static_assert(sizeof(type) == KEN_OPTIONS_END(type, reserved), #type " ends with reserved")
ENDS_RESERVED(ken_sequences);
ENDS_RESERVED(ken_links);
ENDS_RESERVED(ken_request);
ENDS_RESERVED(ken_comparison);
ENDS_RESERVED(ken_picture);
ENDS_RESERVED(ken_glance);

/* A struct in three versions. */
struct first {
    size_t size;
    uint64_t a;
};
struct second {
    size_t size;
    uint64_t a, b;
};
struct third {
    size_t size;
    uint64_t a, b, c;
};
static const struct second defaults = { sizeof defaults, 10, 20 };

static ken_status take(struct second *own, const void *given)
{
    *own = defaults;
    return ken_options_take(own, sizeof *own, given, sizeof(struct first), "ken_thing");
}

static void an_older_struct(void **state)
{
    (void)state;
    struct second own;
    struct third memory = { .c = 99 }; /* the caller's struct, and what follows it */
    memory.b = 77;
    ken_options_give(&memory, sizeof(struct first), &defaults, sizeof defaults);
    assert_int_equal(memory.size, sizeof(struct first));
    assert_int_equal(memory.a, 10);
    assert_int_equal(memory.b, 77); /* not the caller's struct: left alone */
    memory.a = 11;
    assert_int_equal(take(&own, &memory), KEN_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.a, 11);
    assert_int_equal(own.b, 20); /* the default, not what follows */
}

static void the_same_struct(void **state)
{
    (void)state;
    struct second own, given = defaults;
    given.b = 21;
    assert_int_equal(take(&own, &given), KEN_OK);
    assert_memory_equal(&own, &given, sizeof own);
}

static void a_newer_struct(void **state)
{
    (void)state;
    struct second own;
    struct third given;
    memset(&given, 0xff, sizeof given);
    ken_options_give(&given, sizeof given, &defaults, sizeof defaults);
    assert_int_equal(given.size, sizeof given);
    assert_int_equal(given.b, 20);
    assert_int_equal(given.c, 0);
    assert_int_equal(take(&own, &given), KEN_ERR_ARGUMENT);
    assert_non_null(strstr(ken_last_error(), "ken_thing has size"));
    assert_non_null(strstr(ken_last_error(), "built for a newer ken than " KEN_VERSION));
    assert_memory_equal(&own, &defaults, sizeof own); /* nothing was taken */
}

static void no_size(void **state)
{
    (void)state;
    struct second own, given = defaults;
    const size_t sizes[] = { 0, 1, sizeof(size_t), sizeof(struct first) - 1 };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++) {
        given.size = sizes[i];
        assert_int_equal(take(&own, &given), KEN_ERR_ARGUMENT);
        assert_non_null(strstr(ken_last_error(), "start from ken_thing_default()"));
    }
    ken_options_give(&given, sizeof(size_t) - 1, &defaults, sizeof defaults); /* does nothing */
    assert_int_equal(given.size, sizeof(struct first) - 1);
}

static void what_is_reserved(void **state)
{
    (void)state;
    ken_sequences sequences = { 0 };
    assert_int_equal(KEN_OPTIONS_UNUSED(&sequences, "ken_sequences"), KEN_OK);
    for (size_t i = 0; i < KEN_COUNT(sequences.reserved); i++) {
        memset(&sequences, 0, sizeof sequences);
        sequences.reserved[i] = &sequences;
        assert_int_equal(KEN_OPTIONS_UNUSED(&sequences, "ken_sequences"), KEN_ERR_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_struct),  cmocka_unit_test(the_same_struct),
        cmocka_unit_test(a_newer_struct),   cmocka_unit_test(no_size),
        cmocka_unit_test(what_is_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
