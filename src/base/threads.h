/* threads.h - teams of threads (thread pools) that run numbered work items. Here a task is one such
 * work item, not a ken_task.
 *
 * One team serves the whole process, and callers take turns with it. A caller that must not wait
 * for others makes a team of its own and selects it for its thread: all regions of that thread then
 * use that team.
 *
 * Which thread runs which task is not determined: a free thread takes the next one. So a kernel
 * must cut its work by the size of the problem, not by the number of threads, and each task must
 * own the memory that it writes; then the result cannot depend on the number of threads. */
#ifndef BASE_THREADS_H
#define BASE_THREADS_H

#include "base/status.h"

#include <stddef.h>

enum {
    KEN_TEAM_SCRATCH = 1 << 19, /* floats of private memory of each thread (2 MB)  */
    KEN_TEAM_SHARED = 5 << 20,  /* floats of memory shared within a region (20 MB) */
    KEN_TEAM_MOST = 256         /* maximum number of threads                       */
};

struct ken_team;

/* Runs one task (work item) by its number. `scratch` has KEN_TEAM_SCRATCH floats; it is private to
 * the running thread and not initialised. */
typedef void ken_task_fn(void *context, size_t task, float *scratch);

/* Makes a team of `count` threads, 1 to KEN_TEAM_MOST, including the caller: a team of one starts
 * no thread. If the system refuses threads, the team is smaller. In a child process after fork()
 * such a team consists of the caller only; if it was working during the fork, the child must not
 * use it. */
ken_status ken_team_new(struct ken_team **team, size_t count);
void ken_team_free(struct ken_team *team); /* NULL is allowed; not while it is in use */

/* Selects the team for all later regions of the calling thread; NULL = the process-wide team.
 * Returns the team that was selected before. */
struct ken_team *ken_team_use(struct ken_team *team);

/* Starts the process-wide team, unless it runs or the calling thread has selected another one. */
ken_status ken_team_start(void);

/* Enter and leave a region (parallel region): in between, the caller has the team and its shared
 * memory to itself. Regions of different callers of one team wait for each other. Regions must not
 * be nested, and the team must have been started. */
struct ken_team *ken_team_enter(void);
void ken_team_leave(struct ken_team *team);

/* Runs fn(context, 0 .. tasks-1) on all threads, the caller included; returns when all are done. */
void ken_team_run(struct ken_team *team, size_t tasks, ken_task_fn *fn, void *context);
float *ken_team_shared(struct ken_team *team);

/* A region with a single run, for kernels that need no shared memory. */
void ken_parallel(size_t tasks, ken_task_fn *fn, void *context);

#endif
