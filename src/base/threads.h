/* threads.h - teams of threads (thread pools) that run numbered work items. In this file a task is
 * one such work item, not a ken_task.
 *
 * One team serves the whole process, and callers take turns with it. A caller that must not wait
 * for others makes a team of its own and selects it for its thread: all regions of that thread then
 * use that team.
 *
 * Which thread runs which task is not determined: a free thread takes the next one. So a kernel
 * must cut its work by the size of the problem, not by the number of threads, and no two tasks may
 * write the same memory. Then the result does not depend on the number of threads. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stddef.h>

enum {
    KEN_TEAM_SCRATCH = 1 << 19, /* floats of private memory per thread (2 MB) */
    KEN_TEAM_SHARED = 5 << 20,  /* floats shared within a region (20 MB)      */
    KEN_TEAM_MOST = 256         /* maximum number of threads in a team        */
};

struct ken_team;

/* A function that runs one task (work item), given its number. `scratch` has KEN_TEAM_SCRATCH
 * floats; it is private to the running thread and not initialised. */
typedef void ken_task_fn(void *context, size_t task, float *scratch);

/* Makes a team of `count` threads, 1 to KEN_TEAM_MOST, including the caller, so a team of one
 * starts no thread. If the system refuses threads, the team is smaller. In a child process after
 * fork() the team consists of the caller only; a team that was working during the fork must not be
 * used in the child. */
ken_status ken_team_new(struct ken_team **team, size_t count);
void ken_team_free(struct ken_team *team); /* must not be in use; NULL is allowed */

/* Selects the team that all later regions of the calling thread use; NULL = the process-wide team.
 * Returns the team that was selected before. */
struct ken_team *ken_team_use(struct ken_team *team);

/* Starts the process-wide team, unless it is running or the calling thread has selected a team of
 * its own. */
ken_status ken_team_start(void);

/* Enter and leave a parallel region. Between the two calls the caller has the team and its shared
 * memory to itself; other callers that enter with this team wait. Regions must not be nested, and
 * the team must have been started. */
struct ken_team *ken_team_enter(void);
void ken_team_leave(struct ken_team *team);

/* Runs fn(context, 0), ..., fn(context, tasks - 1) on all threads, including the caller's. Returns
 * when all tasks are done. */
void ken_team_run(struct ken_team *team, size_t tasks, ken_task_fn *fn, void *context);
float *ken_team_shared(struct ken_team *team);

/* Enters a region, makes one run and leaves the region. For kernels that need no shared memory. */
void ken_parallel(size_t tasks, ken_task_fn *fn, void *context);

#endif
