/* generate_read.c - holds growing sequences, one in each slot, and computes the logits of their
 * next ids. Invariant: the first kept[s] rows of slot s in the cache belong to the first kept[s]
 * tokens of slot s. So when a slot is copied to one that begins with the same tokens, only the rows
 * after the common beginning have to be copied. */
#include "base/size.h"
#include "infer/generate.h"

#include <string.h>

static ken_status no_memory(size_t count)
{
    return ken_fail(KEN_ERR_MEMORY, "no memory to write %zu sequences", count);
}

/* Allocates new arrays of tokens and counters for `slots` slots. The old arrays are kept until
 * every allocation has succeeded. */
static ken_status take_slots(struct ken_slots *reader, size_t slots, size_t room)
{
    ken_arena *arena = reader->arena;
    size_t size;
    int32_t *tokens = ken_size_mul(&size, slots, room) ? ken_arena_take(arena, size, sizeof *tokens)
                                                       : NULL;
    size_t *used = ken_arena_take_zeroed(arena, slots, sizeof *used);
    size_t *kept = ken_arena_take_zeroed(arena, slots, sizeof *kept);
    if (!tokens || !used || !kept) return no_memory(slots);
    reader->tokens = tokens;
    reader->used = used;
    reader->kept = kept;
    reader->slots = slots;
    reader->room = room;
    return KEN_OK;
}

/* Runs the encoder and keeps its result for all steps, because the next step clears the tape. The
 * result is stored as keys and values of each block in the cache or, with `recompute`, as rows in
 * `memory`. */
static ken_status read_input(struct ken_slots *reader, const ken_sequences *input)
{
    ken_tape *tape = reader->pass->tape;
    struct ken_encoded encoded = ken_model_encode(reader->pass, input);
    KEN_TRY(ken_tape_status(tape));
    size_t entries = encoded.ragged.count + 1;
    reader->memory_start = ken_arena_take(reader->arena, entries, sizeof *reader->memory_start);
    if (!reader->memory_start) return no_memory(input->count);
    memcpy(reader->memory_start, encoded.ragged.start, entries * sizeof *reader->memory_start);
    encoded.ragged.start = reader->memory_start;
    if (!reader->recompute)
        return ken_cache_remember(&reader->cache, tape, reader->pass->model->decoder, encoded.rows,
                                  encoded.ragged);
    size_t size = ken_tensor_size(encoded.rows);
    reader->memory = ken_arena_take(reader->arena, size, sizeof(float));
    if (!reader->memory) return no_memory(input->count);
    memcpy(reader->memory, encoded.rows->data, size * sizeof(float));
    return KEN_OK;
}

ken_status ken_slots_init(struct ken_slots *reader, struct ken_pass *pass, ken_arena *arena,
                          const ken_sequences *input, size_t slots, size_t room, bool recompute)
{
    const ken_model *model = pass->model;
    size_t blocks = model->config.decoder_blocks;
    *reader = (struct ken_slots){ .pass = pass, .arena = arena, .recompute = recompute };
    KEN_TRY(take_slots(reader, slots, room));
    if (!recompute)
        KEN_TRY(ken_cache_init(&reader->cache, arena, model->decoder, blocks, slots, room));
    return model->config.encoder_blocks > 0 ? read_input(reader, input) : KEN_OK;
}

ken_status ken_slots_resize(struct ken_slots *reader, size_t slots, size_t room, const size_t *from)
{
    struct ken_slots old = *reader;
    KEN_TRY(take_slots(reader, slots, room));
    for (size_t s = 0; s < slots; s++) {
        reader->used[s] = old.used[from[s]];
        reader->kept[s] = old.kept[from[s]];
        memcpy(reader->tokens + s * room, old.tokens + from[s] * old.room,
               reader->used[s] * sizeof *reader->tokens);
    }
    if (reader->recompute) return KEN_OK;
    return ken_cache_resize(&reader->cache, slots, room, from, reader->kept);
}

void ken_slots_append(struct ken_slots *reader, size_t slot, int32_t token)
{
    reader->tokens[slot * reader->room + reader->used[slot]++] = token;
}

/* Copies the sequence of one slot to another. The two often have nearly all tokens in common, and a
 * row of the cache depends only on the tokens up to that row. So the rows of the common beginning
 * are not copied. */
void ken_slots_copy(struct ken_slots *reader, size_t to, size_t from)
{
    int32_t *new = reader->tokens + to * reader->room;
    const int32_t *old = reader->tokens + from * reader->room;
    size_t same = 0, both = ken_size_min(reader->kept[to], reader->kept[from]);
    while (same < both && new[same] == old[same]) same++;
    if (!reader->recompute) ken_cache_copy(&reader->cache, to, from, same, reader->kept[from]);
    memcpy(new + same, old + same, (reader->used[from] - same) * sizeof *new);
    reader->used[to] = reader->used[from];
    reader->kept[to] = reader->kept[from];
}

/* ---- one step -------------------------------------------------------------------------------- */

