/* recall.c - two tasks of context alone: recall at a distance, and the future. What a word is about
 * cannot be told from the word: all that counts is who can see whom. */
#include "data/made.h"

enum { NUMBERS = 16, NOISES = 16, LEAD = 3, LETTERS = 8, SHORTEST = 12, LONGEST = 28 };

static const char *const numbers[NUMBERS] = {
    "n0", "n1", "n2",  "n3",  "n4",  "n5",  "n6",  "n7",
    "n8", "n9", "n10", "n11", "n12", "n13", "n14", "n15"
};
static const char *const questions[NUMBERS] = {
    "+0", "+1", "+2",  "+3",  "+4",  "+5",  "+6",  "+7",
    "+8", "+9", "+10", "+11", "+12", "+13", "+14", "+15"
};
static const char *const answers[NUMBERS] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                              "8", "9", "10", "11", "12", "13", "14", "15" };
static const char *const letters[NOISES] = { "a", "b", "c", "d", "e", "f", "g", "h",
                                             "i", "j", "k", "l", "m", "n", "o", "p" };

static void add_noise(struct ken_draft *draft, size_t count, const char *label)
{
    for (size_t i = 0; i < count; i++)
        ken_draft_add(draft, letters[ken_draft_below(draft, NOISES)], label);
}

/* A little noise first, so that the number has no place of its own. */
void ken_recall_draft(struct ken_draft *draft, size_t distance, bool exact)
{
    size_t far = exact ? distance : ken_draft_distance(draft, distance);
    size_t number = ken_draft_below(draft, NUMBERS), more = ken_draft_below(draft, NUMBERS);
    const char *label = answers[(number + more) % NUMBERS];
    add_noise(draft, ken_draft_below(draft, LEAD + 1), label);
    ken_draft_add(draft, numbers[number], label);
    add_noise(draft, far - 1, label);
    ken_draft_add(draft, questions[more], label);
}

void ken_future_draft(struct ken_draft *draft, size_t distance, bool exact)
{
    (void)exact; /* the distance is the same for all */
    size_t rows = SHORTEST + ken_draft_below(draft, LONGEST - SHORTEST + 1) + distance;
    for (size_t t = 0; t < rows; t++)
        ken_draft_add(draft, letters[ken_draft_below(draft, LETTERS)], "none");
    for (size_t t = 0; t + distance < rows; t++) draft->labels[t] = draft->words[t + distance];
}
