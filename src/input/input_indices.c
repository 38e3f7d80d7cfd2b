/* input_indices.c - input kind indices: each node of a graph is a list of indices, such as the
 * words that a document contains. The model reads the list as a bag: it takes the mean of the
 * learned rows (embeddings) of the indices. */
#include "base/number.h"
#include "input/input.h"

#include <string.h>

/* All indices must be below this limit. Without it, a single wrong number in a file could make the
 * model huge. */
enum { INDEX_MOST = 1 << 24 };

static void lay_out(const struct ken_input_side *side, struct ken_layout *layout)
{
    (void)side;
    layout->indices = true;
}

/* Finds the largest index of all nodes, whether or not their labels are known. Ignores strings that
 * are not an index, because encode() refuses them later. */
static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    (void)recipe;
    side->index_count = old ? old->index_count : 0;
    for (size_t j = 0; j < corpus->input.count; j++) {
        const char *at = ken_strings_at(&corpus->input, j, NULL);
        while (*(at += strspn(at, " "))) {
            size_t length = strcspn(at, " ");
            uint64_t index;
            bool good = ken_number_whole(&index, at, length, INT32_MAX - 1);
            if (good && index >= INDEX_MOST)
                return ken_fail(KEN_ERR_FORMAT, "%s: found index %llu, expected at most %d",
                                corpus->path, (unsigned long long)index, INDEX_MOST - 1);
            if (good && index >= side->index_count) side->index_count = (size_t)index + 1;
            at += length;
        }
    }
    if (side->index_count > 0) return KEN_OK;
    return ken_fail(KEN_ERR_FORMAT, "%s: no node has an index", corpus->path);
}

/* Encodes an example: the list of each node, such as "3 17 42", becomes one sequence of the column
 * `letters`. The row of the node itself has no content and gets the id 0. */
static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    (void)names;
    for (size_t j = from; j < to; j++) {
        const char *at = ken_strings_at(&corpus->input, j, NULL);
        while (*(at += strspn(at, " "))) {
            size_t length = strcspn(at, " ");
            uint64_t index;
            if (!ken_number_whole(&index, at, length, INT32_MAX) || index >= side->index_count)
                return ken_fail(KEN_ERR_FORMAT,
                                "%s: node %zu of the graph in line %zu: \"%.*s\" is not an index "
                                "below %zu",
                                corpus->path, j - from + 1, ken_corpus_line(corpus, i),
                                length < 40 ? (int)length : 40, at, side->index_count);
            ken_buffer_append(&dataset->letters.ids, &(int32_t){ (int32_t)index }, sizeof(int32_t));
            at += length;
        }
        ken_column_end(&dataset->letters);
        ken_buffer_append(&dataset->input.ids, &(int32_t){ 0 }, sizeof(int32_t));
    }
    return ken_dataset_status(dataset);
}

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    config->input_kind = KEN_INPUT_BAGS;
    config->input_size = side->index_count;
    config->edge_size = links ? side->link_width : 0;
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    (void)unit;
    ken_buffer_format(out, "lists of indices below %zu", side->index_count);
}

static const enum ken_key same[] = { KEN_KEY_INPUT_UNIT, KEN_KEY_COUNT };

const struct ken_input_kind ken_input_indices = {
    .name = "indices",
    .reads = "lists of indices",
    .units = "indices",
    .carries = KEN_CARRIES_NODES,
    .accepts = KEN_CARRIES_NODES,
    .outputs = "each whole generate",
    .typed = true,
    .same = same,
    .lay_out = lay_out,
    .learn = learn,
    .encode = encode,
    .shape = shape,
    .describe = describe,
};
