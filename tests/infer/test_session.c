/* test_session.c - answers from one model in many places at once: the bits are those of one thread,
 * memory is taken once, and the model is only read. Under ThreadSanitizer (CONTRIBUTING.md) the
 * first test also shows that nothing is written without a lock. */
#include "infer/session.h"

#include "base/fault.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/kinds.h"
#include "tests/unit.h"
#include "train/trainer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const size_t lengths[] = { 5, 0, 17, 9, 1, 30 };
enum { COUNT = sizeof lengths / sizeof *lengths, LONGEST = 12, THREADS = 4 };

/* ---- four threads, one model ----------------------------------------------------------------- */

struct asker {
    const ken_model *model;
    enum use use;
    ken_sequences input;
    size_t threads; /* of its session */
    ken_status status;
    float numbers[62 * OUTPUT_SIZE];
    struct written written, beams;
};

static ken_session *new_session(const ken_model *model, size_t threads)
{
    ken_session *session;
    ken_session_options options = ken_session_options_default();
    options.threads = threads;
    return ken_session_new(&session, model, &options) ? NULL : session;
}

static ken_status answer(struct asker *asker, ken_session *session)
{
    ken_generation how = ken_generation_default();
    how.longest = LONGEST;
    if (asker->use < TRANSLATOR) return ken_session_predict(session, asker->numbers, &asker->input);
    struct written *to = &asker->written;
    KEN_TRY(ken_session_generate(session, to->ids, to->lengths, to->log_ps, &asker->input, &how));
    how.beam = 3;
    how.best = 2;
    to = &asker->beams;
    return ken_session_generate(session, to->ids, to->lengths, to->log_ps, &asker->input, &how);
}

/* Twice: the second time with memory that is there. */
static void *ask(void *context)
{
    struct asker *asker = context;
    ken_session *session = new_session(asker->model, asker->threads);
    asker->status = session ? answer(asker, session) : KEN_ERR_MEMORY;
    if (!asker->status) asker->status = answer(asker, session);
    ken_session_free(session);
    return NULL;
}

static bool same_answers(const struct asker *a, const struct asker *b)
{
    return memcmp(a->numbers, b->numbers, sizeof a->numbers) == 0 &&
           memcmp(&a->written, &b->written, sizeof a->written) == 0 &&
           memcmp(&a->beams, &b->beams, sizeof a->beams) == 0;
}

/* Nobody has answered before: the threads also agree on who packs the weights. */
static void check_together(const struct variant *variant, enum use use, size_t threads)
{
    static struct asker askers[THREADS], alone;
    static struct batch input;
    pthread_t ids[THREADS];
    ken_model *model = variant_model(variant, use);
    random_batch(&input, lengths, COUNT, 0, use == WRITER ? OUTPUT_SIZE : INPUT_SIZE, 3);
    memset(askers, 0, sizeof askers);
    memset(&alone, 0, sizeof alone);
    alone.model = model;
    alone.use = use;
    alone.input = sequences_of(&input);
    alone.threads = threads;
    for (size_t t = 0; t < THREADS; t++) askers[t] = alone;
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&ids[t], NULL, ask, &askers[t]), 0);
    for (size_t t = 0; t < THREADS; t++) assert_int_equal(pthread_join(ids[t], NULL), 0);
    ask(&alone);
    assert_int_equal(alone.status, KEN_OK);
    for (size_t t = 0; t < THREADS; t++) {
        assert_int_equal(askers[t].status, KEN_OK);
        if (!same_answers(&askers[t], &alone))
            fail_msg("%s, %s: thread %zu has other bits", variant->name, use_names[use], t);
    }
    ken_model_free(model);
}

static const struct variant *variant_of(const char *name)
{
    for (size_t i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, name) == 0) return &variants[i];
    fail_msg("no variant is called %s", name);
    return NULL;
}

