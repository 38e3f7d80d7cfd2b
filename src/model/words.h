/* words.h - for each choice (enum) of ken.h, the one list of its words. Recipes, model files,
 * messages, help, benchmarks and tests all read this list; ken_word() makes it public. */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "base/word.h"
#include "ken.h"

extern const struct ken_words ken_choice_words[KEN_CHOICE_COUNT];

#endif
