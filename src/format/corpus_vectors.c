/* corpus_vectors.c - reads the format vectors: rows of numbers as text, one row per line. Some
 * columns are the numbers, one may name the sequence, and one may be the target. */
#include "format/corpus_parse.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

static ken_status find(struct ken_parse *parse, size_t *column, const char *wanted)
{
    return ken_parse_column(parse, column, (struct ken_piece){ wanted, strlen(wanted) });
}

/* Makes all columns the input, except the columns of the sequence and of the target. `aside` is the
 * column of the target; it is left out even if targets are not read, so that a file with targets
 * gives the same rows as a file without. */
static void other_inputs(struct ken_parse *parse, size_t aside)
{
    for (size_t i = 0; i < ken_parse_fields(parse); i++)
        if (i != aside && i != parse->sequence) ken_buffer_append(&parse->inputs, &i, sizeof i);
}

/* Returns the column of a target that the file has but that is not to be read: the column that the
 * layout names, or the column after the input; KEN_NO_COLUMN if there is none. */
static size_t target_aside(struct ken_parse *parse)
{
    const struct ken_layout *layout = parse->layout;
    size_t column = ken_parse_fields(parse) - 1;
    /* `others` is the number of input columns if the last column is the target. */
    size_t others = column - (parse->sequence != KEN_NO_COLUMN);
    if (parse->target != KEN_NO_COLUMN) return parse->target;
    if (layout->target) return find(parse, &column, layout->target) ? KEN_NO_COLUMN : column;
    return layout->width > 0 && others == layout->width ? column : KEN_NO_COLUMN;
}

/* Fails because rows have another width than the layout requires. Without a header only this line
 * is bad: the columns are looked for again in the next line, so that one bad first line does not
 * make the whole file bad. */
static ken_status wrong_width(struct ken_parse *parse, size_t width)
{
    ken_buffer_clear(&parse->inputs);
    return ken_lines_bad(&parse->lines[0], "found rows of %zu number%s, but the model reads %zu",
                         width, ken_plural(width), parse->layout->width);
}

/* Finds the columns of sequence, target and input. The input is found last, because its default is
 * all columns that are neither sequence nor target. */
ken_status ken_vectors_settle(struct ken_parse *parse)
{
    const struct ken_layout *layout = parse->layout;
    ken_corpus *corpus = parse->corpus;
    const char *file = parse->lines[0].source->name;
    if (layout->sequence) KEN_TRY(find(parse, &parse->sequence, layout->sequence));
    if (layout->target_kind != KEN_TARGET_NONE) {
        parse->target = ken_size_max(ken_parse_fields(parse), 2) - 1;
        if (layout->target) KEN_TRY(find(parse, &parse->target, layout->target));
    }
    if (layout->input) KEN_TRY(ken_parse_columns(parse, &parse->inputs, layout->input));
    else other_inputs(parse, target_aside(parse));
    KEN_TRY(ken_buffer_status(&parse->inputs));
    size_t width = parse->inputs.size / sizeof(size_t);
    if (width == 0)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: found no column for the input", file,
                        parse->lines[0].number);
    if (layout->width > 0 && width != layout->width) return wrong_width(parse, width);
    if (corpus->count > 0 && corpus->width != width)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: found %zu number%s in a row, %s has %zu", file,
                        parse->lines[0].number, width, ken_plural(width), corpus->path,
                        corpus->width);
    corpus->width = width;
    for (size_t i = 0; i < width && corpus->columns.count < width; i++) {
        char room[32];
        size_t column = ((const size_t *)(const void *)parse->inputs.data)[i];
        struct ken_piece name = ken_parse_name(parse, column, room);
        ken_strings_add(&corpus->columns, name.text, name.length);
    }
    return ken_strings_status(&corpus->columns);
}

/* Returns whether the current row belongs to the same sequence as the row before it; `together` is
 * the sequence name that the current row gives. */
static bool goes_on(const struct ken_parse *parse, struct ken_piece together)
{
    return !parse->alone && parse->line > 0 && together.length == parse->together.size &&
           memcmp(together.text, ken_buffer_string(&parse->together), together.length) == 0;
}

