/* spelling.h - a word's vector from its letters (a character CNN): filters of 2 to 5 letters slide
 * over the word, and each filter gives its largest answer anywhere in the word.
 *   y = b + sum over taps k of  W_k max over places of GELU(conv_k(letters))
 * This is one linear layer over the four results side by side. */
#ifndef LAYER_SPELLING_H
#define LAYER_SPELLING_H

#include "layer/visitor.h"
#include "tensor/tape.h"

enum { KEN_SPELLING_SHORTEST = 2, KEN_SPELLING_KINDS = 4 }; /* filters of 2, 3, 4 and 5 letters */

struct ken_spelling {
    size_t letters; /* number of different letters                          */
    size_t inside;  /* C: width of a letter, and number of filters per kind */
    size_t width;   /* D: width of the result                               */
    float dropout;
    ken_tensor table; /* (letters, C)                                         */
    struct ken_filters {
        ken_tensor weight; /* (C, taps * C)                                 */
        ken_tensor bias;   /* (1, C)                                        */
        ken_tensor join;   /* (D, C)                                        */
    } kinds[KEN_SPELLING_KINDS];
    ken_tensor bias; /* (1, D)                                                */
};

void ken_spelling_visit(struct ken_spelling *spelling, ken_visitor *visitor, const char *name);

/* One row (words, D) for each word; `words` says where the letters of each begin in `ids`. */
ken_tensor *ken_spelling_apply(ken_tape *tape, const struct ken_spelling *spelling,
                               const int32_t *ids, ken_ragged words);

#endif
