/* 08_recipe.c FOLDER - from a recipe to answers, all within a program.
 *
 * The recipe is a text: here it asks for a model that turns dates as people write them into ISO
 * form, from examples that ken makes itself. ken_train() reports to a function of ours and leaves
 * its files in FOLDER; ken_task_load() opens the model in it, and ken_task_run() answers three
 * lines. Expect a report for each tenth of the run, and then three dates, all of them right. The
 * command `ken train` does the same, see cli/cmd_train.c. Next: 09_threads.c */
#include "ken.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char recipe_text[] = "[data]\n"
                                  "format = dates\n"
                                  "train = 16000\n"
                                  "dev = 100\n"
                                  "[input]\n"
                                  "unit = characters\n"
                                  "[output]\n"
                                  "kind = generate\n"
                                  "unit = characters\n"
                                  "[model]\n"
                                  "width = 64\n"
                                  "hidden = 128\n"
                                  "decoder_blocks = 1\n"
                                  "dropout = 0\n"
                                  "attention_dropout = 0\n"
                                  "[train]\n"
                                  "epochs = 4\n"
                                  "rate = 0.004\n"
                                  "[generate]\n"
                                  "longest = 12\n";

static void must(ken_status status)
{
    if (!status) return;
    fprintf(stderr, "%s\n", ken_last_error());
    exit(1);
}

/* Called after every step; return non-zero to stop the run with its state saved. */
static int report(void *user, const ken_progress *progress)
{
    (void)user;
    if (progress->moment == KEN_AT_STEP && progress->step % (progress->steps / 10) == 0)
        printf("step %llu of %llu: loss %.2f\n", (unsigned long long)progress->step,
               (unsigned long long)progress->steps, progress->loss);
    return 0;
}

/* Called with every answer; return non-zero to stop. */
static int print_answer(void *user, const ken_answer *answer)
{
    const char *const *lines = user;
    printf("%-20s -> %s\n", lines[answer->index], answer->labels[0]);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: 08_recipe FOLDER\n");
        return 2;
    }
    ken_recipe *recipe;
    must(ken_recipe_parse(&recipe, recipe_text, "08_recipe"));
    must(ken_train(recipe, argv[1], report, NULL));
    ken_recipe_free(recipe);

    char path[1024];
    ken_task *task;
    snprintf(path, sizeof path, "%s/model.ken", argv[1]);
    must(ken_task_load(&task, path));
    static const char text[] = "3 March 2021\nMay 14, 1999\nSat 4/5/2003\n";
    const char *lines[] = { "3 March 2021", "May 14, 1999", "Sat 4/5/2003" };
    ken_request request = { .text = text, .size = strlen(text), .name = "three dates" };
    must(ken_task_run(task, &request, print_answer, lines));
    ken_task_free(task);
    return 0;
}
