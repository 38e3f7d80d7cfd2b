/* recall.c - two tasks in which no word gives its own answer away, so all depends on which other
 * words a model can see: recall at a distance (ken_recall_draft) and the future
 * (ken_future_draft). */
#include "made/made.h"

enum { KEYS = 16, VALUES = 16, LEAD = 15, LETTERS = 8, SHORTEST = 12, LONGEST = 28 };

#define SET(key)                                                                                   \
    {                                                                                              \
        key "=0", key "=1", key "=2", key "=3", key "=4", key "=5", key "=6", key "=7", key "=8",  \
            key "=9", key "=10", key "=11", key "=12", key "=13", key "=14", key "=15"             \
    }

static const char *const settings[KEYS][VALUES] = {
    SET("a"), SET("b"), SET("c"), SET("d"), SET("e"), SET("f"), SET("g"), SET("h"),
    SET("i"), SET("j"), SET("k"), SET("l"), SET("m"), SET("n"), SET("o"), SET("p"),
};
static const char *const questions[KEYS] = { "a?", "b?", "c?", "d?", "e?", "f?", "g?", "h?",
                                             "i?", "j?", "k?", "l?", "m?", "n?", "o?", "p?" };
static const char *const answers[VALUES] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                             "8", "9", "10", "11", "12", "13", "14", "15" };
static const char *const letters[LETTERS] = { "a", "b", "c", "d", "e", "f", "g", "h" };

/* Makes one text of the recall task. Other keys are set after the key that is asked for, and also
 * before it, so that the answer has no fixed place in the text. */
void ken_recall_draft(struct ken_draft *draft, size_t distance, bool exact)
{
    size_t far = exact ? distance : ken_draft_distance(draft, distance);
    size_t key = ken_draft_below(draft, KEYS), value = ken_draft_below(draft, VALUES);
    size_t lead = ken_draft_below(draft, LEAD + 1);
    const char *label = answers[value];
    for (size_t i = 0; i < lead + far; i++) {
        size_t other = ken_draft_below(draft, KEYS - 1);
        if (other >= key) other++;
        const char *word = settings[other][ken_draft_below(draft, VALUES)];
        ken_draft_add(draft, i == lead ? settings[key][value] : word, label);
    }
    ken_draft_add(draft, questions[key], label);
}

void ken_future_draft(struct ken_draft *draft, size_t distance, bool exact)
{
    (void)exact; /* unused: the distance is always exact in this task */
    size_t rows = SHORTEST + ken_draft_below(draft, LONGEST - SHORTEST + 1) + distance;
    for (size_t t = 0; t < rows; t++)
        ken_draft_add(draft, letters[ken_draft_below(draft, LETTERS)], "none");
    for (size_t t = 0; t + distance < rows; t++) draft->labels[t] = draft->words[t + distance];
}
