/* threads.c - a thread pool (team) with fork and join, in which idle threads take the next task.
 *
 * One 64-bit word, the ticket, holds the state of a run: its upper half counts the runs, its lower
 * half the tasks that are not yet taken. Taking a task is a compare-and-swap of the ticket, so a
 * thread that wakes up late can never take part in an earlier run. (The count of runs wraps after
 * 2^32: a thread would have to be suspended between its load and its swap for exactly that many
 * runs.) The caller waits for tasks, not for threads: a worker that the system has suspended costs
 * nothing unless it holds a task.
 *
 * No wake-up is lost. A thread that goes to sleep first announces that and then looks for work once
 * more; a thread with new work first writes the work and then looks for sleepers. All four
 * operations are sequentially consistent, so at least one of the two threads sees the other. The
 * signal is sent under the sleeper's own mutex.
 *
 * Idle workers spin for tens of microseconds (the usual gap between two kernels is a few
 * microseconds) and then sleep, because on a shared machine longer spinning takes the core from
 * other threads. The caller may be one of those threads: if all processors are busy, the system
 * often wakes a worker on the caller's processor. So a worker that finds itself there gives way.
 *
 * A child process made by fork() has only the calling thread and none of the workers. The fork
 * waits until no region of the process-wide team is at work; in the child that team begins as a
 * team of one, and its first region makes workers. A team that a caller made for itself (own team)
 * counts forks: in a child process it continues as a team of one. */
#define _GNU_SOURCE
#include "base/threads.h"

#include "base/memory.h"
#include "base/processors.h"
#include "base/size.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SPINS = 3000,   /* checks for work before sleeping: tens of microseconds            */
    LOOK_EVERY = 16 /* a worker reads its processor number at every 16th check for work */
};

struct ken_team {
    pthread_mutex_t region; /* held from ken_team_enter() to ken_team_leave()    */
    pthread_mutex_t sleep;  /* guards `wake`, `finished` and `stopping`          */
    pthread_cond_t wake;    /* signals that there is work or that the team stops */
    pthread_cond_t finished;
    struct seat {
        struct ken_team *team;
        pthread_t thread;
        float *scratch;
    } seats[KEN_TEAM_MOST]; /* one per thread; seats[0] is the caller's */
    float *shared;
    size_t count;  /* number of threads, including the caller; 0 = not started      */
    size_t wished; /* number of threads requested; 0 = one per processor            */
    size_t forks;  /* value of the global `forks` when a caller's own team was made */
    bool forked;   /* true in a child process that has not made its workers yet     */
    atomic_bool stopping;
    atomic_uint sleepers;
    atomic_bool caller_sleeps;

    /* `ticket` and `done` each begin a separate cache line, because all threads write to them while
     * a region runs. */
    _Alignas(64) atomic_uint_fast64_t ticket;
    _Alignas(64) atomic_size_t done; /* number of finished tasks of this run */
    atomic_size_t tasks;
    _Atomic(ken_task_fn *) fn;
    _Atomic(void *) context;
    atomic_int caller_processor; /* processor of the caller when the run started */
};

static struct ken_team the_team = {
    .region = PTHREAD_MUTEX_INITIALIZER,
    .sleep = PTHREAD_MUTEX_INITIALIZER,
    .wake = PTHREAD_COND_INITIALIZER,
    .finished = PTHREAD_COND_INITIALIZER,
};

/* The team that the current thread has selected; NULL = the process-wide team. */
static _Thread_local struct ken_team *own_team;
/* The number of forks that led to this process. It is written only in a child process, which then
 * has one thread. */
static size_t forks;

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Takes one task and runs it; returns false if no task is left. */
static bool run_one(struct ken_team *team, float *scratch)
{
    uint_fast64_t ticket = atomic_load(&team->ticket);
    for (;;) {
        size_t left = ticket & UINT32_MAX;
        if (left == 0) return false;
        /* `tasks` and `fn` belong to the run of the ticket that was just read: if a new run has
         * started since, the compare-and-swap of the ticket fails */
        size_t tasks = atomic_load_explicit(&team->tasks, memory_order_relaxed);
        ken_task_fn *fn = atomic_load_explicit(&team->fn, memory_order_relaxed);
        void *context = atomic_load_explicit(&team->context, memory_order_relaxed);
        if (!atomic_compare_exchange_weak(&team->ticket, &ticket, ticket - 1)) continue;
        fn(context, tasks - left, scratch);
        if (atomic_fetch_add(&team->done, 1) + 1 == tasks && atomic_load(&team->caller_sleeps)) {
            pthread_mutex_lock(&team->sleep);
            pthread_cond_signal(&team->finished);
            pthread_mutex_unlock(&team->sleep);
        }
        return true;
    }
}

