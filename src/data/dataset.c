/* dataset.c - columns of sequences, batches gathered from them, and the order of an epoch.
 * Appending asks for no status: ken_dataset_status() is asked when an example is complete. */
#include "data/dataset.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

/* Names the family of these random numbers among all that have the same seed. */
static const uint64_t family = UINT64_C(0x62617463686573); /* "batches" */

/* ---- Columns -------------------------------------------------------------------------------- */

/* Those of the current sequence included. */
static size_t rows_so_far(const struct ken_column *column)
{
    if (column->width == 0) return column->ids.size / sizeof(int32_t);
    return column->numbers.size / sizeof(float) / column->width;
}

void ken_column_end(struct ken_column *column)
{
    size_t end = rows_so_far(column);
    ken_buffer_append(&column->ends, &end, sizeof end);
}

size_t ken_column_count(const struct ken_column *column)
{
    return column->ends.size / sizeof(size_t);
}

size_t ken_column_start(const struct ken_column *column, size_t i)
{
    return i > 0 ? ((const size_t *)(const void *)column->ends.data)[i - 1] : 0;
}

static ken_status column_status(const struct ken_column *column)
{
    KEN_TRY(ken_buffer_status(&column->ids));
    KEN_TRY(ken_buffer_status(&column->numbers));
    return ken_buffer_status(&column->ends);
}

static void release_column(struct ken_column *column)
{
    ken_buffer_release(&column->ids);
    ken_buffer_release(&column->numbers);
    ken_buffer_release(&column->ends);
    column->width = 0;
}

/* ---- Datasets ------------------------------------------------------------------------------- */

ken_status ken_dataset_status(const ken_dataset *dataset)
{
    KEN_TRY(column_status(&dataset->input));
    KEN_TRY(column_status(&dataset->letters));
    KEN_TRY(column_status(&dataset->links));
    KEN_TRY(column_status(&dataset->link_numbers));
    return column_status(&dataset->target);
}

void ken_dataset_release(ken_dataset *dataset)
{
    release_column(&dataset->input);
    release_column(&dataset->letters);
    release_column(&dataset->links);
    release_column(&dataset->link_numbers);
    release_column(&dataset->target);
    dataset->count = 0;
}

/* Rows of sequence i; none in a column that is empty. */
static size_t rows_of(const struct ken_column *column, size_t i)
{
    if (ken_column_count(column) == 0) return 0;
    return ken_column_start(column, i + 1) - ken_column_start(column, i);
}

size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates)
{
    size_t written = generates ? rows_of(&dataset->target, i) + 1 : 0; /* it begins with `begin` */
    return rows_of(&dataset->input, i) + written;
}

/* ---- Gathering ------------------------------------------------------------------------------ */

/* The buffers of a column in a batch. */
enum part { IDS, NUMBERS, START };

static void begin_sequences(ken_buffer part[3])
{
    size_t zero = 0;
    for (size_t i = IDS; i <= START; i++) ken_buffer_clear(&part[i]);
    ken_buffer_append(&part[START], &zero, sizeof zero);
}

/* Appends sequences first .. last - 1 of a column, which lie one behind the other in it. */
static void copy_sequences(ken_buffer part[3], const struct ken_column *column, size_t first,
                           size_t last)
{
    enum part which = column->width > 0 ? NUMBERS : IDS;
    const ken_buffer *rows = column->width > 0 ? &column->numbers : &column->ids;
    size_t bytes = column->width > 0 ? column->width * sizeof(float) : sizeof(int32_t);
    size_t from = ken_column_start(column, first), to = ken_column_start(column, last);
    size_t base = part[which].size / bytes;
    if (to > from) ken_buffer_append(&part[which], rows->data + from * bytes, (to - from) * bytes);
    for (size_t i = first; i < last; i++) {
        size_t end = base + ken_column_start(column, i + 1) - from;
        ken_buffer_append(&part[START], &end, sizeof end);
    }
}

