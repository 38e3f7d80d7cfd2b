/* test_processors.c - limits of control groups, read from folders like those of the system. */
#include "base/io.h"
#include "base/processors.h"
#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/ken-processors-XXXXXX";

/* Makes the file and the directories above it. */
static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    assert_int_equal(ken_file_replace(path, text, strlen(text)), KEN_OK);
}

static size_t quota(const char *groups, const char *below)
{
    char tree[256], list[256];
    put("groups", groups);
    snprintf(list, sizeof list, "%s/groups", root);
    snprintf(tree, sizeof tree, "%s/%s", root, below);
    return ken_processors_quota(list, tree);
}

static void version_2(void **state)
{
    (void)state;
    put("two/cpu.max", "max 100000\n");
    put("two/user/cpu.max", "350000 100000\n");
    put("two/user/job/cpu.max", "max 100000\n");
    put("two/user/job/small/cpu.max", "50000 100000\n");
    assert_int_equal(quota("0::/\n", "two"), 0);
    assert_int_equal(quota("0::/user\n", "two"), 4); /* three and a half */
    assert_int_equal(quota("0::/user/job\n", "two"), 4);
    assert_int_equal(quota("0::/user/job/small\n", "two"), 1);
    put("two/cpu.max", "200000 100000\n"); /* a parent's limit applies to all groups below it */
    assert_int_equal(quota("0::/user/job\n", "two"), 2);
    assert_int_equal(quota("0::/a/path/of/the/host\n", "two"), 2);
}

static void version_1(void **state)
{
    (void)state;
    put("one/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    put("one/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    put("one/cpu,cpuacct/box/cpu.cfs_quota_us", "600000\n");
    put("one/cpu,cpuacct/box/cpu.cfs_period_us", "200000\n");
    put("one/cpuset/box/cpu.max", "100000 100000\n"); /* not the controller of processor time */
    static const char list[] = "3:cpuset:/box\n2:cpu,cpuacct:/box\n1:name=systemd:/\n0::/box\n";
    assert_int_equal(quota(list, "one"), 3);
    assert_int_equal(quota("2:cpu,cpuacct:/\n", "one"), 0);
    assert_int_equal(quota("2:cpuacct:/box\n", "one"), 0);
}

static void what_cannot_be_read_limits_nothing(void **state)
{
    (void)state;
    assert_int_equal(ken_processors_quota("/nowhere", root), 0);
    assert_int_equal(quota("0::/\n", "nowhere"), 0);
    assert_int_equal(quota("", "two"), 0);
    assert_int_equal(quota("words without colons\n0:\n0::\n", "nowhere"), 0);
    put("odd/cpu.max", "");
    assert_int_equal(quota("0::/\n", "odd"), 0);
    put("odd/cpu.max", "100000\n");
    assert_int_equal(quota("0::/\n", "odd"), 0);
    put("odd/cpu.max", "100000 0\n");
    assert_int_equal(quota("0::/\n", "odd"), 0);
    assert_true(ken_processors() >= 1);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    char command[256];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_2),
        cmocka_unit_test(version_1),
        cmocka_unit_test(what_cannot_be_read_limits_nothing),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
