/* gather.c - gathers a batch from a dataset: unpacks ids, and makes those rows that the dataset
 * does not store (see `late` in dataset.h). */
#include "base/size.h"
#include "data/dataset.h"

/* Indices of the three buffers that hold one column of a batch. */
enum part { IDS, NUMBERS, START };

static void begin_sequences(ken_buffer part[3])
{
    size_t zero = 0;
    for (size_t i = IDS; i <= START; i++) ken_buffer_clear(&part[i]);
    ken_buffer_append(&part[START], &zero, sizeof zero);
}

/* Appends sequences first .. last - 1 of a column to `part`, the buffers of this column in a
 * batch. */
static void copy_sequences(ken_buffer part[3], const struct ken_column *column, size_t first,
                           size_t last)
{
    size_t from = ken_column_start(column, first), to = ken_column_start(column, last);
    size_t width = column->width, bytes = width * sizeof(float);
    size_t base = width > 0 ? part[NUMBERS].size / bytes : part[IDS].size / sizeof(int32_t);
    if (width == 0) ken_column_unpack(column, &part[IDS], from, to);
    else if (to > from)
        ken_buffer_append(&part[NUMBERS], column->numbers.data + from * bytes, (to - from) * bytes);
    for (size_t i = first; i < last; i++) {
        size_t end = base + ken_column_start(column, i + 1) - from;
        ken_buffer_append(&part[START], &end, sizeof end);
    }
}

/* Appends the letters (or the bag of indices) of each row of example e to `part`, the buffers for
 * letters of a batch. */
static void copy_letters(ken_buffer part[3], const ken_dataset *dataset, size_t e)
{
    const struct ken_column *spelled = &dataset->spelled, *letters = &dataset->letters;
    size_t from = ken_column_start(&dataset->input, e);
    size_t to = ken_column_start(&dataset->input, e + 1);
    if (ken_column_count(spelled) == 0) {
        copy_sequences(part, letters, from, to);
        return;
    }
    for (size_t r = from; r < to; r++) {
        size_t word = (size_t)ken_column_id(spelled, r);
        copy_sequences(part, letters, word, word + 1);
    }
}

/* Sets the pointers of `sequences` to the data in the buffers `part`. Must be called after all
 * appends, because growing a buffer moves its data. */
static ken_status finish_sequences(ken_sequences *sequences, const ken_buffer part[3])
{
    for (size_t i = IDS; i <= START; i++) KEN_TRY(ken_buffer_status(&part[i]));
    *sequences = (ken_sequences){ .ids = (const int32_t *)(const void *)part[IDS].data,
                                  .numbers = ken_buffer_floats(&part[NUMBERS]),
                                  .start = (const size_t *)(const void *)part[START].data,
                                  .count = part[START].size / sizeof(size_t) - 1 };
    return KEN_OK;
}

/* Sets the links of the batch. The buffers count ids and a link has two ids, so the start of each
 * example is halved to count links. */
static ken_status finish_links(ken_gathered *batch, ken_buffer pairs[3],
                               const ken_buffer numbers[3])
{
    KEN_TRY(finish_sequences(&batch->input, batch->memory[0]));
    for (size_t i = IDS; i <= START; i++) {
        KEN_TRY(ken_buffer_status(&pairs[i]));
        KEN_TRY(ken_buffer_status(&numbers[i]));
    }
    size_t *start = (size_t *)(void *)pairs[START].data;
    for (size_t b = 0; b <= batch->input.count; b++) start[b] /= 2;
    batch->links = (ken_links){ .pairs = (const int32_t *)(const void *)pairs[IDS].data,
                                .start = start,
                                .numbers = ken_buffer_floats(&numbers[NUMBERS]) };
    batch->input.links = &batch->links;
    return KEN_OK;
}

/* Makes the rows of those examples of a batch that the dataset does not store; the rows go to
 * batch->made. */
static ken_status make_late(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                            size_t count)
{
    ken_dataset_clear(&batch->made);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *kept = ken_strings_at(&dataset->kept, examples[i], &size);
        KEN_TRY(dataset->late(dataset->late_side, &batch->made, kept, size));
    }
    return KEN_OK;
}

ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count)
{
    ken_buffer *input = batch->memory[0], *letters = batch->memory[1], *target = batch->memory[2];
    ken_buffer *links = batch->memory[3], *numbers = batch->memory[4];
    const ken_dataset *rows = dataset->late ? &batch->made : dataset;
    bool reads = ken_column_count(&dataset->input) > 0;
    bool spells = ken_column_count(&dataset->letters) > 0;
    bool learns = ken_column_count(&dataset->target) > 0;
    bool linked = ken_column_count(&dataset->links) > 0;
    if (dataset->late) KEN_TRY(make_late(batch, dataset, examples, count));
    for (size_t i = 0; i < KEN_COUNT(batch->memory); i++) begin_sequences(batch->memory[i]);
    for (size_t i = 0; i < count; i++) {
        size_t e = examples[i], r = dataset->late ? i : e;
        if (reads) copy_sequences(input, &rows->input, r, r + 1);
        if (spells) copy_letters(letters, dataset, e);
        if (linked) copy_sequences(links, &rows->links, r, r + 1);
        if (linked) copy_sequences(numbers, &rows->link_numbers, r, r + 1);
        if (learns) copy_sequences(target, &dataset->target, e, e + 1);
    }
    KEN_TRY(finish_sequences(&batch->input, input));
    KEN_TRY(finish_sequences(&batch->letters, letters));
    KEN_TRY(finish_sequences(&batch->target, target));
    if (linked) KEN_TRY(finish_links(batch, links, numbers));
    if (spells) batch->input.letters = &batch->letters;
    return KEN_OK;
}

void ken_gathered_release(ken_gathered *batch)
{
    for (size_t i = 0; i < KEN_COUNT(batch->memory); i++)
        for (size_t k = IDS; k <= START; k++) ken_buffer_release(&batch->memory[i][k]);
    ken_dataset_release(&batch->made);
    *batch = (ken_gathered){ 0 };
}
