/* bag.h - bags of ids (an embedding bag): row r of the result is the mean of those rows of a table
 * that bag r lists, for example the words of a document or the features of a node.
 *   out_r = sum over entries e of bag r of c_e table[ids[e]],   c_e = kept_e / (n_r (1 - dropout))
 * where kept_e is 0 for a dropped entry, else 1, and n_r is the number of all entries of bag r,
 * dropped or not. An empty bag gives 0. */
#ifndef KERNEL_BAG_H
#define KERNEL_BAG_H

#include "kernel/dropout.h"

#include <stddef.h>
#include <stdint.h>

struct ken_bag {
    const int32_t *ids;         /* ids of all bags: row numbers of the table                      */
    const size_t *start;        /* bag r has ids[start[r]] .. ids[start[r + 1] - 1]               */
    size_t R, V, D;             /* number R of bags; rows V and columns D of the table            */
    struct ken_dropout dropout; /* random number e of `dropout` decides whether ids[e] is dropped */
};

/* Computes y (R, D), the mean of each of R bags, from a table of V rows of D numbers. */
void ken_bag_forward(float *y, const float *table, const struct ken_bag *bag);

/* Work space of backward: the entries that dropout kept, sorted by id. */
struct ken_bag_work {
    size_t *start; /* index of each id's first sorted entry; V + 1 entries */
    uint32_t *row; /* bag of each sorted entry                             */
    float *factor; /* factor of each sorted entry in the mean              */
};

/* For each entry of bag r that dropout kept, adds dy[r] times the entry's factor in the mean (c_e
 * at the top of this file) to the row of dtable that the entry's id names. The entries of an id are
 * added in ascending order. */
void ken_bag_backward(float *dtable, const float *dy, const struct ken_bag *bag,
                      const struct ken_bag_work *work);

/* Slow reference implementations, which define the correct results. */
void ken_bag_forward_ref(float *y, const float *table, const struct ken_bag *bag);
void ken_bag_backward_ref(float *dtable, const float *dy, const struct ken_bag *bag);

#endif
