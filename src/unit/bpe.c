/* bpe.c - byte pair encoding (BPE): splits a text into pieces, stores the merges, and encodes.
 * bpe_learn.c learns the merges. */
#include "unit/bpe.h"

#include "base/text.h"

#include <string.h>

/* ---- Pieces --------------------------------------------------------------------------------- */

/* Returns the offset at which a run of characters of class `class` ends; the run begins at offset
 * `from`. A space before `from` belongs to the same piece, so it counts towards the maximum length
 * of a piece. */
static size_t run_of(const char *text, size_t length, size_t from, enum ken_text_class class)
{
    size_t at = from;
    while (at < length && ken_text_class(text + at, length - at) == class) {
        size_t step = ken_text_step(text + at, length - at);
        if (at + step > KEN_BPE_PIECE) break;
        at += step;
    }
    return at;
}

size_t ken_bpe_piece(const char *text, size_t length)
{
    enum ken_text_class class = ken_text_class(text, length), next;
    if (class != KEN_TEXT_SPACE) return run_of(text, length, 0, class);
    size_t end = run_of(text, length, 0, KEN_TEXT_SPACE);
    if (end == length || text[end - 1] != ' ') return end;
    next = ken_text_class(text + end, length - end);
    /* The run of white space was cut, because a piece has a maximum length. */
    if (next == KEN_TEXT_SPACE) return end;
    return end > 1 ? end - 1 : run_of(text, length, 1, next);
}

/* ---- Merges --------------------------------------------------------------------------------- */

size_t ken_bpe_count(const ken_bpe *bpe)
{
    return bpe->merges.size / sizeof(struct ken_merge);
}

const struct ken_merge *ken_bpe_merge(const ken_bpe *bpe, size_t rank)
{
    return (const struct ken_merge *)(const void *)bpe->merges.data + rank;
}

void ken_bpe_release(ken_bpe *bpe)
{
    ken_buffer_release(&bpe->merges);
    ken_vocabulary_release(&bpe->pairs);
}

ken_status ken_bpe_add(ken_bpe *bpe, ken_vocabulary *tokens, int32_t left, int32_t right)
{
    char name[KEN_BPE_PIECE];
    int32_t id;
    size_t rank = ken_bpe_count(bpe), left_size, right_size;
    const char *left_name = ken_vocabulary_name(tokens, left, &left_size);
    const char *right_name = ken_vocabulary_name(tokens, right, &right_size);
    if (left_size > sizeof name || right_size > sizeof name - left_size)
        return ken_fail(KEN_ERR_FORMAT, "merge %zu makes a subword of more than %d bytes", rank,
                        KEN_BPE_PIECE);
    memcpy(name, left_name, left_size);
    memcpy(name + left_size, right_name, right_size);
    KEN_TRY(ken_vocabulary_add(tokens, name, left_size + right_size, &id));
    if ((size_t)id != KEN_BPE_FIRST + rank)
        return ken_fail(KEN_ERR_FORMAT, "merge %zu makes a subword that exists already", rank);
    struct ken_merge merge = { left, right };
    KEN_TRY(ken_vocabulary_add(&bpe->pairs, (const char *)&merge, sizeof merge, NULL));
    ken_buffer_append(&bpe->merges, &merge, sizeof merge);
    return ken_buffer_status(&bpe->merges);
}

/* ---- Encoding ------------------------------------------------------------------------------- */

/* Returns the rank of the merge of two symbols, or KEN_NO_ID if they have no merge. Merges and
 * entries of bpe->pairs are added together, so the id of a pair in bpe->pairs is the rank of its
 * merge. */
static int32_t rank_of(const ken_bpe *bpe, const int32_t *pair)
{
    return ken_vocabulary_find(&bpe->pairs, (const char *)pair, 2 * sizeof *pair);
}

/* Appends the ids of one piece. Every merge looks at all pairs of the piece again; this is fast,
 * because a piece has at most KEN_BPE_PIECE bytes. */
void ken_bpe_encode(const ken_bpe *bpe, const char *piece, size_t length, ken_buffer *ids)
{
    /* ranks[i] is the rank of the merge of symbols[i] and symbols[i + 1]. */
    int32_t symbols[KEN_BPE_PIECE], ranks[KEN_BPE_PIECE];
    size_t count = length;
    for (size_t i = 0; i < count; i++) symbols[i] = KEN_BPE_BYTE + (unsigned char)piece[i];
    for (size_t i = 0; i + 1 < count; i++) ranks[i] = rank_of(bpe, symbols + i);
    while (count > 1) {
        size_t best = 0;
        /* Finds the pair with the lowest rank. The cast to unsigned makes KEN_NO_ID (no merge) the
         * largest value. */
        for (size_t i = 1; i + 1 < count; i++)
            if ((uint32_t)ranks[i] < (uint32_t)ranks[best]) best = i;
        if (ranks[best] == KEN_NO_ID) break;
        symbols[best] = KEN_BPE_FIRST + ranks[best];
        count--;
        memmove(symbols + best + 1, symbols + best + 2, (count - best - 1) * sizeof *symbols);
        memmove(ranks + best, ranks + best + 1, (count - best) * sizeof *ranks);
        if (best > 0) ranks[best - 1] = rank_of(bpe, symbols + best - 1);
        if (best + 1 < count) ranks[best] = rank_of(bpe, symbols + best);
    }
    ken_buffer_append(ids, symbols, count * sizeof *symbols);
}
