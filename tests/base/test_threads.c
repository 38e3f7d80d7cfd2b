/* test_threads.c - the team of threads runs every task once, for any number of threads, runs and
 * callers. */
#define _GNU_SOURCE
#include "base/fault.h"
#include "base/random.h"
#include "base/size.h"
#include "base/threads.h"
#include "tests/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t counts[] = { 1, 2, 3, 7 };

struct tally {
    atomic_int runs[1000];
    atomic_int wrong;
};

static void count_task(void *context, size_t task, float *scratch)
{
    struct tally *tally = context;
    (void)scratch;
    atomic_fetch_add(&tally->runs[task], 1);
}

static void every_task_once(void **state)
{
    (void)state;
    static const size_t tasks[] = { 0, 1, 2, 3, 1000 };
    for (size_t c = 0; c < KEN_COUNT(counts); c++) {
        assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
        assert_int_equal(ken_threads(), counts[c]);
        for (size_t t = 0; t < KEN_COUNT(tasks); t++) {
            struct tally tally = { 0 };
            ken_parallel(tasks[t], count_task, &tally);
            for (size_t i = 0; i < 1000; i++) assert_int_equal(tally.runs[i], i < tasks[t]);
        }
    }
}

/* Fills its scratch memory, lets other threads run, and expects to find what it wrote. */
static void scratch_task(void *context, size_t task, float *scratch)
{
    static const size_t places[] = { 0, 1, 1000, KEN_TEAM_SCRATCH / 2, KEN_TEAM_SCRATCH - 1 };
    struct tally *tally = context;
    for (size_t i = 0; i < KEN_COUNT(places); i++) scratch[places[i]] = (float)task;
    if (task % 8 == 0) usleep(100);
    for (size_t i = 0; i < KEN_COUNT(places); i++)
        if (scratch[places[i]] != (float)task) atomic_fetch_add(&tally->wrong, 1);
}

static void scratch_is_private(void **state)
{
    (void)state;
    for (size_t c = 0; c < KEN_COUNT(counts); c++) {
        struct tally tally = { 0 };
        assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
        ken_parallel(500, scratch_task, &tally);
        assert_int_equal(tally.wrong, 0);
    }
}

/* The second run of a region reads what the first run wrote to the shared memory. */
struct sum {
    const float *shared;
    atomic_llong total;
};

static void write_task(void *context, size_t task, float *scratch)
{
    (void)scratch;
    ((float *)context)[task] = (float)task;
}

static void sum_task(void *context, size_t task, float *scratch)
{
    struct sum *sum = context;
    (void)scratch;
    atomic_fetch_add(&sum->total, (long long)sum->shared[99 - task]);
}

/* 100 tasks write 0 .. 99 and 100 others add them up: 4950, unless another caller interfered. */
static long long one_region(void)
{
    struct ken_team *team = ken_team_enter();
    struct sum sum = { .shared = ken_team_shared(team) };
    memset(ken_team_shared(team), 0, 100 * sizeof(float));
    ken_team_run(team, 100, write_task, ken_team_shared(team));
    ken_team_run(team, 100, sum_task, &sum);
    ken_team_leave(team);
    return sum.total;
}

static void *many_regions(void *wrong)
{
    for (int i = 0; i < 1000; i++)
        if (one_region() != 4950) atomic_fetch_add((atomic_int *)wrong, 1);
    return NULL;
}

static void *many_counts(void *wrong)
{
    for (int i = 0; i < 30; i++)
        if (ken_threads_set(1 + (size_t)i % 5)) atomic_fetch_add((atomic_int *)wrong, 1);
    return NULL;
}

/* Two threads of the application compute at once while a third changes the size of the team. */
static void several_callers(void **state)
{
    (void)state;
    pthread_t callers[3];
    atomic_int wrong = 0;
    assert_int_equal(ken_threads_set(3), KEN_OK);
    for (size_t i = 0; i < 3; i++)
        pthread_create(&callers[i], NULL, i < 2 ? many_regions : many_counts, &wrong);
    for (size_t i = 0; i < 3; i++) pthread_join(callers[i], NULL);
    assert_int_equal(wrong, 0);
}

