/* views.c - see views.h. */
#include "tests/views.h"

#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_names[] = { "tags", "moods", "turned", "story", "known" };
ken_task *tasks[KINDS];

void collect(void *user, const char *text, size_t length)
{
    ken_buffer_append(user, text, length);
}

void must(ken_status status)
{
    if (status) fail_msg("%s", ken_last_error());
}

ken_task *task_of(const char *name, const char *data, const char *keys)
{
    char text[1000], path[200], folder[240];
    ken_task *task;
    snprintf(path, sizeof path, "%s", folder_path(name));
    snprintf(folder, sizeof folder, "%s.run", path);
    file_of(path, data, strlen(data));
    snprintf(text, sizeof text,
             "[data]\ntrain = %s\n%s\nwidth = 12\nhidden = 20\nheads = 3\n"
             "[train]\nsteps = 12\nwarm_up = 1\nrate = 0.02\n[generate]\nlongest = 6\n",
             path, keys);
    ken_recipe *recipe;
    must(ken_recipe_parse(&recipe, text, "recipe"));
    must(ken_train(recipe, folder, NULL, NULL));
    ken_recipe_free(recipe);
    strcat(folder, "/model.ken");
    must(ken_task_load(&task, folder));
    return task;
}

static void train_one(enum kind kind, const char *data, const char *keys)
{
    tasks[kind] = task_of(kind_names[kind], data, keys);
}

int views_make(void **state)
{
    if (folder_make_fast(state)) return -1;
    train_one(TAGS, "the cat sat\tD N V\na dog ran\tD N V\nthe dog sat\tD N V\n",
              "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n[model]");
    train_one(
        MOODS, "good film\tpos\nbad film\tneg\ngood good\tpos\nbad bad\tneg\n",
        "format = tsv\n[input]\nleast = 1\n[output]\nkind = whole\n[model]\nposition = learned\n"
        "longest = 9");
    train_one(TURNED, "abc\tcba\nbca\tacb\ncab\tbac\n",
              "format = tsv\n[input]\nunit = characters\nleast = 1\n[output]\nkind = generate\n"
              "unit = characters\nleast = 1\n[model]");
    train_one(STORY, "a b c\nb c a\n",
              "format = plain\n[output]\nkind = generate\nunit = bytes\n"
              "[model]\nencoder_blocks = 0\nposition = rotary");
    train_one(KNOWN, "the cat sat\tD N V\n",
              "format = tsv\n[input]\nleast = 1\n[output]\nkind = each\n[model]\n"
              "position = relative\nlongest = 2\nencoder_blocks = 1");
    return 0;
}

int views_remove(void **state)
{
    for (size_t i = 0; i < KINDS; i++) ken_task_free(tasks[i]);
    return folder_remove(state);
}

ken_view *view_by(ken_task *task, const char *text, const char *target)
{
    ken_view *view;
    ken_request request = { .text = text, .size = strlen(text), .name = "text" };
    must(ken_view_new(&view, task, &request, 0, target));
    return view;
}

ken_view *view_of(enum kind kind, const char *text, const char *target)
{
    return view_by(tasks[kind], text, target);
}
