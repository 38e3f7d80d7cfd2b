/* test_tokeniser.c - converts text to ids and back for every unit, and tokenisers to JSON and back;
 * with failing allocations, hostile JSON and real text. */
#include "unit/tokeniser.h"

#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "format/lines.h"
#include "tests/corpora.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static const char sample[] =
    "Ein Hund l\xc3\xa4uft. Ein Hund schl\xc3\xa4"
    "ft. the dog runs, the Dog sleeps, 42 dogs run\n"
    "\xd0\x9c\xd0\xb8\xd1\x80 \xe4\xb8\x96\xe7\x95\x8c \xf0\x9f\x98\x80  two  blanks ";

static ken_tokeniser learned(enum ken_unit unit, uint64_t least, bool lower)
{
    ken_tokeniser tokeniser = { .options = { unit, 0, least, lower } };
    assert_int_equal(ken_tokeniser_see(&tokeniser, sample, sizeof sample - 1), KEN_OK);
    assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
    return tokeniser;
}

static const int32_t *ids_of(const ken_buffer *ids)
{
    return (const int32_t *)(const void *)ids->data;
}

/* Compares the names of a text's ids, with "|" after each and unknown ones in brackets. */
static void check_encoded(const ken_tokeniser *tokeniser, const char *text, const char *expected)
{
    ken_buffer ids = { 0 }, shown = { 0 };
    ken_strings names = { 0 };
    assert_int_equal(ken_tokeniser_encode(tokeniser, text, strlen(text), &ids, &names), KEN_OK);
    assert_int_equal(names.count, ids.size / sizeof(int32_t));
    for (size_t i = 0; i < names.count; i++) {
        bool unknown = ids_of(&ids)[i] == KEN_ID_UNKNOWN;
        ken_buffer_format(&shown, unknown ? "[%s]|" : "%s|", ken_strings_at(&names, i, NULL));
    }
    assert_string_equal(ken_buffer_string(&shown), expected);
    ken_buffer_release(&ids);
    ken_buffer_release(&shown);
    ken_strings_release(&names);
}

/* Encodes and decodes a text and compares the result. */
static void check_back(const ken_tokeniser *tokeniser, const char *text, size_t length,
                       const char *expected, size_t expected_length)
{
    ken_buffer ids = { 0 }, back = { 0 };
    assert_int_equal(ken_tokeniser_encode(tokeniser, text, length, &ids, NULL), KEN_OK);
    size_t count = ids.size / sizeof(int32_t);
    assert_int_equal(ken_tokeniser_decode(tokeniser, ids_of(&ids), count, &back), KEN_OK);
    assert_int_equal(back.size, expected_length);
    if (back.size > 0) assert_memory_equal(back.data, expected, back.size);
    bool begun = false;
    ken_buffer_clear(&back); /* the ids one by one give the same text */
    for (size_t i = 0; i < count; i++)
        assert_int_equal(ken_tokeniser_decode_next(tokeniser, ids_of(&ids)[i], &begun, &back),
                         KEN_OK);
    assert_int_equal(back.size, expected_length);
    if (back.size > 0) assert_memory_equal(back.data, expected, back.size);
    ken_buffer_release(&ids);
    ken_buffer_release(&back);
}

/* ---- Units ---------------------------------------------------------------------------------- */

static void words(void **state)
{
    (void)state;
    ken_tokeniser tokeniser = learned(KEN_UNIT_WORDS, 2, false);
    assert_int_equal(ken_tokeniser_size(&tokeniser), KEN_ID_FIRST + 3); /* Ein Hund the */
    check_encoded(&tokeniser,
                  " the\tHund\xe3\x80\x80"
                  "dog Ein",
                  "the|Hund|[dog]|Ein|");
    check_encoded(&tokeniser, "", "");
    check_encoded(&tokeniser, " \n ", "");
    check_encoded(&tokeniser, "begin \xff of text", "[begin]|[\xff]|[of]|[text]|");
    check_back(&tokeniser, " the  dog Ein ", 14, "the \xef\xbf\xbd Ein", 11);
    ken_tokeniser_release(&tokeniser);

    tokeniser = learned(KEN_UNIT_WORDS, 2, true);
    check_encoded(&tokeniser, "THE Dog sleeps", "THE|Dog|[sleeps]|"); /* as written */
    ken_tokeniser_release(&tokeniser);

    tokeniser = learned(KEN_UNIT_WORDS, 1, true);
    check_encoded(&tokeniser, "DOG Dogs dogz", "DOG|Dogs|[dogz]|");
    ken_tokeniser_release(&tokeniser);
}

