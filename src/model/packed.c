/* packed.c - the decoder's weights, packed once for many steps, and tables of places likewise.
 * One block of memory for all weights; each points to its part until it is unpacked. */
#include "model/decode.h"

#include "base/memory.h"
#include "base/size.h"
#include "kernel/matmul.h"

/* Weight i of those that every step multiplies by, or NULL where the model has none. */
static ken_tensor *weight_at(ken_model *model, size_t i)
{
    if (i == 0) return (ken_tensor *)ken_model_head(model);
    ken_tensor *weights[KEN_BLOCK_WEIGHTS];
    size_t count = ken_block_weights(&model->decoder[(i - 1) / KEN_BLOCK_WEIGHTS], weights);
    size_t which = (i - 1) % KEN_BLOCK_WEIGHTS;
    return which < count ? weights[which] : NULL;
}

static size_t weight_count(const ken_model *model)
{
    return 1 + KEN_BLOCK_WEIGHTS * model->config.decoder_blocks;
}

ken_status ken_model_pack(ken_model *model, float **packed)
{
    size_t total = 0;
    for (size_t i = 0; i < weight_count(model); i++) {
        const ken_tensor *weight = weight_at(model, i);
        if (weight) total += ken_matmul_packed_size(weight->rows, weight->cols);
    }
    *packed = ken_memory_new(total, sizeof **packed);
    if (!*packed) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu packed weights", total);
    float *next = *packed;
    for (size_t i = 0; i < weight_count(model); i++) {
        ken_tensor *weight = weight_at(model, i);
        if (!weight) continue;
        ken_matmul_pack(next, weight->data, weight->rows, weight->cols, KEN_NT);
        weight->packed = next;
        next += ken_matmul_packed_size(weight->rows, weight->cols);
    }
    return KEN_OK;
}

void ken_model_unpack(ken_model *model, float *packed)
{
    for (size_t i = 0; packed && i < weight_count(model); i++) {
        ken_tensor *weight = weight_at(model, i);
        if (weight) weight->packed = NULL;
    }
    ken_memory_free(packed);
}
