/* test_corpus.c - reads valid files of examples in every format; test_corpus_bad.c has files that
 * are wrong. */
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/corpora.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#define WORD(id, form, upos) id "\t" form "\tl\t" upos "\tX\t_\t0\troot\t_\t_\n"

#define LAYOUT(kind, target, ...)                                                                  \
    {                                                                                              \
        .format = KEN_FORMAT_##kind, .target_kind = KEN_TARGET_##target, __VA_ARGS__               \
    }

static const struct good {
    struct ken_layout layout;
    const char *text, *shown;
} goods[] = {
    /* conllu: comments, a fused token, an empty node, no blank line at the end */
    { LAYOUT(CONLLU, LABEL, 0),
      "# text = x\n" WORD("1-2", "don't", "_") WORD("1", "do", "AUX") WORD("2", "n't", "PART")
          WORD("2.1", "go", "VERB") "\n# again\n\n" WORD("1", "#", "SYM"),
      "3: do / n't > AUX / PART\n9: # > SYM\n" },
    { LAYOUT(CONLLU, LABEL, .input = "lemma", .target = "feats"), WORD("1", "A", "B") "\n",
      "1: l > _\n" },
    { LAYOUT(CONLLU, LABEL, .input = "2", .target = "5"), WORD("1", "_", "B"), "1: _ > X\n" },
    { LAYOUT(CONLLU, NUMBER, .target = "head"), WORD("1", "a b", "B"), "1: a b > [0]\n" },
    { LAYOUT(CONLLU, NONE, 0), WORD("1", "a", "_") WORD("2", "b", "_"), "1: a / b >\n" },
    { LAYOUT(CONLLU, LABEL, 0), WORD("0.1", "x", "_") WORD("1", "a", "B"), "2: a > B\n" },
    /* CRLF, a BOM, both forms of a letter with a mark */
    { LAYOUT(CONLLU, LABEL, 0),
      "\xef\xbb\xbf# c\r\n1\tcafe\xcc\x81\tl\tA\tX\t_\t0\tr\t_\t_\r\n\r\n"
      "1\tcaf\xc3\xa9\tl\tB\tX\t_\t0\tr\t_\t_\r\n",
      "2: caf\xc3\xa9 > A\n4: caf\xc3\xa9 > B\n" },
    /* columns: separated by spaces or tabs, chosen by number or name; documents */
    { LAYOUT(COLUMNS, LABEL, 0),
      "-DOCSTART- -X- O O\n\nEU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n\nPeter NNP B-NP B-PER\n",
      "3: EU / rejects > B-ORG / O\n7: Peter > B-PER\n" },
    { LAYOUT(COLUMNS, LABEL, .target = "2"), "New York\tB\tx\n  \na\tO\ty",
      "1: New York > B\n3: a > O\n" },
    { LAYOUT(COLUMNS, LABEL, .header = true, .input = "word", .target = "ner"),
      "word pos ner\na   b  c \n", "2: a > c\n" },
    { LAYOUT(COLUMNS, NONE, 0), "one\ntwo\n", "1: one / two >\n" },
    { LAYOUT(COLUMNS, NUMBER, 0), "a 1\nb ?\n", "1: a / b > [1] [nan]\n" },
    /* tsv */
    { LAYOUT(TSV, LABEL, 0), "good film\t1\nbad film\t 0 \n",
      "1: good film > 1\n2: bad film > 0\n" },
    { LAYOUT(TSV, LABEL, .input = "3", .target = "1"), "x\t\ttext\n", "1: text > x\n" },
    { LAYOUT(TSV, LABEL, .header = true, .input = "the text", .target = "2"),
      "the text\ty\nhi\tgreeting\n", "2: hi > greeting\n" },
    { LAYOUT(TSV, SET, 0), "a\t1, 2,3\tid\nb\t\tid\nc\t7\tid\n",
      "1: a > 1 / 2 / 3\n2: b >\n3: c > 7\n" },
    { LAYOUT(TSV, TEXT, 0), "cat\tK AE1 T\n\t\n", "1: cat > K AE1 T\n2:  > \n" },
    { LAYOUT(TSV, NUMBER, 0), "a\t-1.5e2\nb\t\nc\t?\nd\t.5\ne\t+7.\n",
      "1: a > [-150]\n2: b > [nan]\n3: c > [nan]\n4: d > [0.5]\n5: e > [7]\n" },
    { LAYOUT(TSV, NONE, 0), "only text\n", "1: only text >\n" },
    { LAYOUT(TSV, LABEL, 0), "\"quotes, kept\"\t\"x\"\n", "1: \"quotes, kept\" > \"x\"\n" },
    /* fasttext */
    { LAYOUT(FASTTEXT, LABEL, 0), "__label__a  the  text \n__label__b\n",
      "1: the  text > a\n2:  > b\n" },
    { LAYOUT(FASTTEXT, SET, 0), "__label__a __label__b\tx y\nno label\n",
      "1: x y > a / b\n2: no label >\n" },
    { LAYOUT(FASTTEXT, NONE, 0), "__label__a x\ny x__label__z\n", "1: x >\n2: y x__label__z >\n" },
    /* plain, lines, and parallel without its second file: empty lines count */
    { LAYOUT(PLAIN, TEXT, 0), "one\n\n two \n", "1: > one\n2: > \n3: >  two \n" },
    { LAYOUT(LINES, NONE, 0), "one\n\ntwo\tx", "1: one >\n2:  >\n3: two\tx >\n" },
    { LAYOUT(PARALLEL, NONE, 0), "a\nb\n", "1: a >\n2: b >\n" },
    /* vectors: all rows as one sequence, one sequence per row, sequences by name */
    { LAYOUT(VECTORS, LABEL, .each = true), "1\t2\ta\n3\t-4e-1\tb\n",
      "1: [1 2] [3 -0.4] > a / b\n" },
    { LAYOUT(VECTORS, LABEL, 0), "1\t2\ta\n3\t4\tb\n", "1: [1 2] > a\n2: [3 4] > b\n" },
    { LAYOUT(VECTORS, NUMBER, .header = true, .sequence = "id", .target = "y"),
      "id\tx1\ty\tx2\nA\t1\t9\t2\nA\t3\t\t4\nB\t5\t?\t6\nC\t7\t8\t8\n",
      "2: [1 2] [3 4] > [9]\n4: [5 6] > [nan]\n5: [7 8] > [8]\n" },
    { LAYOUT(VECTORS, LABEL, .each = true, .sequence = "1", .target = "2", .input = " 4  3 "),
      "s\tl\t1\t2\ns\tm\t3\t4\n\tk\t5\t6\n", "1: [2 1] [4 3] > l / m\n3: [6 5] > k\n" },
    { LAYOUT(VECTORS, NONE, .each = true, .header = true, .target = "y"),
      "x\ty\n1\tany\n2\tthing\n", "2: [1] [2] >\n" },
    { LAYOUT(VECTORS, NONE, .each = true, .header = true, .target = "y"), "x\tz\n1\t2\n",
      "2: [1 2] >\n" },
    { LAYOUT(VECTORS, NONE, 0), "0\t1e-50\r\n", "1: [0 0] >\n" },
};

