/* bpe_learn.c - learns which pairs of symbols are merged into one symbol (byte pair encoding).
 *
 * Three invariants hold between two merges, so that the best pair is found at once and the time
 * of a merge is proportional to the number of places that it changes:
 * - the count of every pair is exact;
 * - the list of places of a pair includes every piece that contains the pair;
 * - the heap has, for every pair that occurs, an item with the pair's count or a higher one.
 * The result depends only on the counts of the pieces, not on their order. */
#include "unit/bpe.h"

#include "base/memory.h"
#include "unit/heap.h"

#include <string.h>

struct pair {
    uint64_t count;
    uint32_t places; /* the pair's first entry in learner.places: index + 1; 0 = none */
    bool raised;     /* whether the pair is in the list learner.raised                */
};

struct place {
    uint32_t piece;
    uint32_t next; /* the pair's next entry in learner.places: index + 1; 0 = none */
};

struct learner {
    const ken_vocabulary *pieces;
    /* Symbols of all pieces. Piece p begins at the offset that its text has in pieces->names,
     * because a piece has at most as many symbols as bytes. */
    int32_t *symbols;
    size_t *lengths;      /* number of symbols of each piece                                      */
    ken_vocabulary pairs; /* all pairs of symbols; their names are the 8 bytes of { left, right } */
    ken_buffer info;      /* array of struct pair, indexed by the id of the pair                  */
    ken_buffer places;    /* array of struct place: linked lists, one per pair                    */
    ken_buffer raised;    /* array of int32_t: ids of pairs whose counts rose since the last push */
    /* Each item is { ~count, left and right symbol of a pair }. The complement of the count makes
     * the most frequent pair the smallest item. */
    ken_heap heap;
};

static struct pair *info_of(const struct learner *learner, int32_t pair)
{
    return (struct pair *)(void *)learner->info.data + pair;
}

static ken_status no_memory(const struct learner *learner)
{
    return ken_fail(KEN_ERR_MEMORY, "no memory to learn subwords from %zu pieces",
                    ken_vocabulary_size(learner->pieces));
}

/* Adds one occurrence, in `piece`, of the pair of symbols[0] and symbols[1]. */
static ken_status raise_pair(struct learner *learner, const int32_t *symbols, uint32_t piece)
{
    int32_t id;
    KEN_TRY(ken_vocabulary_add(&learner->pairs, (const char *)symbols, 2 * sizeof *symbols, &id));
    if ((size_t)id == learner->info.size / sizeof(struct pair))
        ken_buffer_append(&learner->info, &(struct pair){ 0 }, sizeof(struct pair));
    if (learner->info.failed) return no_memory(learner);
    struct pair *pair = info_of(learner, id);
    const struct place *places = (const struct place *)(const void *)learner->places.data;
    pair->count += ken_vocabulary_count(learner->pieces, (int32_t)piece);
    if (!pair->raised) ken_buffer_append(&learner->raised, &id, sizeof id);
    pair->raised = true;
    if (pair->places == 0 || places[pair->places - 1].piece != piece) {
        struct place place = { piece, pair->places };
        ken_buffer_append(&learner->places, &place, sizeof place);
        if (learner->places.size / sizeof place > UINT32_MAX) return no_memory(learner);
        pair->places = (uint32_t)(learner->places.size / sizeof place);
    }
    return learner->raised.failed || learner->places.failed ? no_memory(learner) : KEN_OK;
}

/* Removes one occurrence, in `piece`, of the pair of symbols[0] and symbols[1]. The pair must have
 * been added before. */
static void lower_pair(struct learner *learner, const int32_t *symbols, uint32_t piece)
{
    int32_t id = ken_vocabulary_find(&learner->pairs, (const char *)symbols, 2 * sizeof *symbols);
    info_of(learner, id)->count -= ken_vocabulary_count(learner->pieces, (int32_t)piece);
}

static ken_status push_raised(struct learner *learner)
{
    const int32_t *ids = (const int32_t *)(const void *)learner->raised.data;
    for (size_t i = 0; i < learner->raised.size / sizeof *ids; i++) {
        struct pair *pair = info_of(learner, ids[i]);
        int32_t ends[2];
        memcpy(ends, ken_vocabulary_name(&learner->pairs, ids[i], NULL), sizeof ends);
        pair->raised = false;
        KEN_TRY(ken_heap_push(&learner->heap, ~pair->count,
                              (uint64_t)ends[0] << 32 | (uint32_t)ends[1]));
    }
    ken_buffer_clear(&learner->raised);
    return KEN_OK;
}

static int32_t *symbols_of(const struct learner *learner, uint32_t piece)
{
    const char *text = ken_vocabulary_name(learner->pieces, (int32_t)piece, NULL);
    return learner->symbols + (text - learner->pieces->names.text.data);
}