static void at_the_most(void **state)
{
    (void)state;
    for (size_t most = 1; most < 12; most++) {
        ken_tokeniser tokeniser = { .options = { KEN_UNIT_CHARACTERS, most, 1, false } };
        assert_int_equal(ken_tokeniser_see(&tokeniser, "aaabbbbccd", 10), KEN_OK);
        assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
        size_t size = ken_size_min(ken_size_max(most, KEN_ID_FIRST), KEN_ID_FIRST + 4);
        assert_int_equal(ken_tokeniser_size(&tokeniser), size);
        if (most == 5) check_encoded(&tokeniser, "abcd", "a|b|[c]|[d]|");
        ken_tokeniser_release(&tokeniser);
    }
}

static void characters(void **state)
{
    (void)state;
    ken_tokeniser tokeniser = learned(KEN_UNIT_CHARACTERS, 2, false);
    check_encoded(&tokeniser, "H\xc3\xa4 Q\xf0\x9f\x98\x80\xff",
                  "H|\xc3\xa4| |[Q]|[\xf0\x9f\x98\x80]|[\xff]|");
    check_back(&tokeniser, "He Q", 4, "He \xef\xbf\xbd", 6);
    ken_tokeniser_release(&tokeniser);
    tokeniser = learned(KEN_UNIT_CHARACTERS, 1, false);
    check_back(&tokeniser, sample, sizeof sample - 1, sample, sizeof sample - 1);
    ken_tokeniser_release(&tokeniser);
    tokeniser = learned(KEN_UNIT_CHARACTERS, 2, true);
    check_encoded(&tokeniser, "HU", "h|u|");
    ken_tokeniser_release(&tokeniser);
}

/* With bytes and subwords, any text is decoded to the same bytes. */
static void any_bytes(void **state)
{
    (void)state;
    static const enum ken_unit units[] = { KEN_UNIT_SUBWORDS, KEN_UNIT_BYTES };
    for (size_t u = 0; u < KEN_COUNT(units); u++) {
        ken_tokeniser tokeniser = learned(units[u], 1, false);
        assert_int_equal(ken_tokeniser_size(&tokeniser) > KEN_BPE_FIRST, u == 0);
        check_back(&tokeniser, "", 0, "", 0);
        check_back(&tokeniser, sample, sizeof sample, sample, sizeof sample); /* with its 0 */
        for (uint64_t round = 0; round < 3000; round++) {
            char text[200];
            size_t length = (size_t)ken_random_below(round, 0, sizeof text);
            for (size_t i = 0; i < length; i++) {
                uint64_t r = ken_random_bits(round, i + 1);
                text[i] = r & 3 ? sample[(r >> 2) % sizeof sample] : (char)(r >> 8);
            }
            check_back(&tokeniser, text, length, text, length);
        }
        ken_tokeniser_release(&tokeniser);
    }
    ken_tokeniser tokeniser = learned(KEN_UNIT_SUBWORDS, 1, true);
    check_back(&tokeniser, "The \xc3\x84", 6, "the \xc3\xa4", 6);
    ken_tokeniser_release(&tokeniser);
}

static void special_ids(void **state)
{
    (void)state;
    for (enum ken_unit unit = 0; unit < KEN_UNIT_COUNT; unit++) {
        ken_tokeniser tokeniser = learned(unit, 1, false);
        int32_t ids[] = { KEN_ID_BEGIN, KEN_ID_FIRST, KEN_ID_END, KEN_ID_UNKNOWN, KEN_ID_END };
        size_t length;
        const char *name = ken_vocabulary_name(&tokeniser.tokens, KEN_ID_FIRST, &length);
        ken_buffer text = { 0 }, expected = { 0 };
        ken_buffer_append(&expected, name, length);
        ken_buffer_text(&expected, unit == KEN_UNIT_WORDS ? " \xef\xbf\xbd" : "\xef\xbf\xbd");
        assert_int_equal(ken_tokeniser_decode(&tokeniser, ids, KEN_COUNT(ids), &text), KEN_OK);
        assert_int_equal(text.size, expected.size);
        assert_memory_equal(text.data, expected.data, text.size);
        int32_t bad[] = { -1, (int32_t)ken_tokeniser_size(&tokeniser) };
        for (size_t i = 0; i < KEN_COUNT(bad); i++)
            assert_int_equal(ken_tokeniser_decode(&tokeniser, &bad[i], 1, &text), KEN_ERR_ARGUMENT);
        assert_int_equal(ken_tokeniser_see(&tokeniser, "x", 1), KEN_ERR_STATE);
        assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_ERR_STATE);
        ken_tokeniser_release(&tokeniser);
        ken_tokeniser raw = { .options = { .unit = unit } };
        assert_int_equal(ken_tokeniser_encode(&raw, "x", 1, &text, NULL), KEN_ERR_STATE);
        ken_buffer_release(&text);
        ken_buffer_release(&expected);
    }
}

