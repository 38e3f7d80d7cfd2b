/* golden.c - see golden.h. */
#include "tests/golden.h"

#include "base/size.h"
#include "kernel/kernels.h"
#include "tests/unit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 512, NAME = 96 };

static void *take(struct golden *golden, size_t count, size_t size)
{
    void *memory = ken_arena_take(&golden->arena, count, size);
    assert_non_null(memory);
    memset(memory, 0, count * size);
    return memory;
}

static void read_bytes(struct golden *golden, FILE *file, void *bytes, size_t count)
{
    if (fread(bytes, 1, count, file) != count) fail_msg("%s.golden is cut short", golden->file);
}

/* Reads a little-endian number on any machine. */
static uint32_t read_number(struct golden *golden, FILE *file)
{
    unsigned char bytes[4];
    read_bytes(golden, file, bytes, sizeof bytes);
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void read_array(struct golden *golden, FILE *file)
{
    assert_in_range(golden->count, 0, MOST - 1);
    struct golden_array *array = &golden->list[golden->count++];
    uint32_t length = read_number(golden, file);
    assert_in_range(length, 1, NAME - 1);
    array->name = take(golden, length + 1, 1);
    read_bytes(golden, file, array->name, length);
    ken_tensor *tensor = &array->tensor;
    tensor->rows = read_number(golden, file);
    tensor->cols = read_number(golden, file);
    assert_in_range(ken_tensor_size(tensor), 1, 1 << 16);
    tensor->data = take(golden, ken_tensor_size(tensor), sizeof(float));
    tensor->grad = take(golden, ken_tensor_size(tensor), sizeof(float));
    tensor->needs_grad = true;
    for (size_t i = 0; i < ken_tensor_size(tensor); i++) {
        uint32_t bits = read_number(golden, file);
        memcpy(&tensor->data[i], &bits, sizeof bits);
    }
}

void golden_open(struct golden *golden, const char *name)
{
    *golden = (struct golden){ .file = name };
    char path[NAME], magic[8];
    snprintf(path, sizeof path, "tests/golden/%s.golden", name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s is missing", path);
    read_bytes(golden, file, magic, sizeof magic);
    if (memcmp(magic, "kengold1", sizeof magic) != 0) fail_msg("%s has no golden vectors", path);
    golden->list = take(golden, MOST, sizeof *golden->list);
    for (int next = getc(file); next != EOF; next = getc(file)) {
        ungetc(next, file);
        read_array(golden, file);
    }
    fclose(file);
}

void golden_close(struct golden *golden)
{
    for (size_t i = 0; i < golden->count; i++)
        if (!golden->list[i].used)
            fail_msg("%s.golden: nobody asked for %s", golden->file, golden->list[i].name);
    ken_arena_release(&golden->arena);
}

static ken_tensor *find(struct golden *golden, const char *format, va_list arguments)
{
    char name[NAME];
    vsnprintf(name, sizeof name, format, arguments);
    for (size_t i = 0; i < golden->count; i++) {
        if (strcmp(golden->list[i].name, name) != 0) continue;
        golden->list[i].used = true;
        return &golden->list[i].tensor;
    }
    fail_msg("%s.golden has no %s", golden->file, name);
    return NULL;
}

ken_tensor *golden_get(struct golden *golden, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    ken_tensor *tensor = find(golden, format, arguments);
    va_end(arguments);
    return tensor;
}

ken_ragged golden_ragged(struct golden *golden, const char *name)
{
    const ken_tensor *lengths = golden_get(golden, "%s", name);
    size_t *start = take(golden, lengths->cols + 1, sizeof *start);
    for (size_t b = 0; b < lengths->cols; b++) start[b + 1] = start[b] + (size_t)lengths->data[b];
    return (ken_ragged){ start, lengths->cols };
}

int32_t *golden_ids(struct golden *golden, const char *name)
{
    const ken_tensor *numbers = golden_get(golden, "%s", name);
    int32_t *ids = take(golden, numbers->cols, sizeof *ids);
    for (size_t i = 0; i < numbers->cols; i++) ids[i] = (int32_t)numbers->data[i];
    return ids;
}

void golden_expect(struct golden *golden, const float *y, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const ken_tensor *expected = find(golden, format, arguments);
    va_end(arguments);
    char name[NAME];
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (size != ken_tensor_size(expected))
        fail_msg("%s: %zu numbers, expected %zu", name, size, ken_tensor_size(expected));
    double most = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs((double)expected->data[i]));
    for (size_t i = 0; i < size; i++)
        if (!(fabs((double)y[i] - expected->data[i]) <= 1e-5 * most))
            fail_msg("%s, %s, %zu of %zu: %.9g, expected %.9g (the largest is %g)",
                     ken_kernels()->name, name, i, size, (double)y[i], (double)expected->data[i],
                     most);
}

void golden_backward(struct golden *golden, ken_tape *tape, ken_tensor *out, const char *name,
                     const ken_tensor *dout)
{
    if (!out) fail_msg("%s: %s", name, ken_last_error());
    golden_expect(golden, out->data, ken_tensor_size(out), "%s.out", name);
    for (size_t i = 0; i < golden->count; i++) {
        ken_tensor *tensor = &golden->list[i].tensor;
        memset(tensor->grad, 0, ken_tensor_size(tensor) * sizeof(float));
    }
    if (dout) {
        assert_int_equal(ken_tensor_size(out), ken_tensor_size(dout));
        out = ken_dot(tape, out, dout->data);
    }
    assert_int_equal(ken_tape_backward(tape, out), KEN_OK);
}

void golden_load(struct golden *golden, const ken_parameters *parameters, const char *prefix)
{
    for (size_t i = 0; i < parameters->count; i++) {
        ken_tensor *to = parameters->list[i].tensor;
        const ken_tensor *from = golden_get(golden, "%s%s", prefix, parameters->list[i].name);
        assert_int_equal(to->rows, from->rows);
        assert_int_equal(to->cols, from->cols);
        memcpy(to->data, from->data, ken_tensor_size(to) * sizeof(float));
        memset(to->grad, 0, ken_tensor_size(to) * sizeof(float));
    }
}

void golden_expect_gradients(struct golden *golden, const ken_parameters *parameters,
                             const char *name)
{
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *tensor = parameters->list[i].tensor;
        golden_expect(golden, tensor->grad, ken_tensor_size(tensor), "%s.d.%s", name,
                      parameters->list[i].name);
    }
}
