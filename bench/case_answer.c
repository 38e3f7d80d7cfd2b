/* case_answer.c - answers of an encoder as large as a usual model for sentence embeddings (width
 * 384, 6 blocks, 12 heads, hidden 1536, 30522 words), beside ONNX Runtime with the same weights.
 * The cases are one sequence of 1, 16 and 128 words, 8 sequences of 32, and 32 sentences of natural
 * lengths, each with one thread and with two. */
#define _GNU_SOURCE
#include "bench/bench.h"
#include "bench/sentences.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 30522, LABELS = 2, WIDTH = 384, HIDDEN = 1536, BLOCKS = 6, HEADS = 12 };
enum { MOST = 32, TEAMS = 2, PER_ID = 8, PER_ANSWER = 16 };

static const struct shape {
    const char *name;
    size_t count, length; /* sequences, and the words of each; 0 = natural lengths */
} shapes[] = { { "1x1", 1, 1 },
               { "1x16", 1, 16 },
               { "1x128", 1, 128 },
               { "8x32", 8, 32 },
               { "sentences", MOST, 0 } };
enum { SHAPES = KEN_COUNT(shapes) };

struct state {
    ken_model *model;
    ken_session *session;
    ken_sequences input;
    size_t start[MOST + 1], team;
    int32_t *ids;
    float answers[MOST * LABELS];
    char path[512]; /* of the model as a file, while the peer may read it; "": there is none */
    char *request;
};

/* Every 62nd sentence of 2,000: 32 of them, 600 words in all, the longest has 52. */
static size_t length_of(const struct shape *shape, size_t b)
{
    return shape->length > 0 ? shape->length : bench_lengths[b * (BENCH_SENTENCES / MOST)];
}

static void describe(struct bench_case *out, size_t index)
{
    const struct shape *shape = &shapes[index % SHAPES];
    size_t team = index / SHAPES + 1;
    double rows = 0, pairs = 0, D = WIDTH, F = HIDDEN;
    for (size_t b = 0; b < shape->count; b++) {
        double T = (double)length_of(shape, b);
        rows += T;
        pairs += T * T;
    }
    *out = (struct bench_case){ .unit = "runs/s", .work = 1, .threads = team };
    out->flops = BLOCKS * (rows * 2 * (4 * D * D + 2 * D * F) + 4 * pairs * D);
    snprintf(out->name, sizeof out->name, "answer/%zu-thread%s/%s", team, team > 1 ? "s" : "",
             shape->name);
}

static ken_status setup(void **out, size_t index, uint64_t seed)
{
    const struct shape *shape = &shapes[index % SHAPES];
    struct state *s = ken_memory_zeroed(1, sizeof *s);
    *out = s;
    if (!s) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    for (size_t b = 0; b < shape->count; b++) s->start[b + 1] = s->start[b] + length_of(shape, b);
    size_t rows = s->start[shape->count];
    s->ids = ken_memory_new(rows, sizeof *s->ids);
    if (!s->ids) return ken_fail(KEN_ERR_MEMORY, "no memory for a case");
    for (size_t i = 0; i < rows; i++) s->ids[i] = (int32_t)ken_random_below(seed, i, WORDS);
    s->input = (ken_sequences){ .ids = s->ids, .start = s->start, .count = shape->count };
    ken_config config = ken_config_default(KEN_WHOLE);
    config.input_size = WORDS;
    config.output_size = LABELS;
    config.width = WIDTH;
    config.hidden = HIDDEN;
    config.heads = HEADS;
    config.encoder_blocks = BLOCKS;
    KEN_TRY(ken_model_new(&s->model, &config));
    s->team = index / SHAPES + 1;
    ken_session_options options = ken_session_options_default();
    options.threads = s->team;
    return ken_session_new(&s->session, s->model, &options);
}

static void run(void *context)
{
    struct state *s = context;
    ken_session_predict(s->session, s->answers, &s->input);
}

/* The model as a file of its own in the folder for temporary files; gone with the case. */
static ken_status save_model(struct state *s)
{
    const char *folder = getenv("TMPDIR");
    snprintf(s->path, sizeof s->path, "%s/ken-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    int file = mkstemp(s->path);
    if (file < 0) {
        ken_status status = ken_fail(KEN_ERR_IO, "%s: %s", s->path, strerror(errno));
        s->path[0] = '\0';
        return status;
    }
    close(file);
    return ken_model_save(s->model, s->path);
}

/* "answer 2 4,17,3;9,1 0.25,0.75;0.5,0.5 PATH": threads, ids, ken's answers, and the weights. */
static void write_request(struct state *s, size_t room)
{
    char *to = s->request;
    int used = snprintf(to, room, "answer %zu ", s->team);
    for (size_t b = 0; b < s->input.count; b++)
        for (size_t i = s->start[b]; i < s->start[b + 1]; i++) {
            const char *after = i + 1 < s->start[b + 1] ? "," : b + 1 < s->input.count ? ";" : " ";
            used += snprintf(to + used, room - (size_t)used, "%d%s", (int)s->ids[i], after);
        }
    for (size_t i = 0; i < s->input.count * LABELS; i++) {
        const char *after = (i + 1) % LABELS ? "," : i + 1 < s->input.count * LABELS ? ";" : " ";
        used += snprintf(to + used, room - (size_t)used, "%.7f%s", (double)s->answers[i], after);
    }
    snprintf(to + used, room - (size_t)used, "%s", s->path);
}

static const char *request(void *context)
{
    struct state *s = context;
    size_t room = sizeof s->path + 64 + PER_ID * s->start[s->input.count] +
                  PER_ANSWER * s->input.count * LABELS;
    if (ken_session_predict(s->session, s->answers, &s->input) || save_model(s)) return NULL;
    s->request = ken_memory_new(room, 1);
    if (s->request) write_request(s, room);
    else ken_fail(KEN_ERR_MEMORY, "no memory for a request");
    return s->request;
}

static void release(void *context)
{
    struct state *s = context;
    if (!s) return;
    if (s->path[0]) unlink(s->path);
    ken_session_free(s->session);
    ken_model_free(s->model);
    ken_memory_free(s->ids);
    ken_memory_free(s->request);
    ken_memory_free(s);
}

const struct bench_group bench_answer = {
    .name = "answer",
    .about = "answers of an encoder (width 384, 6 blocks), sequences x words, beside ONNX Runtime",
    .count = SHAPES * TEAMS,
    .describe = describe,
    .setup = setup,
    .run = run,
    .release = release,
    .asked = BENCH_ONNX,
    .request = request,
};