static bool work_waits(struct ken_team *team)
{
    return (atomic_load(&team->ticket) & UINT32_MAX) != 0;
}

/* Spins until there is work, or until SPINS checks have found none. */
static void spin_idle(struct ken_team *team)
{
    for (int spin = 0; spin < SPINS && !work_waits(team); spin++) {
        if (spin % LOOK_EVERY == 0 && sched_getcpu() == atomic_load(&team->caller_processor))
            sched_yield();
        relax();
    }
}

static void *worker(void *context)
{
    const struct seat *seat = context;
    struct ken_team *team = seat->team;
    while (!atomic_load(&team->stopping)) {
        while (run_one(team, seat->scratch)) {}
        spin_idle(team);
        if (work_waits(team)) continue;
        pthread_mutex_lock(&team->sleep);
        atomic_fetch_add(&team->sleepers, 1);
        while (!work_waits(team) && !atomic_load(&team->stopping))
            pthread_cond_wait(&team->wake, &team->sleep);
        atomic_fetch_sub(&team->sleepers, 1);
        pthread_mutex_unlock(&team->sleep);
    }
    return NULL;
}

/* Waits until the tasks that other threads still run are finished. All tasks must have been
 * taken. */
static void wait_until_done(struct ken_team *team, size_t tasks)
{
    for (int spin = 0; spin < SPINS; spin++) {
        if (atomic_load(&team->done) == tasks) return;
        relax();
    }
    pthread_mutex_lock(&team->sleep);
    atomic_store(&team->caller_sleeps, true);
    while (atomic_load(&team->done) != tasks) pthread_cond_wait(&team->finished, &team->sleep);
    atomic_store(&team->caller_sleeps, false);
    pthread_mutex_unlock(&team->sleep);
}

void ken_team_run(struct ken_team *team, size_t tasks, ken_task_fn *fn, void *context)
{
    assert(tasks <= UINT32_MAX);
    if (team->count == 1 || tasks <= 1) {
        for (size_t task = 0; task < tasks; task++) fn(context, task, team->seats[0].scratch);
        return;
    }
    uint_fast64_t run = (atomic_load(&team->ticket) >> 32) + 1;
    atomic_store_explicit(&team->tasks, tasks, memory_order_relaxed);
    atomic_store_explicit(&team->fn, fn, memory_order_relaxed);
    atomic_store_explicit(&team->context, context, memory_order_relaxed);
    atomic_store_explicit(&team->caller_processor, sched_getcpu(), memory_order_relaxed);
    atomic_store(&team->done, 0);
    /* this store starts the run: a thread that reads the new ticket also sees all earlier stores */
    atomic_store(&team->ticket, run << 32 | tasks);
    if (atomic_load(&team->sleepers)) {
        pthread_mutex_lock(&team->sleep);
        pthread_cond_broadcast(&team->wake);
        pthread_mutex_unlock(&team->sleep);
    }
    while (run_one(team, team->seats[0].scratch)) {}
    wait_until_done(team, tasks);
}

static size_t default_count(void)
{
    const char *wish = getenv("KEN_THREADS");
    long count = wish ? strtol(wish, NULL, 10) : 0;
    return ken_size_min(count > 0 ? (size_t)count : ken_processors(), KEN_TEAM_MOST);
}

/* Frees the work space of seats `from`, from + 1 and so on. The caller holds the region, so no task
 * is running. The caller's own work space (seat 0) is kept, so that a started team can always be
 * started again, at least as a team of one. */
static void free_scratch(struct ken_team *team, size_t from)
{
    for (size_t i = from; i < team->count; i++) {
        ken_memory_free(team->seats[i].scratch);
        team->seats[i].scratch = NULL;
    }
}

static void stop(struct ken_team *team)
{
    pthread_mutex_lock(&team->sleep);
    atomic_store(&team->stopping, true);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->sleep);
    for (size_t i = 1; i < team->count; i++) pthread_join(team->seats[i].thread, NULL);
    free_scratch(team, 1);
    team->count = 0;
    atomic_store(&team->stopping, false);
}

static void before_fork(void)
{
    pthread_mutex_lock(&the_team.region);
}

static void after_fork_in_parent(void)
{
    pthread_mutex_unlock(&the_team.region);
}

/* Resets a team in a child process, which has no worker threads. At the time of the fork a worker
 * may have held the mutex `sleep` or waited for a signal, so the mutex and both conditions are
 * initialised again. */
static void go_on_alone(struct ken_team *team)
{
    pthread_mutex_init(&team->sleep, NULL);
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->finished, NULL);
    atomic_store(&team->sleepers, 0);
    free_scratch(team, 1);
    team->count = ken_size_min(team->count, 1);
}

