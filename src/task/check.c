/* check.c - checks a recipe's data before an hour of training is spent on it. Bad lines are
 * collected and reported together. Only two problems end the check at once: a file that cannot be
 * read at all, and a label in the dev data that the training data lacks. */
#include "base/json.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/text.h"
#include "unit/vocabulary.h"
#include "task/warm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMPLAINTS_SHOWN = 20, LABELS_SHOWN = 40 };

static const struct {
    enum ken_key key;
    const char *name;
} parts[] = { { KEN_KEY_DATA_TRAIN, "train" },
              { KEN_KEY_DATA_DEV, "dev" },
              { KEN_KEY_DATA_TEST, "test" } };

/* What the check has found in one part of the data (train, dev or test). */
struct part {
    ken_corpus corpus;
    size_t bad; /* number of bad lines in this part */
    /* `rows` and `links` are totals; the others are lengths of examples, in rows */
    size_t rows, links, shortest, median, longest;
    /* number of examples that are too long and that training leaves out */
    size_t too_long;
    /* number of examples that are duplicates of an earlier example of the part */
    size_t twice;
    /* number of examples that also occur in the training data */
    size_t known;
};

/* Collects the bad lines of the data: counts them, and keeps the messages about the first ones. */
struct checker {
    size_t bad;
    ken_strings complaints;
};

static void complain(void *user, const char *what)
{
    struct checker *checker = user;
    checker->bad++;
    if (checker->complaints.count < COMPLAINTS_SHOWN)
        ken_strings_add(&checker->complaints, what, strlen(what));
}

/* Writes an example's input, links and target as one string, so that duplicates can be found by
 * comparing strings. Targets that are numbers are not included. */
static void content(ken_buffer *out, const ken_corpus *corpus, size_t i)
{
    ken_buffer_clear(out);
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    if (corpus->width > 0)
        ken_buffer_append(out, corpus->vectors.data + from * corpus->width * sizeof(float),
                          (to - from) * corpus->width * sizeof(float));
    for (size_t j = from; j < to && corpus->width == 0; j++)
        ken_buffer_format(out, "%s\t", ken_strings_at(&corpus->input, j, NULL));
    if (corpus->linked) {
        size_t width = corpus->link_width * sizeof(float), ends = 2 * sizeof(int32_t);
        from = ken_corpus_link_start(corpus, i);
        to = ken_corpus_link_start(corpus, i + 1);
        if (to > from) ken_buffer_append(out, corpus->links.data + from * ends, (to - from) * ends);
        if (to > from && width > 0)
            ken_buffer_append(out, corpus->link_numbers.data + from * width, (to - from) * width);
    }
    from = ken_corpus_target_start(corpus, i);
    to = ken_corpus_target_start(corpus, i + 1);
    for (size_t j = from; j < to && j < corpus->target.count; j++)
        ken_buffer_format(out, "\n%s", ken_strings_at(&corpus->target, j, NULL));
}

/* Counts the duplicates in a part of the data. The examples of the part are added to `seen`.
 * `training` has the examples of the training data; it is NULL if the part is the training data
 * itself. */
static ken_status compare_examples(struct part *part, const ken_vocabulary *training,
                                   ken_vocabulary *seen)
{
    ken_buffer text = { 0 };
    ken_status status = KEN_OK;
    for (size_t i = 0; i < part->corpus.count && !status; i++) {
        content(&text, &part->corpus, i);
        const char *data = ken_buffer_string(&text);
        size_t before = ken_vocabulary_size(seen);
        if (training && ken_vocabulary_find(training, data, text.size) != KEN_NO_ID) part->known++;
        status = ken_vocabulary_add(seen, data, text.size, NULL);
        if (!status) part->twice += ken_vocabulary_size(seen) == before;
    }
    ken_buffer_release(&text);
    return status;
}

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Reports example i as a bad line if it is too long for the model. */
static ken_status check_length(const ken_task *task, const ken_config *shape, struct part *part,
                               const ken_dataset *dataset, size_t i, struct checker *checker)
{
    struct ken_lengths lengths = { 0 };
    ken_buffer words = { 0 };
    ken_lengths_add(&lengths, shape, dataset, i, ken_corpus_line(&part->corpus, i));
    if (lengths.too_long == 0) return KEN_OK;
    ken_lengths_words(&words, &lengths, part->corpus.path, task->recipe);
    complain(checker, ken_buffer_string(&words));
    part->bad++;
    ken_status status = ken_buffer_status(&words);
    ken_buffer_release(&words);
    return status;
}

