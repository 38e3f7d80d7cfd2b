/* processors.c - counts the processors of this process, limited by its share of their time.
 *
 * The quota of a control group (cgroup) is two numbers in microseconds: a time in each period.
 * Version 2 of the control groups has both in one file, "200000 100000" or "max 100000"; version 1
 * has a file for each, and -1 for no limit. The limits of its parents apply to a group too, so all
 * groups up to the root are read. Within a container the path may be that of the host, which does
 * not exist there; the container's own limit is then at the root. A file that cannot be read sets
 * no limit. */
#define _GNU_SOURCE
#include "base/processors.h"

#include "base/io_call.h"
#include "base/number.h"
#include "base/size.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads a short file of the system as a string. */
static bool read_text(char *text, size_t size, const char *directory, const char *file)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s%s%s", directory, *file ? "/" : "", file);
    int fd = length < (int)sizeof path ? ken_call_open(path, O_RDONLY) : -1;
    if (fd < 0) return false;
    ssize_t got = ken_call_read(fd, text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    ken_call_close(fd);
    return got > 0;
}

/* The whole number at the beginning of a text; 0 if there is none. */
static uint64_t leading_number(const char *text)
{
    uint64_t number;
    size_t digits = strspn(text, "0123456789");
    return ken_number_whole(&number, text, digits, UINT32_MAX) ? number : 0;
}

/* The number of processors that one group allows, rounded up; 0 = no limit. */
static size_t quota_of(const char *directory)
{
    char text[64], other[64];
    uint64_t quota = 0, period = 0;
    if (read_text(text, sizeof text, directory, "cpu.max")) {
        quota = leading_number(text); /* or "max" */
        period = leading_number(text + strcspn(text, " ") + (strchr(text, ' ') != NULL));
    } else if (read_text(text, sizeof text, directory, "cpu.cfs_quota_us") &&
               read_text(other, sizeof other, directory, "cpu.cfs_period_us")) {
        quota = leading_number(text); /* or -1 */
        period = leading_number(other);
    }
    if (quota == 0 || period == 0) return 0;
    return (size_t)((quota + period - 1) / period);
}

/* The smaller of two limits; 0 = no limit. */
static size_t tighter(size_t a, size_t b)
{
    return a && b ? ken_size_min(a, b) : a + b;
}

/* The tightest limit of the group `name` below `root` and of all groups above it. Shortens
 * `name`. */
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
    char text[8192], below[4096];
    size_t least = 0;
    if (!read_text(text, sizeof text, groups, "")) return 0;
    for (char *rest = text, *names; (names = strsep(&rest, "\n"));) { /* number:controllers:/path */
        strsep(&names, ":");
        char *path = names;
        if (!path || !strsep(&path, ":") || !path) continue;
        if (names[0] && !names_cpu(names)) continue;
        const char *slash = names[0] ? "/" : ""; /* version 1 has a tree for each controller */
        int length = snprintf(below, sizeof below, "%s%s%s", root, slash, names);
        if (length < (int)sizeof below) least = tighter(least, quota_upwards(below, path));
    }
    return least;
}

size_t ken_processors(void)
{
    cpu_set_t allowed;
    /* fails if there are more processors than a set holds */
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    long count = known ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    size_t quota = ken_processors_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return tighter(quota, count < 1 ? 1 : (size_t)count);
}
