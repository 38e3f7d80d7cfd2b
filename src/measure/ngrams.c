/* ngrams.c - counts n-grams by giving each different n-gram a number. The units of a line lie one
 * after another in memory, each followed by a 0 byte, so the bytes of an n-gram are contiguous.
 * Units contain no 0 byte, so n-grams are equal exactly if their bytes are. */
#include "measure/ngrams.h"

#include "base/memory.h"
#include "base/text.h"
#include "unit/vocabulary.h"

size_t ken_ngrams_count(const ken_strings *units, size_t n)
{
    return units->count < n ? 0 : units->count - n + 1;
}

/* Returns the n-gram that begins with unit i. *length receives its number of bytes, without the
 * last 0 byte. */
static const char *run_at(const ken_strings *units, size_t i, size_t n, size_t *length)
{
    size_t last_length;
    const char *last = ken_strings_at(units, i + n - 1, &last_length);
    const char *first = ken_strings_at(units, i, NULL);
    *length = (size_t)(last - first) + last_length;
    return first;
}

/* Counts matches: each n-gram of the answer uses up one equal n-gram of the reference. `runs` holds
 * the n-grams of the reference with their counts. left[r] is work space: how often n-gram r of the
 * reference can still be used. */
static uint64_t use_up(uint64_t *left, const ken_vocabulary *runs, const ken_strings *answer,
                       size_t n)
{
    uint64_t match = 0;
    for (size_t id = 0; id < ken_vocabulary_size(runs); id++)
        left[id] = ken_vocabulary_count(runs, (int32_t)id);
    for (size_t i = 0; i < ken_ngrams_count(answer, n); i++) {
        size_t length;
        const char *run = run_at(answer, i, n, &length);
        int32_t id = ken_vocabulary_find(runs, run, length);
        if (id == KEN_NO_ID || left[id] == 0) continue;
        left[id]--;
        match++;
    }
    return match;
}

ken_status ken_ngrams_match(uint64_t *match, const ken_strings *answer,
                            const ken_strings *reference, size_t n)
{
    ken_vocabulary runs = { 0 };
    ken_status status = KEN_OK;
    size_t count = ken_ngrams_count(reference, n), length;
    *match = 0;
    if (count == 0 || ken_ngrams_count(answer, n) == 0) return KEN_OK;
    uint64_t *left = ken_memory_new(count, sizeof *left);
    if (!left) status = ken_fail(KEN_ERR_MEMORY, "no memory to compare two texts");
    for (size_t i = 0; i < count && !status; i++) {
        const char *run = run_at(reference, i, n, &length);
        status = ken_vocabulary_add(&runs, run, length, NULL);
    }
    if (!status) *match = use_up(left, &runs, answer, n);
    ken_memory_free(left);
    ken_vocabulary_release(&runs);
    return status;
}

size_t ken_ngrams_space(const char *text, size_t length)
{
    if (text[0] >= 0x1c && text[0] <= 0x1f) return 1;
    return ken_text_space(text, length);
}
