/* processors.h - the number of processors that this process can really use. */
#ifndef BASE_PROCESSORS_H
#define BASE_PROCESSORS_H

#include <stddef.h>

/* Returns the number of processors that the process may run on, or fewer if a control group limits
 * its processor time. A container with --cpus 2 sees all 64 processors of its host, but more than 2
 * threads would only wait for each other. */
size_t ken_processors(void);

/* Returns the number of processors that the control groups allow, rounded up; 0 if they set no
 * limit, or if their files cannot be read. `groups` is the file that lists the groups
 * (/proc/self/cgroup); `root` is the directory with the files of each group (/sys/fs/cgroup). */
size_t ken_processors_quota(const char *groups, const char *root);

#endif
