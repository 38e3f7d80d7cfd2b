/* examples.c - encodes data to measure on. Data is encoded once and can be measured many times. */
#include "base/size.h"
#include "task/evaluate.h"

/* Counts the bytes of all target texts. Scores per byte, unlike scores per id, can be compared
 * between models with different units (tokens). */
static size_t bytes_of(const ken_corpus *corpus)
{
    size_t bytes = 0;
    for (size_t i = 0; i < corpus->target.count; i++) {
        size_t length;
        ken_strings_at(&corpus->target, i, &length);
        bytes += length + 1; /* + 1 for the line end */
    }
    return bytes;
}

/* Marks each example that has the same input as the example before it. Data with several right
 * answers to one input repeats the input in neighbouring lines. */
static ken_status find_repeats(ken_buffer *repeats, const ken_corpus *corpus)
{
    for (size_t i = 0; i < corpus->count; i++) {
        char again = i > 0 && ken_corpus_same_input(corpus, i - 1, i);
        ken_buffer_append(repeats, &again, 1);
    }
    return ken_buffer_status(repeats);
}

ken_status ken_examples_make(struct ken_examples *examples, ken_task *task,
                             const ken_corpus *corpus)
{
    bool reads = ken_task_reads(task), generates = task->output == KEN_GENERATE;
    size_t context = reads ? 0 : ken_recipe_size(task->recipe, KEN_KEY_DATA_CONTEXT);
    size_t half = ken_size_max(1, context / 2);
    examples->corpus = corpus;
    examples->bytes = generates ? bytes_of(corpus) : 0;
    if (context > 0) {
        KEN_TRY(ken_task_encode_stream(task, &examples->dataset, corpus, 2 * half, half));
        return ken_lengths_check_stream(task, &examples->dataset, corpus->path);
    }
    if (generates && reads) KEN_TRY(find_repeats(&examples->repeats, corpus));
    struct ken_lengths lengths = { .longest = SIZE_MAX };
    KEN_TRY(ken_task_encode(task, &examples->dataset, corpus, &lengths));
    KEN_TRY(ken_lengths_check(&lengths, corpus->path, task->recipe));
    return ken_labels_check(task, &examples->dataset, corpus->path);
}

void ken_examples_thin(ken_corpus *corpus, const ken_task *task)
{
    ken_corpus_thin(corpus, task->output == KEN_GENERATE && ken_task_reads(task));
}

void ken_examples_release(struct ken_examples *examples)
{
    ken_dataset_release(&examples->dataset);
    ken_buffer_release(&examples->repeats);
    *examples = (struct ken_examples){ 0 };
}
