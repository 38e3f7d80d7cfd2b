/* bpe.h - byte pair encoding (BPE): learns merges from counted pieces of text, and applies them.
 * Symbols are ids of the tokeniser: byte b is KEN_BPE_BYTE + b, and the subword that the merge of
 * rank r makes is KEN_BPE_FIRST + r. No two merges make the same subword: how a string is merged
 * depends only on its own bytes, as long as no merge crosses the ends of the string. Special ids,
 * lower case and files are in tokeniser.h. */
#ifndef UNIT_BPE_H
#define UNIT_BPE_H

#include "unit/vocabulary.h"

enum {
    KEN_BPE_BYTE = 3,
    KEN_BPE_FIRST = KEN_BPE_BYTE + 256, /* number of symbols before the first merge */
    KEN_BPE_PIECE = 64                  /* maximum bytes of a piece, and so of a subword */
};

struct ken_merge {
    int32_t left, right; /* two symbols that become one symbol */
};

typedef struct ken_bpe {
    ken_buffer merges;    /* struct ken_merge each, in order of rank */
    ken_vocabulary pairs; /* the pair of each merge as a string of 8 bytes; its id is the rank */
} ken_bpe;

/* Returns the number of bytes of the first piece of a text, 1 to KEN_BPE_PIECE. Merges never cross
 * the ends of a piece. A piece is
 *   a run of letters, of digits or of other characters, with the space before it if there is one;
 *   or a run of white space, without a last space that belongs to the following piece.
 * A longer run is cut between two characters. Requires length > 0. */
size_t ken_bpe_piece(const char *text, size_t length);

/* Adds a merge, which gets the next rank, and adds its subword to `tokens`. Fails with
 * KEN_ERR_FORMAT if the subword exists already or is too long. */
ken_status ken_bpe_add(ken_bpe *bpe, ken_vocabulary *tokens, int32_t left, int32_t right);

/* Learns merges from pieces and their counts, until there are `most` tokens or no pair occurs
 * twice. The most frequent pair is merged first; among equally frequent pairs, the one with the
 * lowest ids. */
ken_status ken_bpe_learn(ken_bpe *bpe, ken_vocabulary *tokens, const ken_vocabulary *pieces,
                         size_t most);

/* Appends the symbols (int32_t each) of one piece to `ids`. Each step applies the possible merge of
 * the lowest rank; if it is possible in several places, the leftmost is merged. */
void ken_bpe_encode(const ken_bpe *bpe, const char *piece, size_t length, ken_buffer *ids);

size_t ken_bpe_count(const ken_bpe *bpe); /* number of merges */
const struct ken_merge *ken_bpe_merge(const ken_bpe *bpe, size_t rank);
void ken_bpe_release(ken_bpe *bpe);

#endif