/* Arrays of one step, on the tape. `ids` has one entry for each token that is read, all other
 * arrays have one entry for each sequence. */
struct step {
    int32_t *ids;  /* tokens that the decoder reads in this step    */
    size_t *start; /* index in `ids` of each sequence's first token */
    /* where each sequence's rows are in the cache (struct ken_cache_batch) */
    size_t *first, *kept, *count;
    size_t *memory_first, *memory_count; /* where the encoder's rows are (struct ken_cache_batch) */
};

static ken_status take_step(struct step *step, const struct ken_slots *reader, const size_t *slot,
                            size_t count)
{
    ken_arena *arena = &reader->pass->tape->arena;
    size_t tokens = 0;
    for (size_t a = 0; a < count; a++) tokens += reader->used[slot[a]] - reader->kept[slot[a]];
    step->ids = ken_arena_take(arena, tokens, sizeof *step->ids);
    size_t **arrays[] = { &step->start, &step->first,        &step->kept,
                          &step->count, &step->memory_first, &step->memory_count };
    bool enough = step->ids != NULL;
    for (size_t i = 0; i < KEN_COUNT(arrays); i++) {
        *arrays[i] = ken_arena_take_zeroed(arena, count + 1, sizeof **arrays[i]);
        enough = enough && *arrays[i];
    }
    return enough ? KEN_OK : no_memory(count);
}

/* Lists the tokens that the decoder has to read in this step: those whose keys and values are not
 * in the cache yet. */
static void fill_step(struct step *step, const struct ken_slots *reader, const size_t *slot,
                      const size_t *source, size_t count)
{
    for (size_t a = 0; a < count; a++) {
        size_t s = slot[a], new = reader->used[s] - reader->kept[s];
        memcpy(step->ids + step->start[a], reader->tokens + s * reader->room + reader->kept[s],
               new * sizeof *step->ids);
        step->start[a + 1] = step->start[a] + new;
        step->first[a] = s * reader->room;
        step->kept[a] = reader->kept[s];
        step->count[a] = reader->used[s];
        if (!reader->memory_start) continue;
        step->memory_first[a] = reader->memory_start[source[a]];
        step->memory_count[a] = reader->memory_start[source[a] + 1] - step->memory_first[a];
    }
}

/* Runs the decoder over whole sequences, without a cache. Every hypothesis gets its own copy of the
 * encoder's rows of its input. */
static ken_tensor *decode_anew(const struct ken_slots *reader, const ken_sequences *read,
                               const struct step *step)
{
    ken_tape *tape = reader->pass->tape;
    size_t D = reader->pass->model->config.width, B = read->count, rows = 0;
    size_t *start = ken_arena_take_zeroed(&tape->arena, B + 1, sizeof *start);
    if (!start) return ken_tape_fail(tape, KEN_ERR_MEMORY, "no memory for %zu sequences", B);
    for (size_t a = 0; a < B; a++) start[a + 1] = rows += step->memory_count[a];
    ken_tensor *memory = reader->memory ? ken_tape_tensor(tape, rows, D) : NULL;
    for (size_t a = 0; memory && a < B; a++)
        memcpy(memory->data + start[a] * D, reader->memory + step->memory_first[a] * D,
               step->memory_count[a] * D * sizeof(float));
    struct ken_encoded encoded = { memory, { start, B } };
    return ken_model_decode(reader->pass, read, reader->memory ? &encoded : NULL);
}

/* Computes the logits of the next id of each sequence. With a cache, the first step reads the whole
 * prefix of a sequence and later steps read one token. With `recompute` every step reads the whole
 * sequence. */
ken_status ken_slots_next(struct ken_slots *reader, ken_tensor **logits, const size_t *slot,
                          const size_t *source, size_t count)
{
    ken_tape *tape = reader->pass->tape;
    struct step step;
    ken_tape_clear(tape);
    KEN_TRY(take_step(&step, reader, slot, count));
    fill_step(&step, reader, slot, source, count);
    ken_sequences read = { .ids = step.ids, .start = step.start, .count = count };
    struct ken_cache_batch batch = { .cache = &reader->cache,
                                     .first = step.first,
                                     .kept = step.kept,
                                     .count = step.count,
                                     .memory_first = step.memory_first,
                                     .memory_count = step.memory_count };
    ken_tensor *rows = reader->recompute ? decode_anew(reader, &read, &step)
                                         : ken_model_decode_more(reader->pass, &read, &batch);
    size_t D = reader->pass->model->config.width;
    ken_tensor *last = ken_tape_tensor(tape, count, D); /* receives the last row of each sequence */
    KEN_TRY(ken_tape_status(tape));
    for (size_t a = 0; a < count; a++) {
        memcpy(last->data + a * D, rows->data + (step.start[a + 1] - 1) * D, D * sizeof(float));
        if (!reader->recompute) reader->kept[slot[a]] = reader->used[slot[a]];
    }
    *logits = ken_model_logits(reader->pass, last);
    return ken_tape_status(tape);
}
