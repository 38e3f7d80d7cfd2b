/* test_recognise.c - recognises the format of a text: all formats, and sentences that are none. */
#include "base/size.h"
#include "format/recognise.h"
#include "tests/unit.h"

#include <ctype.h>
#include <string.h>

/* The labels of the model are words of the text that sentences are made of, which is as hard as it
 * can be: N V good bad pos; numbers are targets, too, if `telling` is off. */
static bool known(const void *user, const char *text, size_t length)
{
    static const char *const labels[] = { "N", "V", "good", "bad", "pos" };
    if (*(const bool *)user)
        for (size_t i = 0; i < KEN_COUNT(labels); i++)
            if (length == strlen(labels[i]) && memcmp(text, labels[i], length) == 0) return true;
    return !*(const bool *)user && length > 0 && isdigit((unsigned char)text[0]);
}

static enum ken_likeness look(enum ken_format format, const struct ken_layout *layout, bool telling,
                              const char *text, size_t size)
{
    struct ken_sample sample = { text, size, layout, known, &telling, telling };
    return ken_format_likeness(format, &sample);
}

static const struct ken_layout each = { .each = true };
static const struct ken_layout whole = { .each = false };
static const struct ken_layout headed = { .header = true, .input = "text", .target = "label" };
static const struct ken_layout counted = { .header = true, .input = "2", .target = "label" };

#define TEN "\t_\t_\t_\t_\t_\t_\t_\t_\n"

static const struct {
    enum ken_format format;
    const struct ken_layout *layout;
    bool telling;
    const char *text;
    enum ken_likeness likeness;
} cases[] = {
    { KEN_FORMAT_CONLLU, &each, true, "1\tthe" TEN "2\tcat" TEN, KEN_LIKE },
    { KEN_FORMAT_CONLLU, &each, true, "\n# a comment\r\n1-2\tdu" TEN, KEN_LIKE },
    { KEN_FORMAT_CONLLU, &each, true, "# sent_id = 1\n", KEN_LIKE },
    { KEN_FORMAT_CONLLU, &each, true, "\xef\xbb\xbf# newdoc id = 1\n", KEN_LIKE },
    { KEN_FORMAT_CONLLU, &each, true, "0.1\tthe" TEN, KEN_LIKE },
    { KEN_FORMAT_CONLLU, &each, true, "2\tcat" TEN, KEN_UNLIKE },
    { KEN_FORMAT_CONLLU, &each, true, "1\tthe\tD\n", KEN_UNLIKE },
    { KEN_FORMAT_CONLLU, &each, true, "# a comment\n", KEN_UNLIKE },

    { KEN_FORMAT_COLUMNS, &each, true, "the N\nsaw V\n\nsaw N\n", KEN_LIKE },
    { KEN_FORMAT_COLUMNS, &each, true, "the   N\nodd line here\nsaw V\nsaw V\na N\n", KEN_LIKE },
    { KEN_FORMAT_COLUMNS, &each, true, "the\tN\n", KEN_LIKE },
    { KEN_FORMAT_COLUMNS, &each, true, "the\tX\n", KEN_MAYBE },
    { KEN_FORMAT_COLUMNS, &each, true, "vitamin N\n", KEN_UNLIKE },
    { KEN_FORMAT_COLUMNS, &each, true, "the\ncat\n", KEN_UNLIKE },
    { KEN_FORMAT_COLUMNS, &each, false, "chapter 1\nchapter 2\n", KEN_UNLIKE },
    { KEN_FORMAT_COLUMNS, &each, false, "a 1\nb 2\na 1\nb 2\na 1\nb 2\na 1\nb 2\n", KEN_LIKE },
    { KEN_FORMAT_COLUMNS, &whole, true, "very good\nvery bad\n", KEN_UNLIKE },

    { KEN_FORMAT_TSV, &whole, true, "a film\tgood\n", KEN_LIKE },
    { KEN_FORMAT_TSV, &whole, true, "a film\tfine\n", KEN_MAYBE },
    { KEN_FORMAT_TSV, &headed, true, "id\ttext\n1\ta film\n", KEN_LIKE },
    { KEN_FORMAT_TSV, &headed, true, "id\twords\n1\ta film\n", KEN_MAYBE },
    { KEN_FORMAT_TSV, &headed, true, "text\na film\n", KEN_MAYBE },
    { KEN_FORMAT_TSV, &counted, true, "id\tx\tlabel\n1\ta film\tbad\n", KEN_LIKE },
    { KEN_FORMAT_TSV, &counted, true, "label\nbad\n", KEN_UNLIKE },
    { KEN_FORMAT_TSV, &whole, true, "a film good\n", KEN_UNLIKE },

    { KEN_FORMAT_CSV, &headed, true, "id,text\n", KEN_LIKE },
    { KEN_FORMAT_CSV, &headed, true, "\xef\xbb\xbf\"text\",\"label\"\r\na film,good\r\n",
      KEN_LIKE },
    { KEN_FORMAT_CSV, &headed, true, "text\n", KEN_MAYBE },
    { KEN_FORMAT_CSV, &headed, true, "a,b\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n", KEN_MAYBE },
    { KEN_FORMAT_CSV, &whole, true, "a film,good\nthe film,bad\n", KEN_LIKE },
    { KEN_FORMAT_CSV, &whole, true, "\"one, two\",good\nodd\nb,bad\nc,bad\nd,bad\n", KEN_LIKE },
    { KEN_FORMAT_CSV, &whole, true, "a film,good\n", KEN_MAYBE },
    { KEN_FORMAT_CSV, &whole, true, "a film, good\nfilm, bad\n", KEN_UNLIKE },
    { KEN_FORMAT_CSV, &whole, true, "a film,good\nodd\nstrange\n", KEN_UNLIKE },
    { KEN_FORMAT_CSV, &whole, false, "CCO,1\nCC,2\nC,3\nN,4\n", KEN_UNLIKE },
    { KEN_FORMAT_CSV, &whole, false, "O,1\nC,2\nC,3\nN,4\nO,1\nC,2\nC,3\nN,4\n", KEN_LIKE },

    { KEN_FORMAT_FASTTEXT, &whole, true, "\n __label__x a film\n", KEN_LIKE },
    { KEN_FORMAT_FASTTEXT, &whole, true, "a __label__x film\n", KEN_UNLIKE },
    { KEN_FORMAT_NPY, &whole, true, "\x93NUMPY\001\000", KEN_LIKE },
    { KEN_FORMAT_NPY, &whole, true, "NUMPY\n", KEN_UNLIKE },
    { KEN_FORMAT_LINES, &whole, true, "a film\n", KEN_UNLIKE },
    { KEN_FORMAT_PARALLEL, &whole, true, "a film\n", KEN_UNLIKE },
    { KEN_FORMAT_VECTORS, &whole, true, "1\t2\n", KEN_UNLIKE },
};