static void good_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(goods); i++) {
        const struct good *good = &goods[i];
        ken_corpus corpus = { 0 };
        if (ken_corpus_parse(&corpus, "f", good->text, strlen(good->text), &good->layout, NULL,
                             NULL))
            fail_msg("case %zu: %s", i, ken_last_error());
        assert_string_equal(corpus.path, "f");
        assert_int_equal(corpus.words, good->layout.format <= KEN_FORMAT_COLUMNS);
        if (strcmp(corpus_shown(&corpus), good->shown) != 0)
            fail_msg("case %zu:\n%sexpected:\n%s", i, corpus_shown(&corpus), good->shown);
        ken_corpus_release(&corpus);
    }
}

/* The same text from a file, from a gzip file and from memory is the same corpus. */
static void files_and_gzip(void **state)
{
    (void)state;
    const char *path = folder_path("plain"), *zipped = folder_path("zipped.gz");
    for (size_t i = 0; i < KEN_COUNT(goods); i++) {
        const struct good *good = &goods[i];
        size_t size = strlen(good->text);
        ken_corpus corpus = { 0 }, again = { 0 };
        assert_int_equal(ken_file_replace(path, good->text, size), KEN_OK);
        gzFile file = gzopen(zipped, "wb");
        assert_int_equal(gzwrite(file, good->text, (unsigned)size), size);
        assert_int_equal(gzclose(file), Z_OK);
        if (ken_corpus_read(&corpus, path, NULL, &good->layout, NULL, NULL) ||
            ken_corpus_read(&again, zipped, NULL, &good->layout, NULL, NULL))
            fail_msg("case %zu: %s", i, ken_last_error());
        assert_string_equal(corpus_shown(&corpus), good->shown);
        assert_string_equal(corpus_shown(&again), good->shown);
        ken_corpus_release(&corpus);
        ken_corpus_release(&again);
    }
}

