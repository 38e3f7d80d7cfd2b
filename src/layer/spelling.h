/* spelling.h - computes a word's vector y from its letters (a character CNN): filters of 2 to 5
 * letters slide over the word, and each filter gives its largest result anywhere in the word.
 *   y = b + sum over filter widths k of W_k max over places of GELU(conv_k(letters))
 * This equals one linear layer over the results of the four filter widths side by side. */
#ifndef LAYER_SPELLING_H
#define LAYER_SPELLING_H

#include "layer/visitor.h"
#include "tensor/tape.h"

enum { KEN_SPELLING_SHORTEST = 2, KEN_SPELLING_KINDS = 4 }; /* filters of 2, 3, 4 and 5 letters */

struct ken_spelling {
    size_t letters; /* number of different letters                                          */
    size_t inside;  /* width C of a letter's vector, and number of filters per filter width */
    size_t width;   /* width D of the result                                                */
    float dropout;
    ken_tensor table; /* (letters, C): embeddings of letters */
    struct ken_filters {
        ken_tensor weight; /* (C, taps * C): filters of one width     */
        ken_tensor bias;   /* (1, C): biases of the filters           */
        ken_tensor join;   /* (D, C): matrix W_k of this filter width */
    } kinds[KEN_SPELLING_KINDS];
    ken_tensor bias; /* (1, D): bias of the result */
};

void ken_spelling_visit(struct ken_spelling *spelling, ken_visitor *visitor, const char *name);

/* Computes one row of width D for each word; words.start says where the letters of each word begin
 * in `ids`. */
ken_tensor *ken_spelling_apply(ken_tape *tape, const struct ken_spelling *spelling,
                               const int32_t *ids, ken_ragged words);

#endif
