/* processors.c - counts the processors that this process may use, limited by its quota of processor
 * time.
 *
 * A control group (cgroup) sets the quota by two numbers in microseconds: the processor time
 * allowed, and the period to which it applies. Version 2 of the control groups has both numbers in
 * one file, "200000 100000", or "max 100000" for no limit; version 1 has one file per number, and
 * -1 for no limit. A group is also limited by its parent groups, so all groups up to the root are
 * read. In a container, the path of the group may be a path of the host that does not exist in the
 * container; then the limit of the container is at the root. A file that cannot be read sets no
 * limit. */
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

/* Reads a short system file into `text` as a string. */
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

/* Returns the whole number at the beginning of a text; 0 if there is none. */
static uint64_t leading_number(const char *text)
{
    uint64_t number;
    size_t digits = strspn(text, "0123456789");
    return ken_number_whole(&number, text, digits, UINT32_MAX) ? number : 0;
}

/* Returns the number of processors that one control group allows, rounded up; 0 = no limit. */
static size_t quota_of(const char *directory)
{
    char text[64], other[64];
    uint64_t quota = 0, period = 0;
    if (read_text(text, sizeof text, directory, "cpu.max")) {
        quota = leading_number(text); /* "max" (no limit) becomes 0 */
        period = leading_number(text + strcspn(text, " ") + (strchr(text, ' ') != NULL));
    } else if (read_text(text, sizeof text, directory, "cpu.cfs_quota_us") &&
               read_text(other, sizeof other, directory, "cpu.cfs_period_us")) {
        quota = leading_number(text); /* "-1" (no limit) becomes 0 */
        period = leading_number(other);
    }
    if (quota == 0 || period == 0) return 0;
    return (size_t)((quota + period - 1) / period);
}

/* Returns the smaller of two limits, where 0 = no limit. */
static size_t tighter(size_t a, size_t b)
{
    return a && b ? ken_size_min(a, b) : a + b;
}

/* Returns the tightest limit of the control group `name` below `root` and of all its parents; 0 =
 * no limit. It shortens `name` while it goes up. */
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

/* Returns whether "cpu" is one of the names in a list such as "cpu,cpuacct". */
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
    /* each line of the file is number:controllers:/path */
    for (char *rest = text, *names; (names = strsep(&rest, "\n"));) {
        strsep(&names, ":");
        char *path = names;
        if (!path || !strsep(&path, ":") || !path) continue;
        if (names[0] && !names_cpu(names)) continue;
        /* version 1 of the control groups has one directory per list of controllers */
        const char *slash = names[0] ? "/" : "";
        int length = snprintf(below, sizeof below, "%s%s%s", root, slash, names);
        if (length < (int)sizeof below) least = tighter(least, quota_upwards(below, path));
    }
    return least;
}

size_t ken_processors(void)
{
    cpu_set_t allowed;
    /* sched_getaffinity() fails if the machine has more processors than a cpu_set_t holds */
    bool known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    long count = known ? CPU_COUNT(&allowed) : sysconf(_SC_NPROCESSORS_ONLN);
    size_t quota = ken_processors_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return tighter(quota, count < 1 ? 1 : (size_t)count);
}
