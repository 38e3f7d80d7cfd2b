/* task.c - making, building and freeing a task. */
#include "task/task.h"

#include "base/memory.h"
#include "base/size.h"
#include "model/model.h"

#include <string.h>

/* Makes a task with a copy of the recipe. If a key is a choice between words, its words are in the
 * order of an enum (base/word.h), so the index of a word is the enum value. */
ken_status ken_task_new(ken_task **out, const ken_recipe *recipe)
{
    *out = NULL;
    KEN_TRY(ken_settings_check(recipe));
    ken_task *task = ken_memory_zeroed(1, sizeof *task);
    if (!task) return ken_fail(KEN_ERR_MEMORY, "no memory for a task");
    ken_status status = ken_recipe_copy(&task->recipe, recipe);
    if (status) {
        ken_task_free(task);
        return status;
    }
    task->output = ken_recipe_choice(recipe, KEN_KEY_OUTPUT_KIND);
    task->value = ken_recipe_choice(recipe, KEN_KEY_OUTPUT_VALUE);
    task->threshold = 0.5f;
    ken_input_open(&task->input, ken_settings_input(recipe), recipe);
    task->written.options = (struct ken_token_options){
        .unit = ken_recipe_choice(recipe, KEN_KEY_OUTPUT_UNIT),
        .most = ken_recipe_size(recipe, KEN_KEY_OUTPUT_SIZE),
        .least = ken_recipe_size(recipe, KEN_KEY_OUTPUT_LEAST),
        .lower = ken_recipe_yes(recipe, KEN_KEY_OUTPUT_LOWER),
    };
    *out = task;
    return KEN_OK;
}

void ken_task_free(ken_task *task)
{
    if (!task) return;
    ken_recipe_free(task->recipe);
    ken_input_release(&task->input);
    ken_tokeniser_release(&task->written);
    ken_vocabulary_release(&task->labels);
    ken_scaling_release(&task->numbers);
    ken_session_free(task->session);
    ken_model_free(task->model);
    ken_memory_free(task->metrics);
    ken_memory_free(task);
}

ken_model *ken_task_model(ken_task *task)
{
    return KEN_GIVEN(task) ? NULL : task->model;
}

bool ken_task_linked(const ken_task *task)
{
    return ken_settings_linked(task->recipe);
}

ken_tokeniser *ken_task_writer(ken_task *task)
{
    return ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED) ? &task->input.tokeniser
                                                               : &task->written;
}

ken_config ken_task_config(ken_task *task)
{
    size_t outputs = task->output == KEN_GENERATE      ? ken_tokeniser_size(ken_task_writer(task))
                     : task->value == KEN_VALUE_NUMBER ? 1
                                                       : ken_vocabulary_size(&task->labels);
    return ken_settings_config(task->recipe, &task->input, outputs);
}

/* Makes the model. If a setting is invalid, the message names the line of the recipe that it comes
 * from. */
ken_status ken_task_build(ken_task *task)
{
    ken_config config = ken_task_config(task);
    ken_status status = ken_model_new(&task->model, &config);
    if (status == KEN_ERR_ARGUMENT)
        return ken_fail_because(status, "%s: [model]", task->recipe->name);
    return status ? status : ken_session_new(&task->session, task->model, NULL);
}

const char *ken_task_get(const ken_task *task, const char *key)
{
    return KEN_GIVEN(task) ? NULL : ken_recipe_get(task->recipe, key);
}

/* Sets a key in a copy of a trained model's recipe; `assignment` is "key=value". */
static ken_status set_key(ken_recipe *recipe, const char *assignment)
{
    static const char *const open[] = { "generate.", "run.", "data.separator=", "data.decimal=" };
    size_t i = 0;
    while (i < KEN_COUNT(open) && strncmp(assignment, open[i], strlen(open[i])) != 0) i++;
    if (i == KEN_COUNT(open))
        return ken_fail(
            KEN_ERR_ARGUMENT,
            "%s: only keys of [generate] and [run], data.separator and data.decimal can be "
            "changed in a trained model",
            assignment);
    return ken_recipe_set(recipe, assignment);
}

ken_status ken_task_set(ken_task *task, const char *assignment)
{
    KEN_TRY(KEN_GIVEN(assignment));
    return ken_task_set_all(task, &assignment, 1);
}

ken_status ken_task_set_all(ken_task *task, const char *const *assignments, size_t count)
{
    KEN_TRY(KEN_GIVEN(task));
    if (count > 0) KEN_TRY(KEN_GIVEN(assignments));
    for (size_t i = 0; i < count; i++) KEN_TRY(KEN_GIVEN(assignments[i]));
    ken_recipe *changed; /* a copy, so that a refused value changes nothing */
    KEN_TRY(ken_recipe_copy(&changed, task->recipe));
    ken_status status = KEN_OK;
    for (size_t i = 0; i < count && !status; i++) status = set_key(changed, assignments[i]);
    if (!status) status = ken_settings_check(changed);
    ken_recipe *old = status ? changed : task->recipe;
    if (!status) task->recipe = changed;
    ken_recipe_free(old);
    return status;
}
