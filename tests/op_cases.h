/* op_cases.h - the cases of the gradient check: at least one per operation. */
#ifndef TESTS_OP_CASES_H
#define TESTS_OP_CASES_H

#include "tensor/tape.h"

struct op_case {
    const char *name;
    enum ken_op op;
    size_t shapes[6][2]; /* of the parameters, up to the first 0 x 0                  */
    /* The network under test; the sum of its results times random numbers is the loss. */
    ken_tensor *(*build)(ken_tape *tape, ken_tensor *const *p, const struct op_case *test);
    int variant;      /* for build(): which option                                     */
    double tolerance; /* relative; default 0 = 1e-3                                     */
    float spread;     /* deviation of the random parameters; default 0 = 1              */
    float step;       /* of the differences; default 0 = 1/32                           */
};

struct op_case_list {
    const struct op_case *cases;
    size_t count;
};

/* One list per file tests/cases_*.c. */
extern const struct op_case_list cases_basic;
extern const struct op_case_list cases_seq;
extern const struct op_case_list cases_dense;
extern const struct op_case_list cases_linear;
extern const struct op_case_list cases_places;
extern struct op_case_list cases_attend; /* empty until filled */
void cases_attend_fill(void);

/* Three sequences, one of them empty: rows 0-3, none, 4-8. */
extern const ken_ragged ragged_9;

#endif
