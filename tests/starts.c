/* starts.c - see starts.h. */
#include "tests/starts.h"

#include "base/random.h"
#include "model/model.h"
#include "task/store.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static const char model[] = "\n[model]\nwidth = 8\nhidden = 8\nheads = 2\n"
                            "decoder_blocks = 1\n[train]\nfrom = ";

ken_status start_new(ken_task **task, const char *data, const char *keys, const char *from)
{
    char text[1200];
    ken_recipe *recipe;
    file_of(folder_path("data"), data, strlen(data));
    snprintf(text, sizeof text, "[data]\ntrain = %s\n%s%s%s\n", folder_path("data"), keys, model,
             from);
    *task = NULL;
    KEN_TRY(ken_recipe_parse(&recipe, text, "r"));
    ken_status status = ken_task_new(task, recipe);
    ken_recipe_free(recipe);
    return status;
}

ken_status start_set_up(ken_task *task, struct ken_taken *taken, const char *const *labels)
{
    ken_corpus corpus = { 0 };
    ken_task *old;
    KEN_TRY(ken_warm_open(&old, task, NULL));
    ken_status status = ken_part_read(&corpus, task->recipe, KEN_KEY_DATA_TRAIN, NULL, NULL);
    if (!status) status = ken_task_learn(task, &corpus, old);
    if (labels) ken_vocabulary_release(&task->labels);
    for (; labels && *labels && !status; labels++)
        status = ken_vocabulary_add(&task->labels, *labels, strlen(*labels), NULL);
    if (!status) status = ken_task_build(task);
    if (!status && old) status = ken_warm_take(taken, task, old);
    ken_corpus_release(&corpus);
    ken_task_free(old);
    return status;
}

ken_task *start_made(struct ken_taken *taken, const char *data, const char *keys, const char *from,
                     const char *const *labels)
{
    ken_task *task;
    ken_status status = start_new(&task, data, keys, from);
    if (!status) status = start_set_up(task, taken, labels);
    if (status) fail_msg("%s", ken_last_error());
    return task;
}

ken_task *start_old(const char *data, const char *keys, const char *name)
{
    ken_task *task = start_made(NULL, data, keys, "", NULL);
    const ken_parameters *all = &task->model->parameters;
    for (size_t i = 0; i < all->count; i++)
        for (size_t j = 0; j < ken_tensor_size(all->list[i].tensor); j++)
            all->list[i].tensor->data[j] = ken_random_normal(i + 100, j);
    task->threshold = 0.25f;
    assert_int_equal(ken_task_save(task, folder_path(name)), KEN_OK);
    return task;
}

const ken_tensor *start_tensor(const ken_task *task, const char *name)
{
    const ken_parameters *all = &task->model->parameters;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->list[i].name, name) == 0) return all->list[i].tensor;
    fail_msg("no tensor %s", name);
    return NULL;
}

void start_check_row(const ken_task *a, const ken_task *b, const char *name, size_t i, size_t j)
{
    const ken_tensor *x = start_tensor(a, name), *y = start_tensor(b, name);
    assert_int_equal(x->cols, y->cols);
    assert_memory_equal(x->data + i * x->cols, y->data + j * y->cols, x->cols * sizeof(float));
}