static void four_threads_have_the_bits_of_one(void **state)
{
    (void)state;
    static const char *const names[] = { "sinusoid", "learned",   "rotary",       "gatv2",
                                         "lstm",     "conformer", "linear",       "performer",
                                         "floater",  "buckets",   "rnn positions" };
    for (size_t i = 0; i < KEN_COUNT(names); i++)
        for (enum use use = 0; use < USES; use++)
            if (is_possible(variant_of(names[i]), use))
                check_together(variant_of(names[i]), use, 1);
    for (enum use use = 0; use < USES; use++) {
        check_together(variant_of("nystrom"), TAGGER, 0);
        check_together(variant_of("sinusoid"), use, 0); /* in turns with one team */
        check_together(variant_of("sinusoid"), use, 2); /* teams of their own     */
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Allocations of the first, second and third call. */
static void count_calls(uint64_t calls[3], struct asker *asker, ken_session *session)
{
    for (size_t i = 0; i < 3; i++) {
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(answer(asker, session), KEN_OK);
        calls[i] = ken_fault_calls(KEN_FAULT_MEMORY);
    }
}

static void memory_is_taken_once(void **state)
{
    (void)state;
    static struct asker asker;
    static struct batch input;
    for (size_t i = 0; i < VARIANTS; i++)
        for (enum use use = 0; use < USES; use++) {
            if (!is_possible(&variants[i], use)) continue;
            uint64_t calls[3];
            ken_model *model = variant_model(&variants[i], use);
            if (model->head.bias.data) model->head.bias.data[model->config.end] = -100; /* go on */
            random_batch(&input, lengths, COUNT, 0, use == WRITER ? OUTPUT_SIZE : INPUT_SIZE, 3);
            asker = (struct asker){ .model = model, .use = use, .input = sequences_of(&input) };
            ken_session *session = new_session(model, 1);
            count_calls(calls, &asker, session);
            if (calls[0] == 0 || calls[1] > 0 || calls[2] > 0)
                fail_msg("%s, %s: %d, %d and %d allocations", variants[i].name, use_names[use],
                         (int)calls[0], (int)calls[1], (int)calls[2]);
            ken_session_free(session);
            ken_model_free(model);
        }
}

/* The most bytes that answering had at once. */
static size_t peak_of(enum use use, size_t blocks, bool letters)
{
    static struct asker asker;
    static struct batch input;
    static struct sample spelt;
    ken_config config = small_config(use);
    if (config.encoder_blocks > 0) config.encoder_blocks = blocks;
    if (config.decoder_blocks > 0) config.decoder_blocks = blocks;
    random_batch(&input, lengths, COUNT, 0, use == WRITER ? OUTPUT_SIZE : INPUT_SIZE, 3);
    asker = (struct asker){ .use = use, .input = sequences_of(&input) };
    if (letters) {
        config.letters = LETTERS;
        random_sample(&spelt, &(struct kind){ "", KEN_EACH, .letters = true }, lengths, COUNT, 4);
        asker.input = spelt.in;
    }
    ken_model *model = new_model(&config);
    asker.model = model;
    ken_session *session = new_session(model, 1);
    assert_int_equal(answer(&asker, session), KEN_OK);
    size_t peak = session->tape.arena.peak;
    ken_session_free(session);
    ken_model_free(model);
    return peak;
}

static void blocks_take_no_more_memory(void **state)
{
    (void)state;
    enum { SLACK = 4096 }; /* bytes */
    for (enum use use = 0; use < USES; use++) {
        size_t few = peak_of(use, 2, false), many = peak_of(use, 12, false);
        printf("# %s: %zu bytes with 2 blocks, %zu with 12\n", use_names[use], few, many);
        assert_true(many <= few + SLACK);
    }
    assert_true(peak_of(TAGGER, 12, true) <= peak_of(TAGGER, 2, true) + SLACK);
}

/* Gradients are there for a trainer, and packed weights once somebody answered. */
static void a_model_has_what_is_needed(void **state)
{
    (void)state;
    ken_config config = small_config(CLASSIFIER);
    ken_model *model = new_model(&config);
    ken_training training = ken_training_default();
    ken_trainer *trainer, *other;
    assert_null(model->parameters.grad);
    assert_null(model->head.weight.grad);
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    assert_int_equal(ken_trainer_new(&other, model, &training), KEN_OK);
    assert_non_null(model->head.weight.grad);
    ken_trainer_free(other);
    assert_non_null(model->head.weight.grad);
    ken_trainer_free(trainer);
    assert_null(model->parameters.grad);
    assert_null(model->head.weight.grad);
    assert_null(*model->head.weight.packed);
    ken_sequences in = { (int32_t[]){ 1, 2 }, (size_t[]){ 0, 2 }, 1 };
    float results[OUTPUT_SIZE];
    assert_int_equal(ken_model_predict(model, results, &in), KEN_OK);
    const float *packed = *model->head.weight.packed;
    assert_non_null(packed);
    assert_int_equal(ken_model_predict(model, results, &in), KEN_OK);
    assert_ptr_equal(packed, *model->head.weight.packed); /* once for all */
    ken_model_free(model);
}

static void no_gradient_without_a_trainer(void **state)
{
    (void)state;
    static struct examples examples;
    ken_config config = small_config(CLASSIFIER);
    ken_model *model = new_model(&config);
    random_examples(&examples, CLASSIFIER, lengths, COUNT, 7);
    ken_sequences in = sequences_of(&examples.input), to = sequences_of(&examples.target);
    ken_tape tape;
    assert_int_equal(ken_tape_init(&tape), KEN_OK);
    ken_tape_backward(&tape, loss_on(&tape, model, &in, &to, 0));
    assert_int_equal(ken_tape_status(&tape), KEN_ERR_STATE);
    assert_non_null(strstr(ken_last_error(), "no gradients"));
    assert_null(model->head.weight.grad);
    ken_tape_release(&tape);
    ken_model_free(model);
}

/* ---- weights that change --------------------------------------------------------------------- */

static void answers_follow_the_weights(void **state)
{
    (void)state;
    static struct examples examples;
    float before[COUNT * OUTPUT_SIZE], now[COUNT * OUTPUT_SIZE], fresh[COUNT * OUTPUT_SIZE];
    ken_config config = small_config(CLASSIFIER);
    ken_training training = ken_training_default();
    training.average = 0.5;
    training.schedule = KEN_SCHEDULE_CONSTANT;
    training.warm_up = 0;
    ken_model *model = new_model(&config);
    ken_session *session = new_session(model, 0);
    ken_trainer *trainer;
    assert_int_equal(ken_trainer_new(&trainer, model, &training), KEN_OK);
    random_examples(&examples, CLASSIFIER, lengths, COUNT, 7);
    ken_sequences in = sequences_of(&examples.input);
    assert_int_equal(ken_session_predict(session, before, &in), KEN_OK);
    for (size_t i = 0; i < 4; i++) {
        if (i % 2) ken_trainer_swap_average(trainer);
        else if (i > 0) ken_trainer_swap_average(trainer);
        if (i % 2 == 0) assert_int_equal(train_step(trainer, CLASSIFIER, &examples, NULL), KEN_OK);
        assert_int_equal(ken_session_predict(session, now, &in), KEN_OK);
        assert_int_equal(ken_model_predict(model, fresh, &in), KEN_OK);
        assert_memory_equal(now, fresh, sizeof now);
        assert_memory_not_equal(now, before, sizeof now);
        memcpy(before, now, sizeof before);
    }
    ken_trainer_free(trainer);
    ken_session_free(session);
    ken_model_free(model);
}

/* ---- sessions as objects --------------------------------------------------------------------- */

/* One answer of a new session, in the thread that calls. */
static int answer_once(const ken_model *model, const ken_sequences *input)
{
    static float numbers[4096];
    ken_session *session = new_session(model, 1);
    ken_status status = session ? ken_session_predict(session, numbers, input) : KEN_ERR_MEMORY;
    ken_session_free(session);
    return (int)status;
}

struct packer {
    ken_model *model;
    const ken_sequences *input;
    atomic_bool stop;
};

/* Packs the weights again and again, as if a trainer changed them between answers. */
static void *pack_often(void *context)
{
    struct packer *packer = context;
    while (!atomic_load(&packer->stop)) {
        answer_once(packer->model, packer->input);
        ken_model_changed(packer->model);
    }
    return NULL;
}

/* fork() at any moment while a thread packs one model: the child can pack another. */
static void a_child_can_pack(void **state)
{
    (void)state;
    ken_config config = small_config(TAGGER);
    ken_model *mine = new_model(&config);
    config.width = config.hidden = 1024; /* so that most of the time goes into packing */
    ken_model *other = new_model(&config);
    static struct batch batch;
    random_batch(&batch, (size_t[]){ 2 }, 1, 0, INPUT_SIZE, 3);
    ken_sequences input = sequences_of(&batch);
    struct packer packer = { .model = other, .input = &input };
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, pack_often, &packer), 0);
    size_t wrong = 0;
    for (int i = 0; i < 30; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* ends a child that waits for a thread that does not exist */
            _exit(answer_once(mine, &input));
        }
        int ended = -1;
        wrong += child < 0 || waitpid(child, &ended, 0) != child || ended != 0;
    }
    atomic_store(&packer.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(wrong, 0);
    ken_model_free(mine);
    ken_model_free(other);
}

