/* test_corpus_bad.c - files that are wrong: the message and its place, and nothing that was half
 * read remains. Then arbitrary bytes: every format survives files that are cut or changed
 * anywhere. */
#include "base/io.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/corpora.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

#define WORD(id, form, upos) id "\t" form "\tl\t" upos "\tX\t_\t0\troot\t_\t_\n"
#define GOOD WORD("1", "a", "B")

#define LAYOUT(kind, target, ...)                                                                  \
    {                                                                                              \
        .format = KEN_FORMAT_##kind, .target_kind = KEN_TARGET_##target, __VA_ARGS__               \
    }
#define TEXT(literal) literal, sizeof literal - 1

static const struct bad {
    struct ken_layout layout;
    const char *text;
    size_t size;
    const char *message; /* of KEN_ERR_FORMAT or, after "!", of KEN_ERR_ARGUMENT */
} bads[] = {
    /* not text, in any format */
    { LAYOUT(LINES, NONE, 0), TEXT(""), "f: found no example" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT("# only\n\n\n"), "f: found no example" },
    { LAYOUT(TSV, LABEL, .header = true), TEXT("a\tb\n"), "f: found no example" },
    { LAYOUT(TSV, LABEL, 0), TEXT("a\tb\nx\0y\tz\n"),
      "f:2: byte 2 is 0, which text cannot contain" },
    { LAYOUT(PLAIN, TEXT, 0), TEXT("\xff\xff"), "f:1: byte 1 is not UTF-8 (0xff)" },
    { LAYOUT(PLAIN, TEXT, 0),
      TEXT("\xff\xfe"
           "a\0"),
      "f is UTF-16, but ken reads UTF-8; convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW" },
    { LAYOUT(CSV, LABEL, 0), TEXT("\xfe\xff\0a"),
      "f is UTF-16, but ken reads UTF-8; convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW" },
    { LAYOUT(VECTORS, NONE, 0),
      TEXT("1\0\t\0"
           "2\0\n\0"),
      "f is UTF-16, but ken reads UTF-8; convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW" },
    { LAYOUT(LINES, NONE, 0), TEXT("\0a\0b"),
      "f is UTF-16, but ken reads UTF-8; convert it with: iconv -f UTF-16 -t UTF-8 OLD > NEW" },
    { LAYOUT(LINES, NONE, 0), TEXT("\xff\xfe\0\0a\0\0\0"),
      "f is UTF-32, but ken reads UTF-8; convert it with: iconv -f UTF-32 -t UTF-8 OLD > NEW" },
    { LAYOUT(LINES, NONE, 0), TEXT("ab\0\0"), "f:1: byte 3 is 0, which text cannot contain" },
    { LAYOUT(LINES, NONE, 0), TEXT("ok\nab\xc3"), "f:2: byte 3 is not UTF-8 (0xc3)" },
    { LAYOUT(LINES, NONE, 0), TEXT("ab\xc3\ncd\n"), "f:1: byte 3 is not UTF-8 (0xc3)" },
    { LAYOUT(LINES, NONE, 0), TEXT("\xed\xa0\x80"), "f:1: byte 1 is not UTF-8 (0xed)" },
    { LAYOUT(LINES, NONE, 0), TEXT("\xc0\x80"), "f:1: byte 1 is not UTF-8 (0xc0)" },
    { LAYOUT(CONLLU, NONE, 0), TEXT("# \x80\n" GOOD), "f:1: byte 3 is not UTF-8 (0x80)" },
    /* conllu */
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD "2\tb\tl\tB\tX\t_\t0\n"),
      "f:2: found 7 columns, expected 10" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT("1\ta\tl\tB\tX\t_\t0\troot\t_\t_\t_\n"),
      "f:1: found 11 columns, expected 10" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT("word\n"), "f:1: found 1 column, expected 10" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD " \n"), "f:2: found 1 column, expected 10" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT("1 a l B X _ 0 root _ _\n"),
      "f:1: found 1 column, expected 10" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD WORD("3", "c", "B")), "f:2: found id 3, expected 2" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD WORD("1", "c", "B")), "f:2: found id 1, expected 2" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("0", "c", "B")), "f:1: found id 0, expected 1" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("x", "c", "B")), "f:1: \"x\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("", "c", "B")), "f:1: \"\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("-1", "c", "B")), "f:1: \"-1\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("+1", "c", "B")), "f:1: \"+1\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("99999999999999999999", "c", "B")),
      "f:1: \"99999999999999999999\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("2-3", "c", "B")), "f:1: found id 2-3, expected 1-..." },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("1-1", "c", "B")), "f:1: \"1-1\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("1-", "c", "B")), "f:1: \"1-\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD WORD("5.1", "c", "B")),
      "f:2: found id 5.1, expected 1.1" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(GOOD WORD("1.0", "c", "B")), "f:2: \"1.0\" is not an id" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("1", "", "B")), "f:1: the word is empty" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("1", " ", "B")), "f:1: the word is empty" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT(WORD("1", "a", "")), "f:1: the label is empty" },
    { LAYOUT(CONLLU, LABEL, 0), TEXT("\n" WORD("1", "a", "_")), "f:2: upos is missing (_)" },
    { LAYOUT(CONLLU, LABEL, .target = "upso"), TEXT(GOOD),
      "!f: conllu has no column \"upso\", only id, form, lemma, upos, xpos, feats, head, deprel, "
      "deps, misc" },
    { LAYOUT(CONLLU, LABEL, .target = "11"), TEXT(GOOD), "!f: conllu has only 10 columns" },
    { LAYOUT(CONLLU, LABEL, .input = "0"), TEXT(GOOD),
      "!f: conllu has no column \"0\", only id, form, lemma, upos, xpos, feats, head, deprel, "
      "deps, "
      "misc" },
    { LAYOUT(CONLLU, SET, 0), TEXT(GOOD), "!f: format conllu does not support sets of labels" },
    { LAYOUT(CONLLU, TEXT, 0), TEXT(GOOD), "!f: format conllu does not support text" },
    /* columns */
    { LAYOUT(COLUMNS, LABEL, 0), TEXT("word\n"), "f:1: found 1 column, but no column 2" },
    { LAYOUT(COLUMNS, LABEL, 0), TEXT("a B\nNew York B\n"), "f:2: found 3 columns, expected 2" },
    { LAYOUT(COLUMNS, LABEL, .target = "4"), TEXT("a b c d\na b c\n"),
      "f:2: found 3 columns, but no column 4" },
    { LAYOUT(COLUMNS, LABEL, .header = true, .target = "tag"), TEXT("w\ttag\n\na\n"),
      "f:3: found 1 column, but no column tag" },
    { LAYOUT(COLUMNS, LABEL, 0), TEXT("a\t\n"), "f:1: the label is empty" },
    { LAYOUT(COLUMNS, LABEL, 0), TEXT("\tB\n"), "f:1: the word is empty" },
    /* tsv */
    { LAYOUT(TSV, LABEL, 0), TEXT("a\tb\n\nc\td\n"), "f:2: the line is empty" },
    { LAYOUT(TSV, LABEL, 0), TEXT("a b\n"), "f:1: found 1 column, but no column 2" },
    { LAYOUT(TSV, LABEL, 0), TEXT("a\tb\nc\td\te\n"), "f:2: found 3 columns, expected 2" },
    { LAYOUT(TSV, LABEL, 0), TEXT("a\t  \n"), "f:1: the label is empty" },
    { LAYOUT(TSV, SET, 0), TEXT("a\t1,,2\n"), "f:1: the label is empty" },
    { LAYOUT(TSV, SET, 0), TEXT("a\t1,2,\n"), "f:1: the label is empty" },
    { LAYOUT(TSV, NUMBER, 0), TEXT("a\t1\nb\tx\n"), "f:2: \"x\" is not a number" },
    { LAYOUT(TSV, NUMBER, 0), TEXT("a\tnano\n"), "f:1: \"nano\" is not a number" },
    { LAYOUT(TSV, NUMBER, 0), TEXT("a\t1e39\n"), "f:1: \"1e39\" is not a number" },
    { LAYOUT(TSV, NUMBER, 0), TEXT("a\t0x10\n"), "f:1: \"0x10\" is not a number" },
    { LAYOUT(TSV, NUMBER, 0), TEXT("a\t1\x1b[31m\n"), "f:1: \"1\" is not a number" },
    { LAYOUT(TSV, LABEL, .header = true, .target = "lable"), TEXT("text\tlabel\nx\ty\n"),
      "f:1: found no column \"lable\", only text, label" },
    { LAYOUT(TSV, LABEL, .header = true, .input = "a"), TEXT("a\tb\ta\n"),
      "f:1: columns 1 and 3 are both called \"a\"" },
    { LAYOUT(TSV, LABEL, .header = true), TEXT("a\xff\tb\n"), "f:1: byte 2 is not UTF-8 (0xff)" },
    { LAYOUT(TSV, LABEL, .target = "label"), TEXT("a\tb\n"),
      "!f: column \"label\": without a line that names them, columns are numbers from 1" },
    { LAYOUT(TSV, LABEL, .target = "0"), TEXT("a\tb\n"),
      "!f: column \"0\": without a line that names them, columns are numbers from 1" },
    /* fasttext */
    { LAYOUT(FASTTEXT, LABEL, 0), TEXT("text\n"),
      "f:1: found 0 labels __label__..., expected one" },
    { LAYOUT(FASTTEXT, LABEL, 0), TEXT("__label__a __label__b x\n"),
      "f:1: found 2 labels __label__..., expected one" },
    { LAYOUT(FASTTEXT, LABEL, 0), TEXT("__label__ x\n"), "f:1: the label is empty" },
    { LAYOUT(FASTTEXT, SET, 0), TEXT("__label__a x\n \t \n"), "f:2: the line is empty" },
    { LAYOUT(FASTTEXT, SET, 0), TEXT("__label__a x __label__b\n"),
      "f:1: found a label __label__... after the text" },
    { LAYOUT(FASTTEXT, TEXT, 0), TEXT("x\n"), "!f: format fasttext does not support text" },
    /* parallel, plain, lines */
    { LAYOUT(PARALLEL, TEXT, 0), TEXT("x\n"), "!f: format parallel with text takes two files" },
    { LAYOUT(PLAIN, NONE, 0), TEXT("x\n"), "!f: format plain does not support no targets" },
    { LAYOUT(LINES, TEXT, 0), TEXT("x\n"), "!f: format lines does not support text" },
    { { .format = KEN_FORMAT_COUNT }, TEXT("x\n"), "!f: unknown format" },
    /* vectors */
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\t2\n3\n"), "f:2: found 1 column, but no column 2" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\t2\n3\t4\t5\n"), "f:2: found 3 columns, expected 2" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\tx\n"), "f:1: column 2: \"x\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\t-\n"), "f:1: column 2: \"-\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\tinf\n"), "f:1: column 2: \"inf\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("-nan\n"), "f:1: column 1: \"-nan\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1e400\n"), "f:1: column 1: \"1e400\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1,5x\n"), "f:1: column 2: \"5x\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1e\n"), "f:1: column 1: \"1e\" is not a number" },
    { LAYOUT(VECTORS, NONE, .header = true), TEXT("a\tb\n1\t-\n"),
      "f:2: column b: \"-\" is not a number" },
    { LAYOUT(VECTORS, NONE, 0), TEXT("1\n\n2\n"), "f:2: the line is empty" },
    { LAYOUT(VECTORS, LABEL, 0), TEXT("1\n"), "f:1: found 1 column, but no column 2" },
    { LAYOUT(VECTORS, LABEL, .sequence = "1", .target = "2"), TEXT("a\tb\n"),
      "f:1: found no column for the input" },
    { LAYOUT(VECTORS, LABEL, .input = " "), TEXT("1\tb\n"), "f:1: found no column for the input" },
    { LAYOUT(VECTORS, LABEL, .sequence = "1"), TEXT("a\t1\tx\nb\t1\tx\nb\t2\tx\na\t1\tx\n"),
      "f:4: sequence \"a\" began in line 1 and returns after sequence \"b\": the rows of a "
      "sequence "
      "must be together; sort the file by this column" },
    { LAYOUT(VECTORS, NONE, .each = true, .header = true, .sequence = "id"),
      TEXT("id\tx\n\t1\nb\t1\n\t1\n"),
      "f:4: sequence \"\" began in line 2 and returns after sequence \"b\": the rows of a sequence "
      "must be together; sort the file by this column" },
    { LAYOUT(VECTORS, LABEL, .sequence = "9"), TEXT("1\tb\n"),
      "f:1: found 2 columns, but no column 9" },
    { LAYOUT(VECTORS, NUMBER, .each = true), TEXT("1\t2\n1\ty\n"), "f:2: \"y\" is not a number" },
    { LAYOUT(VECTORS, SET, 0), TEXT("1\t2\n"),
      "!f: format vectors does not support sets of labels" },
};