/* Applies a merge in one piece. Wherever two symbols become one, at most three pairs become rarer
 * and at most two pairs become more frequent. Does nothing if the piece does not contain the pair
 * any more: lists of places are not cleaned up and may name a piece twice. */
static ken_status merge_in(struct learner *learner, uint32_t piece, struct ken_merge merge,
                           int32_t result)
{
    int32_t *symbols = symbols_of(learner, piece);
    size_t *length = &learner->lengths[piece];
    for (size_t i = 0; i + 1 < *length; i++) {
        if (symbols[i] != merge.left || symbols[i + 1] != merge.right) continue;
        size_t first = i > 0 ? i - 1 : 0;
        for (size_t k = first; k <= i + 1 && k + 1 < *length; k++)
            lower_pair(learner, symbols + k, piece);
        symbols[i] = result;
        --*length;
        memmove(symbols + i + 1, symbols + i + 2, (*length - i - 1) * sizeof *symbols);
        for (size_t k = first; k <= i && k + 1 < *length; k++)
            KEN_TRY(raise_pair(learner, symbols + k, piece));
    }
    return KEN_OK;
}

/* Finds the most frequent pair that occurs at least twice; *best is KEN_NO_ID if there is none. If
 * a pair has become rarer since its item was added to the heap, the item is put back with the
 * current count. */
static ken_status find_best(struct learner *learner, int32_t *best)
{
    *best = KEN_NO_ID;
    while (learner->heap.count > 0) {
        struct ken_heap_item item = ken_heap_pop(&learner->heap);
        int32_t ends[2] = { (int32_t)(item.second >> 32), (int32_t)item.second };
        int32_t id = ken_vocabulary_find(&learner->pairs, (const char *)ends, sizeof ends);
        uint64_t count = info_of(learner, id)->count;
        /* If the pair occurs more often than this item says, the heap has another item with the
         * higher count, and this one is dropped. */
        if (count < 2 || count > ~item.first) continue;
        if (count == ~item.first) {
            *best = id;
            break;
        }
        KEN_TRY(ken_heap_push(&learner->heap, ~count, item.second));
    }
    return KEN_OK;
}

static ken_status merge_everywhere(struct learner *learner, int32_t pair, struct ken_merge merge,
                                   int32_t result)
{
    uint32_t at = info_of(learner, pair)->places;
    info_of(learner, pair)->places = 0;
    while (at != 0) {
        struct place place = ((const struct place *)(const void *)learner->places.data)[at - 1];
        KEN_TRY(merge_in(learner, place.piece, merge, result));
        at = place.next;
    }
    return push_raised(learner);
}

static ken_status read_pieces(struct learner *learner)
{
    const ken_vocabulary *pieces = learner->pieces;
    size_t count = ken_vocabulary_size(pieces);
    learner->symbols = ken_memory_new(pieces->names.text.size, sizeof *learner->symbols);
    learner->lengths = ken_memory_new(count, sizeof *learner->lengths);
    if (!learner->symbols || !learner->lengths) return no_memory(learner);
    for (uint32_t i = 0; i < count; i++) {
        const char *text = ken_vocabulary_name(pieces, (int32_t)i, &learner->lengths[i]);
        int32_t *symbols = symbols_of(learner, i);
        for (size_t k = 0; k < learner->lengths[i]; k++)
            symbols[k] = KEN_BPE_BYTE + (unsigned char)text[k];
        for (size_t k = 0; k + 1 < learner->lengths[i]; k++)
            KEN_TRY(raise_pair(learner, symbols + k, i));
    }
    return push_raised(learner);
}

static ken_status learn(struct learner *learner, ken_bpe *bpe, ken_vocabulary *tokens, size_t most)
{
    KEN_TRY(read_pieces(learner));
    while (ken_vocabulary_size(tokens) < most) {
        struct ken_merge merge;
        int32_t best, result = KEN_BPE_FIRST + (int32_t)ken_bpe_count(bpe);
        KEN_TRY(find_best(learner, &best));
        if (best == KEN_NO_ID) break;
        memcpy(&merge, ken_vocabulary_name(&learner->pairs, best, NULL), sizeof merge);
        KEN_TRY(ken_bpe_add(bpe, tokens, merge.left, merge.right));
        KEN_TRY(merge_everywhere(learner, best, merge, result));
    }
    return KEN_OK;
}

ken_status ken_bpe_learn(ken_bpe *bpe, ken_vocabulary *tokens, const ken_vocabulary *pieces,
                         size_t most)
{
    struct learner learner = { .pieces = pieces };
    ken_status status = learn(&learner, bpe, tokens, most);
    ken_memory_free(learner.symbols);
    ken_memory_free(learner.lengths);
    ken_vocabulary_release(&learner.pairs);
    ken_buffer_release(&learner.info);
    ken_buffer_release(&learner.places);
    ken_buffer_release(&learner.raised);
    ken_heap_release(&learner.heap);
    return status;
}
