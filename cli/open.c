/* open.c - opens the model or the recipe of a command, and sets the keys that the command line
 * gives. */
#include "cli/command.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>

/* Writes the value of --seed to `room` as an assignment "key=value". */
static const char *seed_of(char room[64], const char *key)
{
    snprintf(room, 64, "%s=%" PRIu64, key, cli_flags.seed);
    return room;
}

ken_status cli_open_task(ken_task **task, const char *path, const struct cli_keys *keys)
{
    char seed[64];
    const char *list[CLI_KEYS_MOST + 1];
    size_t count = 0;
    if (cli_flags.seeded) list[count++] = seed_of(seed, "generate.seed");
    for (size_t i = 0; i < keys->count; i++) list[count++] = keys->list[i];
    KEN_TRY(ken_task_load(task, path));
    return ken_task_set_all(*task, list, count);
}

ken_status cli_open_recipe(ken_recipe **recipe, const char *path, const struct cli_keys *keys)
{
    char seed[64];
    ken_status status = ken_recipe_read(recipe, path);
    if (!status && cli_flags.seeded) status = ken_recipe_set(*recipe, seed_of(seed, "train.seed"));
    for (size_t i = 0; i < keys->count && !status; i++)
        status = ken_recipe_set(*recipe, keys->list[i]);
    return status;
}