static void bad_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(bads); i++) {
        const struct bad *bad = &bads[i];
        bool argument = bad->message[0] == '!';
        ken_corpus corpus = { 0 };
        ken_status status = ken_corpus_parse(&corpus, "f", bad->text, bad->size, &bad->layout, NULL,
                                             NULL);
        if (status != (argument ? KEN_ERR_ARGUMENT : KEN_ERR_FORMAT) ||
            strcmp(ken_last_error(), bad->message + argument) != 0)
            fail_msg("case %zu: %s, \"%s\" instead of \"%s\"", i, ken_status_name(status),
                     ken_last_error(), bad->message);
        ken_corpus_release(&corpus);
    }
}

/* ---- Complaints ------------------------------------------------------------------------------ */

static void collect(void *user, const char *what)
{
    ken_buffer_format(user, "%s\n", what);
}

/* All bad lines are reported, and only their examples are missing. */
static const struct told {
    struct ken_layout layout;
    const char *text;
    size_t size;
    const char *shown, *told;
} tolds[] = {
    { LAYOUT(CONLLU, LABEL, 0),
      TEXT(GOOD "\n" WORD("1", "x", "_") "2\ty\n" WORD("3", "\xff", "B") WORD("5", "z", "B")
               WORD("6", "z", "B") "\n" WORD("1", "c", "D")),
      "1: a > B\n9: c > D\n",
      "f:3: upos is missing (_)\nf:4: found 2 columns, expected 10\n"
      "f:5: byte 3 is not UTF-8 (0xff)\nf:6: found id 5, expected 2\n" },
    { LAYOUT(TSV, LABEL, 0), TEXT("a\tb\n\nc\n\0\nd\te\n"), "1: a > b\n5: d > e\n",
      "f:2: the line is empty\nf:3: found 1 column, but no column 2\n"
      "f:4: byte 1 is 0, which text cannot contain\n" },
    { LAYOUT(FASTTEXT, SET, 0), TEXT("__label__a __label__b __label__\n__label__c d\n"),
      "2: d > c\n", "f:1: the label is empty\n" },
    { LAYOUT(VECTORS, NUMBER, .sequence = "1"),
      TEXT("A\t1\t2\nA\tx\t3\nA\t5\t6\nB\t1\t1\nC\t1\ty\nC\t1\t1\nD\t4\t4\n"),
      "4: [1] > [1]\n7: [4] > [4]\n",
      "f:2: column 2: \"x\" is not a number\nf:5: \"y\" is not a number\n" },
    { LAYOUT(VECTORS, NUMBER, 0), TEXT("1\t2\n3\n4\t5\n"), "1: [1] > [2]\n3: [4] > [5]\n",
      "f:2: found 1 column, but no column 2\n" },
    { LAYOUT(PLAIN, TEXT, 0), TEXT("a\n\x80\nb"), "1: > a\n3: > b\n",
      "f:2: byte 1 is not UTF-8 (0x80)\n" },
};

