/* test_corpus_data.c - the real data has the counts that its own documents state. Without the data
 * (KEN_DATA) its cases are skipped. */
#include "base/size.h"
#include "tests/corpora.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LABELS = 128 };

/* The different targets, in the order of their first occurrence, and how often each occurs. */
struct labels {
    const char *name[MOST_LABELS];
    size_t times[MOST_LABELS], count;
};

static struct labels count_labels(const ken_corpus *corpus)
{
    struct labels labels = { .count = 0 };
    for (size_t i = 0; i < corpus->target.count; i++) {
        const char *name = ken_strings_at(&corpus->target, i, NULL);
        size_t k = 0;
        while (k < labels.count && strcmp(labels.name[k], name) != 0) k++;
        assert_true(k < MOST_LABELS);
        if (k == labels.count) labels.name[labels.count++] = name;
        labels.times[k]++;
    }
    return labels;
}

/* Skips the case when the data is not there. */
static void read_data(ken_corpus *corpus, const char *name, const char *second,
                      const struct ken_layout *layout)
{
    char path[512];
    const char *found = data_path(name);
    snprintf(path, sizeof path, "%s", found);
    if (second) second = data_path(second);
    if (ken_corpus_read(corpus, path, second, layout, NULL, NULL)) fail_msg("%s", ken_last_error());
}

static void treebank(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t sentences, words;
    } files[] = { { "pos/en_ewt-ud-train.conllu.gz", 12544, 204577 },
                  { "pos/en_ewt-ud-dev.conllu.gz", 2001, 25147 },
                  { "pos/en_ewt-ud-test.conllu.gz", 2077, 25094 } };
    struct ken_layout layout = { .format = KEN_FORMAT_CONLLU };
    for (size_t i = 0; i < KEN_COUNT(files); i++)
        for (int fine = 0; fine < 2; fine++) {
            ken_corpus corpus = { 0 };
            layout.target = fine ? "xpos" : NULL;
            read_data(&corpus, files[i].name, NULL, &layout);
            assert_int_equal(corpus.count, files[i].sentences);
            assert_int_equal(corpus.input.count, files[i].words);
            assert_int_equal(corpus.target.count, files[i].words);
            if (i == 0) assert_int_equal(count_labels(&corpus).count, fine ? 49 : 17);
            ken_corpus_release(&corpus);
        }
}

static void translations(void **state)
{
    (void)state;
    static const struct {
        const char *source, *target;
        size_t pairs;
    } files[] = { { "translate/train.en.gz", "translate/train.de.gz", 29000 },
                  { "translate/val.en.gz", "translate/val.de.gz", 1014 },
                  { "translate/test_2016_flickr.en.gz", "translate/test_2016_flickr.de.gz",
                    1000 } };
    const struct ken_layout layout = { .format = KEN_FORMAT_PARALLEL,
                                       .target_kind = KEN_TARGET_TEXT };
    for (size_t i = 0; i < KEN_COUNT(files); i++) {
        ken_corpus corpus = { 0 };
        read_data(&corpus, files[i].source, files[i].target, &layout);
        assert_int_equal(corpus.count, files[i].pairs);
        assert_int_equal(corpus.input.count, files[i].pairs);
        assert_int_equal(corpus.target.count, files[i].pairs);
        for (size_t k = 0; k < corpus.count; k++) {
            size_t length;
            ken_strings_at(&corpus.input, k, &length);
            assert_true(length > 0);
        }
        ken_corpus_release(&corpus);
    }
}

static void sentiments(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t bad, good;
    } files[] = { { "sentiment/sst2.train.tsv", 3310, 3610 },
                  { "sentiment/sst2.dev.tsv", 428, 444 },
                  { "sentiment/sst2.test.tsv", 912, 909 } };
    const struct ken_layout layout = { .format = KEN_FORMAT_TSV };
    for (size_t i = 0; i < KEN_COUNT(files); i++) {
        ken_corpus corpus = { 0 };
        read_data(&corpus, files[i].name, NULL, &layout);
        struct labels labels = count_labels(&corpus);
        assert_int_equal(labels.count, 2);
        size_t good = strcmp(labels.name[0], "1") == 0 ? 0 : 1;
        assert_string_equal(labels.name[good], "1");
        assert_string_equal(labels.name[1 - good], "0");
        assert_int_equal(labels.times[good], files[i].good);
        assert_int_equal(labels.times[1 - good], files[i].bad);
        ken_corpus_release(&corpus);
    }
}

static void pronunciations(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t entries;
    } files[] = {
        { "g2p/cmudict.train.tsv.gz", 121595 },    { "g2p/cmudict.dev.tsv.gz", 6866 },
        { "g2p/cmudict.test.tsv.gz", 6703 },       { "g2p/cmudict07b-std.train.tsv.gz", 109673 },
        { "g2p/cmudict07b-std.dev.tsv.gz", 4726 }, { "g2p/cmudict07b-std.test.tsv.gz", 12855 }
    };
    const struct ken_layout layout = { .format = KEN_FORMAT_TSV, .target_kind = KEN_TARGET_TEXT };
    for (size_t i = 0; i < KEN_COUNT(files); i++) {
        ken_corpus corpus = { 0 };
        read_data(&corpus, files[i].name, NULL, &layout);
        assert_int_equal(corpus.count, files[i].entries);
        assert_int_equal(corpus.target.count, files[i].entries);
        ken_corpus_release(&corpus);
    }
}

static void emotions(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t count;
    } files[] = { { "multilabel/goemotions.train.tsv.gz", 43410 },
                  { "multilabel/goemotions.dev.tsv.gz", 5426 },
                  { "multilabel/goemotions.test.tsv.gz", 5427 } };
    /* examples with 0, 1, 2 ... labels */
    static const size_t train[] = { 0, 36308, 6541, 532, 28, 1 };
    const struct ken_layout layout = { .format = KEN_FORMAT_TSV, .target_kind = KEN_TARGET_SET };
    for (size_t i = 0; i < KEN_COUNT(files); i++) {
        ken_corpus corpus = { 0 };
        size_t sizes[KEN_COUNT(train)] = { 0 };
        read_data(&corpus, files[i].name, NULL, &layout);
        assert_int_equal(corpus.count, files[i].count);
        assert_int_equal(count_labels(&corpus).count, 28);
        for (size_t k = 0; k < corpus.count; k++) {
            size_t size = ken_corpus_target_start(&corpus, k + 1) -
                          ken_corpus_target_start(&corpus, k);
            assert_true(size < KEN_COUNT(sizes));
            sizes[size]++;
        }
        if (i == 0) assert_memory_equal(sizes, train, sizeof sizes);
        ken_corpus_release(&corpus);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(treebank), cmocka_unit_test(translations),   cmocka_unit_test(sentiments),
        cmocka_unit_test(emotions), cmocka_unit_test(pronunciations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