/* Checks that the model can read every example of a part. Two cases need no check: training data
 * with data.longest, where long examples are left out, and language models with data.context, which
 * read the text in pieces. */
static ken_status find_too_long(ken_task *task, struct part *part, const ken_dataset *dataset,
                                bool train, struct checker *checker)
{
    size_t context = ken_task_reads(task) ? 0 : ken_recipe_size(task->recipe, KEN_KEY_DATA_CONTEXT);
    ken_config shape = ken_task_config(task);
    ken_dataset pieces = { 0 };
    ken_status status = KEN_OK;
    if (context > 0) {
        status = ken_task_encode_stream(task, &pieces, &part->corpus, context, context);
        if (!status) status = ken_lengths_check_stream(task, &pieces, part->corpus.path);
        ken_dataset_release(&pieces);
        return status;
    }
    size_t longest = train ? ken_settings_longest(task->recipe) : SIZE_MAX;
    for (size_t i = 0; i < dataset->count && !status; i++)
        if (ken_dataset_rows(dataset, i, task->output == KEN_GENERATE) <= longest)
            status = check_length(task, &shape, part, dataset, i, checker);
    return status;
}

/* Measures the lengths of a part's examples, counted in rows of the model. */
static ken_status measure_lengths(ken_task *task, struct part *part, bool train,
                                  struct checker *checker)
{
    ken_dataset dataset = { 0 };
    size_t count = part->corpus.count, *lengths = ken_memory_new(count, sizeof *lengths);
    bool generates = task->output == KEN_GENERATE;
    ken_status status = lengths ? KEN_OK : ken_fail(KEN_ERR_MEMORY, "no memory for %zu", count);
    if (!status) status = ken_task_encode(task, &dataset, &part->corpus, NULL);
    if (!status) status = find_too_long(task, part, &dataset, train, checker);
    if (!status) {
        for (size_t i = 0; i < count; i++) {
            lengths[i] = ken_dataset_rows(&dataset, i, generates);
            part->rows += lengths[i];
            part->too_long += lengths[i] > ken_settings_longest(task->recipe);
        }
        part->links = ken_column_start(&dataset.links, ken_column_count(&dataset.links)) / 2;
        qsort(lengths, count, sizeof *lengths, by_size);
        part->shortest = lengths[0];
        part->median = lengths[count / 2];
        part->longest = lengths[count - 1];
    }
    ken_memory_free(lengths);
    ken_dataset_release(&dataset);
    return status;
}

static void print_part(ken_buffer *out, const char *name, const struct part *part, bool train)
{
    ken_buffer_format(out,
                      "%-6s %zu example%s, %zu row%s (shortest %zu, median %zu, longest %zu), "
                      "%zu duplicate%s",
                      name, part->corpus.count, ken_plural(part->corpus.count), part->rows,
                      ken_plural(part->rows), part->shortest, part->median, part->longest,
                      part->twice, ken_plural(part->twice));
    if (part->links > 0)
        ken_buffer_format(out, ", %zu link%s", part->links, ken_plural(part->links));
    if (!train) ken_buffer_format(out, ", %zu also in train", part->known);
    if (train && part->too_long > 0)
        ken_buffer_format(out, ", %zu left out: more rows than data.longest", part->too_long);
    ken_buffer_text(out, "\n");
}

/* Returns the name of column j of the rows of numbers. A column without a name is called by its
 * number, written to `room`. */
static const char *column_name(const ken_corpus *corpus, size_t j, char room[32])
{
    if (j < corpus->columns.count) return ken_strings_at(&corpus->columns, j, NULL);
    snprintf(room, 32, "%zu", j + 1);
    return room;
}

/* Returns how many numbers are missing (NaN) in column j of the rows of numbers. */
static size_t missing_in(const ken_corpus *corpus, size_t j)
{
    return ((const size_t *)(const void *)corpus->missing.data)[j];
}

/* Counts the targets that are unknown: numbers that are NaN, or labels that are empty. */
static size_t count_unknown(const ken_corpus *corpus)
{
    size_t unknown = 0, length;
    for (size_t i = 0; i < corpus->numbers.size / sizeof(float) && corpus->flags == 0; i++)
        unknown += isnan(ken_buffer_floats(&corpus->numbers)[i]);
    for (size_t i = 0; i < corpus->target.count && corpus->width > 0; i++) {
        ken_strings_at(&corpus->target, i, &length);
        unknown += length == 0;
    }
    return unknown;
}