static void complaints(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(tolds); i++) {
        const struct told *told = &tolds[i];
        ken_corpus corpus = { 0 };
        ken_buffer said = { 0 };
        if (ken_corpus_parse(&corpus, "f", told->text, told->size, &told->layout, collect, &said))
            fail_msg("case %zu: %s", i, ken_last_error());
        assert_string_equal(ken_buffer_string(&said), told->told);
        assert_string_equal(corpus_shown(&corpus), told->shown);
        ken_corpus_release(&corpus);
        ken_buffer_release(&said);
    }
}

/* A file without a good line is still an error, and so is a bad line with the names of columns. */
static void too_bad_to_go_on(void **state)
{
    (void)state;
    const struct ken_layout lines = LAYOUT(LINES, NONE, 0);
    const struct ken_layout named = LAYOUT(TSV, LABEL, .header = true);
    ken_corpus corpus = { 0 };
    ken_buffer said = { 0 };
    assert_int_equal(ken_corpus_parse(&corpus, "f", "\xff\n\xfe", 3, &lines, collect, &said),
                     KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "f: found no example");
    assert_string_equal(ken_buffer_string(&said), "f:1: byte 1 is not UTF-8 (0xff)\n"
                                                  "f:2: byte 1 is not UTF-8 (0xfe)\n");
    ken_corpus_release(&corpus);
    ken_buffer_clear(&said);
    assert_int_equal(ken_corpus_parse(&corpus, "f", "\xff\na\tb\n", 6, &named, collect, &said),
                     KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), "f:1: byte 1 is not UTF-8 (0xff)");
    assert_int_equal(said.size, 0);
    ken_corpus_release(&corpus);
    ken_buffer_release(&said);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* A line of more than 1 MiB, with or without a line end, is refused; the next line is read. */
