/* learn.c - learns from the training data, before training, how to encode it: the input side (see
 * input/), the units to generate, the labels, and the scales of numbers. If training continues from
 * another model, that model's ids are kept and new ids come after them, so that an input has the
 * same ids in both models. */
#include "base/memory.h"
#include "task/task.h"

#include <stdlib.h>
#include <string.h>

/* Passes all strings to the tokeniser, which counts units. The vocabulary is made later, when the
 * tokeniser is finished. */
static ken_status see_all(ken_tokeniser *tokeniser, const ken_strings *strings)
{
    for (size_t i = 0; i < strings->count; i++) {
        size_t length;
        const char *text = ken_strings_at(strings, i, &length);
        KEN_TRY(ken_tokeniser_see(tokeniser, text, length));
    }
    return KEN_OK;
}

/* Adds every label of the corpus to `seen` once, in the order of first occurrence. */
static ken_status see_labels(ken_vocabulary *seen, const ken_task *task, const ken_corpus *corpus)
{
    bool single = task->output != KEN_EACH || corpus->words || corpus->width > 0;
    for (size_t i = 0; i < corpus->target.count; i++) {
        size_t length;
        const char *label = ken_strings_at(&corpus->target, i, &length);
        /* An empty label means that the label of this node or row is unknown. */
        if (length == 0 && (corpus->linked || corpus->width > 0)) continue;
        if (single) KEN_TRY(ken_vocabulary_add(seen, label, length, NULL));
        /* tsv with output.kind=each: one string has several labels, separated by spaces */
        while (!single && length > 0) {
            size_t word = strcspn(label, " ");
            if (word > 0) KEN_TRY(ken_vocabulary_add(seen, label, word, NULL));
            size_t step = word + strspn(label + word, " ");
            label += step;
            length -= step;
        }
    }
    return KEN_OK;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the labels in `seen` to `labels`, sorted by their bytes, so that label ids do not depend on
 * the order of the examples in the file. */
static ken_status add_in_order(ken_vocabulary *labels, const ken_vocabulary *seen)
{
    size_t count = ken_vocabulary_size(seen);
    const char **names = ken_memory_new(count, sizeof *names);
    if (!names) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu labels", count);
    for (size_t i = 0; i < count; i++) names[i] = ken_vocabulary_name(seen, (int32_t)i, NULL);
    qsort(names, count, sizeof *names, by_bytes);
    ken_status status = KEN_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = ken_vocabulary_add(labels, names[i], strlen(names[i]), NULL);
    ken_memory_free(names);
    return status;
}

static ken_status learn_labels(ken_task *task, const ken_corpus *corpus)
{
    ken_vocabulary seen = { 0 };
    /* if each label has a column in the data, the labels are in the order of their columns */
    for (size_t i = 0; i < corpus->names.count; i++) {
        size_t length;
        const char *name = ken_strings_at(&corpus->names, i, &length);
        KEN_TRY(ken_vocabulary_add(&task->labels, name, length, NULL));
    }
    if (corpus->flags > 0) return KEN_OK;
    ken_status status = see_labels(&seen, task, corpus);
    if (!status && ken_vocabulary_size(&seen) > 0) status = add_in_order(&task->labels, &seen);
    ken_vocabulary_release(&seen);
    return status;
}

/* Learns the labels, or the scale of numbers, from the targets. `old` is the model that training
 * continues from, or NULL. Labels always come from the data; their old weights are later found by
 * the label's name. The scale of a number and the threshold of a set are copied from the old model,
 * because its weights depend on them. */
static ken_status learn_target(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    bool writes = task->output == KEN_GENERATE;
    if (old && ((old->output == KEN_GENERATE) != writes || old->value != task->value)) old = NULL;
    if (writes) {
        if (ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED)) return KEN_OK;
        KEN_TRY(see_all(&task->written, &corpus->target));
        return ken_tokeniser_finish_from(&task->written, old ? &old->written : NULL);
    }
    if (old) task->threshold = old->threshold;
    if (task->value == KEN_VALUE_NUMBER && old)
        return ken_scaling_copy(&task->numbers, &old->numbers);
    if (task->value == KEN_VALUE_NUMBER)
        return ken_scaling_learn(&task->numbers, ken_buffer_floats(&corpus->numbers),
                                 corpus->numbers.size / sizeof(float), 1);
    return learn_labels(task, corpus);
}

/* Learns vocabularies, labels, scales, separator and decimal mark. The corpus is the training data:
 * dev and test data must not influence them. */
ken_status ken_task_learn(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    KEN_TRY(ken_settings_reading(task->recipe, corpus->separator, corpus->decimal));
    KEN_TRY(ken_input_learn(&task->input, corpus, task->recipe, old ? &old->input : NULL));
    KEN_TRY(learn_target(task, corpus, old));
    if (task->output != KEN_GENERATE && task->value != KEN_VALUE_NUMBER &&
        ken_vocabulary_size(&task->labels) < (task->value == KEN_VALUE_SET ? 1u : 2u))
        return ken_fail(KEN_ERR_FORMAT, "%s: all examples have the same label \"%s\"", corpus->path,
                        ken_vocabulary_size(&task->labels)
                            ? ken_vocabulary_name(&task->labels, 0, NULL)
                            : "");
    return KEN_OK;
}
