/* threads.h - teams of threads that share out numbered tasks.
 *
 * One team serves the whole process, and callers take turns with it. A caller that must not wait
 * for others makes a team of its own and uses it in its thread: all regions of that thread are then
 * the own team's.
 *
 * Which thread runs which task is left to chance (whoever is free takes the next), so a kernel
 * must cut its work by the size of the problem and let each task own what it writes: then the
 * result cannot depend on the number of threads. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stddef.h>

enum {
    KEN_TEAM_SCRATCH = 1 << 19, /* floats of private memory of each thread (2 MB)   */
    KEN_TEAM_SHARED = 5 << 20,  /* floats of memory shared within a region (20 MB)  */
    KEN_TEAM_MOST = 256         /* maximum number of threads                        */
};

struct ken_team;

/* `scratch` has KEN_TEAM_SCRATCH floats; it is private to the running thread and not
 * initialised. */
typedef void ken_task_fn(void *context, size_t task, float *scratch);

/* A team of `count` threads, 1 to KEN_TEAM_MOST, of which the caller is one: a team of one starts
 * nothing. Threads that cannot be made are done without. A child process made by fork() has the
 * caller alone in such a team, unless it was at work at that moment: then it is of no use there. */
ken_status ken_team_new(struct ken_team **team, size_t count);
void ken_team_free(struct ken_team *team); /* NULL is fine; not while it is used */

/* Regions of the calling thread are this team's from now on; NULL: those of the process-wide team.
 * Returns the team that was used before. */
struct ken_team *ken_team_use(struct ken_team *team);

/* Starts the process-wide team unless it runs already, or the calling thread uses another one. */
ken_status ken_team_start(void);

/* A region: the caller has the team and its shared memory to itself until it leaves. Regions of
 * different callers of one team wait for each other and must not be nested. The team must be
 * started. */
struct ken_team *ken_team_enter(void);
void ken_team_leave(struct ken_team *team);

/* Runs fn(context, 0 .. tasks-1) on all threads, the caller included; returns when all are done. */
void ken_team_run(struct ken_team *team, size_t tasks, ken_task_fn *fn, void *context);
float *ken_team_shared(struct ken_team *team);

/* A region with a single run, for kernels that need no shared memory. */
void ken_parallel(size_t tasks, ken_task_fn *fn, void *context);

#endif