static void endless_lines(void **state)
{
    (void)state;
    static const size_t lengths[] = { (1 << 20) + 1, (1 << 20) + 3, 1200000, 5000000 };
    static char text[5000016];
    const char *path = folder_path("endless");
    const struct ken_layout layout = LAYOUT(LINES, NONE, 0);
    for (size_t i = 0; i < KEN_COUNT(lengths); i++)
        for (int last = 0; last < 2; last++) {
            ken_corpus corpus = { 0 };
            ken_buffer said = { 0 }, expected = { 0 };
            memcpy(text, "one\n", 4);
            memset(text + 4, 'x', lengths[i]);
            memcpy(text + 4 + lengths[i], "\r\nthree", 7);
            size_t size = 4 + lengths[i] + (last ? 0 : 7);
            assert_int_equal(ken_file_replace(path, text, size), KEN_OK);
            ken_buffer_format(&expected, "%s:2: the line is longer than 1048576 bytes", path);
            assert_int_equal(ken_corpus_read(&corpus, path, NULL, &layout, NULL, NULL),
                             KEN_ERR_FORMAT);
            assert_string_equal(ken_last_error(), expected.data);
            ken_corpus_release(&corpus);
            assert_int_equal(ken_corpus_read(&corpus, path, NULL, &layout, collect, &said), KEN_OK);
            ken_buffer_text(&expected, "\n");
            assert_string_equal(ken_buffer_string(&said), expected.data);
            assert_string_equal(corpus_shown(&corpus),
                                last ? "1: one >\n" : "1: one >\n3: three >\n");
            ken_corpus_release(&corpus);
            ken_buffer_release(&said);
            ken_buffer_release(&expected);
        }
}