static void spelling(void **state)
{
    (void)state;
    ken_tokeniser tokeniser = learned(KEN_UNIT_WORDS, 2, true);
    ken_buffer ids = { 0 };
    assert_int_equal(ken_tokeniser_spell(&tokeniser, "Eq\xc3\xa4", 4, &ids), KEN_OK);
    int32_t e = ken_vocabulary_find(&tokeniser.letters, "E", 1); /* case is kept */
    int32_t a = ken_vocabulary_find(&tokeniser.letters, "\xc3\xa4", 2);
    int32_t expected[] = { KEN_ID_BEGIN, e, KEN_ID_UNKNOWN, a, KEN_ID_END };
    assert_true(e >= KEN_ID_FIRST && a >= KEN_ID_FIRST && e != a);
    assert_int_equal(ids.size, sizeof expected);
    assert_memory_equal(ids.data, expected, sizeof expected);
    assert_int_equal(ken_vocabulary_find(&tokeniser.letters, "4", 1), KEN_NO_ID); /* once only */

    for (size_t length = 38; length < 100; length++) { /* long words keep their ends */
        char word[100];
        for (size_t i = 0; i < length; i++) word[i] = i < 20 ? 'e' : i + 20 >= length ? 's' : 'n';
        ken_buffer_clear(&ids);
        assert_int_equal(ken_tokeniser_spell(&tokeniser, word, length, &ids), KEN_OK);
        size_t count = ken_size_min(length, 40);
        assert_int_equal(ids.size / sizeof(int32_t), count + 2);
        assert_int_equal(ids_of(&ids)[20], ken_vocabulary_find(&tokeniser.letters, "e", 1));
        if (length >= 40)
            assert_int_equal(ids_of(&ids)[21], ken_vocabulary_find(&tokeniser.letters, "s", 1));
        assert_int_equal(ids_of(&ids)[count + 1], KEN_ID_END);
    }
    ken_buffer_clear(&ids);
    assert_int_equal(ken_tokeniser_spell(&tokeniser, "", 0, &ids), KEN_OK);
    assert_int_equal(ids.size, 2 * sizeof(int32_t));
    ken_buffer_release(&ids);
    ken_tokeniser_release(&tokeniser);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void json_and_back(void **state)
{
    (void)state;
    for (enum ken_unit unit = 0; unit < KEN_UNIT_COUNT; unit++) {
        ken_tokeniser tokeniser = learned(unit, 1, unit % 2 == 0), copy = { 0 };
        ken_buffer json = { 0 }, again = { 0 }, ids[2] = { { 0 }, { 0 } };
        assert_int_equal(ken_tokeniser_write(&tokeniser, &json), KEN_OK);
        assert_int_equal(ken_tokeniser_read(&copy, json.data, json.size), KEN_OK);
        assert_int_equal(copy.options.unit, unit);
        assert_int_equal(copy.options.lower, unit % 2 == 0);
        assert_int_equal(ken_tokeniser_size(&copy), ken_tokeniser_size(&tokeniser));
        assert_int_equal(ken_tokeniser_write(&copy, &again), KEN_OK);
        assert_string_equal(json.data, again.data);
        ken_tokeniser_encode(&tokeniser, sample, sizeof sample, &ids[0], NULL);
        ken_tokeniser_encode(&copy, sample, sizeof sample, &ids[1], NULL);
        ken_tokeniser_spell(&tokeniser, sample, 20, &ids[0]);
        ken_tokeniser_spell(&copy, sample, 20, &ids[1]);
        assert_int_equal(ids[0].size, ids[1].size);
        assert_memory_equal(ids[0].data, ids[1].data, ids[0].size);
        for (size_t cut = 0; cut < json.size; cut++) {
            ken_tokeniser part = { 0 };
            assert_int_equal(ken_tokeniser_read(&part, json.data, cut), KEN_ERR_FORMAT);
            ken_tokeniser_release(&part);
        }
        for (int i = 0; i < 2; i++) ken_buffer_release(&ids[i]);
        ken_buffer_release(&json);
        ken_buffer_release(&again);
        ken_tokeniser_release(&tokeniser);
        ken_tokeniser_release(&copy);
    }
}

static void hostile_json(void **state)
{
    (void)state;
#define OBJECT(unit, tokens, letters, merges)                                                      \
    "{\"unit\":\"" unit "\",\"lower\":false,\"tokens\":[" tokens "],\"letters\":[" letters         \
    "],\"merges\":[" merges "]}"
    static const char *const cases[][2] = {
        { "", "not JSON" },
        { "[]", "unit" },
        { "{}", "unit" },
        { "{\"unit\":7,\"lower\":false}", "unit" },
        { "{\"unit\":\"words\",\"lower\":0}", "lower" },
        { "{\"unit\":\"words\",\"lower\":true,\"tokens\":{},\"letters\":[],\"merges\":[]}",
          "list" },
        { "{\"unit\":\"words\",\"lower\":true,\"tokens\":[],\"letters\":[],\"merges\":[],\"x\":1}",
          "unknown key" },
        { "{\"unit\":\"words\",\"unit\":\"words\"}", "a key occurs twice" },
        { OBJECT("syllables", "", "", ""), "unknown unit \"syllables\"" },
        { OBJECT("words", "1", "", ""), "number 0" },
        { OBJECT("words", "\"a\",\"\"", "", ""), "number 1" },
        { OBJECT("words", "\"a\",\"b c\"", "", ""), "number 1" },
        { OBJECT("words", "\"end of text\"", "", ""), "number 0" },
        { OBJECT("words", "\"a\",\"b\",\"a\"", "", ""), "\"a\" occurs twice" },
        { OBJECT("words", "", "\"ab\"", ""), "letters: number 0" },
        { OBJECT("words", "", "", "[3,4]"), "does not have" },
        { OBJECT("characters", "\"ab\"", "", ""), "number 0" },
        { OBJECT("characters", "\"a\"", "\"a\"", ""), "does not have" },
        { OBJECT("bytes", "\"a\"", "", ""), "does not have" },
        { OBJECT("subwords", "\"a\"", "", ""), "does not have" },
        { OBJECT("subwords", "", "", "3"), "merge 0" },
        { OBJECT("subwords", "", "", "[3]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,4,5]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,4.0]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,\"4\"]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,2]"), "merge 0" },
        { OBJECT("subwords", "", "", "[-1,3]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,259]"), "merge 0" }, /* refers to itself */
        { OBJECT("subwords", "", "", "[3,4],[259,260]"), "merge 1" },
        { OBJECT("subwords", "", "", "[3,4294967300]"), "merge 0" },
        { OBJECT("subwords", "", "", "[3,99999999999999999999]"), "not JSON" },
        { OBJECT("subwords", "", "", "[3,4],[3,4]"), "merge 1 makes a subword that exists" },
        { OBJECT("subwords", "", "", "[3,3],[3,259],[259,3]"), "merge 2 makes" },
        { OBJECT("subwords", "", "",
                 "[3,3],[259,259],[260,260],[261,261],[262,262],[263,263],[264,264]"),
          "merge 6 makes a subword of more than 64 bytes" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_tokeniser tokeniser = { 0 };
        ken_status status = ken_tokeniser_read(&tokeniser, cases[i][0], strlen(cases[i][0]));
        ken_tokeniser_release(&tokeniser);
        if (status != KEN_ERR_FORMAT || !strstr(ken_last_error(), cases[i][1]))
            fail_msg("%s: %s", cases[i][0], status ? ken_last_error() : "accepted");
    }
}

/* Valid JSON with random bytes changed is refused or gives a tokeniser that works. */
static void damaged_json(void **state)
{
    (void)state;
    static const char likely[] = "0123456789[]{},\":\\\"-.ae ";
    for (enum ken_unit unit = 0; unit < KEN_UNIT_COUNT; unit++) {
        ken_tokeniser tokeniser = learned(unit, 1, false);
        ken_buffer json = { 0 };
        assert_int_equal(ken_tokeniser_write(&tokeniser, &json), KEN_OK);
        for (uint64_t round = 0; round < 2000; round++) {
            ken_buffer bad = { 0 };
            ken_tokeniser copy = { 0 };
            ken_buffer_append(&bad, json.data, json.size);
            for (uint64_t i = 0; i < 1 + round % 3; i++)
                bad.data[ken_random_below(round, 2 * i, bad.size)] =
                    likely[ken_random_below(round, 2 * i + 1, sizeof likely)];
            if (!ken_tokeniser_read(&copy, bad.data, bad.size) && unit == KEN_UNIT_SUBWORDS)
                check_back(&copy, sample, sizeof sample, sample, sizeof sample);
            ken_tokeniser_release(&copy);
            ken_buffer_release(&bad);
        }
        ken_buffer_release(&json);
        ken_tokeniser_release(&tokeniser);
    }
}

/* ---- Memory and real text ------------------------------------------------------------------- */

/* Does everything that a tokeniser can do, from learning to decoding with a copy of it. */
static ken_status whole_life(enum ken_unit unit, bool lower)
{
    ken_tokeniser tokeniser = { .options = { unit, 300, 1, lower } }, copy = { 0 };
    ken_buffer json = { 0 }, ids = { 0 }, text = { 0 };
    ken_strings names = { 0 };
    ken_status status = ken_tokeniser_see(&tokeniser, sample, sizeof sample - 1);
    if (!status) status = ken_tokeniser_finish(&tokeniser);
    if (!status) status = ken_tokeniser_write(&tokeniser, &json);
    if (!status) status = ken_tokeniser_read(&copy, json.data, json.size);
    if (!status) status = ken_tokeniser_encode(&copy, sample, sizeof sample - 1, &ids, &names);
    size_t count = ids.size / sizeof(int32_t);
    if (!status) status = ken_tokeniser_decode(&copy, ids_of(&ids), count, &text);
    if (!status) status = ken_tokeniser_spell(&copy, "Hund", 4, &ids);
    ken_tokeniser_release(&tokeniser);
    ken_tokeniser_release(&copy);
    ken_buffer_release(&json);
    ken_buffer_release(&ids);
    ken_buffer_release(&text);
    ken_strings_release(&names);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * KEN_UNIT_COUNT; kind++) {
        bool reached = true;
        for (uint64_t nth = 1; reached; nth++) {
            ken_fault_arm(KEN_FAULT_MEMORY, nth, nth % 2);
            ken_status status = whole_life((enum ken_unit)(kind / 2), kind % 2);
            reached = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_int_equal(status, reached ? KEN_ERR_MEMORY : KEN_OK);
        }
    }
}

static void real_text(void **state)
{
    (void)state;
    static const char *const names[] = { "translate/train.de.gz", "translate/train.en.gz" };
    ken_tokeniser tokeniser = { .options = { KEN_UNIT_SUBWORDS, 2000, 1, false } };
    ken_buffer text = { 0 };
    for (size_t i = 0; i < KEN_COUNT(names); i++) {
        const char *path = data_path(names[i]);
        ken_source source;
        ken_lines lines;
        struct ken_piece line;
        assert_int_equal(ken_source_open(&source, path), KEN_OK);
        assert_int_equal(ken_lines_init(&lines, &source, 1), KEN_OK);
        for (int k = 0; k < 5000; k++) {
            assert_int_equal(ken_lines_next(&lines, &line), KEN_OK);
            assert_int_equal(ken_tokeniser_see(&tokeniser, line.text, line.length), KEN_OK);
            ken_buffer_append(&text, line.text, line.length);
            ken_buffer_text(&text, "\n");
        }
        ken_lines_release(&lines);
        ken_source_close(&source);
    }
    assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
    assert_int_equal(ken_tokeniser_size(&tokeniser), 2000);
    check_back(&tokeniser, text.data, text.size, text.data, text.size);
    ken_buffer ids = { 0 };
    assert_int_equal(ken_tokeniser_encode(&tokeniser, text.data, text.size, &ids, NULL), KEN_OK);
    double each = (double)text.size / (double)(ids.size / sizeof(int32_t));
    if (each < 3.2) fail_msg("only %.2f bytes a subword", each);
    ken_buffer_release(&ids);
    ken_buffer_release(&text);
    ken_tokeniser_release(&tokeniser);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),         cmocka_unit_test(at_the_most),
        cmocka_unit_test(characters),    cmocka_unit_test(any_bytes),
        cmocka_unit_test(special_ids),   cmocka_unit_test(spelling),
        cmocka_unit_test(json_and_back), cmocka_unit_test(hostile_json),
        cmocka_unit_test(damaged_json),  cmocka_unit_test(no_memory),
        cmocka_unit_test(real_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
