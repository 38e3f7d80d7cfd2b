/* learn.c - what is taken from the training data before training: vocabularies, labels, scales.
 * Where training goes on from another model, what that has learned of the input stays as it is, and
 * what is new comes behind it: the same input means the same to both. */
#include "base/memory.h"
#include "base/number.h"
#include "chem/molecule_rows.h"
#include "task/task.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts only; the vocabulary is made when the tokeniser is finished. `words`: each string is one,
 * whatever is in it. */
static ken_status see_all(ken_tokeniser *tokeniser, const ken_strings *strings, bool words)
{
    ken_buffer word = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; i < strings->count && !status; i++) {
        size_t length;
        const char *text = ken_strings_at(strings, i, &length);
        if (words) status = ken_task_join(&word, &text, &length);
        if (!status) status = ken_tokeniser_see(tokeniser, text, length);
    }
    ken_buffer_release(&word);
    return status;
}

/* Every label of the corpus once, in the order in which they come. */
static ken_status see_labels(ken_vocabulary *seen, const ken_task *task, const ken_corpus *corpus)
{
    bool single = task->output != KEN_EACH || corpus->words || task->vectors;
    for (size_t i = 0; i < corpus->target.count; i++) {
        size_t length;
        const char *label = ken_strings_at(&corpus->target, i, &length);
        if (length == 0 && corpus->linked) continue; /* of a node, not known */
        if (single) KEN_TRY(ken_vocabulary_add(seen, label, length, NULL));
        while (!single && length > 0) { /* tsv, each: labels with blanks between */
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

/* Labels in the order of their bytes, so that ids do not depend on the order of the file. */
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
    for (size_t i = 0; i < corpus->names.count; i++) { /* columns have their order already */
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

/* Mean and (biased) deviation of each column, over the numbers that are known. In two passes: with
 * one, numbers far from 0 would lose their digits. */
static ken_status learn_scaling(struct ken_scaling *scaling, const float *rows, size_t count,
                                size_t width)
{
    scaling->width = width;
    scaling->mean = ken_memory_zeroed(width, sizeof(float));
    scaling->deviation = ken_memory_zeroed(width, sizeof(float));
    if (!scaling->mean || !scaling->deviation)
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", width);
    for (size_t j = 0; j < width; j++) {
        double sum = 0, squares = 0, known = 0;
        for (size_t i = 0; i < count; i++) {
            double x = rows[i * width + j];
            if (isnan(x)) continue;
            sum += x;
            known++;
        }
        double mean = known > 0 ? sum / known : 0;
        for (size_t i = 0; i < count; i++) {
            double x = rows[i * width + j] - mean;
            if (!isnan(x)) squares += x * x;
        }
        double deviation = known > 0 ? sqrt(squares / known) : 0;
        scaling->mean[j] = (float)mean;
        scaling->deviation[j] = deviation > 1e-12 ? (float)deviation : 1; /* a constant column */
    }
    return KEN_OK;
}

/* Numbers that mean the same as in another model are brought to its scale. */
static ken_status copy_scaling(struct ken_scaling *scaling, const struct ken_scaling *old)
{
    size_t size = old->width * sizeof(float);
    scaling->width = old->width;
    scaling->mean = ken_memory_new(size, 1);
    scaling->deviation = ken_memory_new(size, 1);
    if (!scaling->mean || !scaling->deviation)
        return ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", old->width);
    memcpy(scaling->mean, old->mean, size);
    memcpy(scaling->deviation, old->deviation, size);
    return KEN_OK;
}

static ken_status learn_columns(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    if (!old)
        return learn_scaling(&task->inputs, ken_buffer_floats(&corpus->vectors),
                             ken_corpus_input_start(corpus, corpus->count), corpus->width);
    if (corpus->width != old->inputs.width)
        return ken_recipe_fail(task->recipe, KEN_KEY_DATA_TRAIN,
                               "rows of %zu numbers, but %s was trained on rows of %zu",
                               corpus->width, ken_recipe_value(task->recipe, KEN_KEY_TRAIN_FROM),
                               old->inputs.width);
    return copy_scaling(&task->inputs, &old->inputs);
}

/* The largest index of all nodes, whether their label is known or not. What is wrong with an index
 * is told when the nodes are encoded. */
static ken_status learn_indices(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    enum { INDEX_MOST = 1 << 24 }; /* one stray number must not decide the size of the model */
    task->index_count = old ? old->index_count : 0;
    for (size_t j = 0; j < corpus->input.count; j++) {
        const char *at = ken_strings_at(&corpus->input, j, NULL);
        while (*(at += strspn(at, " "))) {
            size_t length = strcspn(at, " ");
            uint64_t index;
            bool good = ken_number_whole(&index, at, length, INT32_MAX - 1);
            if (good && index >= INDEX_MOST)
                return ken_fail(KEN_ERR_FORMAT, "%s: index %llu, at most %d are possible",
                                corpus->path, (unsigned long long)index, INDEX_MOST - 1);
            if (good && index >= task->index_count) task->index_count = (size_t)index + 1;
            at += length;
        }
    }
    if (task->index_count > 0) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: no node has an index", corpus->path);
}

/* What no atom of the training data has (4 hydrogens, unless methane is there) has weights that
 * nothing was learned about: so it is as good as not seen, and divided by a deviation beyond all
 * measure. All others stay as they are. */
static ken_status learn_atoms(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    static const float beyond = 1e30f;
    struct ken_scaling *scaling = &task->inputs;
    size_t width = ken_molecule_atom_width();
    float *mean = ken_memory_zeroed(width, sizeof *mean);
    float *deviation = ken_memory_zeroed(width, sizeof *deviation);
    ken_status status = mean && deviation
                            ? KEN_OK
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", width);
    for (size_t j = 0; j < width && !status; j++)
        deviation[j] = old ? old->inputs.deviation[j] : beyond;
    for (size_t i = 0; i < corpus->count && !status; i++) {
        ken_dataset atoms = { 0 };
        status = ken_task_encode_atoms(task, &atoms, corpus, i, NULL);
        const float *numbers = ken_buffer_floats(&atoms.input.numbers);
        for (size_t k = 0; k < atoms.input.numbers.size / sizeof *numbers; k++)
            if (numbers[k] != 0 && deviation[k % width] == beyond) deviation[k % width] = 1;
        ken_dataset_release(&atoms);
    }
    /* only now: until then atoms are encoded as they are */
    *scaling = (struct ken_scaling){ mean, deviation, status ? 0 : width };
    return status;
}

static ken_status learn_input(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    if (old && !old->reads) old = NULL;
    task->link_width = corpus->link_width;
    if (task->atoms) return learn_atoms(task, corpus, old);
    if (task->indices) return learn_indices(task, corpus, old);
    if (task->vectors) return learn_columns(task, corpus, old);
    KEN_TRY(see_all(&task->input, &corpus->input, ken_task_whole_words(task, corpus)));
    /* one vocabulary for both sides has to have seen both */
    if (ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED))
        KEN_TRY(see_all(&task->input, &corpus->target, false));
    return ken_tokeniser_finish_from(&task->input, old ? &old->input : NULL);
}

/* Labels are those of the data alone; the weights of the known ones are found by their names. The
 * scale of a number and the threshold of a set belong to the weights. */
static ken_status learn_target(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    bool writes = task->output == KEN_GENERATE;
    if (old && ((old->output == KEN_GENERATE) != writes || old->value != task->value)) old = NULL;
    if (writes) {
        if (ken_recipe_yes(task->recipe, KEN_KEY_OUTPUT_SHARED)) return KEN_OK;
        KEN_TRY(see_all(&task->written, &corpus->target, false));
        return ken_tokeniser_finish_from(&task->written, old ? &old->written : NULL);
    }
    if (old) task->threshold = old->threshold;
    if (task->value == KEN_VALUE_NUMBER && old) return copy_scaling(&task->numbers, &old->numbers);
    if (task->value == KEN_VALUE_NUMBER)
        return learn_scaling(&task->numbers, ken_buffer_floats(&corpus->numbers),
                             corpus->numbers.size / sizeof(float), 1);
    return learn_labels(task, corpus);
}

/* Once, on the training data alone: dev and test must not change what is known. */
ken_status ken_task_learn(ken_task *task, const ken_corpus *corpus, const ken_task *old)
{
    if (task->reads) KEN_TRY(learn_input(task, corpus, old));
    KEN_TRY(learn_target(task, corpus, old));
    if (task->output != KEN_GENERATE && task->value != KEN_VALUE_NUMBER &&
        ken_vocabulary_size(&task->labels) < (task->value == KEN_VALUE_SET ? 1u : 2u))
        return ken_fail(KEN_ERR_FORMAT, "%s: all examples have the same label \"%s\"", corpus->path,
                        ken_vocabulary_size(&task->labels)
                            ? ken_vocabulary_name(&task->labels, 0, NULL)
                            : "");
    return KEN_OK;
}
