/* test_sha256.c - the examples of FIPS 180-4; and the cut into pieces does not matter. */
#include "base/sha256.h"

#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <string.h>

static void check(const void *data, size_t size, const char *expected)
{
    char hex[KEN_SHA256_HEX];
    ken_sha256 sha;
    ken_sha256_init(&sha);
    ken_sha256_add(&sha, data, size);
    ken_sha256_hex(&sha, hex);
    assert_string_equal(hex, expected);
}

static void published_examples(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
        { "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          "l"
          "mnopqrsmnopqrstnopqrstu",
          "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++)
        check(cases[i][0], strlen(cases[i][0]), cases[i][1]);
    static char million[1000000];
    memset(million, 'a', sizeof million);
    check(million, sizeof million,
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Lengths around the end of a block, where the padding changes; digests by Python's hashlib. */
static void ends_of_blocks(void **state)
{
    (void)state;
    static const struct {
        size_t size;
        const char *hex;
    } cases[] = {
        { 55, "576a1bf8d4478657e6dc4af9398544765c2a92cde28478b019235cfed315fc09" },
        { 56, "9b20501dfd1d99161c257950f3444f3e49230c351c5c8e0943ef369f85f5205d" },
        { 63, "30b345906b493f06f69444b6521113511c242f30e29840462950035043682f1e" },
        { 64, "d8bc63b4fc1156e5e7d95a418b9bf54cd3174bedbc2db40f74895349b229b3c0" },
        { 65, "1ee23b0fbcaecc1aff4a9e8f1645f35ab2c8e13609cd73b68df8b5e3f63ce073" },
        { 119, "7a6589821178918ca8d9edaba5abfc1e9b2669564f4469b66885379c1530b2c8" },
        { 120, "655250427d56b1b0eeb8497d21428704273458a01772d6881b65c0abac0f8a98" },
        { 1000, "1d9d471927b6f0cbc77aed8969dfc6ef43ff35fdcdd8aa0032630c0063ff95a5" },
    };
    unsigned char data[1000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + i / 251);
    for (size_t i = 0; i < KEN_COUNT(cases); i++) check(data, cases[i].size, cases[i].hex);
}

static void pieces(void **state)
{
    (void)state;
    unsigned char data[1000];
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)(i * 7 + i / 251);
    for (uint64_t round = 0; round < 200; round++) {
        char hex[KEN_SHA256_HEX];
        ken_sha256 sha;
        ken_sha256_init(&sha);
        for (size_t at = 0, piece, i = 0; at < sizeof data; at += piece) {
            piece = (size_t)ken_random_below(round, i++, 1 + round % 199);
            piece = ken_size_min(piece + (round % 199 == 0), sizeof data - at);
            ken_sha256_add(&sha, data + at, piece);
        }
        ken_sha256_add(&sha, NULL, 0);
        ken_sha256_hex(&sha, hex);
        assert_string_equal(hex,
                            "1d9d471927b6f0cbc77aed8969dfc6ef43ff35fdcdd8aa0032630c0063ff95a5");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples),
        cmocka_unit_test(ends_of_blocks),
        cmocka_unit_test(pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