static void no_such_files(void **state)
{
    (void)state;
    const struct ken_layout lines = LAYOUT(LINES, NONE, 0), pairs = LAYOUT(PARALLEL, TEXT, 0);
    const char *path = folder_path("there");
    ken_corpus corpus = { 0 };
    assert_int_equal(ken_file_replace(path, "x\n", 2), KEN_OK);
    assert_int_equal(ken_corpus_read(&corpus, folder_path("none"), NULL, &lines, NULL, NULL),
                     KEN_ERR_IO);
    assert_non_null(strstr(ken_last_error(), "No such file"));
    assert_int_equal(ken_corpus_read(&corpus, folder_name(), NULL, &lines, NULL, NULL), KEN_ERR_IO);
    assert_non_null(strstr(ken_last_error(), "is a directory"));
    assert_int_equal(ken_corpus_read(&corpus, path, folder_name(), &pairs, NULL, NULL), KEN_ERR_IO);
    assert_int_equal(ken_corpus_read(&corpus, "/dev/zero", NULL, &lines, NULL, NULL), KEN_ERR_IO);
    assert_int_equal(ken_corpus_read(&corpus, path, NULL, &pairs, NULL, NULL), KEN_ERR_ARGUMENT);
    assert_int_equal(ken_corpus_read(&corpus, path, path, &lines, NULL, NULL), KEN_ERR_ARGUMENT);
    ken_corpus_release(&corpus);
}