static void tell(void *user, const char *what)
{
    (void)what;
    ++*(size_t *)user;
}

/* A truncated gzip file is not treated as a bad line: reading stops with an error. */
static void cut_gzip(void **state)
{
    (void)state;
    const char *zipped = folder_path("cut.gz");
    const struct ken_layout layout = LAYOUT(LINES, NONE, 0);
    char *data;
    size_t size, told = 0;
    gzFile file = gzopen(zipped, "wb");
    for (int i = 0; i < 20000; i++) gzprintf(file, "line %d of many\n", i * 7919);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(ken_file_read(&data, &size, zipped, SIZE_MAX), KEN_OK);
    for (size_t cut = size - 1; cut > size / 3; cut -= cut / 4) {
        ken_corpus corpus = { 0 };
        assert_int_equal(ken_file_replace(zipped, data, cut), KEN_OK);
        assert_int_equal(ken_corpus_read(&corpus, zipped, NULL, &layout, tell, &told),
                         KEN_ERR_FORMAT);
        assert_ptr_equal(strstr(ken_last_error(), zipped), ken_last_error());
        ken_corpus_release(&corpus);
    }
    assert_int_equal(told, 0);
    ken_memory_free(data);
}

static void write_file(const char *path, const char *text)
{
    assert_int_equal(ken_file_replace(path, text, strlen(text)), KEN_OK);
}

static void two_files(void **state)
{
    (void)state;
    const char *a = folder_path("a.en"), *b = folder_path("a.de");
    const struct ken_layout text = LAYOUT(PARALLEL, TEXT, 0), labels = LAYOUT(PARALLEL, LABEL, 0);
    ken_corpus corpus = { 0 };
    write_file(a, "one\ntwo\n\nfour\n");
    write_file(b, "eins\r\nzwei\r\ndrei\r\n");
    assert_int_equal(ken_corpus_read(&corpus, a, b, &text, NULL, NULL), KEN_ERR_FORMAT);
    char expected[1200];
    snprintf(expected, sizeof expected, "%s has 4 lines, %s has 3", a, b);
    assert_string_equal(ken_last_error(), expected);
    ken_corpus_release(&corpus);
    write_file(b, "eins\r\nzwei\r\ndrei\r\nvier");
    assert_int_equal(ken_corpus_read(&corpus, a, b, &text, NULL, NULL), KEN_OK);
    assert_string_equal(corpus_shown(&corpus),
                        "1: one > eins\n2: two > zwei\n3:  > drei\n4: four > vier\n");
    /* a second file is added after the first, whose path is kept */
    assert_int_equal(ken_corpus_read(&corpus, b, a, &text, NULL, NULL), KEN_OK);
    assert_int_equal(corpus.count, 8);
    assert_int_equal(ken_corpus_line(&corpus, 7), 4);
    assert_string_equal(ken_strings_at(&corpus.input, 7, NULL), "vier");
    assert_string_equal(corpus.path, a);
    ken_corpus_release(&corpus);
    /* the bad line is in the second file */
    write_file(b, "x\ny\n\nz\n");
    assert_int_equal(ken_corpus_read(&corpus, a, b, &labels, NULL, NULL), KEN_ERR_FORMAT);
    snprintf(expected, sizeof expected, "%s:3: the label is empty", b);
    assert_string_equal(ken_last_error(), expected);
    ken_corpus_release(&corpus);
}

