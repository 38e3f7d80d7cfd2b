/* test_bpe.c - tests the pieces of text, and merges against the plain definition, which counts all
 * pairs again for every merge and searches all pairs again for every step of encoding. */
#include "base/random.h"
#include "base/size.h"
#include "unit/tokeniser.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

/* ---- Pieces --------------------------------------------------------------------------------- */

static void pieces_of(char *out, const char *text, size_t length)
{
    *out = 0;
    for (size_t size; length > 0; text += size, length -= size) {
        size = ken_bpe_piece(text, length);
        assert_in_range(size, 1, ken_size_min(length, KEN_BPE_PIECE));
        out += sprintf(out, "%.*s|", (int)size, text);
    }
}

static void pieces(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "Two dogs, 17 cats.", "Two| dogs|,| 17| cats|.|" },
        { "don't (stop)", "don|'|t| (|stop|)|" },
        { "  two  blanks ", " | two| | blanks| |" },
        { " \n\tx", " \n\t|x|" },
        { "\n x", "\n| x|" },
        { "a1b", "a|1|b|" },
        { "3.14 %", "3|.|14| %|" },
        { "\xc3\x9c"
          "ber o\xcc\x88l\xe2\x80\x9c",
          "\xc3\x9c"
          "ber| o\xcc\x88l|\xe2\x80\x9c|" },
        { "\xe3\x80\x80x \xff\xfe!", "\xe3\x80\x80|x| \xff\xfe!|" },
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        char out[200];
        pieces_of(out, cases[i][0], strlen(cases[i][0]));
        assert_string_equal(out, cases[i][1]);
    }
}

/* Long runs are cut between characters. */
static void long_pieces(void **state)
{
    (void)state;
    char text[300] = " ";
    for (size_t i = 1; i + 2 < sizeof text; i += 2) memcpy(text + i, "\xc3\xa4", 2);
    assert_int_equal(ken_bpe_piece(text, 299), KEN_BPE_PIECE - 1);
    assert_int_equal(ken_bpe_piece(text + 1, 298), KEN_BPE_PIECE);
    memset(text, ' ', sizeof text);
    assert_int_equal(ken_bpe_piece(text, sizeof text), KEN_BPE_PIECE);
    text[KEN_BPE_PIECE] = 'x';
    assert_int_equal(ken_bpe_piece(text, sizeof text), KEN_BPE_PIECE - 1);
}

/* ---- The definition ------------------------------------------------------------------------- */

enum { MOST_PIECES = 24, LONGEST = 16, LETTERS = 3, MOST_MERGES = 25 };

struct corpus {
    struct piece {
        int32_t symbols[LONGEST];
        size_t length, times;
    } piece[MOST_PIECES];
    size_t count;
};

static size_t times_of(const struct corpus *corpus, int32_t left, int32_t right)
{
    size_t times = 0;
    for (size_t p = 0; p < corpus->count; p++)
        for (size_t i = 0; i + 1 < corpus->piece[p].length; i++)
            if (corpus->piece[p].symbols[i] == left && corpus->piece[p].symbols[i + 1] == right)
                times += corpus->piece[p].times;
    return times;
}

static void merge_plainly(struct corpus *corpus, const int32_t pair[2], int32_t result)
{
    for (size_t p = 0; p < corpus->count; p++) {
        struct piece *piece = &corpus->piece[p];
        size_t to = 0;
        for (size_t i = 0; i < piece->length; i++, to++) {
            bool both = i + 1 < piece->length && piece->symbols[i] == pair[0] &&
                        piece->symbols[i + 1] == pair[1];
            piece->symbols[to] = both ? result : piece->symbols[i];
            i += both;
        }
        piece->length = to;
    }
}

/* Letters and subwords, in the order of their ids. */
static int32_t symbol_of(size_t i)
{
    return i < LETTERS ? KEN_BPE_BYTE + 'a' + (int32_t)i : KEN_BPE_FIRST + (int32_t)(i - LETTERS);
}

/* The most frequent pair, the one with the lowest ids if several are equally frequent; false if no
 * pair occurs twice. */
static bool best_pair(const struct corpus *corpus, int32_t best[2], size_t merges)
{
    size_t most = 1;
    for (size_t i = 0; i < LETTERS + merges; i++)
        for (size_t k = 0; k < LETTERS + merges; k++) {
            size_t times = times_of(corpus, symbol_of(i), symbol_of(k));
            if (times <= most) continue;
            most = times;
            best[0] = symbol_of(i);
            best[1] = symbol_of(k);
        }
    return most > 1;
}

/* A corpus of few letters, so that pairs overlap; the tokeniser learns from the same text. */
static void make_corpus(struct corpus *corpus, ken_tokeniser *tokeniser, uint64_t seed)
{
    uint64_t letters = 1 + ken_random_below(seed, 0, LETTERS);
    corpus->count = 1 + (size_t)ken_random_below(seed, 1, MOST_PIECES);
    for (size_t p = 0; p < corpus->count; p++) {
        struct piece *piece = &corpus->piece[p];
        char text[LONGEST];
        piece->length = 1 + (size_t)ken_random_below(seed, 10 + p, LONGEST);
        piece->times = 1 + (size_t)ken_random_below(seed, 50 + p, 4);
        for (size_t i = 0; i < piece->length; i++) {
            text[i] = (char)('a' + ken_random_below(seed, 100 + p * LONGEST + i, letters));
            piece->symbols[i] = KEN_BPE_BYTE + text[i];
        }
        for (size_t k = 0; k < piece->times; k++)
            assert_int_equal(ken_tokeniser_see(tokeniser, text, piece->length), KEN_OK);
    }
}