static void formats(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        enum ken_likeness got = look(cases[i].format, cases[i].layout, cases[i].telling,
                                     cases[i].text, strlen(cases[i].text));
        if (got != cases[i].likeness)
            fail_msg("case %zu, \"%s\": %d, expected %d", i, cases[i].text, (int)got,
                     (int)cases[i].likeness);
    }
}

/* Sentences, with everything that tables are made of except tabs. */
static const char *const sentences[] = {
    "I saw a saw .\n",
    "Yes, I saw it, too.\n",
    "The film was good, bad, good\n",
    "slow, bad\nlong, good\nshort, pos\n",
    "In 2021, 3,000 of 4,000 came\n",
    "About 3,000\n",
    "He said, \"good\", and went, bad\n",
    "\"Quoted, good\n",
    "#1 in the charts\n",
    "# a heading\nand text, good\n",
    "1 of them was good\n2 of them were bad\n",
    "1. good, 2. bad\n",
    "Good morning\nThank you\nvery bad\n",
    "vitamin N\n",
    "texts, labels and films\n",
    "text, label and film\n",
    "the text was good\n",
    "label text\n",
    "  an indented line, bad\n",
    "\tan indented line, bad\n",
    "12,5 Prozent\n3,7 Prozent\n",
    "a,b\n",
    ",\n",
    ",,,,\n",
    "\n\n\n",
    "\"\n",
    "\xff\xfe\n",
    "{\"nodes\": 3}\n",
    "http://a.b/c,d,e\n",
    "CC(=O)Oc1ccccc1C(=O)O\n",
    "one line without an end, good",
    "a poem, and\nits second line, and\na third, no\nfour, and\nfive, and\nsix, no\nseven, "
    "and\neight, "
    "no\nnine, and\nten, no\n",
};

static void sentences_are_none(void **state)
{
    (void)state;
    static const struct ken_layout *const layouts[] = { &each, &whole, &headed, &counted };
    for (size_t i = 0; i < KEN_COUNT(sentences); i++)
        for (size_t f = 0; f < KEN_FORMAT_COUNT; f++)
            for (size_t l = 0; l < 2 * KEN_COUNT(layouts); l++) {
                enum ken_likeness got = look((enum ken_format)f, layouts[l / 2], l % 2,
                                             sentences[i], strlen(sentences[i]));
                if (got != KEN_UNLIKE)
                    fail_msg("\"%s\" is taken for %s, %d", sentences[i],
                             ken_format_info((enum ken_format)f)->name, (int)got);
            }
}

/* Nothing is read beyond the text: every beginning of a text is looked at in memory of just its
 * size, with an address sanitizer or valgrind to watch. */
static void cut_anywhere(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(cases); i++)
        for (size_t size = 0; size <= strlen(cases[i].text); size++) {
            char *part = test_malloc(size + (size == 0));
            memcpy(part, cases[i].text, size);
            for (size_t f = 0; f < KEN_FORMAT_COUNT; f++)
                look((enum ken_format)f, cases[i].layout, cases[i].telling, part, size);
            test_free(part);
        }
}

/* A text of 100 kB, and a line of 100 kB; only the first 64 kB count. */
static void long_texts(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *text = test_malloc(SIZE);
    for (size_t i = 0; i < SIZE; i++) text[i] = "a film,good\n"[i % 12];
    assert_int_equal(look(KEN_FORMAT_CSV, &whole, true, text, SIZE), KEN_LIKE);
    memset(text, 'a', SIZE);
    assert_int_equal(look(KEN_FORMAT_CSV, &whole, true, text, SIZE), KEN_UNLIKE);
    memset(text, ',', SIZE);
    assert_int_equal(look(KEN_FORMAT_CSV, &whole, true, text, SIZE), KEN_UNLIKE);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),
        cmocka_unit_test(sentences_are_none),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
