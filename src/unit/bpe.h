/* bpe.h - byte pair encoding: learning merges from counted pieces of text, and applying them.
 * Symbols are ids of the tokeniser: byte b is KEN_BPE_BYTE + b, the subword that the merge of rank
 * r makes is KEN_BPE_FIRST + r. No two merges make the same one: how a string comes together
 * depends on nothing outside it, as long as no merge crosses its ends.
 * Not here: special ids, lower case, files (tokeniser.h). */
#ifndef UNIT_BPE_H
#define UNIT_BPE_H

#include "unit/vocabulary.h"

enum {
    KEN_BPE_BYTE = 3,
    KEN_BPE_FIRST = KEN_BPE_BYTE + 256, /* symbols that are always there             */
    KEN_BPE_PIECE = 64                  /* bytes of a piece, so of a subword, at most */
};

struct ken_merge {
    int32_t left, right; /* symbols that become one */
};

typedef struct ken_bpe {
    ken_buffer merges;    /* struct ken_merge each, in order of rank                     */
    ken_vocabulary pairs; /* the same as strings of 8 bytes, to find their ranks         */
} ken_bpe;

/* Bytes of the first piece of a text, 1 to KEN_BPE_PIECE. Merges never cross pieces. A piece is
 *   a run of letters, of digits or of other characters, with one blank before it if there is one;
 *   or a run of white space, less the blank that belongs to what follows;
 * and a longer run is cut, between characters. length > 0. */
size_t ken_bpe_piece(const char *text, size_t length);

/* Adds a merge of the next rank, and its subword to the tokens. One whose subword is there already,
 * or too long, is KEN_ERR_FORMAT. */
ken_status ken_bpe_add(ken_bpe *bpe, ken_vocabulary *tokens, int32_t left, int32_t right);

/* Learns merges from pieces and their counts until there are `most` tokens or no pair occurs twice.
 * The most frequent pair goes first, of equals the one with the lower ids. */
ken_status ken_bpe_learn(ken_bpe *bpe, ken_vocabulary *tokens, const ken_vocabulary *pieces,
                         size_t most);

/* Appends the symbols (int32_t each) of one piece: always the merge of least rank that applies is
 * made, of equals the leftmost. */
void ken_bpe_encode(const ken_bpe *bpe, const char *piece, size_t length, ken_buffer *ids);

size_t ken_bpe_count(const ken_bpe *bpe); /* merges */
const struct ken_merge *ken_bpe_merge(const ken_bpe *bpe, size_t rank);
void ken_bpe_release(ken_bpe *bpe);

#endif
