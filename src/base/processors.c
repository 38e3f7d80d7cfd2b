/* processors.c - the processors of this process, and the share of time that it has of them.
 *
 * A quota is two numbers in microseconds: so much time in each period. Version 2 of the control
 * groups has both in one file, "200000 100000" or "max 100000"; version 1 has a file for each, and
 * -1 for no limit. A group is bound by its parents too, so all of them are asked up to the root.
 * Within a container the path may be that of the host, which does not exist there: its own limit
 * then stands at the root. What cannot be read limits nothing. */
#define _GNU_SOURCE
#include "base/processors.h"

#include "base/size.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first line of a small file, without its end. */
static bool read_line(char *line, int size, const char *directory, const char *file)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *stream = length < (int)sizeof path ? fopen(path, "re") : NULL;
    if (!stream) return false;
    bool got = fgets(line, size, stream) != NULL;
    fclose(stream);
    return got;
}

/* Processors that one group allows, rounded up; 0 for any number. */
static size_t quota_of(const char *directory)
{
    char line[64], period_line[64];
    long quota = 0, period = 0;
    if (read_line(line, sizeof line, directory, "cpu.max")) {
        if (sscanf(line, "%ld %ld", &quota, &period) != 2) return 0; /* "max" */
    } else if (read_line(line, sizeof line, directory, "cpu.cfs_quota_us") &&
               read_line(period_line, sizeof period_line, directory, "cpu.cfs_period_us")) {
        quota = strtol(line, NULL, 10);
        period = strtol(period_line, NULL, 10);
    }
    if (quota <= 0 || period <= 0) return 0;
    return (size_t)(quota / period + (quota % period != 0));
}

/* 0 stands for no limit. */
static size_t tighter(size_t a, size_t b)
{
    return a && b ? ken_size_min(a, b) : a + b;
}

/* The group `name` below `root` and all above it. Cuts `name` short on the way. */
static size_t quota_upwards(const char *root, char *name)
{
    char directory[4096];
    size_t least = quota_of(root);
    while (name[0] == '/' && name[1]) {
        int length = snprintf(directory, sizeof directory, "%s%s", root, name);
        if (length < (int)sizeof directory) least = tighter(least, quota_of(directory));
        *strrchr(name, '/') = 0;
    }
    return least;
}

/* Whether "cpu" is one of the names in "cpu,cpuacct". */
static bool names_cpu(const char *names)
{
    for (const char *at = strstr(names, "cpu"); at; at = strstr(at + 3, "cpu"))
        if ((at == names || at[-1] == ',') && (at[3] == ',' || at[3] == 0)) return true;
    return false;
}

size_t ken_processors_quota(const char *groups, const char *root)
{
    char line[4096], below[4096];
    size_t least = 0;
    FILE *stream = fopen(groups, "re");
    if (!stream) return 0;
    while (fgets(line, sizeof line, stream)) { /* number:controllers:/path */
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (!path) continue;
        *names++ = *path++ = 0;
        if (names[0] && !names_cpu(names)) continue;
        const char *slash = names[0] ? "/" : ""; /* version 1 has a tree for each controller */
        int length = snprintf(below, sizeof below, "%s%s%s", root, slash, names);
        if (length < (int)sizeof below) least = tighter(least, quota_upwards(below, path));
    }
    fclose(stream);
    return least;
}

size_t ken_processors(void)
{
    cpu_set_t allowed;
    /* fails where there are more processors than a set holds */
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    long count = known ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    size_t quota = ken_processors_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return tighter(quota, count < 1 ? 1 : (size_t)count);
}
