/* training_data.c - reads and encodes the data of a training run. */
#include "task/training.h"

/* Encodes the training data. A language model with data.context is trained on pieces of one long
 * stream; every other model is trained on single examples. */
static ken_status encode_train(struct ken_training_run *run, const ken_corpus *train)
{
    ken_task *task = run->task;
    const ken_recipe *recipe = task->recipe;
    size_t context = ken_task_reads(task) ? 0 : ken_recipe_size(recipe, KEN_KEY_DATA_CONTEXT);
    if (context > 0) {
        KEN_TRY(ken_task_encode_stream(task, &run->dataset, train, context, context));
        KEN_TRY(ken_lengths_check_stream(task, &run->dataset, train->path));
    } else {
        struct ken_lengths lengths = { .longest = ken_settings_longest(recipe) };
        KEN_TRY(ken_task_encode(task, &run->dataset, train, &lengths));
        KEN_TRY(ken_lengths_check(&lengths, train->path, recipe));
        run->left_out = lengths.left_out;
    }
    if (run->dataset.count == 0)
        return ken_recipe_fail(recipe, KEN_KEY_DATA_LONGEST,
                               "all %zu training examples have more rows", run->left_out);
    KEN_TRY(ken_labels_check(task, &run->dataset, train->path));
    return ken_dataset_hash(&run->dataset, task->data);
}

static ken_status read_train(struct ken_training_run *run)
{
    ken_corpus train = { 0 };
    ken_status status = ken_part_read(&train, run->task->recipe, KEN_KEY_DATA_TRAIN, NULL, NULL);
    if (!status) status = ken_task_learn(run->task, &train, run->old);
    if (!status) status = encode_train(run, &train);
    ken_corpus_release(&train);
    return status;
}

/* Hashes the dev data, so that a resumed run can check that the data has not changed. A stream is
 * hashed line by line, because version 0.1 did so and its runs must remain resumable. */
static ken_status hash_dev(struct ken_training_run *run)
{
    ken_task *task = run->task;
    ken_dataset lines = { 0 };
    bool stream = !ken_task_reads(task) && ken_recipe_size(task->recipe, KEN_KEY_DATA_CONTEXT) > 0;
    if (!stream) return ken_dataset_hash(&run->examples.dataset, run->dev_data);
    ken_status status = ken_task_encode(task, &lines, &run->dev, NULL);
    if (!status) status = ken_dataset_hash(&lines, run->dev_data);
    ken_dataset_release(&lines);
    return status;
}

/* Reads the dev data and encodes it once for all evaluations. A label that the training data does
 * not have is reported here, before time is spent on training. */
static ken_status read_dev(struct ken_training_run *run)
{
    ken_task *task = run->task;
    run->has_dev = ken_recipe_value(task->recipe, KEN_KEY_DATA_DEV)[0] != '\0';
    if (!run->has_dev) return KEN_OK;
    KEN_TRY(ken_part_read(&run->dev, task->recipe, KEN_KEY_DATA_DEV, NULL, NULL));
    KEN_TRY(ken_examples_make(&run->examples, task, &run->dev));
    KEN_TRY(hash_dev(run));
    ken_examples_thin(&run->dev, task);
    return KEN_OK;
}

ken_status ken_training_read(struct ken_training_run *run)
{
    KEN_TRY(read_train(run));
    return read_dev(run);
}