/* ---- Learning and encoding ------------------------------------------------------------------ */

static void check_encoding(const ken_tokeniser *tokeniser, const char *piece, size_t length)
{
    int32_t symbols[KEN_BPE_PIECE];
    for (size_t i = 0; i < length; i++) symbols[i] = KEN_BPE_BYTE + (unsigned char)piece[i];
    size_t count = length, merges = ken_bpe_count(&tokeniser->bpe);
    for (size_t rank = 0; rank < merges;) {
        const struct ken_merge *merge = ken_bpe_merge(&tokeniser->bpe, rank);
        size_t at = 0;
        while (at + 1 < count && (symbols[at] != merge->left || symbols[at + 1] != merge->right))
            at++;
        if (at + 1 >= count) {
            rank++;
            continue;
        }
        symbols[at] = KEN_BPE_FIRST + (int32_t)rank;
        count--;
        for (size_t i = at + 1; i < count; i++) symbols[i] = symbols[i + 1];
        rank = 0;
    }
    ken_buffer ids = { 0 };
    ken_bpe_encode(&tokeniser->bpe, piece, length, &ids);
    assert_int_equal(ids.size, count * sizeof *symbols);
    assert_memory_equal(ids.data, symbols, ids.size);
    ken_buffer_release(&ids);
}

static void as_defined(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        static struct corpus corpus;
        ken_tokeniser tokeniser = { .options = { .unit = KEN_UNIT_SUBWORDS,
                                                 .most = KEN_BPE_FIRST + MOST_MERGES } };
        make_corpus(&corpus, &tokeniser, seed);
        assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
        size_t merges = ken_bpe_count(&tokeniser.bpe), m = 0;
        for (int32_t best[2]; m < MOST_MERGES && best_pair(&corpus, best, m); m++) {
            assert_true(m < merges);
            assert_memory_equal(ken_bpe_merge(&tokeniser.bpe, m), best, sizeof best);
            merge_plainly(&corpus, best, KEN_BPE_FIRST + (int32_t)m);
        }
        assert_int_equal(m, merges);
        assert_int_equal(ken_tokeniser_size(&tokeniser), KEN_BPE_FIRST + merges);
        for (uint64_t i = 0; i < 20; i++) {
            char piece[KEN_BPE_PIECE];
            size_t length = (size_t)ken_random_below(seed, 1000 + i, sizeof piece + 1);
            for (size_t k = 0; k < length; k++)
                piece[k] = (char)('a' + ken_random_below(seed, 2000 + i * 100 + k, LETTERS));
            check_encoding(&tokeniser, piece, length);
        }
        ken_tokeniser_release(&tokeniser);
    }
}

/* Only the counts matter: the same lines in another order give the same JSON. */
static void order_does_not_matter(void **state)
{
    (void)state;
    enum { LINES = 200 };
    ken_buffer json[2] = { { 0 }, { 0 } };
    for (int round = 0; round < 2; round++) {
        uint32_t order[LINES];
        ken_tokeniser tokeniser = { .options = { .unit = KEN_UNIT_SUBWORDS, .most = 400 } };
        for (uint32_t i = 0; i < LINES; i++) order[i] = i;
        ken_random_shuffle(order, LINES, (uint64_t)round);
        for (size_t i = 0; i < LINES; i++) {
            char line[64];
            int length = snprintf(line, sizeof line, "banana %x %x cabana %u, %x", order[i] * 7919,
                                  order[i] * 104729, order[i] % 7, order[i] / 3);
            assert_int_equal(ken_tokeniser_see(&tokeniser, line, (size_t)length), KEN_OK);
        }
        assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
        assert_int_equal(ken_tokeniser_size(&tokeniser), 400);
        assert_int_equal(ken_tokeniser_write(&tokeniser, &json[round]), KEN_OK);
        ken_tokeniser_release(&tokeniser);
    }
    assert_string_equal(json[0].data, json[1].data);
    ken_buffer_release(&json[0]);
    ken_buffer_release(&json[1]);
}

/* One word of a megabyte, twice: if learning or encoding were not linear, this test would hang. */
static void one_long_word(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    ken_buffer word = { 0 }, ids = { 0 }, text = { 0 };
    for (uint64_t i = 0; i < LENGTH; i++) {
        char letter = (char)('a' + ken_random_below(5, i / 100000, 2) * ken_random_below(6, i, 26));
        ken_buffer_append(&word, &letter, 1);
    }
    ken_tokeniser tokeniser = { .options = { .unit = KEN_UNIT_SUBWORDS, .most = 1000 } };
    for (int i = 0; i < 2; i++)
        assert_int_equal(ken_tokeniser_see(&tokeniser, word.data, word.size), KEN_OK);
    assert_int_equal(ken_tokeniser_finish(&tokeniser), KEN_OK);
    assert_int_equal(ken_tokeniser_encode(&tokeniser, word.data, word.size, &ids, NULL), KEN_OK);
    assert_true(ids.size / sizeof(int32_t) < LENGTH * 2 / 3);
    assert_int_equal(ken_tokeniser_decode(&tokeniser, (const int32_t *)(const void *)ids.data,
                                          ids.size / sizeof(int32_t), &text),
                     KEN_OK);
    assert_int_equal(text.size, word.size);
    assert_memory_equal(text.data, word.data, word.size);
    ken_tokeniser_release(&tokeniser);
    ken_buffer_release(&word);
    ken_buffer_release(&ids);
    ken_buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces),        cmocka_unit_test(long_pieces),
        cmocka_unit_test(as_defined),    cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(one_long_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
