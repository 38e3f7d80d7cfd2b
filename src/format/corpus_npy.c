/* corpus_npy.c - reads sequences of rows from a NumPy file, and their targets from a second file: a
 * NumPy file of labels or numbers, or lines of text. The two files are read side by side, so that
 * only the corpus is held in memory. */
#include "format/corpus_parse.h"
#include "base/size.h"
#include "format/npy.h"

#include <math.h>

static ken_status not_finite(const ken_npy *npy)
{
    return ken_npy_refuse(npy, ken_npy_here(npy), "found a number that is not finite");
}

/* Adds `numbers` numbers to the rows of the corpus. NaN is a missing number. Infinity is refused,
 * and so is a number of type f8 that is too large for a float. */
static ken_status add_rows(ken_corpus *corpus, ken_npy *npy, size_t numbers)
{
    for (size_t i = 0; i < numbers; i++) {
        uint64_t bits;
        KEN_TRY(ken_npy_next(npy, &bits));
        float value = ken_npy_float(npy, bits);
        if (isinf(value)) return not_finite(npy);
        ken_buffer_append(&corpus->vectors, &value, sizeof value);
    }
    return ken_buffer_status(&corpus->vectors);
}

/* Adds `count` targets from a NumPy file. A whole number that is a label becomes the decimal string
 * of the number, so that it can be treated like a label that is a word. */
static ken_status add_targets(ken_corpus *corpus, ken_npy *npy, size_t count, bool labels)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        char text[24];
        KEN_TRY(ken_npy_next(npy, &bits));
        if (labels) {
            size_t length = ken_npy_label(npy, bits, text);
            ken_strings_add(&corpus->target, text, length);
        } else {
            float value = ken_npy_float(npy, bits); /* NaN means that the target is unknown */
            if (isinf(value)) return not_finite(npy);
            ken_buffer_append(&corpus->numbers, &value, sizeof value);
        }
    }
    return KEN_OK; /* ken_corpus_end() checks for lack of memory */
}

/* Checks that the shape of the targets fits the input. The targets must have the shape of the input
 * without its last dimension and, unless each row has a target, without the dimension of the rows.
 * Trailing dimensions of size 1 are ignored. */
static ken_status check_targets(const ken_npy *target, const ken_npy *input,
                                const struct ken_layout *layout)
{
    size_t expected[2] = { 1, 1 }, dimensions = KEN_NPY_DIMENSIONS;
    if (input->dimensions == 3) expected[0] = input->shape[0];
    if (layout->each) expected[input->dimensions - 2] = input->shape[input->dimensions - 2];
    for (size_t i = 0; i < dimensions; i++) {
        size_t size = i < target->dimensions ? target->shape[i] : 1;
        if (size != (i < 2 ? expected[i] : 1))
            return ken_fail(KEN_ERR_FORMAT, "%s: dimension %zu of the targets is %zu, %s needs %zu",
                            target->source->name, i + 1, size, input->source->name,
                            i < 2 ? expected[i] : 1);
    }
    if (layout->target_kind == KEN_TARGET_LABEL && target->type == 'f')
        return ken_fail(KEN_ERR_FORMAT, "%s: labels have to be whole numbers, not f%zu",
                        target->source->name, target->item);
    return KEN_OK;
}

/* Checks the shape of the input: (rows, width) is one sequence; (count, rows, width) is `count`
 * sequences of equal length. `known` is the width that the model needs; 0 = any width. */
static ken_status check_input(ken_corpus *corpus, const ken_npy *npy, size_t known)
{
    size_t width = npy->dimensions > 0 ? npy->shape[npy->dimensions - 1] : 0;
    if (npy->dimensions != 2 && npy->dimensions != 3)
        return ken_fail(KEN_ERR_FORMAT,
                        "%s: found %zu dimension%s, expected 2 (rows, width) or 3 (count, rows, "
                        "width)",
                        npy->source->name, npy->dimensions, ken_plural(npy->dimensions));
    if (known > 0 && width != known)
        return ken_fail(KEN_ERR_FORMAT, "%s: found rows of %zu number%s, but the model reads %zu",
                        npy->source->name, width, ken_plural(width), known);
    if (corpus->count > 0 && corpus->width != width)
        return ken_fail(KEN_ERR_FORMAT, "%s: found %zu number%s in a row, %s has %zu",
                        npy->source->name, width, ken_plural(width), corpus->path, corpus->width);
    corpus->width = width;
    return KEN_OK;
}

static size_t sequences_in(const ken_npy *npy)
{
    return npy->dimensions == 3 ? npy->shape[0] : 1;
}

static size_t rows_in(const ken_npy *npy)
{
    return npy->shape[npy->dimensions - 2];
}

/* Reads the sequences with their texts: line i of the second file is the text of sequence i. */
static ken_status read_with_lines(ken_corpus *corpus, ken_npy *in, ken_lines *lines)
{
    struct ken_piece line;
    size_t count = sequences_in(in);
    for (size_t i = 0; i < count; i++) {
        KEN_TRY(add_rows(corpus, in, rows_in(in) * corpus->width));
        KEN_TRY(ken_lines_next(lines, &line));
        if (!line.text)
            return ken_fail(KEN_ERR_FORMAT, "%s has %zu line%s, %s has %zu sequence%s",
                            lines->source->name, i, ken_plural(i), in->source->name, count,
                            ken_plural(count));
        ken_strings_add(&corpus->target, line.text, line.length);
        KEN_TRY(ken_corpus_end(corpus, i + 1));
    }
    KEN_TRY(ken_lines_next(lines, &line));
    if (line.text)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: %s has only %zu sequence%s", lines->source->name,
                        lines->number, in->source->name, count, ken_plural(count));
    return KEN_OK;
}

static ken_status read_with_text(ken_corpus *corpus, ken_npy *in, ken_source *target)
{
    ken_lines lines = { 0 };
    ken_status status = ken_lines_init(&lines, target, 1);
    if (!status) status = read_with_lines(corpus, in, &lines);
    ken_lines_release(&lines);
    return status;
}

/* Reads the sequences with targets from a NumPy file; `target` is NULL if no targets are read. */
static ken_status read_with_numbers(ken_corpus *corpus, ken_npy *in, ken_source *target,
                                    const struct ken_layout *layout)
{
    ken_npy out;
    if (target) {
        KEN_TRY(ken_npy_open(&out, target));
        KEN_TRY(check_targets(&out, in, layout));
    }
    for (size_t i = 0; i < sequences_in(in); i++) {
        KEN_TRY(add_rows(corpus, in, rows_in(in) * corpus->width));
        if (target)
            KEN_TRY(add_targets(corpus, &out, layout->each ? rows_in(in) : 1,
                                layout->target_kind == KEN_TARGET_LABEL));
        KEN_TRY(ken_corpus_end(corpus, i + 1));
    }
    return target ? ken_npy_end(&out) : KEN_OK;
}

/* Reads the examples of a NumPy file. A NumPy file has no lines that could be reported and left
 * out, so any mistake ends the reading. For messages, the "line" of an example is the number of its
 * sequence in the file. */
ken_status ken_corpus_npy(ken_corpus *corpus, ken_source *input, ken_source *target,
                          const struct ken_layout *layout)
{
    ken_npy in;
    KEN_TRY(ken_npy_open(&in, input));
    KEN_TRY(check_input(corpus, &in, layout->width));
    KEN_TRY(target && layout->target_kind == KEN_TARGET_TEXT
                ? read_with_text(corpus, &in, target)
                : read_with_numbers(corpus, &in, target, layout));
    return ken_npy_end(&in);
}
