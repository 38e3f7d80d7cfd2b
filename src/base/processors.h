/* processors.h - the number of processors that this process can really use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stddef.h>

/* The number of processors that the process may run on, or less if a control group limits its time:
 * a container with --cpus 2 sees all 64 processors of its host, but more than 2 threads would only
 * wait for each other. */
size_t ken_processors(void);

/* The number of processors that the control groups allow, rounded up; 0 if they set no limit, or
 * none that can be read. `groups` is the list of groups (/proc/self/cgroup), and their files are
 * below `root` (/sys/fs/cgroup). */
size_t ken_processors_quota(const char *groups, const char *root);

#endif
