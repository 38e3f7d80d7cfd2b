/* fuzz_recipe.c - fuzzes recipes: a recipe that was read can be written and reads the same
 * again. */
#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "recipe/recipe.h"

#include <string.h>

static void again(ken_recipe *recipe)
{
    ken_recipe *copy;
    char *text = ken_memory_text(ken_recipe_text(recipe), strlen(ken_recipe_text(recipe)));
    FUZZ_CHECK(ken_recipe_parse(&copy, text, "again") == KEN_OK);
    FUZZ_CHECK(strcmp(ken_recipe_text(copy), text) == 0);
    ken_recipe_free(copy);
    ken_memory_free(text);
}

/* The first line is a change of a key; the other lines are the recipe. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_recipe *recipe;
    char *text = ken_memory_text((const char *)data, size);
    char *rest = text, *change = strsep(&rest, "\n");
    if (rest && !ken_recipe_parse(&recipe, rest, "recipe")) {
        again(recipe);
        if (!ken_recipe_set(recipe, change)) again(recipe);
        ken_recipe_free(recipe);
    }
    ken_memory_free(text);
    return 0;
}
