/* corpus_nodes.c - reads the format nodes: one graph in two files. Each line of the first file is a
 * node: its name, its input and its label. Each line of the second file is a link: the names of two
 * nodes, and maybe numbers. */
#include "format/corpus_parse.h"

#include "base/size.h"

#include <math.h>
#include <string.h>

static ken_status find(struct ken_parse *parse, size_t *column, const char *wanted)
{
    return ken_parse_column(parse, column, (struct ken_piece){ wanted, strlen(wanted) });
}

/* Finds the columns of a file of nodes: first those of name, label and part, then those of the
 * input. The recipe names the input columns; by default the input is the last column. */
ken_status ken_nodes_settle(struct ken_parse *parse)
{
    const struct ken_layout *layout = parse->layout;
    ken_corpus *corpus = parse->corpus;
    KEN_TRY(find(parse, &parse->node, layout->node ? layout->node : "1"));
    if (layout->target_kind != KEN_TARGET_NONE)
        KEN_TRY(find(parse, &parse->target, layout->target ? layout->target : "2"));
    if (layout->part && layout->hash == 0) {
        if (!layout->split)
            return ken_fail(KEN_ERR_ARGUMENT, "%s: part \"%s\" needs data.split",
                            parse->lines[0].source->name, layout->part);
        KEN_TRY(find(parse, &parse->split, layout->split));
    }
    size_t last = ken_size_max(ken_parse_fields(parse), 1) - 1;
    if (layout->input) KEN_TRY(ken_parse_columns(parse, &parse->inputs, layout->input));
    else ken_buffer_append(&parse->inputs, &last, sizeof last);
    KEN_TRY(ken_buffer_status(&parse->inputs));
    corpus->linked = true;
    size_t width = parse->inputs.size / sizeof(size_t);
    if (!layout->numbers && width != 1)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: found %zu columns of text, expected one",
                        parse->lines[0].source->name, width);
    if (layout->numbers) corpus->width = width;
    return KEN_OK;
}

/* Adds the label or number of a node as its target. The target is unknown if the text is empty or
 * "?", or if the node is not in the part of the data that is read (`chosen` is false). */
static ken_status add_target(struct ken_parse *parse, struct ken_piece text, bool chosen)
{
    bool numbers = parse->layout->target_kind == KEN_TARGET_NUMBER;
    bool unknown = !chosen || (numbers ? ken_piece_missing(text) : ken_piece_unknown(text));
    parse->known += !unknown;
    return unknown ? ken_parse_unknown(parse) : ken_parse_target(parse, &parse->lines[0], text);
}

ken_status ken_nodes_line(struct ken_parse *parse, struct ken_piece line)
{
    ken_corpus *corpus = parse->corpus;
    bool data;
    KEN_TRY(ken_parse_row(parse, line, '\t', &data));
    if (!data) return KEN_OK;
    if (parse->line == 0) ken_parse_begin(parse);
    struct ken_piece name = ken_piece_trim(ken_parse_field(parse, parse->node));
    if (ken_vocabulary_find(&parse->nodes, name.text, name.length) != KEN_NO_ID)
        return ken_lines_bad(&parse->lines[0], "node \"%.*s\" occurs twice", ken_piece_shown(name),
                             name.text);
    KEN_TRY(ken_vocabulary_add(&parse->nodes, name.text, name.length, NULL));
    ken_strings_add(&corpus->nodes, name.text, name.length);
    KEN_TRY(ken_strings_status(&corpus->nodes));
    const size_t *inputs = (const size_t *)(const void *)parse->inputs.data;
    if (parse->layout->numbers)
        KEN_TRY(
            ken_parse_numbers(parse, &parse->lines[0], &corpus->vectors, inputs, corpus->width));
    else KEN_TRY(ken_parse_input(parse, ken_parse_field(parse, inputs[0])));
    if (parse->target == KEN_NO_COLUMN) return KEN_OK;
    return add_target(parse, ken_parse_field(parse, parse->target), ken_parse_chosen(parse, name));
}

/* Finds the number of the node whose name is in column `column` of the current line. */
static ken_status node_of(struct ken_parse *parse, int32_t *node, size_t column)
{
    struct ken_piece name = ken_piece_trim(ken_parse_field(parse, column));
    *node = ken_vocabulary_find(&parse->nodes, name.text, name.length);
    if (*node != KEN_NO_ID) return KEN_OK;
    return ken_lines_bad(&parse->lines[1], "there is no node \"%.*s\"", ken_piece_shown(name),
                         name.text);
}

ken_status ken_nodes_link(struct ken_parse *parse, struct ken_piece line)
{
    ken_corpus *corpus = parse->corpus;
    ken_lines *lines = &parse->lines[1];
    int32_t ends[2];
    if (line.length == 0) return ken_lines_bad(lines, "the line is empty");
    KEN_TRY(ken_parse_split(parse, line, '\t'));
    size_t fields = ken_parse_fields(parse);
    if (corpus->links.size == 0 && fields >= 2) corpus->link_width = fields - 2;
    if (fields < 2 || fields - 2 != corpus->link_width)
        return ken_lines_bad(lines, "found %zu column%s, expected two nodes and %zu number%s",
                             fields, ken_plural(fields), corpus->link_width,
                             ken_plural(corpus->link_width));
    for (size_t i = 0; i < 2; i++) KEN_TRY(node_of(parse, &ends[i], i));
    ken_buffer *numbers = &parse->together;
    ken_buffer_clear(numbers);
    for (size_t i = 2; i < fields; i++) {
        if (ken_piece_missing(ken_parse_field(parse, i)))
            return ken_lines_bad(lines, "column %zu: the number of the link is missing", i + 1);
        KEN_TRY(ken_parse_numbers(parse, lines, numbers, &i, 1));
    }
    ken_corpus_link(corpus, ends[0], ends[1], ken_buffer_floats(numbers), parse->layout->directed);
    return KEN_OK;
}

/* Sorts the links, and checks that at least one target is known. Without this check, a misspelt
 * name of a part would be accepted and give a graph without any known label. */
ken_status ken_nodes_end(struct ken_parse *parse)
{
    const char *part = parse->layout->part, *file = parse->lines[0].source->name;
    if (parse->target != KEN_NO_COLUMN && parse->known == 0 &&
        ken_vocabulary_size(&parse->nodes) > 0)
        return part ? ken_fail(KEN_ERR_FORMAT, "%s: no node of part \"%s\" has a label", file, part)
                    : ken_fail(KEN_ERR_FORMAT, "%s: no node has a label", file);
    return ken_corpus_sort_links(parse->corpus);
}
