/* corpus_graphs.c - reads the format graphs: one graph per line, as a JSON object:
 *   {"nodes": ["C", "C", "O"], "links": [[0, 1], [1, 2]], "target": "sweet"}
 * A node is a word or a list of numbers; the list is either a row of numbers or the indices of the
 * node's features. A link is a list: the numbers of two nodes, from 0, followed by the link's own
 * numbers (edge features), as many for every link of the file. The target of a graph is a label, a
 * number, a list of labels (a set) or a text. If each node has a target, "target" is a list with
 * one label or number per node, null where it is unknown. */
#include "base/json.h"
#include "base/size.h"
#include "base/text.h"
#include "format/corpus_parse.h"

#include <math.h>
#include <string.h>

static ken_status bad(struct ken_parse *parse, const char *what, size_t i, const char *expected)
{
    return ken_lines_bad(&parse->lines[0], "%s %zu: expected %s", what, i, expected);
}

/* Converts a JSON string to the form of a line of text: in NFC, without line breaks. The result is
 * valid until the next call. */
static ken_status text_of(struct ken_parse *parse, struct ken_piece *text, const json_t *string)
{
    ken_buffer *normal = &parse->together;
    ken_buffer_clear(normal);
    KEN_TRY(ken_text_normal(normal, json_string_value(string), json_string_length(string)));
    *text = (struct ken_piece){ ken_buffer_string(normal), normal->size };
    for (size_t i = 0; i < text->length; i++)
        if ((unsigned char)text->text[i] < ' ')
            return ken_lines_bad(&parse->lines[0], "found a control character (0x%02x) in a text",
                                 (unsigned)text->text[i]);
    return KEN_OK;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static ken_status add_numbers(struct ken_parse *parse, const json_t *node, size_t i)
{
    ken_corpus *corpus = parse->corpus;
    size_t width = json_array_size(node), known = parse->layout->width;
    if (corpus->vectors.size == 0) corpus->width = known > 0 ? known : width;
    if (known > 0 && json_is_array(node) && width != known)
        return ken_lines_bad(&parse->lines[0],
                             "node %zu: found %zu number%s, but the model reads %zu", i, width,
                             ken_plural(width), known);
    if (!json_is_array(node) || width == 0 || width != corpus->width)
        return bad(parse, "node", i, "a list of numbers, as many as in the first node");
    for (size_t j = 0; j < width; j++) {
        const json_t *item = json_array_get(node, j);
        float number = (float)json_number_value(item);
        if (!json_is_number(item) || !isfinite(number))
            return bad(parse, "node", i, "numbers that a float can hold");
        ken_buffer_append(&corpus->vectors, &number, sizeof number);
    }
    return ken_buffer_status(&corpus->vectors);
}

/* Adds a node that is a word or a list of indices. Indices become a text of numbers separated by
 * spaces, as in a file of format nodes. */
static ken_status add_word(struct ken_parse *parse, const json_t *node, size_t i)
{
    ken_strings *input = &parse->corpus->input;
    ken_buffer text = { 0 };
    ken_status status = KEN_OK;
    if (json_is_string(node)) {
        struct ken_piece word;
        KEN_TRY(text_of(parse, &word, node));
        return ken_parse_input(parse, word);
    }
    if (!parse->layout->indices)
        return bad(parse, "node", i, "a word; lists need input.unit=numbers or indices");
    if (!json_is_array(node)) return bad(parse, "node", i, "a list of indices");
    for (size_t j = 0; j < json_array_size(node) && !status; j++) {
        const json_t *item = json_array_get(node, j);
        if (!json_is_integer(item)) status = bad(parse, "node", i, "indices, whole numbers from 0");
        else ken_buffer_format(&text, "%s%lld", j > 0 ? " " : "", json_integer_value(item));
    }
    if (!status) status = ken_buffer_status(&text);
    if (!status) ken_strings_add(input, ken_buffer_string(&text), text.size);
    ken_buffer_release(&text);
    return status ? status : ken_strings_status(input);
}

static ken_status add_nodes(struct ken_parse *parse, const json_t *nodes)
{
    if (!json_is_array(nodes))
        return ken_lines_bad(&parse->lines[0], "expected \"nodes\", a list of words or of numbers");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const json_t *node = json_array_get(nodes, i);
        KEN_TRY(parse->layout->numbers ? add_numbers(parse, node, i) : add_word(parse, node, i));
    }
    return KEN_OK;
}

/* ---- links ----------------------------------------------------------------------------------- */

enum { NUMBERS_MOST = 64 };