/* Fails because the current row belongs to a sequence that had already ended. That sequence began
 * in line `began`; sequence `last` followed it. Either the rows of one sequence are scattered, or
 * two sequences have one name. */
static ken_status returns(struct ken_parse *parse, const char *last, size_t began)
{
    struct ken_piece name = { ken_buffer_string(&parse->together), parse->together.size };
    return ken_lines_bad(&parse->lines[0],
                         "sequence \"%.*s\" began in line %zu and returns after sequence \"%s\": "
                         "the rows of a sequence must be together; sort the file by this column",
                         ken_piece_shown(name), name.text, began, last);
}

/* Ends the current sequence and begins the sequence `together`. `lost` means that the line before
 * could not be read. Since that line may have been the first row of the new sequence, the new
 * sequence is left out too: an answer to an incomplete sequence would be wrong. */
static ken_status begin_sequence(struct ken_parse *parse, struct ken_piece together, bool lost)
{
    /* Whether a sequence has begun before this one. If not, a bad line before this one has already
     * made this sequence bad. */
    bool open = parse->line > 0;
    struct ken_piece before = { ken_buffer_string(&parse->together), parse->together.size };
    char last[64];
    snprintf(last, sizeof last, "%.*s", ken_piece_shown(before), before.text);
    if (open) KEN_TRY(ken_parse_finish(parse));
    ken_parse_begin(parse);
    ken_buffer_clear(&parse->together);
    ken_buffer_append(&parse->together, together.text, together.length);
    KEN_TRY(ken_buffer_status(&parse->together));
    if (open && lost) {
        ken_fail(KEN_ERR_FORMAT,
                 "%s:%zu: the bad line before this one may be a row of this "
                 "sequence",
                 parse->lines[0].source->name, parse->line);
        ken_parse_spoil(parse);
    }
    if (parse->sequence == KEN_NO_COLUMN) return KEN_OK;
    int32_t id = ken_vocabulary_find(&parse->nodes, together.text, together.length);
    if (id != KEN_NO_ID)
        return returns(parse, last, ((const size_t *)(const void *)parse->begun.data)[id]);
    ken_buffer_append(&parse->begun, &parse->line, sizeof parse->line);
    KEN_TRY(ken_buffer_status(&parse->begun));
    return ken_vocabulary_add(&parse->nodes, together.text, together.length, NULL);
}

/* Adds the target of the current row. A missing label is stored as unknown and does not count in
 * training. */
static ken_status add_target(struct ken_parse *parse)
{
    struct ken_piece text = ken_parse_field(parse, parse->target);
    bool label = parse->layout->target_kind == KEN_TARGET_LABEL;
    return label && ken_piece_unknown(text) ? ken_parse_unknown(parse)
                                            : ken_parse_target(parse, &parse->lines[0], text);
}

/* Reads a row, which continues the last sequence or begins a new one. A sequence is known to be
 * complete only at the row after it or at the end of the file, unless every sequence is a single
 * row. */
ken_status ken_vectors_line(struct ken_parse *parse, struct ken_piece line)
{
    struct ken_piece together = { "", 0 };
    bool data, each = parse->layout->each;
    KEN_TRY(ken_parse_row(parse, line, parse->separator, &data));
    bool lost = parse->placed + 1 != parse->lines[0].number;
    parse->placed = parse->lines[0].number;
    if (!data) return KEN_OK;
    if (parse->sequence != KEN_NO_COLUMN) together = ken_parse_field(parse, parse->sequence);
    bool first = !goes_on(parse, together);
    if (first) KEN_TRY(begin_sequence(parse, together, lost));
    KEN_TRY(ken_parse_numbers(parse, &parse->lines[0], &parse->corpus->vectors,
                              (const size_t *)(const void *)parse->inputs.data,
                              parse->corpus->width));
    /* A sequence takes its target from its first row, unless each row has a target of its own. */
    if (parse->target == KEN_NO_COLUMN || !(first || each)) return KEN_OK;
    return add_target(parse);
}
