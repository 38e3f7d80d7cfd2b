/* test_input.c - the tables of input kinds and of formats: every word of the recipe has its row,
 * every row can be reached, and what a row promises holds. */
#include "base/size.h"
#include "base/text.h"
#include "input/input.h"
#include "made/made.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

/* Calls `check` with each word of a key's choice; returns how many there are. */
static size_t each_word(enum ken_key key, void (*check)(const char *word))
{
    const struct ken_words *words = ken_key_table[key].words;
    for (size_t i = 0; i < words->count; i++) check(words->list[i].word);
    return words->count;
}

static void check_format(const char *word)
{
    const struct ken_format_info *format = ken_format_of(word);
    if (!format) fail_msg("data.format=%s has no row", word);
    assert_string_equal(format->name, word);
    assert_true(format->outputs[0] != '\0');
    assert_true(format->targets != 0);
    if (format->carries == KEN_CARRIES_NOTHING) return;
    for (size_t i = 0; ken_input_at(i); i++)
        if (ken_input_at(i)->carries & format->carries) return;
    fail_msg("no input kind reads data.format=%s", word);
}

/* All rows but `lines`, which only `ken run` reads, are words of data.format. */
static void every_format_of_a_recipe_has_a_row(void **state)
{
    (void)state;
    size_t made = 0, words = each_word(KEN_KEY_DATA_FORMAT, check_format);
    while (ken_maker_at(made)) made++;
    assert_int_equal(words, KEN_FORMAT_COUNT - 1 + made);
    assert_null(ken_format_of("sql"));
}

static void check_unit(const char *word)
{
    size_t found = 0;
    for (size_t i = 0; ken_input_at(i); i++)
        found += ken_word_index(ken_input_at(i)->units, word) != SIZE_MAX;
    if (found == 0) fail_msg("no input kind has input.unit=%s", word);
}

static void every_unit_of_a_recipe_has_a_kind(void **state)
{
    (void)state;
    assert_true(each_word(KEN_KEY_INPUT_UNIT, check_unit) >= KEN_UNIT_COUNT);
}

/* For one format and one unit there is at most one kind: the order of the rows has no meaning. */
static void a_format_and_a_unit_choose_one_kind(void **state)
{
    (void)state;
    static const unsigned carried[] = { KEN_CARRIES_TEXT, KEN_CARRIES_WORDS, KEN_CARRIES_NODES,
                                        KEN_CARRIES_NUMBERS };
    for (size_t c = 0; c < KEN_COUNT(carried); c++)
        for (size_t i = 0; ken_input_at(i); i++)
            for (size_t j = 0; ken_input_at(j); j++) {
                const struct ken_input_kind *a = ken_input_at(i), *b = ken_input_at(j);
                if (i == j || !(a->carries & b->carries & carried[c])) continue;
                char units[256];
                snprintf(units, sizeof units, "%s", a->units);
                for (char *rest = units, *unit; (unit = strsep(&rest, " "));)
                    if (ken_word_index(b->units, unit) != SIZE_MAX)
                        fail_msg("%s and %s both read %s", a->name, b->name, unit);
            }
    const struct {
        const char *format, *unit, *kind;
    } cases[] = { { "tsv", "words", "text" },        { "csv", "atoms", "atoms" },
                  { "conllu", "words", "words" },    { "nodes", "indices", "indices" },
                  { "nodes", "numbers", "vectors" }, { "graphs", "words", "words" },
                  { "npy", "words", "vectors" },     { "signals", "bytes", "vectors" },
                  { "conllu", "bytes", NULL },       { "tsv", "numbers", NULL },
                  { "plain", "subwords", NULL },     { "beads", "words", "words" },
                  { "social", "words", "vectors" } };
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        const struct ken_input_kind *kind = ken_input_of(ken_format_of(cases[i].format),
                                                         cases[i].unit);
        if (cases[i].kind) assert_string_equal(kind ? kind->name : "none", cases[i].kind);
        else assert_null(kind);
    }
}

