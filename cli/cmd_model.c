/* cmd_model.c - ken eval, info and check: what is said about a model, a file, a recipe's data. */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

static void print(void *user, const char *text, size_t length)
{
    (void)user;
    fwrite(text, 1, length, stdout);
}

/* A part of data is said behind its last file, as in a recipe: "FILE @PART". */
static bool join_part(char *room, size_t size, const char **last, const char *part)
{
    int length = snprintf(room, size, "%s %s", *last, part);
    *last = room;
    return length > 0 && (size_t)length < size;
}

int ken_cli_eval(int argc, char **argv)
{
    char joined[4096];
    const char *words[3] = { NULL };
    ken_task *task;
    char *keys[16];
    size_t count = 0, key_count = 0;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1])
            return cli_unknown("flag", argv[i], (const char *[]){ "--json", "--threads" }, 2);
        if (strncmp(argv[i], "generate.", 9) == 0 && key_count < 16) keys[key_count++] = argv[i];
        else if (argv[i][0] == '@' && count > 1) {
            if (!join_part(joined, sizeof joined, &words[count - 1], argv[i]))
                return cli_usage("\"%s\": a path this long", argv[i]);
        } else if (count < 3) words[count++] = argv[i];
        else
            return cli_usage("eval takes a model and at most two files; \"%s\" is one more",
                             argv[i]);
    }
    if (count < 2) return cli_usage("eval wants a model and data; see ken help eval");
    ken_status status = ken_task_load(&task, words[0]);
    for (size_t i = 0; i < key_count && !status; i++) status = ken_task_set(task, keys[i]);
    if (!status) status = ken_task_evaluate(task, words[1], words[2], cli_flags.json, print, NULL);
    int code = status ? cli_fail(status) : CLI_OK;
    ken_task_free(task);
    return code;
}

int ken_cli_info(int argc, char **argv)
{
    if (argc != 2) return cli_usage("info wants one file");
    if (argv[1][0] == '-') return cli_unknown("flag", argv[1], (const char *[]){ "--json" }, 1);
    ken_status status = ken_info(argv[1], cli_flags.json, print, NULL);
    return status ? cli_fail(status) : CLI_OK;
}

int ken_cli_check(int argc, char **argv)
{
    ken_recipe *recipe;
    if (argc < 2) return cli_usage("check wants a recipe; see ken help check");
    if (argv[1][0] == '-') return cli_unknown("flag", argv[1], (const char *[]){ "--json" }, 1);
    ken_status status = ken_recipe_read(&recipe, argv[1]);
    for (int i = 2; i < argc && !status; i++) status = ken_recipe_set(recipe, argv[i]);
    if (!status) status = ken_check(recipe, cli_flags.json, print, NULL);
    int code = status ? cli_fail(status) : CLI_OK;
    ken_recipe_free(recipe);
    return code;
}
