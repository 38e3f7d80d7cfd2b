/* words.h - the one list of words for each choice of ken.h. Recipes, model files, messages, help,
 * benchmarks and tests all read it; ken_word() makes it public. */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "base/word.h"
#include "ken.h"

extern const struct ken_words ken_choice_words[KEN_CHOICE_COUNT];

#endif
