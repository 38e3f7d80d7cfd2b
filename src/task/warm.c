/* warm.c - lets a task continue from another one (warm start): checks whether this is possible, and
 * copies weights. Invariant: a number is copied only to a place where it has the same meaning. Ids
 * of the old vocabularies are the first ids of the new ones (learn.c ensures this); labels may be
 * in any order and are found by name. */
#include "task/warm.h"

#include "base/size.h"
#include "model/model.h"
#include "task/store.h"
#include "train/loop.h"

#include <stdio.h>
#include <string.h>

/* ---- which tasks can follow each other ------------------------------------------------------- */

static const char *from(const ken_task *task)
{
    return ken_recipe_value(task->recipe, KEN_KEY_TRAIN_FROM);
}

static ken_status check_key(const ken_task *task, const ken_task *old, enum ken_key key)
{
    const char *here = ken_recipe_value(task->recipe, key);
    const char *there = ken_recipe_value(old->recipe, key);
    if (strcmp(here, there) == 0) return KEN_OK;
    return ken_recipe_fail(task->recipe, key, "%s was trained with %s and cannot continue with %s",
                           from(task), there, here);
}

/* Checks that both tasks have the same kind of input. Kinds with the same vocabulary count as the
 * same, for example words of a file and words of a text. */
static ken_status check_input(const ken_task *task, const ken_task *old)
{
    const struct ken_input_kind *kind = task->input.kind;
    if (strcmp(kind->reads, old->input.kind->reads) != 0)
        return ken_recipe_fail(task->recipe, KEN_KEY_DATA_FORMAT,
                               "%s gives %s, but %s was trained on %s, with %s",
                               ken_recipe_value(task->recipe, KEN_KEY_DATA_FORMAT), kind->reads,
                               from(task), old->input.kind->reads,
                               ken_recipe_value(old->recipe, KEN_KEY_DATA_FORMAT));
    for (const enum ken_key *key = kind->same; *key != KEN_KEY_COUNT; key++)
        KEN_TRY(check_key(task, old, *key));
    return KEN_OK;
}

/* Checks that the options of both tasks give ids the same meaning. The options of the input are
 * compared only if both tasks have an input (a language model has none), and those of the output
 * only if both generate text. */
static ken_status check_options(const ken_task *task, const ken_task *old)
{
    if (ken_task_reads(task) && ken_task_reads(old)) KEN_TRY(check_input(task, old));
    if (task->output != KEN_GENERATE || old->output != KEN_GENERATE) return KEN_OK;
    KEN_TRY(check_key(task, old, KEN_KEY_OUTPUT_SHARED));
    if (ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED)) return KEN_OK;
    KEN_TRY(check_key(task, old, KEN_KEY_OUTPUT_UNIT));
    return check_key(task, old, KEN_KEY_OUTPUT_LOWER);
}

ken_status ken_warm_load(ken_task **old, const ken_task *task)
{
    *old = NULL;
    if (from(task)[0] == '\0') return KEN_OK;
    ken_status status = ken_task_load(old, from(task));
    if (status) return ken_fail_because(status, "%s: train.from", task->recipe->name);
    status = check_options(task, *old);
    if (!status) return KEN_OK;
    ken_task_free(*old);
    *old = NULL;
    return status;
}

/* Reads the notes (metadata) of the checkpoint into a new task, from which ken_task_learn()
 * continues. */
static ken_status restore(ken_task **old, const ken_task *task, const ken_safetensors *file,
                          const char *path)
{
    KEN_TRY(ken_task_new(old, task->recipe));
    ken_status status = ken_learned_read(*old, file, path);
    if (!status) return KEN_OK;
    ken_task_free(*old);
    *old = NULL;
    return status;
}

/* Loads the task to continue from. If a resumed run has no checkpoint yet, it is treated like a new
 * run. */