/* Runs follow each other so closely that the next one begins while workers still leave the last. */
static void many_tiny_runs(void **state)
{
    (void)state;
    static struct tally tally;
    for (size_t c = 1; c < KEN_COUNT(counts); c++) {
        memset(&tally, 0, sizeof tally);
        assert_int_equal(ken_threads_set(counts[c]), KEN_OK);
        int expected[8] = { 0 };
        for (uint64_t run = 0; run < 5000; run++) {
            size_t tasks = (size_t)ken_random_below(3, run, 8);
            for (size_t i = 0; i < tasks; i++) expected[i]++;
            ken_parallel(tasks, count_task, &tally);
            for (size_t i = 0; i < tasks; i++) assert_int_equal(tally.runs[i], expected[i]);
        }
    }
}

static void slow_task(void *context, size_t task, float *scratch)
{
    usleep(task == 0 ? 0 : 1500);
    count_task(context, task, scratch);
}

/* Pauses are long enough for the workers to fall asleep, and tasks long enough for the caller
 * to. */
static void sleeping_and_waking(void **state)
{
    (void)state;
    struct tally tally = { 0 };
    assert_int_equal(ken_threads_set(2), KEN_OK);
    for (int i = 0; i < 50; i++) {
        usleep(1000);
        ken_parallel(2, i % 2 ? slow_task : count_task, &tally);
        assert_int_equal(tally.runs[0], i + 1);
        assert_int_equal(tally.runs[1], i + 1);
    }
}

static void bad_counts(void **state)
{
    (void)state;
    assert_int_equal(ken_threads_set(2), KEN_OK);
    assert_int_equal(ken_threads_set(KEN_TEAM_MOST + 1), KEN_ERR_ARGUMENT);
    assert_non_null(strstr(ken_last_error(), "257"));
    assert_int_equal(ken_threads(), 2);
    assert_int_equal(ken_threads_set(0), KEN_OK);
    assert_true(ken_threads() >= 1);
}

/* If there is no memory for more threads, the team is smaller. A team never ends once it has
 * started, so only the first start can fail. */
static void short_of_memory(void **state)
{
    (void)state;
    for (uint64_t nth = 1; nth <= 8; nth++) {
        for (int forever = 0; forever < 2; forever++) {
            struct tally tally = { 0 };
            ken_fault_arm(KEN_FAULT_MEMORY, nth, forever);
            ken_status status = ken_threads_set(7);
            ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
            assert_int_equal(status, KEN_OK);
            assert_int_equal(ken_threads(), nth < 7 ? nth : 7);
            ken_parallel(100, count_task, &tally);
            for (size_t i = 0; i < 100; i++) assert_int_equal(tally.runs[i], 1);
        }
    }
}

/* Uses the team in a child process; the exit status is the number of errors. */
static int work_in_child(size_t threads)
{
    struct tally tally = { 0 };
    int faults = ken_threads() != threads;
    for (int i = 0; i < 20; i++) ken_parallel(100, i % 2 ? count_task : scratch_task, &tally);
    for (size_t i = 0; i < 100; i++) faults += tally.runs[i] != 10;
    faults += ken_threads() != threads || tally.wrong != 0;
    faults += ken_threads_set(2) != KEN_OK || one_region() != 4950;
    return faults < 100 ? faults : 100;
}

static void *fork_often(void *wrong)
{
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* ends a child that waits for threads that do not exist */
            _exit(work_in_child(3));
        }
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            atomic_fetch_add((atomic_int *)wrong, 1);
    }
    return NULL;
}

