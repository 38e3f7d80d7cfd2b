/* format_reader.c - see format_reader.h. Of ken it uses only the reading of bytes and SHA-256. */
#include "tests/format_reader.h"

#include "base/io.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Layout ---------------------------------------------------------------------------------- */

size_t format_at(const json_t *array, size_t i)
{
    assert_true(json_is_integer(json_array_get(array, i)));
    return (size_t)json_integer_value(json_array_get(array, i));
}

static void check_tensors(const struct reader *r, size_t bytes)
{
    const char *name;
    json_t *entry;
    size_t end = 0;
    json_object_foreach(r->header, name, entry)
    { /* in the order of the file */
        const json_t *offsets = json_object_get(entry, "data_offsets");
        const json_t *shape = json_object_get(entry, "shape");
        if (strcmp(name, "__metadata__") == 0) continue;
        assert_string_equal(json_string_value(json_object_get(entry, "dtype")), "F32");
        assert_int_equal(json_array_size(shape), 2);
        assert_int_equal(format_at(offsets, 0), end);
        end = format_at(offsets, 1);
        assert_int_equal(end - format_at(offsets, 0),
                         4 * format_at(shape, 0) * format_at(shape, 1));
        assert_true(end <= bytes);
        for (size_t i = format_at(offsets, 0); i < end; i += 4) {
            float number;
            memcpy(&number, r->data + i, 4);
            assert_true(isfinite(number));
        }
    }
    assert_int_equal(end, bytes);
}

void format_read(struct reader *r, const char *path)
{
    uint64_t length = 0;
    *r = (struct reader){ 0 };
    assert_int_equal(ken_file_read(&r->file, &r->size, path, SIZE_MAX), KEN_OK);
    for (size_t i = 0; i < 8; i++) length |= (uint64_t)(unsigned char)r->file[i] << 8 * i;
    assert_true(length % 8 == 0 && length + 8 <= r->size && r->file[8] == '{');
    r->header = json_loadb(r->file + 8, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(r->header)); /* trailing blanks are fine for JSON */
    r->data = r->file + 8 + length;
    check_tensors(r, r->size - 8 - (size_t)length);
    r->notes = json_object_get(r->header, "__metadata__");
    const char *text = json_string_value(json_object_get(r->notes, "ken.config"));
    r->config = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    assert_non_null(r->config);
}

void format_release(struct reader *r)
{
    json_decref(r->config);
    json_decref(r->header);
    ken_memory_free(r->file);
}

/* ---- Checksum -------------------------------------------------------------------------------- */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The keys of an object without one of them, sorted; the caller frees the list. */
static const char **sorted(json_t *object, const char *without, size_t *count)
{
    const char **keys = calloc(json_object_size(object), sizeof *keys), *key;
    json_t *value;
    *count = 0;
    json_object_foreach(object, key, value) if (strcmp(key, without) != 0) keys[(*count)++] = key;
    qsort(keys, *count, sizeof *keys, by_bytes);
    return keys;
}

void format_check_sum(const struct reader *r)
{
    char hex[KEN_SHA256_HEX], number[32];
    size_t count;
    ken_sha256 sha;
    ken_sha256_init(&sha);
    const char **keys = sorted(r->notes, "ken.sha256", &count);
    for (size_t i = 0; i < count; i++) {
        const char *value = json_string_value(json_object_get(r->notes, keys[i]));
        assert_non_null(value);
        ken_sha256_add(&sha, keys[i], strlen(keys[i]) + 1);
        ken_sha256_add(&sha, value, strlen(value) + 1);
    }
    free(keys);
    keys = sorted(r->header, "__metadata__", &count);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_object_get(r->header, keys[i]);
        const json_t *shape = json_object_get(entry, "shape");
        const json_t *offsets = json_object_get(entry, "data_offsets");
        ken_sha256_add(&sha, keys[i], strlen(keys[i]) + 1);
        for (size_t d = 0; d < json_array_size(shape); d++) {
            snprintf(number, sizeof number, "%zu,", format_at(shape, d));
            ken_sha256_add(&sha, number, strlen(number));
        }
        ken_sha256_add(&sha, "", 1);
        ken_sha256_add(&sha, r->data + format_at(offsets, 0),
                       format_at(offsets, 1) - format_at(offsets, 0));
    }
    free(keys);
    ken_sha256_hex(&sha, hex);
    assert_string_equal(hex, json_string_value(json_object_get(r->notes, "ken.sha256")));
}
