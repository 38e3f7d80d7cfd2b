/* format.c - the table of file formats. A row has the properties of a format and the functions that
 * read it. To add a format, write a function that reads one line, in a file of its own, and add a
 * row to the table. */
#include "base/text.h"
#include "format/corpus_parse.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define BIT(kind) KEN_TARGET_BIT(kind)

#define ALL (BIT(LABEL) | BIT(NUMBER) | BIT(SET) | BIT(TEXT) | BIT(NONE))
/* kinds of target of formats that can have one target per row */
#define ROWS (BIT(LABEL) | BIT(NUMBER) | BIT(NONE))

#define ANY "each whole generate"

static const struct ken_rules formats[KEN_FORMAT_COUNT] = {
    [KEN_FORMAT_CONLLU] = { { "conllu", "each", "conllu", KEN_CARRIES_WORDS, .targets = ROWS },
                            .line = ken_conllu_line,
                            .looks = ken_conllu_looks },
    [KEN_FORMAT_COLUMNS] = { { "columns", "each", "", KEN_CARRIES_WORDS, .targets = ROWS },
                             .line = ken_columns_line,
                             .settle = ken_columns_settle,
                             .looks = ken_columns_looks },
    [KEN_FORMAT_TSV] = { { "tsv", ANY, "tsv", KEN_CARRIES_TEXT, .targets = ALL, .splits = true,
                           .lines = true },
                         .line = ken_tsv_line,
                         .settle = ken_tsv_settle,
                         .looks = ken_tsv_looks },
    [KEN_FORMAT_CSV] = { { "csv", ANY, "csv", KEN_CARRIES_TEXT, .targets = ALL, .splits = true,
                           .lines = true, .separators = ",;\t" },
                         .line = ken_csv_line,
                         .row = ken_tsv_line,
                         .settle = ken_tsv_settle,
                         .end = ken_csv_end,
                         .looks = ken_csv_looks },
    [KEN_FORMAT_FASTTEXT] = { { "fasttext", "whole", "", KEN_CARRIES_TEXT,
                                .targets = BIT(LABEL) | BIT(SET) | BIT(NONE), .lines = true,
                                .streams = true },
                              .line = ken_fasttext_line,
                              .looks = ken_fasttext_looks },
    [KEN_FORMAT_PARALLEL] = { { "parallel", "generate", "", KEN_CARRIES_TEXT, KEN_SECOND_TARGETS,
                                .targets = ALL, .lines = true, .streams = true },
                              .line = ken_parallel_line },
    [KEN_FORMAT_PLAIN] = { { "plain", "generate", "", KEN_CARRIES_NOTHING, .targets = BIT(TEXT),
                             .lines = true },
                           .line = ken_plain_line },
    [KEN_FORMAT_LINES] = { { "lines", ANY, "", KEN_CARRIES_TEXT, .targets = BIT(NONE),
                             .lines = true, .streams = true },
                           .line = ken_lines_line },
    [KEN_FORMAT_VECTORS] = { { "vectors", ANY, "", KEN_CARRIES_NUMBERS, .targets = ROWS | BIT(TEXT),
                               .separators = "\t;," },
                             .line = ken_csv_line,
                             .row = ken_vectors_line,
                             .settle = ken_vectors_settle,
                             .end = ken_csv_end },
    [KEN_FORMAT_NPY] = { { "npy", ANY, "npy", KEN_CARRIES_NUMBERS, KEN_SECOND_TARGETS,
                           .targets = ROWS | BIT(TEXT) },
                         .whole = ken_corpus_npy,
                         .looks = ken_npy_looks },
    [KEN_FORMAT_NODES] = { { "nodes", "each", "", KEN_CARRIES_NODES, KEN_SECOND_LINKS,
                             .targets = ROWS, .linked = true, .splits = true },
                           .line = ken_nodes_line,
                           .settle = ken_nodes_settle,
                           .other = ken_nodes_link,
                           .end = ken_nodes_end },
    [KEN_FORMAT_GRAPHS] = { { "graphs", ANY, "", KEN_CARRIES_NODES, .targets = ALL, .linked = true,
                              .lines = true, .streams = true },
                            .line = ken_graphs_line },
};

const char *ken_target_words(enum ken_target_kind kind)
{
    static const char *const words[] = { [KEN_TARGET_LABEL] = "labels",
                                         [KEN_TARGET_NUMBER] = "numbers",
                                         [KEN_TARGET_SET] = "sets of labels",
                                         [KEN_TARGET_TEXT] = "text",
                                         [KEN_TARGET_NONE] = "no targets" };
    return words[kind];
}

const struct ken_rules *ken_format_rules(enum ken_format format)
{
    return &formats[format];
}

const struct ken_format_info *ken_format_info(enum ken_format format)
{
    return &formats[format].info;
}

/* Finds a format by its name. If no format has this name, the search ends at KEN_FORMAT_COUNT. */
enum ken_format ken_format_named(const char *name)
{
    size_t format = 0;
    while (format < KEN_FORMAT_COUNT && strcmp(formats[format].info.name, name) != 0) format++;
    return (enum ken_format)format;
}

bool ken_format_claims(const struct ken_format_info *info, const char *file)
{
    char ending[32];
    size_t length = strlen(file), start;
    if (length > 3 && strcasecmp(file + length - 3, ".gz") == 0) length -= 3;
    for (start = length; start > 0 && file[start - 1] != '.' && file[start - 1] != '/';) start--;
    if (start < 2 || file[start - 1] != '.' || length - start >= sizeof ending) return false;
    for (size_t i = 0; i < length - start; i++)
        ending[i] = (char)tolower((unsigned char)file[start + i]);
    ending[length - start] = '\0';
    return ken_word_index(info->endings, ending) != SIZE_MAX;
}