static ken_status add_link(struct ken_parse *parse, const json_t *link, size_t i, size_t nodes)
{
    ken_corpus *corpus = parse->corpus;
    size_t size = json_array_size(link);
    json_int_t ends[2];
    float numbers[NUMBERS_MOST];
    const size_t *known = parse->layout->link_width;
    if (known) corpus->link_width = *known;
    else if (corpus->links.size == 0 && size >= 2) corpus->link_width = size - 2;
    if (known && size >= 2 && size - 2 != *known)
        return ken_lines_bad(&parse->lines[0],
                             "link %zu: found %zu number%s, but the model reads %zu", i, size - 2,
                             ken_plural(size - 2), *known);
    if (size < 2 || size - 2 != corpus->link_width || size - 2 > NUMBERS_MOST)
        return bad(parse, "link", i,
                   "two nodes and as many numbers as the first link has, at most 64");
    for (size_t j = 0; j < 2; j++) {
        const json_t *end = json_array_get(link, j);
        ends[j] = json_integer_value(end);
        if (!json_is_integer(end) || ends[j] < 0 || (size_t)ends[j] >= nodes)
            return bad(parse, "link", i, "two nodes of the graph, counted from 0");
    }
    for (size_t j = 2; j < size; j++) {
        const json_t *item = json_array_get(link, j);
        numbers[j - 2] = (float)json_number_value(item);
        if (!json_is_number(item) || !isfinite(numbers[j - 2]))
            return bad(parse, "link", i, "numbers that a float can hold");
    }
    ken_corpus_link(corpus, (int32_t)ends[0], (int32_t)ends[1], numbers, parse->layout->directed);
    return KEN_OK;
}

static ken_status add_links(struct ken_parse *parse, const json_t *links, size_t nodes)
{
    parse->corpus->linked = true;
    if (links && !json_is_array(links))
        return ken_lines_bad(&parse->lines[0], "expected \"links\", a list of pairs");
    for (size_t i = 0; i < json_array_size(links); i++)
        KEN_TRY(add_link(parse, json_array_get(links, i), i, nodes));
    return ken_corpus_sort_links(parse->corpus);
}

/* ---- targets --------------------------------------------------------------------------------- */

/* Adds one target: a label, number or text. JSON null means that the target is unknown, which is
 * allowed only for numbers and for targets of nodes. */
static ken_status add_target(struct ken_parse *parse, const json_t *target, bool each)
{
    ken_corpus *corpus = parse->corpus;
    if (parse->layout->target_kind == KEN_TARGET_NUMBER) {
        float number = json_is_null(target) ? NAN : (float)json_number_value(target);
        if (!json_is_null(target) && (!json_is_number(target) || !isfinite(number)))
            return ken_lines_bad(&parse->lines[0], "expected a number as target");
        ken_buffer_append(&corpus->numbers, &number, sizeof number);
        return ken_buffer_status(&corpus->numbers);
    }
    if (each && json_is_null(target)) {
        ken_strings_add(&corpus->target, "", 0);
        return ken_strings_status(&corpus->target);
    }
    if (json_is_integer(target)) { /* a class label may be written as a whole number */
        char digits[32];
        int length = snprintf(digits, sizeof digits, "%lld", json_integer_value(target));
        return ken_parse_target(parse, &parse->lines[0],
                                (struct ken_piece){ digits, (size_t)length });
    }
    if (!json_is_string(target))
        return ken_lines_bad(&parse->lines[0], "expected a label or text as target");
    struct ken_piece text;
    KEN_TRY(text_of(parse, &text, target));
    return ken_parse_target(parse, &parse->lines[0], text);
}

static ken_status add_targets(struct ken_parse *parse, const json_t *target, size_t nodes)
{
    enum ken_target_kind kind = parse->layout->target_kind;
    bool each = parse->layout->each;
    if (kind == KEN_TARGET_NONE) return KEN_OK;
    if (!target) return ken_lines_bad(&parse->lines[0], "\"target\" is missing");
    if (!each && kind != KEN_TARGET_SET) return add_target(parse, target, false);
    if (!json_is_array(target) || (each && json_array_size(target) != nodes))
        return ken_lines_bad(&parse->lines[0], "expected a list of %s as target",
                             each ? "one label or number for each node" : "labels");
    for (size_t i = 0; i < json_array_size(target); i++)
        KEN_TRY(add_target(parse, json_array_get(target, i), each));
    return KEN_OK;
}

ken_status ken_graphs_line(struct ken_parse *parse, struct ken_piece line)
{
    json_error_t error;
    json_t *graph = ken_json_read(line.text, line.length, 0, &error);
    const json_t *nodes = json_object_get(graph, "nodes");
    const char *what = graph ? "found another kind of value" : ken_json_reason(&error);
    if (!json_is_object(graph)) {
        json_decref(graph);
        return ken_lines_bad(&parse->lines[0], "expected a JSON object: %s", what);
    }
    ken_parse_begin(parse);
    ken_status status = add_nodes(parse, nodes);
    size_t count = json_array_size(nodes);
    if (!status) status = add_links(parse, json_object_get(graph, "links"), count);
    if (!status) status = add_targets(parse, json_object_get(graph, "target"), count);
    json_decref(graph);
    return status;
}