/* Only now, when nothing grows any more, may pointers into the buffers be handed out. */
static ken_status finish_sequences(ken_sequences *sequences, const ken_buffer part[3])
{
    for (size_t i = IDS; i <= START; i++) KEN_TRY(ken_buffer_status(&part[i]));
    *sequences = (ken_sequences){ .ids = (const int32_t *)(const void *)part[IDS].data,
                                  .numbers = ken_buffer_floats(&part[NUMBERS]),
                                  .start = (const size_t *)(const void *)part[START].data,
                                  .count = part[START].size / sizeof(size_t) - 1 };
    return KEN_OK;
}

/* Pairs were counted id by id. */
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

/* The sequences point into `memory` of the batch, so they end with the next gathering into it. */
ken_status ken_gather(ken_gathered *batch, const ken_dataset *dataset, const size_t *examples,
                      size_t count)
{
    ken_buffer *input = batch->memory[0], *letters = batch->memory[1], *target = batch->memory[2];
    bool reads = ken_column_count(&dataset->input) > 0;
    bool spells = ken_column_count(&dataset->letters) > 0;
    bool learns = ken_column_count(&dataset->target) > 0;
    bool linked = ken_column_count(&dataset->links) > 0;
    ken_buffer *links = batch->memory[3], *numbers = batch->memory[4];
    for (size_t i = 0; i < KEN_COUNT(batch->memory); i++) begin_sequences(batch->memory[i]);
    for (size_t i = 0; i < count; i++) {
        size_t e = examples[i];
        if (reads) copy_sequences(input, &dataset->input, e, e + 1);
        if (spells) /* the rows of the input are the sequences of letters */
            copy_sequences(letters, &dataset->letters, ken_column_start(&dataset->input, e),
                           ken_column_start(&dataset->input, e + 1));
        if (linked) copy_sequences(links, &dataset->links, e, e + 1);
        if (linked) copy_sequences(numbers, &dataset->link_numbers, e, e + 1);
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
    *batch = (ken_gathered){ 0 };
}

/* ---- Batches -------------------------------------------------------------------------------- */

/* Fisher and Yates, from the inside out: each new one trades places with one before it. */
static void make_order(size_t *order, size_t count, bool shuffled, uint64_t key)
{
    for (size_t i = 0; i < count; i++) {
        size_t j = shuffled ? (size_t)ken_random_below(key, i, i + 1) : i;
        if (j != i) order[i] = order[j];
        order[j] = i;
    }
}

/* Greedy: each batch takes examples as they come, until the next one would be too much. */
ken_status ken_batches_make(ken_batches *batches, const ken_dataset *dataset, bool generates,
                            size_t budget, bool shuffled, uint64_t seed, uint64_t epoch)
{
    size_t count = dataset->count, rows = 0;
    /* no batch is empty, so there are not more of them than examples */
    *batches = (ken_batches){ .order = ken_memory_new(count, sizeof(size_t)),
                              .ends = ken_memory_new(count, sizeof(size_t)) };
    if (!batches->order || !batches->ends) {
        ken_batches_release(batches);
        return ken_fail(KEN_ERR_MEMORY, "no memory for the order of %zu examples", count);
    }
    make_order(batches->order, count, shuffled,
               ken_random_key(ken_random_key(seed, family), epoch));
    for (size_t i = 0; i < count; i++) {
        size_t more = ken_dataset_rows(dataset, batches->order[i], generates);
        /* a single example may be over the budget, and so may `rows` be */
        bool fits = rows <= budget && more <= budget - rows;
        if (i > 0 && !fits) {
            batches->ends[batches->count++] = i;
            rows = 0;
        }
        rows += more;
    }
    if (count > 0) batches->ends[batches->count++] = count;
    return KEN_OK;
}

void ken_batches_release(ken_batches *batches)
{
    ken_memory_free(batches->order);
    ken_memory_free(batches->ends);
    *batches = (ken_batches){ 0 };
}