/* Two parallel files stay aligned however bad their lines are. */
static void bad_pairs(void **state)
{
    (void)state;
    const struct ken_layout layout = LAYOUT(PARALLEL, TEXT, 0);
    const char *a = folder_path("pair.a"), *b = folder_path("pair.b");
    ken_corpus corpus = { 0 };
    ken_buffer said = { 0 }, expected = { 0 };
    assert_int_equal(ken_file_replace(a, "1\n\xff\n3\n\xff\n5\n", 10), KEN_OK);
    assert_int_equal(ken_file_replace(b, "A\nB\n\xfe\n\xfe\nE\n", 10), KEN_OK);
    assert_int_equal(ken_corpus_read(&corpus, a, b, &layout, collect, &said), KEN_OK);
    assert_string_equal(corpus_shown(&corpus), "1: 1 > A\n5: 5 > E\n");
    ken_buffer_format(&expected, "%s:2: byte 1 is not UTF-8 (0xff)\n", a);
    ken_buffer_format(&expected, "%s:3: byte 1 is not UTF-8 (0xfe)\n", b);
    ken_buffer_format(&expected, "%s:4: byte 1 is not UTF-8 (0xff)\n", a);
    ken_buffer_format(&expected, "%s:4: byte 1 is not UTF-8 (0xfe)\n", b);
    assert_string_equal(ken_buffer_string(&said), expected.data);
    ken_corpus_release(&corpus);
    ken_buffer_release(&said);
    ken_buffer_release(&expected);
}

/* ---- Any bytes ------------------------------------------------------------------------------- */

static void ignore(void *user, const char *what)
{
    (void)user;
    assert_true(strncmp(what, "f:", 2) == 0);
}

/* Any bytes give an error with a message, or a corpus whose parts fit together. */
static void survive(const struct ken_layout *layout, const char *text, size_t size)
{
    for (int tells = 0; tells < 2; tells++) {
        ken_corpus corpus = { 0 };
        char *copy = ken_memory_new(size, 1); /* so that a read beyond its end is noticed */
        if (size > 0) memcpy(copy, text, size);
        ken_status status = ken_corpus_parse(&corpus, "f", copy, size, layout,
                                             tells ? ignore : NULL, NULL);
        ken_memory_free(copy);
        assert_true(status == KEN_OK || status == KEN_ERR_FORMAT || status == KEN_ERR_ARGUMENT);
        if (!status) {
            size_t count = corpus.count;
            size_t rows = corpus.width ? corpus.vectors.size / sizeof(float) / corpus.width : 0;
            size_t targets = corpus.numbers.size / sizeof(float) + corpus.target.count;
            assert_true(count > 0);
            assert_int_equal(ken_corpus_input_start(&corpus, count), corpus.input.count + rows);
            assert_int_equal(ken_corpus_target_start(&corpus, count), targets);
            corpus_shown(&corpus);
        }
        ken_corpus_release(&corpus);
    }
}

