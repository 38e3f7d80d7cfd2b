/* bpe.h - byte pair encoding (BPE): learns merges from counted pieces of text, and applies them. A
 * symbol is a token id: byte b is symbol KEN_BPE_BYTE + b, and the merge of rank r makes symbol
 * KEN_BPE_FIRST + r, a subword. No two merges make the same subword, because the bytes of a string
 * alone decide how it is merged. Special ids, lower case and files are in tokeniser.h. */
#ifndef UNIT_BPE_H
#define UNIT_BPE_H

#include "unit/vocabulary.h"

enum {
    KEN_BPE_BYTE = 3,
    KEN_BPE_FIRST = KEN_BPE_BYTE + 256, /* first symbol that a merge makes                 */
    KEN_BPE_PIECE = 64                  /* maximum number of bytes in a piece or a subword */
};

struct ken_merge {
    int32_t left, right; /* the two symbols that the merge joins */
};

typedef struct ken_bpe {
    ken_buffer merges; /* array of struct ken_merge, in order of rank */
    /* The two symbols of each merge, as a string of 8 bytes; the id of the string is the rank. */
    ken_vocabulary pairs;
} ken_bpe;

/* Returns the number of bytes of the first piece of a text, 1 to KEN_BPE_PIECE; requires length >
 * 0. Merges never cross the ends of a piece. A piece is a run of letters, of digits or of other
 * characters, together with one space before the run; or a run of white space, without the space
 * that belongs to the next piece. A run that is too long is cut between two characters. */
size_t ken_bpe_piece(const char *text, size_t length);

/* Adds a merge, which gets the next rank, and adds its subword to `tokens`. Fails with
 * KEN_ERR_FORMAT if the subword exists already or is too long. */
ken_status ken_bpe_add(ken_bpe *bpe, ken_vocabulary *tokens, int32_t left, int32_t right);

/* Learns merges from pieces of text and their counts, until there are `most` tokens or no pair of
 * symbols occurs twice. The most frequent pair is merged first; among equally frequent pairs, the
 * pair with the lowest ids. */
ken_status ken_bpe_learn(ken_bpe *bpe, ken_vocabulary *tokens, const ken_vocabulary *pieces,
                         size_t most);

/* Appends the symbols (int32_t each) of one piece to `ids`. The possible merge with the lowest
 * rank is applied first, at its leftmost place in the piece. */
void ken_bpe_encode(const ken_bpe *bpe, const char *piece, size_t length, ken_buffer *ids);

size_t ken_bpe_count(const ken_bpe *bpe); /* returns the number of merges */
const struct ken_merge *ken_bpe_merge(const ken_bpe *bpe, size_t rank);
void ken_bpe_release(ken_bpe *bpe);

#endif
