/* 09_threads.c - one model, four threads: each has its own session, and none waits for another.
 *
 * The model has random weights, since only speed and bits matter here. A session with threads = 1
 * computes in the thread that calls it and starts no other; memory is taken at its first call and
 * kept. Expect four threads to give the same bits as one, and as many times the answers as there
 * are free processors. The last one of the course. */
#include "ken.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 4, CALLS = 100, SENTENCES = 8, WORDS = 20, KINDS = 1000, LABELS = 7 };

static void must(ken_status status)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", ken_status_name(status), ken_last_error());
    exit(1);
}

/* What a thread has: the model, which all of them only read, and a place for its answers. */
struct reader {
    const ken_model *model;
    ken_sequences input;
    float answers[SENTENCES * LABELS];
};

static void *answer(void *context)
{
    struct reader *reader = context;
    ken_session_options options = ken_session_options_default();
    options.threads = 1;
    ken_session *session;
    must(ken_session_new(&session, reader->model, &options));
    for (int call = 0; call < CALLS; call++)
        must(ken_session_predict(session, reader->answers, &reader->input));
    ken_session_free(session);
    return NULL;
}

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(void)
{
    static int32_t ids[SENTENCES * WORDS];
    size_t start[SENTENCES + 1];
    for (size_t i = 0; i < SENTENCES * WORDS; i++) ids[i] = rand() % KINDS;
    for (size_t b = 0; b <= SENTENCES; b++) start[b] = b * WORDS;

    ken_config config = ken_config_default(KEN_WHOLE);
    config.input_size = KINDS;
    config.output_size = LABELS;
    ken_model *model;
    must(ken_model_new(&model, &config));

    static struct reader alone, readers[THREADS];
    alone.model = model;
    alone.input = (ken_sequences){ .ids = ids, .start = start, .count = SENTENCES };
    answer(&alone); /* the first answer of all packs the weights */
    double before = now();
    answer(&alone);
    double one = now() - before;

    pthread_t threads[THREADS];
    before = now();
    for (int t = 0; t < THREADS; t++) {
        readers[t].model = model;
        readers[t].input = alone.input;
        if (pthread_create(&threads[t], NULL, answer, &readers[t])) return 1;
    }
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    double four = now() - before;

    int same = 1;
    for (int t = 0; t < THREADS; t++)
        if (memcmp(readers[t].answers, alone.answers, sizeof alone.answers)) same = 0;
    printf("one thread: %.0f sentences/s\n", CALLS * SENTENCES / one);
    printf("four threads: %.1f times as many\n", THREADS * one / four);
    printf("%s\n", same ? "all have the same bits" : "the bits differ");
    ken_model_free(model);
    return !same;
}
