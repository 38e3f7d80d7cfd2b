/* packed.c - one packed copy of a model's weights for all sessions, because packing a weight costs
 * more than multiplying a few rows by it. The first answer makes the copy under a lock. The copy
 * changes only when the weights change, so reading it needs no lock.
 *
 * The packed copy belongs to the model but is made while the model is const. So it is kept in a
 * separate struct; all its contents follow from the weights. */
#include "base/memory.h"
#include "kernel/matmul.h"
#include "model/model.h"

#include <pthread.h>
#include <stdatomic.h>

/* The lock that a thread holds while it packs weights. One lock serves all models, so that a fork
 * can wait for it: otherwise a child process could wait for ever for a lock that a thread of its
 * parent held. */
static pthread_mutex_t packing = PTHREAD_MUTEX_INITIALIZER;

struct ken_packed {
    atomic_bool ready;     /* set last: a thread that sees it also sees the packed copies */
    atomic_ullong version; /* number of times that the weights have changed               */
    float *memory;         /* one block that holds the packed copies of all weights       */
};

ken_status ken_packed_new(struct ken_packed **result)
{
    struct ken_packed *packed = *result = ken_memory_zeroed(1, sizeof *packed);
    if (!packed) return ken_fail(KEN_ERR_MEMORY, "no memory for a model");
    return KEN_OK;
}

void ken_packed_free(struct ken_packed *packed)
{
    if (!packed) return;
    ken_memory_free(packed->memory);
    ken_memory_free(packed);
}

static void lock_packing(void)
{
    pthread_mutex_lock(&packing);
}

static void unlock_packing(void)
{
    pthread_mutex_unlock(&packing);
}

/* Registers the handlers that take and release the lock `packing` around a fork. Handlers before a
 * fork run in reverse order of registration. These are registered after the handlers of
 * base/threads.c, because every session starts the threads before it packs. So a fork takes
 * `packing` first and then the region of the threads, in the same order as a thread that packs. */
static void watch_forks(void)
{
    pthread_atfork(lock_packing, unlock_packing, unlock_packing);
}

/* Packs all weights. The caller must hold the lock `packing`. */
static ken_status pack_all(const ken_parameters *parameters, struct ken_packed *packed)
{
    size_t total = 0, slot = 0;
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *weight = parameters->list[i].tensor;
        if (weight->packed) total += ken_matmul_packed_size(weight->rows, weight->cols);
    }
    packed->memory = ken_memory_new(total, sizeof *packed->memory);
    if (!packed->memory) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu packed weights", total);
    float *next = packed->memory;
    for (size_t i = 0; i < parameters->count; i++) {
        const ken_tensor *weight = parameters->list[i].tensor;
        if (!weight->packed) continue;
        ken_matmul_pack(next, weight->data, weight->rows, weight->cols, KEN_NT);
        parameters->slots[slot++] = next; /* weight->packed points to this slot */
        next += ken_matmul_packed_size(weight->rows, weight->cols);
    }
    return KEN_OK;
}

ken_status ken_model_pack(const ken_model *model, uint64_t *version)
{
    struct ken_packed *packed = model->packed;
    ken_status status = KEN_OK;
    if (!atomic_load_explicit(&packed->ready, memory_order_acquire)) {
        static pthread_once_t watched = PTHREAD_ONCE_INIT;
        pthread_once(&watched, watch_forks);
        lock_packing();
        if (!atomic_load(&packed->ready)) status = pack_all(&model->parameters, packed);
        if (!status) atomic_store(&packed->ready, true);
        unlock_packing();
    }
    *version = atomic_load(&packed->version);
    return status;
}

void ken_model_changed(ken_model *model)
{
    struct ken_packed *packed = model->packed;
    const ken_parameters *parameters = &model->parameters;
    atomic_fetch_add(&packed->version, 1);
    if (!atomic_load(&packed->ready)) return;
    atomic_store(&packed->ready, false);
    for (size_t i = 0; i < parameters->slot_count; i++) parameters->slots[i] = NULL;
    ken_memory_free(packed->memory);
    packed->memory = NULL;
}