static void every_kind_is_complete(void **state)
{
    (void)state;
    for (size_t i = 0; ken_input_at(i); i++) {
        const struct ken_input_kind *kind = ken_input_at(i);
        assert_non_null(kind->learn);
        assert_non_null(kind->encode);
        assert_non_null(kind->shape);
        assert_non_null(kind->describe);
        assert_non_null(kind->same);
        assert_true(!kind->write == !kind->read);
        assert_true(kind->reads[0] && kind->outputs[0] && kind->units[0]);
        assert_int_equal(kind->carries & ~kind->accepts, 0); /* what it trains on, it can answer */
    }
}

static void files_are_recognised_by_their_names(void **state)
{
    (void)state;
    const struct {
        enum ken_format format;
        const char *file;
        bool claims;
    } cases[] = {
        { KEN_FORMAT_TSV, "x.tsv", true },    { KEN_FORMAT_TSV, "a/b.c/x.TSV", true },
        { KEN_FORMAT_CSV, "x.csv.gz", true }, { KEN_FORMAT_CSV, "x.tsv", false },
        { KEN_FORMAT_CSV, "csv", false },     { KEN_FORMAT_CSV, ".csv", false },
        { KEN_FORMAT_CSV, "x.csv/y", false }, { KEN_FORMAT_CONLLU, "en-dev.conllu", true },
        { KEN_FORMAT_NPY, "x.npy", true },    { KEN_FORMAT_LINES, "x.txt", false },
        { KEN_FORMAT_COLUMNS, "x.", false }
    };
    for (size_t i = 0; i < KEN_COUNT(cases); i++)
        if (ken_format_claims(ken_format_info(cases[i].format), cases[i].file) != cases[i].claims)
            fail_msg("%s", cases[i].file);
}

/* A missing number becomes 0, which is the mean. A column with missing numbers in the training data
 * has a flag in each row. */
static void missing_numbers(void **state)
{
    (void)state;
    static const char train[] = "1;5;2\n3;NA;2\n;7;2\n", test[] = "2;?;null\n";
    static const float rows[] = { -1, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0 };
    static const float row[] = { 0, 0, 0, 0, 1 };
    const struct ken_layout layout = { .format = KEN_FORMAT_VECTORS,
                                       .target_kind = KEN_TARGET_NONE };
    struct ken_input_side side = { .kind = &ken_input_vectors };
    ken_corpus corpus = { 0 }, other = { 0 };
    ken_dataset dataset = { 0 };
    ken_config config = { 0 };
    ken_recipe *recipe;
    assert_int_equal(ken_recipe_parse(&recipe, "", "r"), KEN_OK);
    assert_int_equal(ken_corpus_parse(&corpus, "f", train, sizeof train - 1, &layout, NULL, NULL),
                     KEN_OK);
    assert_int_equal(ken_corpus_parse(&other, "f", test, sizeof test - 1, &layout, NULL, NULL),
                     KEN_OK);
    assert_int_equal(ken_input_learn(&side, &corpus, recipe, NULL), KEN_OK);
    for (size_t i = 0; i < corpus.count; i++)
        assert_int_equal(ken_input_encode(&side, &dataset, &corpus, i, NULL), KEN_OK);
    assert_int_equal(dataset.input.width, 5); /* three numbers, flags of the first and the second */
    assert_int_equal(dataset.input.numbers.size, sizeof rows);
    assert_memory_equal(dataset.input.numbers.data, rows, sizeof rows);
    assert_int_equal(ken_input_encode(&side, &dataset, &other, 0, NULL), KEN_OK);
    assert_memory_equal(dataset.input.numbers.data + sizeof rows, row, sizeof row);
    side.kind->shape(&side, &config, false);
    assert_int_equal(config.input_size, 5);
    struct ken_input_side next = { .kind = &ken_input_vectors };
    assert_int_equal(ken_input_learn(&next, &other, recipe, &side), KEN_OK);
    assert_int_equal(next.missing.size, side.missing.size); /* continued: the flags stay */
    ken_input_release(&next);
    ken_input_release(&side);
    ken_dataset_release(&dataset);
    ken_corpus_release(&corpus);
    ken_corpus_release(&other);
    ken_recipe_free(recipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_of_a_recipe_has_a_row),
        cmocka_unit_test(every_unit_of_a_recipe_has_a_kind),
        cmocka_unit_test(a_format_and_a_unit_choose_one_kind),
        cmocka_unit_test(every_kind_is_complete),
        cmocka_unit_test(missing_numbers),
        cmocka_unit_test(files_are_recognised_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
