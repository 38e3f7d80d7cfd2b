/* batch.c - checks that a batch is what the model expects. All input from outside is checked here
 * before the model computes anything with it. */
#include "base/size.h"
#include "model/model.h"

#include "base/options.h"

#include <math.h>

/* The maximum number of rows of a batch. It is more than any machine has memory for, and small
 * enough that the product of rows and a width cannot overflow. */
static const size_t ROWS_MOST = (size_t)1 << 40;

static size_t rows_of(const ken_sequences *sequences)
{
    return sequences->start[sequences->count];
}

/* Checks that there are sequences and that their starts are in order. */
static ken_status check_order(const ken_sequences *sequences, const char *name)
{
    if (!sequences || !sequences->start)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences are missing", name);
    KEN_TRY(KEN_OPTIONS_UNUSED(sequences, "ken_sequences"));
    if (sequences->count > KEN_ATTEND_SEQUENCES)
        return ken_fail(KEN_ERR_ARGUMENT, "found %zu %s sequences, expected at most %d",
                        sequences->count, name, KEN_ATTEND_SEQUENCES);
    if (sequences->start[0] != 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences: start[0] is %zu, not 0", name,
                        sequences->start[0]);
    for (size_t b = 0; b < sequences->count; b++)
        if (sequences->start[b + 1] < sequences->start[b])
            return ken_fail(KEN_ERR_ARGUMENT, "%s sequence %zu ends before it starts", name, b);
    if (rows_of(sequences) > ROWS_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences: start[%zu] is %zu, expected at most %zu",
                        name, sequences->count, rows_of(sequences), ROWS_MOST);
    return KEN_OK;
}

/* Checks that every id is from `lowest` to size - 1. `lowest` is KEN_IGNORED (-1) for targets that
 * may be unknown, else 0. */
static ken_status check_ids(const ken_sequences *sequences, const char *name, int32_t lowest,
                            size_t size)
{
    if (!sequences->ids && rows_of(sequences) > 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences have %zu row%s but no ids", name,
                        rows_of(sequences), ken_plural(rows_of(sequences)));
    for (size_t b = 0; b < sequences->count; b++)
        for (size_t i = sequences->start[b]; i < sequences->start[b + 1]; i++) {
            int32_t id = sequences->ids[i];
            if (id < lowest || (id >= 0 && (size_t)id >= size))
                return ken_fail(KEN_ERR_ARGUMENT,
                                "%s sequence %zu has id %d at place %zu; ids are below %zu", name,
                                b, (int)id, i - sequences->start[b], size);
        }
    return KEN_OK;
}

/* The numbers that are allowed. FINITE: inputs. FINITE_OR_UNKNOWN: targets, where NaN means
 * unknown. SHARE_OR_UNKNOWN: targets that are sets of labels, with a number from 0 to 1 for each
 * label, or NaN if it is unknown. */
enum numbers { FINITE, FINITE_OR_UNKNOWN, SHARE_OR_UNKNOWN };

static bool is_good(float number, enum numbers kind)
{
    if (isnan(number)) return kind != FINITE;
    return kind == SHARE_OR_UNKNOWN ? number >= 0 && number <= 1 : isfinite(number);
}

static ken_status check_numbers(const ken_sequences *sequences, const char *name, size_t width,
                                enum numbers kind)
{
    if (!sequences->numbers && rows_of(sequences) > 0)
        return ken_fail(KEN_ERR_ARGUMENT, "%s sequences have %zu row%s but no numbers", name,
                        rows_of(sequences), ken_plural(rows_of(sequences)));
    for (size_t b = 0; b < sequences->count; b++)
        for (size_t i = sequences->start[b] * width; i < sequences->start[b + 1] * width; i++)
            if (!is_good(sequences->numbers[i], kind))
                return ken_fail(KEN_ERR_ARGUMENT, "%s sequence %zu has %g at place %zu, column %zu",
                                name, b, (double)sequences->numbers[i],
                                i / width - sequences->start[b], i % width);
    return KEN_OK;
}

/* Checks the letters of words: one sequence of letters for each row of the batch, in order and with
 * valid ids. */
static ken_status check_letters(const ken_sequences *input, size_t letters)
{
    const ken_sequences *spelled = input->letters;
    if (spelled && spelled->start && spelled->count != rows_of(input))
        return ken_fail(KEN_ERR_SHAPE, "found letters of %zu word%s, expected %zu", spelled->count,
                        ken_plural(spelled->count), rows_of(input));
    KEN_TRY(check_order(spelled, "letter"));
    return check_ids(spelled, "letter", 0, letters);
}

/* Checks the places that a caller gave: coordinates must be at least 0 and below KEN_PLACE_MOST.
 * For learned positions they must also be below `longest`; for this comparison the last coordinate
 * is divided by input_stack, the number of rows that become one row. */