/* Prints, for each column with missing numbers, how many are missing. */
static void print_missing(ken_buffer *out, const char *name, const ken_corpus *corpus)
{
    size_t columns = corpus->missing.size / sizeof(size_t), unknown = count_unknown(corpus);
    size_t shown = 0;
    char room[32];
    for (size_t j = 0; j < columns; j++) {
        if (missing_in(corpus, j) == 0) continue;
        if (shown++ == 0) ken_buffer_format(out, "%-6s missing:", name);
        ken_buffer_format(out, "%s %s %zu", shown > 1 ? "," : "", column_name(corpus, j, room),
                          missing_in(corpus, j));
    }
    if (shown > 0) ken_buffer_format(out, " of %zu rows\n", corpus->rows_read);
    if (unknown > 0) ken_buffer_format(out, "%-6s unknown targets: %zu\n", name, unknown);
}

static void json_missing(ken_buffer *out, const ken_corpus *corpus)
{
    size_t columns = corpus->missing.size / sizeof(size_t), shown = 0;
    char room[32];
    ken_buffer_text(out, ",\"missing\":{");
    for (size_t j = 0; j < columns; j++) {
        const char *name = column_name(corpus, j, room);
        if (missing_in(corpus, j) == 0) continue;
        if (shown++ > 0) ken_buffer_text(out, ",");
        ken_json_string(out, name, strlen(name));
        ken_buffer_format(out, ":%zu", missing_in(corpus, j));
    }
    ken_buffer_format(out, "},\"unknown_targets\":%zu", count_unknown(corpus));
}

static void json_part(ken_buffer *out, const char *name, const struct part *part)
{
    ken_buffer_format(out,
                      ",\"%s\":{\"examples\":%zu,\"rows\":%zu,\"shortest\":%zu,\"median\":%zu,"
                      "\"longest\":%zu,\"links\":%zu,\"duplicates\":%zu,\"in_train\":%zu,"
                      "\"too_long\":%zu,\"bad\":%zu",
                      name, part->corpus.count, part->rows, part->shortest, part->median,
                      part->longest, part->links, part->twice, part->known, part->too_long,
                      part->bad);
    json_missing(out, &part->corpus);
    ken_buffer_text(out, "}");
}

/* Prints the labels and how often each occurs in the training data. The counts are left out if one
 * string holds several labels (tsv with output.kind=each). */
static void print_labels(ken_buffer *out, const ken_task *task, const struct part *train)
{
    size_t labels = ken_vocabulary_size(&task->labels);
    ken_vocabulary counts = { 0 };
    for (size_t i = 0; i < train->corpus.target.count; i++) {
        size_t length;
        const char *label = ken_strings_at(&train->corpus.target, i, &length);
        if (ken_vocabulary_add(&counts, label, length, NULL)) break;
    }
    ken_buffer_format(out, "labels %zu", labels);
    /* If each label is a column of the data, `flags` has a number (0 or 1) for each example and
     * label. */
    const float *flags = ken_buffer_floats(&train->corpus.numbers);
    for (size_t j = 0; j < labels && j < LABELS_SHOWN; j++) {
        size_t length;
        const char *name = ken_vocabulary_name(&task->labels, (int32_t)j, &length);
        int32_t id = ken_vocabulary_find(&counts, name, length);
        ken_buffer_text(out, j > 0 ? ", " : ": ");
        ken_text_escape(out, name, length, "\\");
        if (train->corpus.flags == labels) {
            size_t yes = 0, known = 0;
            for (size_t i = 0; i < train->corpus.count; i++) {
                float flag = flags[i * labels + j];
                known += flag == flag;
                yes += flag == 1;
            }
            ken_buffer_format(out, " %zu of %zu", yes, known);
        }
        if (id != KEN_NO_ID)
            ken_buffer_format(out, " %llu", (unsigned long long)ken_vocabulary_count(&counts, id));
    }
    ken_buffer_text(out, labels > LABELS_SHOWN ? ", ...\n" : "\n");
    ken_vocabulary_release(&counts);
}

static void print_vocabularies(ken_buffer *out, ken_task *task)
{
    if (ken_task_reads(task)) {
        ken_buffer_text(out, "input  ");
        task->input.kind->describe(&task->input, out,
                                   ken_recipe_value(task->recipe, KEN_KEY_INPUT_UNIT));
        ken_buffer_text(out, "\n");
    }
    if (task->output == KEN_GENERATE)
        ken_buffer_format(out, "output %zu kinds of %s\n",
                          ken_tokeniser_size(ken_task_writer(task)),
                          ken_recipe_value(task->recipe, KEN_KEY_OUTPUT_UNIT));
}

