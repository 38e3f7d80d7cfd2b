/* spelling.c - computes the vectors of words from their letters. There are C filters of each width
 * 2, 3, 4 and 5 over letter vectors of size C, so a letter costs (2 + 3 + 4 + 5) C^2 products, as
 * much as one or two blocks of the model. A word that occurs several times in a batch is computed
 * once. */
#include "layer/spelling.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

void ken_spelling_visit(struct ken_spelling *spelling, ken_visitor *visitor, const char *name)
{
    size_t C = spelling->inside, D = spelling->width;
    /* The four matrices `join` act as one matrix of shape (D, 4 C), so each is initialised like a
     * part of the columns of that matrix. */
    float as_one = sqrtf((float)(D + C) / (float)(D + KEN_SPELLING_KINDS * C));
    size_t entered = ken_visit_enter(visitor, "%s", name);
    ken_visit(visitor, "table", &spelling->table,
              (struct ken_parameter){ spelling->letters, C, KEN_INIT_NORMAL, 1 / sqrtf((float)C) });
    for (size_t k = 0; k < KEN_SPELLING_KINDS; k++) {
        struct ken_filters *filters = &spelling->kinds[k];
        size_t taps = KEN_SPELLING_SHORTEST + k;
        size_t kind = ken_visit_enter(visitor, "%zu", taps);
        ken_visit(visitor, "weight", &filters->weight,
                  (struct ken_parameter){ C, taps * C, KEN_INIT_XAVIER, 0 });
        ken_visit(visitor, "bias", &filters->bias,
                  (struct ken_parameter){ 1, C, KEN_INIT_ZERO, 0 });
        ken_visit(visitor, "join", &filters->join,
                  (struct ken_parameter){ D, C, KEN_INIT_XAVIER, as_one, true });
        ken_visit_leave(visitor, kind);
    }
    ken_visit(visitor, "bias", &spelling->bias, (struct ken_parameter){ 1, D, KEN_INIT_ZERO, 0 });
    ken_visit_leave(visitor, entered);
}

/* The distinct words of a batch; in a text these are half of all words or fewer. */
struct distinct {
    int32_t *ids;   /* letters of all distinct words, word after word                 */
    size_t *start;  /* first letter of each distinct word in `ids`; count + 1 entries */
    int32_t *which; /* for each word of the batch, the index of its distinct word     */
    size_t count;
};

static uint64_t hash_of(const int32_t *word, size_t length)
{
    uint64_t hash = length;
    for (size_t i = 0; i < length; i++) hash = ken_random_mix(hash + (uint64_t)word[i] + 1);
    return hash;
}

/* Returns the index of a word among the distinct words; adds the word if it is not in the hash
 * table. */
static int32_t look_up(struct distinct *distinct, int32_t *table, size_t room, const int32_t *word,
                       size_t length)
{
    size_t slot = (size_t)hash_of(word, length) & (room - 1),
           end = distinct->start[distinct->count];
    for (; table[slot] > 0; slot = (slot + 1) & (room - 1)) { /* an entry is index + 1; 0 = free */
        size_t i = (size_t)table[slot] - 1, from = distinct->start[i];
        if (distinct->start[i + 1] - from == length &&
            memcmp(distinct->ids + from, word, length * sizeof *word) == 0)
            return (int32_t)i;
    }
    if (length > 0) memcpy(distinct->ids + end, word, length * sizeof *word);
    distinct->start[++distinct->count] = end + length;
    table[slot] = (int32_t)distinct->count;
    return table[slot] - 1;
}

static bool find_distinct(ken_tape *tape, struct distinct *distinct, const int32_t *ids,
                          ken_ragged words)
{
    size_t room = 2;
    while (room < 2 * words.count) room *= 2;
    int32_t *table = ken_arena_take_zeroed(&tape->arena, room, sizeof *table);
    *distinct = (struct distinct){
        .ids = ken_arena_take(&tape->arena, words.start[words.count], sizeof *ids),
        .start = ken_arena_take_zeroed(&tape->arena, words.count + 1, sizeof *words.start),
        .which = ken_arena_take(&tape->arena, words.count, sizeof *distinct->which),
    };
    if (!table || !distinct->ids || !distinct->start || !distinct->which) {
        ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu words", words.count);
        return false;
    }
    for (size_t w = 0; w < words.count; w++)
        distinct->which[w] = look_up(distinct, table, room, ids + words.start[w],
                                     words.start[w + 1] - words.start[w]);
    return true;
}

/* Computes a row for each word; dropout is not applied here. */
static ken_tensor *spell(ken_tape *tape, const struct ken_spelling *spelling, const int32_t *ids,
                         ken_ragged words)
{
    ken_tensor *letters = ken_embed(tape, &spelling->table, ids, words.start[words.count],
                                    sqrtf((float)spelling->inside));
    ken_tensor *sum = NULL;
    for (size_t k = 0; k < KEN_SPELLING_KINDS; k++) {
        const struct ken_filters *filters = &spelling->kinds[k];
        ken_tensor *found = ken_conv(tape, letters, &filters->weight, &filters->bias, words,
                                     KEN_PAD_CENTRED);
        found = ken_activate(tape, found, KEN_ACT_GELU);
        found = ken_pool(tape, found, words, KEN_POOL_MAX, NULL);
        found = ken_linear(tape, found, &filters->join, k == 0 ? &spelling->bias : NULL,
                           KEN_ACT_NONE);
        sum = k == 0 ? found : ken_add(tape, sum, found);
    }
    return sum;
}

ken_tensor *ken_spelling_apply(ken_tape *tape, const struct ken_spelling *spelling,
                               const int32_t *ids, ken_ragged words)
{
    struct distinct distinct;
    if (tape->status || !find_distinct(tape, &distinct, ids, words)) return NULL;
    ken_tensor *rows = spell(tape, spelling, distinct.ids,
                             (ken_ragged){ distinct.start, distinct.count });
    rows = ken_embed(tape, rows, distinct.which, words.count, 1);
    return spelling->dropout > 0 ? ken_dropout(tape, rows, spelling->dropout) : rows;
}