/* fork() while another thread computes: both processes continue with all their threads. */
static void a_child_has_its_own_team(void **state)
{
    (void)state;
    pthread_t callers[2];
    atomic_int wrong = 0;
    assert_int_equal(ken_threads_set(3), KEN_OK);
    pthread_create(&callers[0], NULL, many_regions, &wrong);
    pthread_create(&callers[1], NULL, fork_often, &wrong);
    for (size_t i = 0; i < 2; i++) pthread_join(callers[i], NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(one_region(), 4950);
}

/* ---- teams of a caller's own ----------------------------------------------------------------- */

static void an_own_team(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 5; threads += 2) {
        struct ken_team *team;
        struct tally tally = { 0 };
        assert_int_equal(ken_team_new(&team, threads), KEN_OK);
        assert_null(ken_team_use(team));
        assert_int_equal(ken_team_start(), KEN_OK);
        for (int k = 0; k < 20; k++) ken_parallel(100, k % 2 ? count_task : scratch_task, &tally);
        struct ken_team *entered = ken_team_enter();
        assert_ptr_equal(entered, team);
        ken_team_leave(entered);
        assert_ptr_equal(ken_team_use(NULL), team);
        for (size_t k = 0; k < 100; k++) assert_int_equal(tally.runs[k], 10);
        assert_int_equal(tally.wrong, 0);
        ken_team_free(team);
    }
    struct ken_team *none;
    assert_int_equal(ken_team_new(&none, 0), KEN_ERR_ARGUMENT);
    assert_null(none);
    assert_int_equal(ken_team_new(&none, KEN_TEAM_MOST + 1), KEN_ERR_ARGUMENT);
    for (uint64_t nth = 1; nth <= 6; nth++) { /* the team, its memory; threads are done without */
        ken_fault_arm(KEN_FAULT_MEMORY, nth, false);
        ken_status status = ken_team_new(&none, 3);
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, nth <= 3 ? KEN_ERR_MEMORY : KEN_OK);
        ken_team_free(none);
    }
    ken_team_free(NULL);
}

static void wait_for_the_other(void *context, size_t task, float *scratch)
{
    (void)task;
    (void)scratch;
    while (!atomic_load((atomic_int *)context)) usleep(100);
}

static void say_so(void *context, size_t task, float *scratch)
{
    (void)task;
    (void)scratch;
    atomic_store((atomic_int *)context, 1);
}

/* In a region, and with a team, of its own. */
static void *wait_in_region(void *context)
{
    struct ken_team *team;
    if (ken_team_new(&team, 2)) return context;
    ken_team_use(team);
    ken_parallel(2, wait_for_the_other, context);
    ken_team_use(NULL);
    ken_team_free(team);
    return NULL;
}

/* Two threads in regions that only the region of a third one ends: if callers with teams of their
 * own waited for each other, this would be for ever. */
static void own_teams_do_not_wait(void **state)
{
    (void)state;
    pthread_t waiting[2];
    atomic_int said = 0;
    struct ken_team *team;
    alarm(60);
    for (size_t i = 0; i < 2; i++) pthread_create(&waiting[i], NULL, wait_in_region, &said);
    usleep(20000);
    assert_int_equal(ken_team_new(&team, 1), KEN_OK);
    ken_team_use(team);
    ken_parallel(1, say_so, &said);
    ken_team_use(NULL);
    ken_team_free(team);
    for (size_t i = 0; i < 2; i++) {
        void *failed = &said;
        pthread_join(waiting[i], &failed);
        assert_null(failed);
    }
    alarm(0);
}

/* A child process has the caller alone in an own team, and can end it. */
static void an_own_team_in_a_child(void **state)
{
    (void)state;
    struct ken_team *team;
    struct tally tally = { 0 };
    assert_int_equal(ken_team_new(&team, 3), KEN_OK);
    ken_team_use(team);
    ken_parallel(100, count_task, &tally);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        for (int i = 0; i < 20; i++) ken_parallel(100, count_task, &tally);
        int faults = 0;
        for (size_t i = 0; i < 100; i++) faults += tally.runs[i] != 21;
        ken_team_use(NULL);
        ken_team_free(team);
        _exit(faults);
    }
    int status = -1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    ken_parallel(100, count_task, &tally);
    for (size_t i = 0; i < 100; i++) assert_int_equal(tally.runs[i], 2);
    ken_team_use(NULL);
    ken_team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once),
        cmocka_unit_test(scratch_is_private),
        cmocka_unit_test(several_callers),
        cmocka_unit_test(many_tiny_runs),
        cmocka_unit_test(sleeping_and_waking),
        cmocka_unit_test(bad_counts),
        cmocka_unit_test(short_of_memory),
        cmocka_unit_test(a_child_has_its_own_team),
        cmocka_unit_test(an_own_team),
        cmocka_unit_test(own_teams_do_not_wait),
        cmocka_unit_test(an_own_team_in_a_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
