/* column.c - stores ids in as few bytes as they need. Invariant: `packed` holds exactly the ids of
 * the sequences that are listed in `ends`. If an id does not fit the current number of bytes, or is
 * lower than `lowest`, all ids of the column are packed again. This happens at most three times:
 * when the bytes per id grow from 1 to 2, when they grow from 2 to 4, and when `lowest` becomes
 * -1. */
#include "data/column.h"

#include "base/size.h"

#include <string.h>

static size_t last_end(const struct ken_column *column)
{
    return ken_column_start(column, ken_column_count(column));
}

static uint32_t read_item(const char *at, size_t item)
{
    uint16_t two;
    uint32_t four;
    switch (item) {
    case 1: return (unsigned char)*at;
    case 2: memcpy(&two, at, sizeof two); return two;
    default: memcpy(&four, at, sizeof four); return four;
    }
}

static void append_item(ken_buffer *packed, uint32_t value, size_t item)
{
    unsigned char one = (unsigned char)value;
    uint16_t two = (uint16_t)value;
    const void *from = item == 1 ? (const void *)&one : item == 2 ? (const void *)&two : &value;
    ken_buffer_append(packed, from, item);
}

static size_t item_for(uint32_t largest)
{
    return largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4;
}

/* Packs all stored ids again, with `item` bytes per id and relative to a new lowest id. If memory
 * is short, the ids are lost and ken_column_status() reports the failure. */
static void repack(struct ken_column *column, size_t item, int32_t lowest)
{
    ken_buffer wider = { 0 };
    uint32_t shift = (uint32_t)(column->lowest - lowest);
    for (size_t at = 0; at < column->packed.size; at += column->item)
        append_item(&wider, read_item(column->packed.data + at, column->item) + shift, item);
    ken_buffer_release(&column->packed);
    column->packed = wider;
    column->item = item;
    column->lowest = lowest;
}

static void pack(struct ken_column *column)
{
    const int32_t *ids = (const int32_t *)(const void *)column->ids.data;
    size_t count = column->ids.size / sizeof *ids;
    int32_t lowest = column->lowest;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] < lowest) lowest = ids[i];
        if (ids[i] > column->highest) column->highest = ids[i];
    }
    size_t item = item_for((uint32_t)column->highest - (uint32_t)lowest);
    if (item != column->item || lowest != column->lowest) repack(column, item, lowest);
    for (size_t i = 0; i < count; i++)
        append_item(&column->packed, (uint32_t)ids[i] - (uint32_t)lowest, item);
    ken_buffer_clear(&column->ids);
}

static void append_end(struct ken_column *column, size_t rows)
{
    size_t end = last_end(column) + rows;
    ken_buffer_append(&column->ends, &end, sizeof end);
}

void ken_column_end(struct ken_column *column)
{
    size_t rows = column->ids.size / sizeof(int32_t);
    if (column->width > 0)
        rows = column->numbers.size / sizeof(float) / column->width - last_end(column);
    if (column->width == 0 && rows > 0) pack(column);
    append_end(column, rows);
}

void ken_column_skip(struct ken_column *column, size_t rows)
{
    append_end(column, rows);
}

size_t ken_column_count(const struct ken_column *column)
{
    return column->ends.size / sizeof(size_t);
}

size_t ken_column_start(const struct ken_column *column, size_t i)
{
    return i > 0 ? ((const size_t *)(const void *)column->ends.data)[i - 1] : 0;
}

size_t ken_column_rows(const struct ken_column *column, size_t i)
{
    if (ken_column_count(column) == 0) return 0;
    return ken_column_start(column, i + 1) - ken_column_start(column, i);
}

int32_t ken_column_id(const struct ken_column *column, size_t r)
{
    return (int32_t)(read_item(column->packed.data + r * column->item, column->item) +
                     (uint32_t)column->lowest);
}

void ken_column_unpack(const struct ken_column *column, ken_buffer *ids, size_t first, size_t last)
{
    enum { SOME = 256 };
    int32_t some[SOME];
    for (size_t r = first; r < last;) {
        size_t count = ken_size_min(SOME, last - r);
        for (size_t i = 0; i < count; i++) some[i] = ken_column_id(column, r + i);
        ken_buffer_append(ids, some, count * sizeof *some);
        r += count;
    }
}

void ken_column_drop(struct ken_column *column)
{
    size_t n = ken_column_count(column);
    if (n == 0) return;
    size_t rows = ken_column_start(column, n - 1);
    if (column->packed.size > 0) column->packed.size = rows * column->item;
    if (column->width > 0) column->numbers.size = rows * column->width * sizeof(float);
    column->ends.size -= sizeof(size_t);
}

ken_status ken_column_status(const struct ken_column *column)
{
    KEN_TRY(ken_buffer_status(&column->ids));
    KEN_TRY(ken_buffer_status(&column->numbers));
    KEN_TRY(ken_buffer_status(&column->packed));
    return ken_buffer_status(&column->ends);
}

void ken_column_clear(struct ken_column *column)
{
    ken_buffer_clear(&column->ids);
    ken_buffer_clear(&column->numbers);
    ken_buffer_clear(&column->packed);
    ken_buffer_clear(&column->ends);
}

void ken_column_release(struct ken_column *column)
{
    ken_buffer_release(&column->ids);
    ken_buffer_release(&column->numbers);
    ken_buffer_release(&column->packed);
    ken_buffer_release(&column->ends);
    *column = (struct ken_column){ 0 };
}

void ken_column_hash(const struct ken_column *column, ken_sha256 *sha)
{
    for (size_t r = 0; r * column->item < column->packed.size; r++) {
        int32_t id = ken_column_id(column, r);
        ken_sha256_add(sha, &id, sizeof id);
    }
    ken_sha256_add(sha, column->numbers.data, column->numbers.size);
    ken_sha256_add(sha, column->ends.data, column->ends.size);
}