ken_status ken_warm_open(ken_task **old, const ken_task *task, const char *folder)
{
    struct ken_opened opened = { 0 };
    *old = NULL;
    if (from(task)[0] == '\0') return KEN_OK;
    ken_status status = folder ? ken_loop_open(&opened, folder) : KEN_OK;
    if (!status && opened.found) status = restore(old, task, &opened.file, opened.path.data);
    else if (!status) status = ken_warm_load(old, task);
    ken_opened_release(&opened);
    return status;
}

/* ---- which number is which ------------------------------------------------------------------- */

/* The kind of things that the rows or columns of a tensor stand for. It decides which numbers of an
 * old model can be copied. */
enum axis {
    FIXED,   /* dimensions whose number is equal in both models; copied by index */
    IDS,     /* ids of a vocabulary; the ids of the old model are the first ids of the new one */
    LABELS,  /* labels, or all labels several times (once per head); found by the label's name */
    NOTHING, /* different things in the two models; not copied */
    ANSWERS  /* outputs of the model; pair.answers says which of the other kinds they are */
};

struct axes {
    const char *name;
    enum axis rows, cols;
};

static const struct axes tables[] = {
    { "input", IDS, FIXED },           { "spelling.table", IDS, FIXED }, { "target", IDS, FIXED },
    { "head.weight", ANSWERS, FIXED }, { "head.bias", FIXED, ANSWERS },
};

/* The tensors of the last block of a model made of bare blocks (GAT layers), where attention itself
 * computes the output: each head has a column for each label. If the model has only one block, the
 * rows of its projection stand for the input. */
static const struct axes last_block[] = {
    { "project.weight", ANSWERS, FIXED },
    { "vector", FIXED, ANSWERS },
    { "ask", FIXED, ANSWERS },
    { "answer", FIXED, ANSWERS },
    { "edge_ask.weight", FIXED, ANSWERS },
    { "edge_out.weight", ANSWERS, FIXED },
    { "bias", FIXED, ANSWERS },
};

struct pair {
    const ken_task *new, *old;
    enum axis answers; /* the kind of axis that ANSWERS stands for in these two models */
    /* index of the block that computes the output, in the new and old model; SIZE_MAX = none */
    size_t new_last, old_last;
};

static struct pair pair_of(const ken_task *new, const ken_task *old)
{
    const ken_config *a = &new->model->config, *b = &old->model->config;
    bool writes = a->output == KEN_GENERATE, number = a->value == KEN_VALUE_NUMBER;
    bool alike = writes == (b->output == KEN_GENERATE) && number == (b->value == KEN_VALUE_NUMBER);
    return (struct pair){
        .new = new,
        .old = old,
        .answers = !alike   ? NOTHING
                   : writes ? IDS
                   : number ? FIXED
                            : LABELS,
        .new_last = ken_config_answers(a) ? a->encoder_blocks - 1 : SIZE_MAX,
        .old_last = ken_config_answers(b) ? b->encoder_blocks - 1 : SIZE_MAX,
    };
}

static void look_up(struct axes *axes, const struct axes *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0) *axes = list[i];
}

/* Returns the part of a tensor's name that follows the prefix of the attention of block `number`;
 * NULL if the tensor does not belong to that attention. */
static const char *within(const char *name, size_t number)
{
    char prefix[64];
    int length = snprintf(prefix, sizeof prefix, "encoder.%zu.attention.", number);
    return strncmp(name, prefix, (size_t)length) == 0 ? name + length : NULL;
}

static struct axes axes_of(const struct pair *pair, const char *name)
{
    struct axes axes = { name, FIXED, FIXED };
    bool table = strcmp(name, "input") == 0, matrix = strcmp(name, "input.weight") == 0;
    const char *new_part = within(name, pair->new_last), *old_part = within(name, pair->old_last);
    look_up(&axes, tables, KEN_COUNT(tables), name);
    if (new_part) look_up(&axes, last_block, KEN_COUNT(last_block), new_part);
    if (table && pair->new_last == 0) axes.cols = ANSWERS;
    if (matrix && pair->new_last == 0) axes.rows = ANSWERS;
    if (axes.rows == ANSWERS) axes.rows = pair->answers;
    if (axes.cols == ANSWERS) axes.cols = pair->answers;
    /* `apart`: an input tensor that computes the output in only one of the two models */
    bool apart = (table || matrix) && (pair->new_last == 0) != (pair->old_last == 0);
    if (apart || !new_part != !old_part) axes.rows = axes.cols = NOTHING;
    return axes;
}