/* Reads one part of the data. Bad lines are collected; they do not make read_part() fail. */
static ken_status read_part(struct part *part, const ken_recipe *recipe, enum ken_key key,
                            struct checker *checker)
{
    size_t before = checker->bad;
    ken_status status = ken_part_read(&part->corpus, recipe, key, complain, checker);
    part->bad = checker->bad - before;
    return status;
}

static void print_all(ken_buffer *out, ken_task *task, const struct part *all,
                      const struct checker *checker, bool json)
{
    if (json) ken_buffer_format(out, "{\"bad_lines\":%zu", checker->bad);
    for (size_t i = 0; i < KEN_COUNT(parts); i++) {
        if (all[i].corpus.count == 0) continue;
        if (json) json_part(out, parts[i].name, &all[i]);
        else print_part(out, parts[i].name, &all[i], i == 0);
        if (!json) print_missing(out, parts[i].name, &all[i].corpus);
    }
    if (json) {
        ken_buffer_format(out, ",\"labels\":%zu}\n", ken_vocabulary_size(&task->labels));
        return;
    }
    print_vocabularies(out, task);
    if (ken_vocabulary_size(&task->labels) > 0) print_labels(out, task, &all[0]);
    if (checker->bad == 0) ken_buffer_text(out, "every line can be read\n");
}

static void print_complaints(ken_buffer *out, const struct checker *checker)
{
    for (size_t i = 0; i < checker->complaints.count; i++)
        ken_buffer_format(out, "bad    %s\n", ken_strings_at(&checker->complaints, i, NULL));
    if (checker->bad > checker->complaints.count)
        ken_buffer_format(out, "bad    ... and %zu more\n",
                          checker->bad - checker->complaints.count);
}

/* Reads and checks all parts of the data. The training data comes first, because the vocabularies
 * are made from it and the other parts are compared with it. */
static ken_status check_parts(ken_task *task, const ken_task *old, struct part *all,
                              struct checker *checker)
{
    ken_vocabulary seen[KEN_COUNT(parts)];
    memset(seen, 0, sizeof seen);
    ken_status status = KEN_OK;
    for (size_t i = 0; i < KEN_COUNT(parts) && !status; i++) {
        if (ken_recipe_value(task->recipe, parts[i].key)[0] == '\0') continue;
        status = read_part(&all[i], task->recipe, parts[i].key, checker);
        if (!status && i == 0) status = ken_task_learn(task, &all[i].corpus, old);
        if (!status) status = measure_lengths(task, &all[i], i == 0, checker);
        if (!status) status = compare_examples(&all[i], i > 0 ? &seen[0] : NULL, &seen[i]);
    }
    for (size_t i = 0; i < KEN_COUNT(parts); i++) ken_vocabulary_release(&seen[i]);
    return status;
}

ken_status ken_check(const ken_recipe *recipe, int json, ken_text_fn *write, void *user)
{
    struct part all[KEN_COUNT(parts)];
    struct checker checker = { .bad = 0 };
    ken_buffer out = { 0 };
    ken_task *task, *old;
    memset(all, 0, sizeof all);
    KEN_TRY(KEN_GIVEN(recipe));
    KEN_TRY(KEN_GIVEN(write));
    KEN_TRY(ken_task_new(&task, recipe));
    ken_status status = ken_warm_load(&old, task);
    if (!status) status = check_parts(task, old, all, &checker);
    if (!status) print_all(&out, task, all, &checker, json);
    /* Examples with bad lines were left out, which may be the cause of the failure. So the bad
     * lines are reported instead. */
    if (status == KEN_ERR_FORMAT && checker.bad > 0) status = KEN_OK;
    if (!json) print_complaints(&out, &checker);
    if (!status) status = ken_buffer_status(&out);
    if (!status && out.size > 0) write(user, out.data, out.size);
    if (!status) status = ken_strings_status(&checker.complaints);
    if (!status && checker.bad > 0)
        status = ken_fail(KEN_ERR_FORMAT, "%zu bad line%s, the first: %s", checker.bad,
                          ken_plural(checker.bad), ken_strings_at(&checker.complaints, 0, NULL));
    for (size_t i = 0; i < KEN_COUNT(parts); i++) ken_corpus_release(&all[i].corpus);
    ken_strings_release(&checker.complaints);
    ken_buffer_release(&out);
    ken_task_free(old);
    ken_task_free(task);
    return status;
}
