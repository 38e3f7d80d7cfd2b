/* vocabulary.h - a set of strings with their ids and counts. Invariant: ids are 0 .. size - 1, in
 * the order in which the strings were added, and no string has two ids. */
#ifndef UNIT_VOCABULARY_H
#define UNIT_VOCABULARY_H

#include "base/buffer.h"

#include <stdint.h>

enum { KEN_NO_ID = -1 };

typedef struct ken_vocabulary {
    ken_strings names;
    uint32_t *slots; /* hash table with open addressing; a slot holds an id + 1; 0 = free */
    size_t slot_count;
    ken_buffer counts; /* array of uint64_t: how often the string of each id was added */
} ken_vocabulary;

size_t ken_vocabulary_size(const ken_vocabulary *vocabulary);
void ken_vocabulary_release(ken_vocabulary *vocabulary);

/* Returns the id of a string; KEN_NO_ID if the string is not in the vocabulary. */
int32_t ken_vocabulary_find(const ken_vocabulary *vocabulary, const char *text, size_t length);

/* Adds a string if it is new, and adds 1 to its count in any case. *id receives the id of the
 * string; `id` may be NULL. */
ken_status ken_vocabulary_add(ken_vocabulary *vocabulary, const char *text, size_t length,
                              int32_t *id);

const char *ken_vocabulary_name(const ken_vocabulary *vocabulary, int32_t id, size_t *length);
uint64_t ken_vocabulary_count(const ken_vocabulary *vocabulary, int32_t id);

/* Copies strings of `from`, with their counts, to `kept`. The first `reserved` strings of `from`
 * are copied first. The others follow, the most frequent first, until `kept` has `most` strings;
 * those that occur fewer than `least` times are left out. Equally frequent strings are taken in the
 * order of their bytes. */
ken_status ken_vocabulary_keep(ken_vocabulary *kept, const ken_vocabulary *from, size_t reserved,
                               uint64_t least, size_t most);

#endif
