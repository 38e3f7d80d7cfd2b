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
    const int32_t *ids;         /* (entries): row numbers of the table                    */
    const size_t *start;        /* (R + 1): entries of bag r are start[r] .. start[r+1]-1 */
    size_t R, V, D;             /* number of bags; rows and columns of the table          */
    struct ken_dropout dropout; /* cell e of the key decides whether entry e is dropped   */
};

/* Computes y (R, D), the mean of each bag, from table (V, D). */
void ken_bag_forward(float *y, const float *table, const struct ken_bag *bag);

/* Work space of backward: the entries that dropout kept, sorted by id. */
struct ken_bag_work {
    size_t *start; /* (V + 1): index of each id's first entry */
    uint32_t *row; /* (entries): bag of each sorted entry     */
    float *factor; /* (entries): factor c_e of each entry     */
};

/* Adds to dtable[id] the sum of c_e dy_r over the entries e of that id, in ascending order; r is
 * the bag that holds e, and c_e is defined at the top of the file. */
void ken_bag_backward(float *dtable, const float *dy, const struct ken_bag *bag,
                      const struct ken_bag_work *work);

/* The slow reference, which defines the results. */
void ken_bag_forward_ref(float *y, const float *table, const struct ken_bag *bag);
void ken_bag_backward_ref(float *dtable, const float *dy, const struct ken_bag *bag);

#endif