static void options_of_a_session(void **state)
{
    (void)state;
    ken_config config = small_config(TAGGER);
    ken_model *model = new_model(&config);
    ken_session *session;
    ken_session_options options = ken_session_options_default();
    assert_int_equal(options.size, sizeof options);
    assert_int_equal(ken_session_new(&session, model, &options), KEN_OK);
    ken_session_free(session);
    options.threads = 257;
    assert_int_equal(ken_session_new(&session, model, &options), KEN_ERR_ARGUMENT);
    assert_null(session);
    options.size = 0;
    assert_int_equal(ken_session_new(&session, model, &options), KEN_ERR_ARGUMENT);
    assert_non_null(strstr(ken_last_error(), "ken_session_options_default"));
    ken_session_free(NULL);
    ken_model_free(model);
}

/* Every allocation fails once: an error that is said, and a session that answers again. */
static void memory_that_ends(void **state)
{
    (void)state;
    static struct asker asker, calm;
    static struct batch input;
    random_batch(&input, lengths, COUNT, 0, INPUT_SIZE, 3);
    uint64_t failures = 0;
    for (enum use use = TAGGER; use <= TRANSLATOR; use++)
        for (uint64_t nth = 1; nth <= 20; nth++) {
            ken_config config = small_config(use);
            ken_model *model = new_model(&config);
            memset(&asker, 0, sizeof asker);
            memset(&calm, 0, sizeof calm);
            asker.model = calm.model = model;
            asker.use = calm.use = use;
            asker.input = calm.input = sequences_of(&input);
            calm.threads = 1;
            ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
            ken_session *session = new_session(model, 1);
            ken_status status = session ? answer(&asker, session) : KEN_ERR_MEMORY;
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_true(status == KEN_OK || status == KEN_ERR_MEMORY);
            failures += status != KEN_OK;
            ask(&calm);
            if (session) assert_int_equal(answer(&asker, session), KEN_OK);
            if (session) assert_true(same_answers(&asker, &calm));
            ken_session_free(session);
            ken_model_free(model);
        }
    assert_true(failures > 15);
}