static ken_status check_places(const ken_sequences *input, const ken_config *c)
{
    size_t axes = c->place_axes;
    size_t most = c->position == KEN_POSITION_LEARNED ? c->longest : KEN_PLACE_MOST;
    if (!input->places && axes > 1 && rows_of(input) > 0)
        return ken_fail(KEN_ERR_ARGUMENT, "input sequences have no places, and place_axes is %zu",
                        axes);
    for (size_t b = 0; b < input->count && input->places; b++)
        for (size_t i = input->start[b] * axes; i < input->start[b + 1] * axes; i++) {
            int32_t place = input->places[i];
            size_t stack = i % axes == axes - 1 ? c->input_stack : 1;
            if (place < 0 || place >= KEN_PLACE_MOST || (size_t)place / stack >= most)
                return ken_fail(KEN_ERR_ARGUMENT,
                                "input sequence %zu, row %zu: coordinate %zu is %d; coordinates "
                                "are 0 to %zu",
                                b, i / axes - input->start[b], i % axes, (int)place,
                                ken_size_min(most * stack, KEN_PLACE_MOST) - 1);
        }
    return KEN_OK;
}

/* Checks that both nodes of each link of a graph exist. */
static ken_status check_links(const ken_sequences *input, size_t width)
{
    const ken_links *links = input->links;
    if (!links || !links->start) return ken_fail(KEN_ERR_ARGUMENT, "input graphs have no links");
    KEN_TRY(KEN_OPTIONS_UNUSED(links, "ken_links"));
    KEN_TRY(check_order(&(ken_sequences){ .start = links->start, .count = input->count }, "link"));
    size_t all = links->start[input->count];
    if (all > 0 && !links->pairs)
        return ken_fail(KEN_ERR_ARGUMENT, "links: pairs is NULL, but start ends at %zu", all);
    for (size_t b = 0; b < input->count; b++) {
        size_t nodes = input->start[b + 1] - input->start[b];
        for (size_t i = 2 * links->start[b]; i < 2 * links->start[b + 1]; i++)
            if (links->pairs[i] < 0 || (size_t)links->pairs[i] >= nodes)
                return ken_fail(KEN_ERR_ARGUMENT,
                                "input graph %zu has %zu node%s, but link %zu names node %d", b,
                                nodes, ken_plural(nodes), i / 2 - links->start[b],
                                (int)links->pairs[i]);
    }
    if (width == 0) return KEN_OK;
    ken_sequences numbers = { .start = links->start,
                              .count = input->count,
                              .numbers = links->numbers };
    return check_numbers(&numbers, "link", width, FINITE);
}

ken_status ken_model_check_input(const ken_model *model, const ken_sequences *input)
{
    const ken_config *c = &model->config;
    KEN_TRY(check_order(input, "input"));
    if (ken_config_graph(c)) KEN_TRY(check_links(input, c->edge_size));
    if (ken_config_placed(c)) KEN_TRY(check_places(input, c));
    if (c->input_kind == KEN_INPUT_VECTORS)
        return check_numbers(input, "input", c->input_size, FINITE);
    if (c->input_kind == KEN_INPUT_BAGS) return check_letters(input, c->input_size);
    KEN_TRY(check_ids(input, "input", 0, c->encoder_blocks > 0 ? c->input_size : c->output_size));
    return c->letters > 0 ? check_letters(input, c->letters) : KEN_OK;
}

/* Checks the targets. A generator takes no unknown ids: the decoder would have to read such an id
 * to predict the next one. */
ken_status ken_model_check_target(const ken_model *model, const ken_sequences *target)
{
    const ken_config *c = &model->config;
    KEN_TRY(check_order(target, "target"));
    if (c->value != KEN_VALUE_CLASS)
        return check_numbers(target, "target", c->output_size,
                             c->value == KEN_VALUE_SET ? SHARE_OR_UNKNOWN : FINITE_OR_UNKNOWN);
    return check_ids(target, "target", c->output == KEN_GENERATE ? 0 : KEN_IGNORED, c->output_size);
}

/* Checks a batch, and that there are as many targets as the model needs: one target row per input
 * row (KEN_EACH), one target row per input sequence (labels of whole sequences), or one target
 * sequence per input sequence (a generator). */
ken_status ken_model_check_batch(const ken_model *model, const ken_sequences *input,
                                 const ken_sequences *target)
{
    const ken_config *c = &model->config;
    KEN_TRY(ken_model_check_target(model, target));
    if (c->encoder_blocks == 0) return KEN_OK;
    KEN_TRY(ken_model_check_input(model, input));
    size_t expected = c->output == KEN_EACH ? rows_of(input) : input->count;
    size_t given = c->output == KEN_GENERATE ? target->count : rows_of(target);
    if (given != expected)
        return ken_fail(KEN_ERR_SHAPE, "found %zu target%s for %zu input %s%s", given,
                        ken_plural(given), expected, c->output == KEN_EACH ? "row" : "sequence",
                        ken_plural(expected));
    return KEN_OK;
}

size_t ken_model_counted(const ken_model *model, const ken_sequences *target)
{
    const ken_config *c = &model->config;
    size_t rows = rows_of(target), counted = 0;
    /* a generator has one more target per sequence: it also predicts the end */
    if (c->output == KEN_GENERATE) return rows + target->count;
    if (c->value == KEN_VALUE_CLASS)
        for (size_t i = 0; i < rows; i++) counted += target->ids[i] != KEN_IGNORED;
    else
        for (size_t i = 0; i < rows * c->output_size; i++) counted += !isnan(target->numbers[i]);
    return counted;
}