static const char *const samples[] = {
    "# c\n" WORD("1-2", "don't", "_") WORD("1", "do", "AUX") WORD("2", "n't", "PART") "\n" GOOD,
    "x\ty\tz\na\t1\t2\na\t3\t4\nb\t-5e1\t6\n",
    "w p\nEU B-ORG\nrejects O\n\n-DOCSTART- X\n\nPeter B-PER\n",
    "__label__a __label__b caf\xc3\xa9 text\n__label__c e\xcc\x81\n",
};

/* Tries the layouts with and without their other options. */
static void survive_layouts(const char *text, size_t size)
{
    for (int format = 0; format < KEN_FORMAT_NPY; format++)
        for (int kind = KEN_TARGET_LABEL; kind <= KEN_TARGET_NONE; kind++) {
            struct ken_layout layout = { .format = format, .target_kind = kind };
            survive(&layout, text, size);
            layout.header = layout.each = true;
            if (format == KEN_FORMAT_VECTORS) layout.sequence = "1";
            survive(&layout, text, size);
        }
}

static void any_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(samples); i++) {
        size_t size = strlen(samples[i]);
        char text[256];
        assert_true(size < sizeof text);
        for (size_t cut = 0; cut <= size; cut++) survive_layouts(samples[i], cut);
        for (uint64_t round = 0; round < 60; round++) {
            uint64_t key = ken_random_key(i, round);
            memcpy(text, samples[i], size);
            for (uint64_t k = 0; k < 1 + round % 4; k++) {
                static const char likely[] = "\t\n\r \0,#-._0\xff";
                size_t at = ken_random_below(key, 2 * k, size);
                uint64_t other = ken_random_below(key, 2 * k + 1, 2 * sizeof likely);
                text[at] = other < sizeof likely ? likely[other]
                                                 : (char)ken_random_bits(key, 100 + k);
            }
            survive_layouts(text, size);
        }
    }
}

/* ---- Faults ---------------------------------------------------------------------------------- */

static void faults(void **state)
{
    (void)state;
    static const struct {
        struct ken_layout layout;
        const char *text, *shown;
    } cases[] = {
        { LAYOUT(CONLLU, LABEL, 0), WORD("1", "cafe\xcc\x81", "A") "\n" GOOD,
          "1: caf\xc3\xa9 > A\n3: a > B\n" },
        { LAYOUT(TSV, SET, .header = true, .input = "x", .target = "y"), "x\ty\na\t1,2\n",
          "2: a > 1 / 2\n" },
        { LAYOUT(VECTORS, NUMBER, .header = true, .sequence = "s", .target = "y"),
          "s\tx\ty\na\t1\t2\nb\t3\t4\n", "2: [1] > [2]\n3: [3] > [4]\n" },
        { LAYOUT(FASTTEXT, LABEL, 0), "__label__a b\n", "1: b > a\n" },
        { LAYOUT(PARALLEL, TEXT, 0), "x\n", "1: x > x\n" },
    };
    const char *path = folder_path("faults");
    size_t told = 0;
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        const char *second = cases[i].layout.format == KEN_FORMAT_PARALLEL ? path : NULL;
        assert_int_equal(ken_file_replace(path, cases[i].text, strlen(cases[i].text)), KEN_OK);
        told += corpus_faults(path, second, &cases[i].layout, cases[i].shown);
    }
    assert_true(told > 100);
    /* a line so long that the reader has to allocate more memory */
    static char text[200000], shown[sizeof text + 16];
    const struct ken_layout layout = LAYOUT(LINES, NONE, 0);
    memset(text, 'x', sizeof text);
    snprintf(shown, sizeof shown, "1: %.*s >\n", (int)sizeof text, text);
    assert_int_equal(ken_file_replace(path, text, sizeof text), KEN_OK);
    assert_true(corpus_faults(path, NULL, &layout, shown) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files),        cmocka_unit_test(complaints),
        cmocka_unit_test(too_bad_to_go_on), cmocka_unit_test(endless_lines),
        cmocka_unit_test(no_such_files),    cmocka_unit_test(bad_pairs),
        cmocka_unit_test(any_bytes),        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