static void after_fork_in_child(void)
{
    forks++;
    the_team.forked = the_team.count > 1;
    go_on_alone(&the_team);
    pthread_mutex_unlock(&the_team.region);
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Starts the worker threads; the caller holds the region. If a thread cannot be made, the team is
 * smaller, which is slower but never wrong. Only the allocation of the caller's own work space must
 * succeed. */
static ken_status start(struct ken_team *team)
{
    static pthread_once_t watched = PTHREAD_ONCE_INIT;
    if (team->count && !team->forked) return KEN_OK;
    pthread_once(&watched, watch_forks);
    team->forked = false;
    size_t wanted = team->wished ? team->wished : default_count();
    struct seat *caller = &team->seats[0];
    if (!team->shared) team->shared = ken_memory_new(KEN_TEAM_SHARED, sizeof(float));
    if (!caller->scratch) caller->scratch = ken_memory_new(KEN_TEAM_SCRATCH, sizeof(float));
    if (!team->shared || !caller->scratch)
        return ken_fail(KEN_ERR_MEMORY, "no memory for the thread team's work space");
    for (team->count = 1; team->count < wanted; team->count++) {
        struct seat *seat = &team->seats[team->count];
        *seat = (struct seat){ .team = team };
        seat->scratch = ken_memory_new(KEN_TEAM_SCRATCH, sizeof(float));
        if (!seat->scratch) break;
        if (pthread_create(&seat->thread, NULL, worker, seat) == 0) continue;
        ken_memory_free(seat->scratch);
        seat->scratch = NULL;
        break;
    }
    return KEN_OK;
}

/* ---- teams of a caller's own ----------------------------------------------------------------- */

ken_status ken_team_new(struct ken_team **result, size_t count)
{
    *result = NULL;
    if (count == 0 || count > KEN_TEAM_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "a team of %zu threads asked for; 1 to %d are possible",
                        count, KEN_TEAM_MOST);
    struct ken_team *team = ken_memory_zeroed(1, sizeof *team);
    if (!team) return ken_fail(KEN_ERR_MEMORY, "no memory for a team of threads");
    pthread_mutex_init(&team->region, NULL);
    pthread_mutex_init(&team->sleep, NULL);
    pthread_cond_init(&team->wake, NULL);
    pthread_cond_init(&team->finished, NULL);
    team->wished = count;
    ken_status status = start(team);
    team->forks = forks;
    if (!status) *result = team;
    else ken_team_free(team);
    return status;
}

void ken_team_free(struct ken_team *team)
{
    if (!team) return;
    if (team->forks != forks) go_on_alone(team);
    stop(team);
    ken_memory_free(team->seats[0].scratch);
    ken_memory_free(team->shared);
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->sleep);
    pthread_mutex_destroy(&team->region);
    ken_memory_free(team);
}

struct ken_team *ken_team_use(struct ken_team *team)
{
    struct ken_team *before = own_team;
    own_team = team;
    return before;
}

/* ---- the team of the process ----------------------------------------------------------------- */

ken_status ken_team_start(void)
{
    if (own_team) return KEN_OK;
    pthread_mutex_lock(&the_team.region);
    ken_status status = start(&the_team);
    pthread_mutex_unlock(&the_team.region);
    return status;
}

ken_status ken_threads_set(size_t count)
{
    if (count > KEN_TEAM_MOST)
        return ken_fail(KEN_ERR_ARGUMENT, "%zu threads asked for; at most %d are possible", count,
                        KEN_TEAM_MOST);
    pthread_mutex_lock(&the_team.region);
    if (the_team.count) stop(&the_team);
    the_team.wished = count;
    ken_status status = start(&the_team);
    pthread_mutex_unlock(&the_team.region);
    return status;
}

size_t ken_threads(void)
{
    pthread_mutex_lock(&the_team.region);
    bool there = the_team.count && !the_team.forked;
    size_t count = there ? the_team.count : the_team.wished ? the_team.wished : default_count();
    pthread_mutex_unlock(&the_team.region);
    return count;
}

/* ---- regions --------------------------------------------------------------------------------- */

struct ken_team *ken_team_enter(void)
{
    struct ken_team *team = own_team ? own_team : &the_team;
    pthread_mutex_lock(&team->region);
    assert(team->count > 0);       /* ken_team_start() must have been called              */
    if (team->forked) start(team); /* cannot fail, because the caller's work space exists */
    if (own_team && team->forks != forks) {
        go_on_alone(team);
        team->forks = forks;
    }
    return team;
}

void ken_team_leave(struct ken_team *team)
{
    pthread_mutex_unlock(&team->region);
}

float *ken_team_shared(struct ken_team *team)
{
    return team->shared;
}

void ken_parallel(size_t tasks, ken_task_fn *fn, void *context)
{
    struct ken_team *team = ken_team_enter();
    ken_team_run(team, tasks, fn, context);
    ken_team_leave(team);
}
