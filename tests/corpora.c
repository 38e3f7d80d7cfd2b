/* corpora.c - shows corpora as text, and finds the real data. */
#include "tests/corpora.h"

#include "base/fault.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void show_strings(ken_buffer *out, const ken_strings *strings, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        size_t length;
        const char *text = ken_strings_at(strings, i, &length);
        ken_buffer_text(out, i > from ? " / " : " ");
        ken_buffer_append(out, text, length);
    }
}

static void show_numbers(ken_buffer *out, const ken_buffer *numbers, size_t from, size_t to,
                         size_t width)
{
    const float *values = (const float *)(const void *)numbers->data;
    for (size_t i = from; i < to; i++) {
        ken_buffer_text(out, " [");
        for (size_t k = 0; k < width; k++)
            ken_buffer_format(out, "%s%g", k > 0 ? " " : "", (double)values[i * width + k]);
        ken_buffer_text(out, "]");
    }
}

static void show_links(ken_buffer *out, const ken_corpus *corpus, size_t i)
{
    const int32_t *pairs = (const int32_t *)(const void *)corpus->links.data;
    size_t from = ken_corpus_link_start(corpus, i), to = ken_corpus_link_start(corpus, i + 1);
    ken_buffer_text(out, " |");
    for (size_t e = from; e < to; e++) {
        ken_buffer_format(out, " %d-%d", (int)pairs[2 * e], (int)pairs[2 * e + 1]);
        if (corpus->link_width > 0)
            show_numbers(out, &corpus->link_numbers, e, e + 1, corpus->link_width);
    }
}

const char *corpus_shown(const ken_corpus *corpus)
{
    static ken_buffer out;
    ken_buffer_release(&out);
    for (size_t i = 0; i < corpus->count; i++) {
        size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
        ken_buffer_format(&out, "%zu:", ken_corpus_line(corpus, i));
        if (corpus->width > 0) show_numbers(&out, &corpus->vectors, from, to, corpus->width);
        else show_strings(&out, &corpus->input, from, to);
        from = ken_corpus_target_start(corpus, i), to = ken_corpus_target_start(corpus, i + 1);
        ken_buffer_text(&out, " >");
        if (corpus->numbers.size > 0)
            show_numbers(&out, &corpus->numbers, from, to, corpus->flags ? corpus->flags : 1);
        else show_strings(&out, &corpus->target, from, to);
        if (corpus->linked) show_links(&out, corpus, i);
        ken_buffer_text(&out, "\n");
    }
    assert_int_equal(ken_buffer_status(&out), KEN_OK);
    return ken_buffer_string(&out);
}

/* Reads with the nth call failing; false if there are fewer calls. */
static bool fault_at(size_t *told, uint64_t nth, enum ken_fault kind, const char *path,
                     const char *second, const struct ken_layout *layout, const char *shown)
{
    bool reached = false;
    for (int forever = 0; forever < 2; forever++) {
        ken_corpus corpus = { 0 };
        ken_fault_arm(kind, nth, forever);
        ken_status status = ken_corpus_read(&corpus, path, second, layout, NULL, NULL);
        reached = ken_fault_calls(kind) >= nth;
        ken_fault_arm(kind, 0, false);
        if (status) assert_int_equal(status, kind == KEN_FAULT_IO ? KEN_ERR_IO : KEN_ERR_MEMORY);
        else assert_string_equal(corpus_shown(&corpus), shown);
        assert_true(reached || !status);
        *told += status != KEN_OK;
        ken_corpus_release(&corpus);
    }
    return reached;
}

size_t corpus_faults(const char *path, const char *second, const struct ken_layout *layout,
                     const char *shown)
{
    size_t told = 0, descriptors = open_descriptors();
    for (int kind = KEN_FAULT_MEMORY; kind <= KEN_FAULT_IO; kind++)
        for (uint64_t nth = 1; fault_at(&told, nth, kind, path, second, layout, shown);) nth++;
    assert_int_equal(open_descriptors(), descriptors);
    return told;
}

const char *data_path(const char *name)
{
    static char path[512];
    const char *folder = getenv("KEN_DATA");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/data", name);
    if (access(path, R_OK) == 0) return path;
    printf("# skip %s: not there; KEN_DATA names the folder of the data\n", name);
    skip(); /* does not return */
    return path;
}
