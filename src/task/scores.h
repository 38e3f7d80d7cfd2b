/* scores.h - what was measured, by name (evaluate.c). */
#ifndef TASK_SCORES_H
#define TASK_SCORES_H

#include "base/buffer.h"

enum { KEN_SCORES_MOST = 16 };
struct ken_scores {
    struct ken_score_entry {
        const char *name; /* static */
        double value;
    } list[KEN_SCORES_MOST];
    size_t count;
};

void ken_scores_add(struct ken_scores *scores, const char *name, double value);
double ken_scores_find(const struct ken_scores *scores, const char *name); /* NaN: not there */
void ken_scores_json(const struct ken_scores *scores, ken_buffer *json);   /* one object     */

#endif