/* Vectors of several files must have the same width. */
static void widths_agree(void **state)
{
    (void)state;
    const struct ken_layout layout = LAYOUT(VECTORS, NONE, 0);
    ken_corpus corpus = { 0 };
    assert_int_equal(ken_corpus_parse(&corpus, "f", "1\t2\n", 4, &layout, NULL, NULL), KEN_OK);
    assert_int_equal(ken_corpus_parse(&corpus, "g", "3\t4\n5\t6", 7, &layout, NULL, NULL), KEN_OK);
    assert_string_equal(corpus_shown(&corpus), "1: [1 2] >\n1: [3 4] >\n2: [5 6] >\n");
    assert_int_equal(ken_corpus_parse(&corpus, "h", "3\t4\t5\n", 6, &layout, NULL, NULL),
                     KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "h:1: found 3 numbers in a row, f has 2");
    ken_corpus_release(&corpus);
}

/* Lines of a file with lengths around the limit and around the reader's blocks. */
static void long_lines(void **state)
{
    (void)state;
    static const size_t lengths[] = { 65535, 65536, 65537, (1 << 20) - 1, 1 << 20 };
    static char text[3 << 20];
    const char *path = folder_path("long");
    const struct ken_layout layout = LAYOUT(LINES, NONE, 0);
    ken_corpus corpus = { 0 };
    size_t size = 0;
    for (size_t i = 0; i < KEN_COUNT(lengths); i++) {
        memset(text + size, 'a' + (int)i, lengths[i]);
        size += lengths[i];
        if (i % 2 == 0) text[size++] = '\r';
        text[size++] = '\n';
    }
    assert_int_equal(ken_file_replace(path, text, size), KEN_OK);
    assert_int_equal(ken_corpus_read(&corpus, path, NULL, &layout, NULL, NULL), KEN_OK);
    assert_int_equal(corpus.count, KEN_COUNT(lengths));
    for (size_t i = 0; i < KEN_COUNT(lengths); i++) {
        size_t length;
        const char *line = ken_strings_at(&corpus.input, i, &length);
        assert_int_equal(length, lengths[i]);
        assert_int_equal(line[0], 'a' + (int)i);
        assert_int_equal(line[length - 1], 'a' + (int)i);
    }
    ken_corpus_release(&corpus);
}

/* A part of a longer text, whose first line has a given number. */
static void later_lines(void **state)
{
    (void)state;
    const struct ken_layout layout = LAYOUT(TSV, LABEL, .first_line = 101);
    ken_corpus corpus = { 0 };
    assert_int_equal(ken_corpus_parse(&corpus, "f", "a\tb\nc\n", 6, &layout, NULL, NULL),
                     KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "f:102: found 1 column, but no column 2");
    assert_int_equal(ken_corpus_line(&corpus, 0), 101);
    ken_corpus_release(&corpus);
}

static void formats_have_names(void **state)
{
    (void)state;
    for (int format = 0; format < KEN_FORMAT_COUNT; format++)
        assert_int_equal(ken_format_named(ken_format_info(format)->name), format);
    assert_int_equal(ken_format_named("conll"), KEN_FORMAT_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files),  cmocka_unit_test(files_and_gzip),
        cmocka_unit_test(two_files),   cmocka_unit_test(widths_agree),
        cmocka_unit_test(long_lines),  cmocka_unit_test(formats_have_names),
        cmocka_unit_test(later_lines), cmocka_unit_test(cut_gzip),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
