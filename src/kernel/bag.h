/* bag.h - bags of ids (an embedding bag): row r of the result is the mean of those rows of a table
 * that bag r lists, for example the words of a document or the features of a node.
 *   out_r = sum over entries e of bag r of c_e table[ids[e]],   c_e = kept_e / (n_r (1 - dropout))
 * where n_r counts all entries, dropped or not. An empty bag gives 0. */
#ifndef KERNEL_BAG_H
#define KERNEL_BAG_H

#include "kernel/dropout.h"

#include <stddef.h>
#include <stdint.h>

struct ken_bag {
    const int32_t *ids;         /* (entries), rows of the table                           */
    const size_t *start;        /* (R + 1): entries of bag r are start[r] .. start[r+1]-1 */
    size_t R, V, D;             /* bags, rows of the table, columns                       */
    struct ken_dropout dropout; /* entry e is dropped by cell e of the key                */
};

/* y (R, D), table (V, D) */
void ken_bag_forward(float *y, const float *table, const struct ken_bag *bag);

/* Work space of backward: the entries that dropout kept, sorted by id. */
struct ken_bag_work {
    size_t *start; /* (V + 1)                             */
    uint32_t *row; /* (entries): the bag of each          */
    float *factor; /* (entries): c                        */
};

/* dtable[id] += sum over its entries, in ascending order, of c_e dy_r */
void ken_bag_backward(float *dtable, const float *dy, const struct ken_bag *bag,
                      const struct ken_bag_work *work);

/* The definitions. */
void ken_bag_forward_ref(float *y, const float *table, const struct ken_bag *bag);
void ken_bag_backward_ref(float *dtable, const float *dy, const struct ken_bag *bag);

#endif
