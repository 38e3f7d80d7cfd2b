/* format_reader.h - a reader of model files and checkpoints that follows docs/FORMAT.md alone, and
 * none of ken's own code: a header length, JSON, tensors, checksum. What is not as the page says
 * fails the test. */
#ifndef TESTS_FORMAT_READER_H
#define TESTS_FORMAT_READER_H

#include <jansson.h>
#include <stddef.h>

struct reader {
    char *file;
    size_t size;
    json_t *header, *notes, *config; /* config: ken.config */
    const char *data;
    size_t seen; /* tensors that the tables of FORMAT.md explain */
};

void format_read(struct reader *r, const char *path);
void format_release(struct reader *r);
void format_check_sum(const struct reader *r);

/* Entry i of an array of whole numbers. */
size_t format_at(const json_t *array, size_t i);

#endif
