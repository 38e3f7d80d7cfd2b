/* vocabulary.c - a list of strings, with a hash table that finds the id of a string. Invariant:
 * slot_count is 0 or a power of two, at most half of the slots are in use, and a linear search from
 * the slot given by the hash finds every id. After a failure a vocabulary can only be released. */
#include "unit/vocabulary.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

size_t ken_vocabulary_size(const ken_vocabulary *vocabulary)
{
    return vocabulary->names.count;
}

void ken_vocabulary_release(ken_vocabulary *vocabulary)
{
    ken_strings_release(&vocabulary->names);
    ken_buffer_release(&vocabulary->counts);
    ken_memory_free(vocabulary->slots);
    *vocabulary = (ken_vocabulary){ 0 };
}

/* Computes the hash of a string. The memory address of the table is the key of the hash, so nobody
 * can prepare strings that collide; the hash has no influence on ids. The hash includes the length,
 * because the last bytes are padded with 0: otherwise "a" and "a\0" would collide. */
static uint64_t hash_of(const ken_vocabulary *vocabulary, const char *text, size_t length)
{
    uint64_t hash = (uintptr_t)vocabulary->slots + length, eight;
    for (; length >= sizeof eight; text += sizeof eight, length -= sizeof eight) {
        memcpy(&eight, text, sizeof eight);
        hash = ken_random_mix(hash ^ eight);
    }
    if (length == 0) return hash;
    eight = 0;
    memcpy(&eight, text, length);
    return ken_random_mix(hash ^ eight);
}

/* Returns the slot that holds a string, or the free slot where the string must be added. */
static size_t slot_of(const ken_vocabulary *vocabulary, const char *text, size_t length)
{
    size_t mask = vocabulary->slot_count - 1, size;
    size_t slot = (size_t)hash_of(vocabulary, text, length) & mask;
    for (; vocabulary->slots[slot]; slot = (slot + 1) & mask) {
        const char *name = ken_strings_at(&vocabulary->names, vocabulary->slots[slot] - 1, &size);
        if (size == length && memcmp(name, text, length) == 0) break;
    }
    return slot;
}

static ken_status grow(ken_vocabulary *vocabulary)
{
    size_t count = ken_size_max(FIRST_SLOTS, 2 * vocabulary->slot_count);
    uint32_t *slots = ken_memory_zeroed(count, sizeof *slots);
    if (!slots) return ken_fail(KEN_ERR_MEMORY, "no memory for a vocabulary of %zu", count / 2);
    ken_memory_free(vocabulary->slots);
    vocabulary->slots = slots;
    vocabulary->slot_count = count;
    for (size_t id = 0; id < ken_vocabulary_size(vocabulary); id++) {
        size_t length;
        const char *name = ken_strings_at(&vocabulary->names, id, &length);
        slots[slot_of(vocabulary, name, length)] = (uint32_t)id + 1;
    }
    return KEN_OK;
}

int32_t ken_vocabulary_find(const ken_vocabulary *vocabulary, const char *text, size_t length)
{
    if (vocabulary->slot_count == 0) return KEN_NO_ID;
    uint32_t found = vocabulary->slots[slot_of(vocabulary, text, length)];
    return found ? (int32_t)(found - 1) : KEN_NO_ID;
}

/* Adds a string. `text` must not point to a name of the same vocabulary, because adding may move
 * all names. */
static ken_status add(ken_vocabulary *vocabulary, const char *text, size_t length, uint64_t times,
                      int32_t *id)
{
    size_t size = ken_vocabulary_size(vocabulary);
    if (size >= INT32_MAX) return ken_fail(KEN_ERR_FORMAT, "more than %zu different strings", size);
    if (2 * (size + 1) > vocabulary->slot_count) KEN_TRY(grow(vocabulary));
    size_t slot = slot_of(vocabulary, text, length);
    if (vocabulary->slots[slot] == 0) {
        uint64_t none = 0;
        ken_strings_add(&vocabulary->names, text, length);
        ken_buffer_append(&vocabulary->counts, &none, sizeof none);
        KEN_TRY(ken_strings_status(&vocabulary->names));
        KEN_TRY(ken_buffer_status(&vocabulary->counts));
        vocabulary->slots[slot] = (uint32_t)size + 1;
    }
    size_t found = vocabulary->slots[slot] - 1;
    ((uint64_t *)(void *)vocabulary->counts.data)[found] += times;
    if (id) *id = (int32_t)found;
    return KEN_OK;
}

ken_status ken_vocabulary_add(ken_vocabulary *vocabulary, const char *text, size_t length,
                              int32_t *id)
{
    return add(vocabulary, text, length, 1, id);
}

const char *ken_vocabulary_name(const ken_vocabulary *vocabulary, int32_t id, size_t *length)
{
    return ken_strings_at(&vocabulary->names, (size_t)id, length);
}

uint64_t ken_vocabulary_count(const ken_vocabulary *vocabulary, int32_t id)
{
    return ((const uint64_t *)(const void *)vocabulary->counts.data)[id];
}

/* ---- The most frequent ---------------------------------------------------------------------- */

struct entry {
    uint64_t count;
    const char *name;
    size_t length;
};

/* Compares two strings for sorting: more frequent strings come first; equally frequent ones are
 * ordered by their bytes. */
static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    int order = memcmp(x->name, y->name, ken_size_min(x->length, y->length));
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* Copies the most frequent strings with their counts. The sorted entries point to the names in
 * `from`, which does not change meanwhile. */
ken_status ken_vocabulary_keep(ken_vocabulary *kept, const ken_vocabulary *from, size_t reserved,
                               uint64_t least, size_t most)
{
    size_t size = ken_vocabulary_size(from), candidates = 0;
    struct entry *entries = ken_memory_new(size, sizeof *entries);
    if (!entries) return ken_fail(KEN_ERR_MEMORY, "no memory to sort %zu strings", size);
    ken_status status = KEN_OK;
    for (size_t id = 0; id < size && !status; id++) {
        struct entry *entry = &entries[candidates];
        entry->name = ken_vocabulary_name(from, (int32_t)id, &entry->length);
        entry->count = ken_vocabulary_count(from, (int32_t)id);
        if (id < reserved) status = add(kept, entry->name, entry->length, entry->count, NULL);
        else if (entry->count >= least) candidates++;
    }
    qsort(entries, candidates, sizeof *entries, compare);
    for (size_t i = 0; i < candidates && !status && ken_vocabulary_size(kept) < most; i++)
        status = add(kept, entries[i].name, entries[i].length, entries[i].count, NULL);
    ken_memory_free(entries);
    return status;
}