static bool fits(const struct pair *pair, enum axis axis, size_t new, size_t old)
{
    size_t labels = ken_vocabulary_size(&pair->new->labels);
    size_t old_labels = ken_vocabulary_size(&pair->old->labels);
    switch (axis) {
    case IDS: return true;
    case LABELS: return new / labels == old / old_labels;
    case FIXED: return new == old;
    default: return false;
    }
}

/* Returns which entry of the old model corresponds to entry i of the new model on an axis. `old` is
 * the number of entries in the old model. SIZE_MAX = there is no such entry. */
static size_t place(const struct pair *pair, enum axis axis, size_t i, size_t old)
{
    if (axis != LABELS) return i < old ? i : SIZE_MAX;
    size_t labels = ken_vocabulary_size(&pair->new->labels), length;
    const char *name = ken_vocabulary_name(&pair->new->labels, (int32_t)(i % labels), &length);
    int32_t found = ken_vocabulary_find(&pair->old->labels, name, length);
    if (found == KEN_NO_ID) return SIZE_MAX;
    return i / labels * ken_vocabulary_size(&pair->old->labels) + (size_t)found;
}

/* Copies those numbers of a tensor that have the same meaning in both models, and returns how many
 * were copied. */
static size_t copy(ken_tensor *to, const ken_tensor *old, const struct pair *pair,
                   const struct axes *axes)
{
    size_t copied = 0;
    if (!fits(pair, axes->rows, to->rows, old->rows) ||
        !fits(pair, axes->cols, to->cols, old->cols))
        return 0;
    for (size_t r = 0; r < to->rows; r++) {
        size_t row = place(pair, axes->rows, r, old->rows);
        for (size_t c = 0; c < to->cols && row != SIZE_MAX; c++) {
            size_t col = place(pair, axes->cols, c, old->cols);
            if (col == SIZE_MAX) continue;
            to->data[r * to->cols + c] = old->data[row * old->cols + col];
            copied++;
        }
    }
    return copied;
}

static const ken_tensor *find(const ken_parameters *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->list[i].name, name) == 0) return parameters->list[i].tensor;
    return NULL;
}

ken_status ken_warm_take(struct ken_taken *taken, ken_task *task, const ken_task *old)
{
    const ken_parameters *parameters = &task->model->parameters;
    struct pair pair = pair_of(task, old);
    *taken = (struct ken_taken){ .tensors = parameters->count };
    ken_model_changed(task->model);
    for (size_t i = 0; i < parameters->count; i++) {
        ken_tensor *tensor = parameters->list[i].tensor;
        const ken_tensor *there = find(&old->model->parameters, parameters->list[i].name);
        struct axes axes = axes_of(&pair, parameters->list[i].name);
        size_t copied = there ? copy(tensor, there, &pair, &axes) : 0;
        taken->taken += copied > 0;
        taken->partly += copied > 0 && copied < ken_tensor_size(tensor);
        taken->numbers += copied;
    }
    if (taken->taken > 0) return KEN_OK;
    return ken_recipe_fail(task->recipe, KEN_KEY_TRAIN_FROM,
                           "no tensor of %s has the name and shape of one of this model",
                           from(task));
}

/* Describes in words how much was copied from the old model. Warns if less than half of the numbers
 * were copied, because the user probably expects more. */
void ken_warm_words(ken_buffer *words, const ken_task *task, const struct ken_taken *taken)
{
    double share = (double)taken->numbers / (double)ken_model_size(task->model);
    ken_buffer_format(words, "from %s: %zu of %zu tensors", from(task), taken->taken,
                      taken->tensors);
    if (taken->partly > 0) ken_buffer_format(words, ", %zu of them in part", taken->partly);
    if (share < 0.5)
        ken_buffer_format(words, "; only %.2g %% of all weights, the others start at random",
                          100 * share);
}
