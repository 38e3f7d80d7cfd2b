/* processors.h - how many processors this process can really have. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stddef.h>

/* Those that it may run on, or fewer where a control group gives it less time (a container with
 * --cpus 2 sees all 64 of its host): more threads than that only wait for each other. */
size_t ken_processors(void);

/* What the control groups of the list `groups` (/proc/self/cgroup) allow, read below `root`
 * (/sys/fs/cgroup), rounded up; 0 when they set no limit, or none that can be read. */
size_t ken_processors_quota(const char *groups, const char *root);

#endif
