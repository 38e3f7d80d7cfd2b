/* test_graphs.c - graphs as data: CSV tables, parts of a file, nodes and links, JSON, and generated
 * graphs; then the lists of edges that attention walks. */
#include "base/arena.h"
#include "base/size.h"
#include "made/made.h"
#include "layer/graph.h"
#include "tests/corpora.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LAYOUT(kind, target, ...)                                                                  \
    {                                                                                              \
        .format = KEN_FORMAT_##kind, .target_kind = KEN_TARGET_##target, __VA_ARGS__               \
    }

static const char nodes[] = "a\ttrain\tred\t1 5\n"
                            "b\ttest\tblue\t\n"
                            "c\ttrain\t\t2\n";

/* An input kind's check of a text, as SMILES have one. */
static ken_status no_rings(const char *text, size_t length)
{
    return memchr(text, '1', length) ? ken_fail(KEN_ERR_FORMAT, "a ring") : KEN_OK;
}

/* The corpus that a text, and the links of `second`, is read as; or the message with which it is
 * refused, after "!" if it is the caller's mistake. */
static const struct {
    const char *text, *second;
    struct ken_layout layout;
    const char *shown;
} cases[] = {
    { "x,1\n\"a, \"\"b\"\"\",2\n,3\n", NULL, LAYOUT(CSV, LABEL, 0),
      "1: x > 1\n2: a, \"b\" > 2\n3:  > 3\n" },
    { "x,\"1\n2\n", NULL, LAYOUT(CSV, LABEL, 0), "f:1: a quote is opened and not closed" },
    { "x,1\n\"a\n\"\"b\"\", c\n\",2\nd\"e,3\n", NULL, LAYOUT(CSV, LABEL, 0),
      "1: x > 1\n2: a \"b\", c  > 2\n5: d\"e > 3\n" },
    { "x,1\n\"a\nb\"\n", NULL, LAYOUT(CSV, LABEL, 0), "f:2: found 1 column, but no column 2" },
    { "a b\t1 ?\nc\t 2.5 \n", NULL, LAYOUT(TSV, NUMBER, .each = true),
      "1: a b > [1] [nan]\n2: c > [2.5]\n" },
    { "a b\t1 x\n", NULL, LAYOUT(TSV, NUMBER, .each = true), "f:1: \"x\" is not a number" },
    { "x,\"1\"2\n", NULL, LAYOUT(CSV, LABEL, 0), "f:1: column 2: no closing quote at its end" },
    { "x,1\nx\n", NULL, LAYOUT(CSV, LABEL, 0), "f:2: found 1 column, but no column 2" },
    /* several columns are a set */
    { "s,p,q\nC,1,0\nN,,1\n", NULL, LAYOUT(CSV, SET, .header = true, .input = "s", .target = "p q"),
      "2: C > [1 0]\n3: N > [nan 1]\n" },
    { "s,p,q\nC,1,2\n", NULL, LAYOUT(CSV, SET, .header = true, .input = "s", .target = "p q"),
      "f:2: column q: \"2\" is not 0, 1 or empty" },
    { "s,p q\nC,1.5\n", NULL, LAYOUT(CSV, NUMBER, .header = true, .input = "s", .target = "p q"),
      "2: C > [1.5]\n" },
    { "s,p\nC,1\n", NULL, LAYOUT(CSV, SET, .header = true, .input = "s", .target = "p r"),
      "f:1: found no column \"r\", only s, p" },
    /* parts */
    { "a\tred\tx\nb\tblue\ty\nc\tred\tx\n", NULL, LAYOUT(TSV, LABEL, .split = "3", .part = "x"),
      "1: a > red\n3: c > red\n" },
    /* FNV-1a of "a", "b", "c", modulo 4: 0, 1, 2 */
    { "a\tred\nb\tblue\nc\tred\n", NULL, LAYOUT(TSV, LABEL, .hash = 4, .part = "1-2"),
      "2: b > blue\n3: c > red\n" },
    { "a\tred\nb\tblue\n", NULL, LAYOUT(TSV, LABEL, .hash = 4, .part = "3"),
      "f: found no example" },
    { "a\tred\n", NULL, LAYOUT(TSV, LABEL, .part = "x"), "!f: part \"x\" needs data.split" },
    /* nodes and links */
    { nodes, "a\tb\nc\tb\nb\ta\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"),
      "1: 1 5 /  / 2 > red / blue /  | 0-1 1-0 1-2 2-1\n" },
    { nodes, "a\tb\nb\ta\n",
      LAYOUT(NODES, LABEL, .each = true, .target = "3", .split = "2", .part = "train",
             .directed = true),
      "1: 1 5 /  / 2 > red /  /  | 0-1 1-0\n" },
    { "a\t1\t2\nb\t3\t?\n", "a\tb\t0.5\nb\tb\t7\n",
      LAYOUT(NODES, NUMBER, .each = true, .target = "3", .input = "2", .numbers = true),
      "1: [1] [3] > [2] [nan] | 0-1 [0.5] 1-0 [0.5] 1-1 [7]\n" },
    { nodes, "a\tb\n",
      LAYOUT(NODES, LABEL, .each = true, .target = "3", .split = "2", .part = "trian"),
      "f: no node of part \"trian\" has a label" },
    { nodes, "a\tb\n", LAYOUT(NODES, NONE, .each = true), "1: 1 5 /  / 2 > | 0-1 1-0\n" },
    { nodes, "a\tx\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"),
      "g:1: there is no node \"x\"" },
    { nodes, "a\tb\na\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"),
      "g:2: found 1 column, expected two nodes and 0 numbers" },
    { nodes, "a\tb\t1\na\tc\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"),
      "g:2: found 2 columns, expected two nodes and 1 number" },
    { nodes, "a\tb\tx\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"),
      "g:1: column 3: \"x\" is not a number" },
    { nodes, "\n", LAYOUT(NODES, LABEL, .each = true, .target = "3"), "g:1: the line is empty" },
    { "a\tx\na\ty\n", "a\ta\n", LAYOUT(NODES, LABEL, .each = true),
      "f:2: node \"a\" occurs twice" },
    /* JSON */
    { "{\"nodes\": [\"C\", \"O\"], \"links\": [[0, 1]], \"target\": \"sweet\"}\n"
      "{\"nodes\": [], \"target\": \"sour\"}\n",
      NULL, LAYOUT(GRAPHS, LABEL, 0), "1: C / O > sweet | 0-1 1-0\n2: > sour |\n" },
    { "{\"nodes\": [[1, 2], [3, 4]], \"links\": [[1, 0, 0.5]], \"target\": [null, 2]}\n", NULL,
      LAYOUT(GRAPHS, NUMBER, .each = true, .numbers = true, .directed = true),
      "1: [1 2] [3 4] > [nan] [2] | 1-0 [0.5]\n" },
    { "{\"nodes\": [[3, 8], []], \"target\": [\"x\", null]}\n", NULL,
      LAYOUT(GRAPHS, LABEL, .each = true, .indices = true), "1: 3 8 /  > x /  |\n" },
    { "{\"nodes\": [[3]], \"target\": \"x\"}\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "f:1: node 0: expected a word; lists need input.unit=numbers or indices" },
    { "{\"nodes\": [\"C\"], \"target\": [\"x\", \"y\"]}\n", NULL, LAYOUT(GRAPHS, SET, 0),
      "1: C > x / y |\n" },
    { "{\"nodes\": [\"C\"], \"target\": 3}\n", NULL, LAYOUT(GRAPHS, LABEL, 0), "1: C > 3 |\n" },
    { "{\"nodes\": [\"e\\u0301\"], \"target\": \"\\u00e9\"}\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "1: \xc3\xa9 > \xc3\xa9 |\n" },
    { "{\"nodes\": [\"a\\nb\"], \"target\": \"x\"}\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "f:1: found a control character (0x0a) in a text" },
    { "CCO\t1\nC1CC\t2\n", NULL, LAYOUT(TSV, LABEL, .valid = no_rings), "f:2: a ring" },
    { "[]\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "f:1: expected a JSON object: found another kind of value" },
    { "{\"nodes\": 3, \"target\": \"x\"}\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "f:1: expected \"nodes\", a list of words or of numbers" },
    { "{\"nodes\": [\"a\"], \"links\": [[0, 1]], \"target\": \"x\"}\n", NULL,
      LAYOUT(GRAPHS, LABEL, 0), "f:1: link 0: expected two nodes of the graph, counted from 0" },
    { "{\"nodes\": [\"a\"], \"links\": [[0]], \"target\": \"x\"}\n", NULL, LAYOUT(GRAPHS, LABEL, 0),
      "f:1: link 0: expected two nodes and as many numbers as the first link has, at most 64" },
    { "{\"nodes\": [[1], [1, 2]], \"target\": \"x\"}\n", NULL,
      LAYOUT(GRAPHS, LABEL, .numbers = true),
      "f:1: node 1: expected a list of numbers, as many as in the first node" },
    { "{\"nodes\": [\"a\"]}\n", NULL, LAYOUT(GRAPHS, LABEL, 0), "f:1: \"target\" is missing" },
    { "{\"nodes\": [\"a\"], \"target\": [\"x\", \"y\"]}\n", NULL,
      LAYOUT(GRAPHS, LABEL, .each = true),
      "f:1: expected a list of one label or number for each node as target" },
};

/* Replaces the paths in a message by f and g, as the cases have them. */
static const char *short_names(const char *message)
{
    static char text[512];
    const char *f = folder_path("f"), *g = folder_path("g");
    size_t length = strlen(f);
    text[0] = '\0';
    if (strncmp(message, f, length) == 0) snprintf(text, sizeof text, "f%s", message + length);
    else if (strncmp(message, g, length) == 0) snprintf(text, sizeof text, "g%s", message + length);
    else snprintf(text, sizeof text, "%s", message);
    return text;
}

static void what_is_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        ken_corpus corpus = { 0 };
        const char *f = folder_path("f"), *g = folder_path("g"), *second = cases[i].second;
        file_of(f, cases[i].text, strlen(cases[i].text));
        if (second) file_of(g, second, strlen(second));
        ken_status status = ken_corpus_read(&corpus, f, second ? g : NULL, &cases[i].layout, NULL,
                                            NULL);
        const char *wanted = cases[i].shown;
        bool mistake = wanted[0] == '!';
        const char *got = status ? short_names(ken_last_error()) : corpus_shown(&corpus);
        if (status) assert_int_equal(status, mistake ? KEN_ERR_ARGUMENT : KEN_ERR_FORMAT);
        if (strcmp(got, wanted + mistake) != 0)
            fail_msg("case %zu:\n%s\nexpected:\n%s", i, got, wanted);
        ken_corpus_release(&corpus);
    }
}

/* Every allocation and every file operation fails once: there is an error, or the graph is
 * right. */
static void every_fault(void **state)
{
    (void)state;
    struct ken_layout layout = LAYOUT(NODES, LABEL, .each = true, .target = "3");
    struct ken_layout json = LAYOUT(GRAPHS, LABEL, 0);
    const char *f = folder_path("f"), *g = folder_path("g");
    file_of(f, nodes, sizeof nodes - 1);
    file_of(g, "a\tb\nc\tb\n", 8);
    assert_true(corpus_faults(f, g, &layout, "1: 1 5 /  / 2 > red / blue /  | 0-1 1-0 1-2 2-1\n") >
                10);
    const char graph[] =
        "{\"nodes\": [\"C\", \"O\"], \"links\": [[0, 1]], \"target\": \"sweet\"}\n";
    file_of(f, graph, sizeof graph - 1);
    assert_true(corpus_faults(f, NULL, &json, "1: C / O > sweet | 0-1 1-0\n") > 5);
}

/* With `complain` every bad line is reported, and its graph is left out. */
static void count_complaint(void *user, const char *what)
{
    size_t *count = user;
    assert_true(what[0] != '\0');
    ++*count;
}

static void complaints(void **state)
{
    (void)state;
    struct ken_layout layout = LAYOUT(GRAPHS, LABEL, 0);
    const char text[] = "{}\n{\"nodes\": [\"a\"], \"links\": [[0, 0]], \"target\": \"x\"}\n"
                        "{\"nodes\": [\"b\"], \"links\": [[0, 0], [0, 9]], \"target\": \"x\"}\n"
                        "{\"nodes\": [\"c\"], \"target\": \"x\"}\n";
    ken_corpus corpus = { 0 };
    size_t count = 0;
    file_of(folder_path("f"), text, sizeof text - 1);
    assert_int_equal(ken_corpus_read(&corpus, folder_path("f"), NULL, &layout, count_complaint,
                                     &count),
                     KEN_OK);
    assert_int_equal(count, 2);
    assert_string_equal(corpus_shown(&corpus), "2: a > x | 0-0\n4: c > x |\n");
    ken_corpus_release(&corpus);
}

/* ---- generated graphs ------------------------------------------------------------------------ */

static void make(ken_corpus *corpus, const char *name, struct ken_make how)
{
    *corpus = (ken_corpus){ 0 };
    how.seed = 4;
    if (ken_make(corpus, ken_maker_named(name), &how)) fail_msg("%s", ken_last_error());
}

/* Checks the shares of links between people of the same kind, of known labels, and of labels that
 * agree with the sum of a person's numbers. */
static void social(void **state)
{
    enum { PEOPLE = 4000 };
    (void)state;
    ken_corpus corpus, test;
    struct ken_make how = { .count = PEOPLE, .each = true, .homophily = 0.8, .noise = 0.1 };
    make(&corpus, "social", how);
    how.part = KEN_MADE_TEST;
    make(&test, "social", how);
    assert_int_equal(corpus.count, 1);
    assert_memory_equal(corpus.links.data, test.links.data, corpus.links.size); /* one network */
    assert_memory_equal(corpus.vectors.data, test.vectors.data, corpus.vectors.size);
    const float *numbers = ken_buffer_floats(&corpus.vectors);
    double known = 0, both = 0, right = 0;
    for (size_t i = 0; i < PEOPLE; i++) {
        const char *label = ken_strings_at(&corpus.target, i, NULL);
        double sum = 0;
        for (size_t j = 0; j < corpus.width; j++) sum += numbers[i * corpus.width + j];
        known += label[0] != '\0';
        both += label[0] && ken_strings_at(&test.target, i, NULL)[0];
        right += label[0] && (sum > 0) == (strcmp(label, "buys") == 0);
    }
    assert_true(fabs(known / PEOPLE - 0.5) < 0.03);
    assert_true(both == 0);
    /* the numbers give the kind in 0.84 of all cases, and a tenth of the people do the opposite:
     * 0.9 * 0.84 + 0.1 * 0.16 */
    assert_true(fabs(right / known - 0.772) < 0.03);
    size_t links = corpus.links.size / (2 * sizeof(int32_t));
    /* five each, in both directions, a few of them twice */
    assert_true(links > 9 * PEOPLE && links <= 10 * PEOPLE);
    ken_corpus_release(&corpus);
    ken_corpus_release(&test);
}

/* The text to be written is found along the links from the marked node. */
static void beads(void **state)
{
    (void)state;
    ken_corpus corpus;
    make(&corpus, "beads", (struct ken_make){ .count = 200, .target_kind = KEN_TARGET_TEXT });
    const int32_t *pairs = (const int32_t *)(const void *)corpus.links.data;
    for (size_t i = 0; i < corpus.count; i++) {
        size_t from = ken_corpus_input_start(&corpus, i),
               n = ken_corpus_input_start(&corpus, i + 1);
        size_t first = ken_corpus_link_start(&corpus, i),
               end = ken_corpus_link_start(&corpus, i + 1);
        const char *text = ken_strings_at(&corpus.target, i, NULL);
        int32_t at = -1, before = -1;
        for (size_t j = from; j < n; j++)
            if (ken_strings_at(&corpus.input, j, NULL)[0] == '^') at = (int32_t)(j - from);
        for (size_t step = 0; step < n - from; step++) {
            const char *word = ken_strings_at(&corpus.input, from + (size_t)at, NULL);
            assert_true(text[2 * step] == word[step == 0]);
            int32_t next = -1;
            for (size_t e = first; e < end; e++)
                if (pairs[2 * e] == at && pairs[2 * e + 1] != before) next = pairs[2 * e + 1];
            before = at;
            at = next;
        }
        assert_true(at == -1 && strlen(text) == 2 * (n - from) - 1);
    }
    ken_corpus_release(&corpus);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Two graphs, one of them empty: 0 - 1 - 2, 3 alone with a loop of its own. */
static const int32_t pairs[] = { 1, 0, 0, 1, 1, 2, 2, 1, 3, 3 };
static const float kinds_of_links[] = { 10, 20, 30, 40, 50 };
static const size_t row_start[] = { 0, 0, 4 }, link_start[] = { 0, 0, 5 };
static const ken_links links = { pairs, link_start, kinds_of_links };
static const ken_sequences graphs = { .start = row_start, .count = 2, .links = &links };

static void lists_of_edges(void **state)
{
    (void)state;
    static const size_t starts[] = { 0, 2, 5, 7, 8 };
    static const uint32_t keys[] = { 1, 0, 0, 2, 1, 1, 2, 3 };
    static const float numbers[] = { 20, 0, 10, 30, 0, 40, 0, 50 };
    static const size_t query_starts[] = { 0, 2, 5, 7, 8 };
    static const uint32_t queries[] = { 0, 1, 0, 1, 2, 1, 2, 3 };
    struct ken_graph_options options = { .numbers = 1, .loops = true };
    ken_arena arena;
    struct ken_graph graph;
    ken_arena_init(&arena);
    assert_int_equal(ken_graph_make(&graph, &arena, &graphs, &options), KEN_OK);
    assert_memory_equal(graph.edges.key_start, starts, sizeof starts);
    assert_memory_equal(graph.edges.key, keys, sizeof keys);
    assert_memory_equal(graph.numbers, numbers, sizeof numbers);
    assert_memory_equal(graph.edges.query_start, query_starts, sizeof query_starts);
    assert_memory_equal(graph.edges.query, queries, sizeof queries);
    for (size_t y = 0; y < KEN_COUNT(queries); y++) { /* edge y starts at that query */
        size_t e = graph.edges.edge[y];
        assert_true(e >= starts[queries[y]] && e < starts[queries[y] + 1]);
        assert_true(y >= query_starts[keys[e]] && y < query_starts[keys[e] + 1]);
    }
    ken_arena_release(&arena);
}

static void distances(void **state)
{
    (void)state;
    static const int far[4][4] = { { 0, 1, 2, 10 },
                                   { 1, 0, 1, 10 },
                                   { 2, 1, 0, 10 },
                                   { 10, 10, 10, 0 } };
    static const float own[4][4] = { { 0, 20 }, { 10, 0, 30 }, { 0, 40 }, { 0, 0, 0, 50 } };
    struct ken_graph_options options = { .numbers = 1, .loops = true, .distance = true };
    ken_arena arena;
    struct ken_graph graph;
    ken_arena_init(&arena);
    assert_int_equal(ken_graph_make(&graph, &arena, &graphs, &options), KEN_OK);
    assert_int_equal(graph.width, 1 + KEN_DISTANCES);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            const float *row = graph.numbers + (4 * i + j) * graph.width;
            assert_int_equal(graph.edges.key[4 * i + j], j);
            assert_true(row[0] == own[i][j]);
            for (int d = 0; d < KEN_DISTANCES; d++) assert_true(row[1 + d] == (d == far[i][j]));
        }
    ken_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read), cmocka_unit_test(every_fault),
        cmocka_unit_test(complaints),   cmocka_unit_test(social),
        cmocka_unit_test(beads),        cmocka_unit_test(lists_of_edges),
        cmocka_unit_test(distances),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