/* ---- how much faster ------------------------------------------------------------------------- */

struct worker {
    ken_session *session;
    ken_sequences input;
    float *results;
    double seconds;
};

enum { CALLS = 60, WIDE = 192, WORDS = 24 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *work(void *context)
{
    struct worker *worker = context;
    double before = now();
    for (size_t i = 0; i < CALLS; i++)
        ken_session_predict(worker->session, worker->results, &worker->input);
    worker->seconds = now() - before;
    return NULL;
}

/* Printed, not demanded: other processes may have the second core. */
static void throughput_of_two(void **state)
{
    (void)state;
    static int32_t ids[WORDS];
    static const size_t start[] = { 0, WORDS };
    ken_config config = small_config(CLASSIFIER);
    config.width = WIDE;
    config.hidden = 4 * WIDE;
    config.encoder_blocks = 4;
    ken_model *model = new_model(&config);
    float results[2][OUTPUT_SIZE];
    struct worker workers[2];
    for (size_t w = 0; w < 2; w++)
        workers[w] = (struct worker){ new_session(model, 1), { ids, start, 1 }, results[w], 0 };
    work(&workers[0]); /* packs, and takes memory */
    work(&workers[1]);
    work(&workers[0]);
    double alone = workers[0].seconds, before = now();
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, work, &workers[1]), 0);
    work(&workers[0]);
    assert_int_equal(pthread_join(other, NULL), 0);
    printf("# one thread %.0f answers/s, two threads %.2f times as many\n", CALLS / alone,
           2 * alone / (now() - before));
    assert_memory_equal(results[0], results[1], sizeof results[0]);
    for (size_t w = 0; w < 2; w++) ken_session_free(workers[w].session);
    ken_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_threads_have_the_bits_of_one),
        cmocka_unit_test(memory_is_taken_once),
        cmocka_unit_test(blocks_take_no_more_memory),
        cmocka_unit_test(a_model_has_what_is_needed),
        cmocka_unit_test(no_gradient_without_a_trainer),
        cmocka_unit_test(answers_follow_the_weights),
        cmocka_unit_test(a_child_can_pack),
        cmocka_unit_test(options_of_a_session),
        cmocka_unit_test(memory_that_ends),
        cmocka_unit_test(throughput_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
