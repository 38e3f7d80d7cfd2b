/* 01_attention.c - attention by hand, over the three words "the cat sat".
 *
 *   Attention(Q, K, V) = softmax(Q K^T / sqrt(E)) V        Q, K, V: one row of E numbers per word
 *
 * Each word asks a question (its row of Q, the query), each word offers an answer (its row of K,
 * the key), and each word has something to say (its row of V, the value). If question and offer
 * fit, their product is large; softmax turns the products into shares that add up to 1; the result
 * is the mean of the values, weighted by these shares. The numbers are small enough to check on
 * paper: with E = 4 the root is 2.
 *
 * Expect "sat" to look at "cat" with 96 %, so that its result is nearly the value of "cat". In the
 * second table no word looks ahead (causal mask): "the" sees only itself. Next: 02_tagger.c */
#include "ken.h"

#include <stdio.h>

enum { WORDS = 3, E = 4 };

static const char *const words[WORDS] = { "the", "cat", "sat" };

static const float k[WORDS * E] = { 4, 0, 0, 0,   /* "the": I am an article */
                                    0, 4, 0, 0,   /* "cat": I am a thing    */
                                    0, 0, 4, 0 }; /* "sat": I am an action  */

static const float q[WORDS * E] = { 0, 1, 0, 0,   /* "the": which thing follows me?      */
                                    1, 0, 1, 0,   /* "cat": which one, and what does it? */
                                    0, 2, 0, 0 }; /* "sat": who, who sat?                */

static const float v[WORDS * E] = { 0.1f, 0.0f, 0.0f, 0.0f,   /* "the" has little to say    */
                                    0.0f, 0.9f, 0.3f, 0.0f,   /* "cat" has something to say */
                                    0.0f, 0.2f, 0.8f, 0.5f }; /* "sat" something else       */

static void print_rows(const char *title, const float *rows, size_t columns)
{
    printf("\n%s\n", title);
    for (size_t i = 0; i < WORDS; i++) {
        printf("  %s", words[i]);
        for (size_t j = 0; j < columns; j++) printf("  %.2f", rows[i * E + j]);
        printf("\n");
    }
}

int main(void)
{
    /* With these values the result is the shares themselves: word j has a 1 in column j. */
    static const float unit[WORDS * E] = { 1, 0, 0, 0,   /* the */
                                           0, 1, 0, 0,   /* cat */
                                           0, 0, 1, 0 }; /* sat */
    float weights[WORDS * E], causal[WORDS * E], result[WORDS * E];
    if (ken_attention(weights, q, k, unit, WORDS, WORDS, 1, E, 0) ||
        ken_attention(causal, q, k, unit, WORDS, WORDS, 1, E, 1) ||
        ken_attention(result, q, k, v, WORDS, WORDS, 1, E, 0)) {
        fprintf(stderr, "%s\n", ken_last_error());
        return 1;
    }
    print_rows("who looks at whom:\n        the   cat   sat", weights, WORDS);
    print_rows("without looking ahead:\n        the   cat   sat", causal, WORDS);
    print_rows("what comes out:", result, E);
    return 0;
}
