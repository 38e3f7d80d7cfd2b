/* test_io_faults.c - makes file operations fail at every step: each system call and each allocation
 * in turn, once or from then on for ever; full disks; processes that are killed. Each time the
 * target has the complete old or new content, the error is reported, and no file stays open. */
#define _GNU_SOURCE
#include "base/fault.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NEW_SIZE = 150001 }; /* more than two buffers of the writer */
static char new_content[NEW_SIZE];
static const char old_content[] = "the old content";
static const char record[] = "one more";

static const char *target(void)
{
    return folder_path("target");
}

/* 'o' = the old content, 'a' = the old content and a record, 'n' = the new content, '-' = no file,
 * '?' = anything else. */
static char content_of(const char *path)
{
    char *data;
    size_t size;
    if (access(path, F_OK)) return '-';
    if (ken_file_read(&data, &size, path, SIZE_MAX)) return '?';
    char kind = '?';
    bool is_old = size >= sizeof old_content && memcmp(data, old_content, sizeof old_content) == 0;
    if (is_old && size == sizeof old_content) kind = 'o';
    if (is_old && strcmp(data + sizeof old_content, record) == 0) kind = 'a';
    if (size == NEW_SIZE && memcmp(data, new_content, size) == 0) kind = 'n';
    ken_memory_free(data);
    return kind;
}

/* ---- The operations under test -------------------------------------------------------------- */

static ken_status replace(void)
{
    return ken_file_replace(target(), new_content, NEW_SIZE);
}

static ken_status write_pieces(void)
{
    ken_writer *writer;
    KEN_TRY(ken_writer_open(&writer, target()));
    for (size_t at = 0; at < NEW_SIZE; at += 30000)
        ken_writer_append(writer, new_content + at, ken_size_min(30000, NEW_SIZE - at));
    return ken_writer_commit(writer);
}

static ken_status append(void)
{
    return ken_file_append(target(), record, strlen(record));
}

static ken_status read_whole(void)
{
    char *data;
    size_t size;
    KEN_TRY(ken_file_read(&data, &size, target(), SIZE_MAX));
    ken_memory_free(data);
    return KEN_OK;
}

static ken_status read_pipe(void)
{
    int ends[2];
    char path[32], *data = NULL;
    size_t size;
    if (pipe(ends) || fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) < 0) return KEN_ERR_STATE;
    ssize_t written = write(ends[1], new_content, NEW_SIZE);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    ken_status status = ken_file_read(&data, &size, path, SIZE_MAX);
    if (!status) assert_int_equal(size, written);
    ken_memory_free(data);
    close(ends[0]);
    return status;
}

static ken_status read_pieces(void)
{
    ken_reader *reader;
    char piece[1000];
    size_t got = 1;
    ken_status status = ken_reader_open(&reader, target());
    while (!status && got > 0) status = ken_reader_read(reader, piece, &got, sizeof piece);
    ken_reader_close(reader);
    return status;
}

static ken_status lock(void)
{
    ken_lock *held;
    KEN_TRY(ken_lock_take(&held, folder_path("lock")));
    ken_lock_free(held);
    return KEN_OK;
}

static ken_status make_and_remove(void)
{
    bool empty;
    enum ken_path_kind kind;
    uint64_t bytes;
    rmdir(folder_path("made/deep"));
    rmdir(folder_path("made"));
    KEN_TRY(ken_directory_make(folder_path("made/deep")));
    KEN_TRY(ken_directory_empty(&empty, folder_path("made")));
    KEN_TRY(ken_path_kind(&kind, folder_path("made")));
    KEN_TRY(ken_path_space(&bytes, folder_path("made/x/y")));
    KEN_TRY(ken_file_rename(target(), folder_path("moved")));
    return ken_file_remove(folder_path("moved"));
}

static const struct operation {
    const char *name;
    ken_status (*run)(void);
    const char *allowed; /* possible contents of the target afterwards                */
    uint64_t silent;     /* number of last calls that may fail unnoticed, as in close */
} operations[] = {
    { "replace", replace, "on", 0 },
    { "write in pieces", write_pieces, "on", 0 },
    { "append", append, "oa", 0 }, /* a failed close is reported although the record was written */
    { "read a file", read_whole, "o", 0 },
    { "read a pipe", read_pipe, "o", 0 },
    { "read in pieces", read_pieces, "o", 1 },
    { "lock", lock, "o", 2 },
    { "make, rename, remove", make_and_remove, "o-", 0 },
};

/* Runs the operation with the nth call failing; returns the number of calls. */
static uint64_t break_once(const struct operation *operation, enum ken_fault fault, uint64_t nth,
                           bool forever)
{
    assert_int_equal(ken_file_replace(target(), old_content, sizeof old_content), KEN_OK);
    size_t descriptors = open_descriptors();
    ken_fault_arm(fault, nth, forever);
    ken_status status = operation->run();
    uint64_t calls = ken_fault_calls(fault);
    ken_fault_arm(fault, 0, false);

    const char *name = operation->name;
    if (nth <= calls && !status && nth + operation->silent <= calls)
        fail_msg("%s: failure of call %d was not told", name, (int)nth);
    if (status && nth > calls) fail_msg("%s: %s", name, ken_last_error());
    if (status && fault == KEN_FAULT_MEMORY) assert_int_equal(status, KEN_ERR_MEMORY);
    if (status && fault == KEN_FAULT_IO) {
        assert_int_equal(status, KEN_ERR_IO);
        assert_non_null(strstr(ken_last_error(), "Input/output error"));
    }
    char content = content_of(target());
    if (!strchr(operation->allowed, content))
        fail_msg("%s, call %d: content is '%c'", name, (int)nth, content);
    assert_int_equal(open_descriptors(), descriptors);
    /* The temporary file stays only if its removal failed too; the next save reuses it. */
    if (!forever) assert_int_equal(access(folder_path("target.ken-tmp"), F_OK), -1);
    return calls;
}

static void break_all(enum ken_fault fault, int *injected)
{
    for (size_t i = 0; i < KEN_COUNT(operations); i++) {
        for (int forever = 0; forever < 2; forever++) {
            uint64_t nth = 1;
            while (break_once(&operations[i], fault, nth, forever) >= nth) nth++;
            *injected += (int)nth - 1;
        }
    }
    assert_int_equal(ken_file_replace(target(), old_content, sizeof old_content), KEN_OK);
    assert_int_equal(access(folder_path("target.ken-tmp"), F_OK), -1);
}

static void every_system_call(void **state)
{
    (void)state;
    int injected = 0;
    break_all(KEN_FAULT_IO, &injected);
    assert_true(injected > 150);
}

static void every_allocation(void **state)
{
    (void)state;
    int injected = 0;
    break_all(KEN_FAULT_MEMORY, &injected);
    assert_true(injected > 15);
}

/* ---- Real failures -------------------------------------------------------------------------- */

/* A limit on the size of files makes one write short and the next one fail. */
static void short_writes(void **state)
{
    (void)state;
    struct rlimit before, tight;
    size_t entries = folder_entries();
    assert_int_equal(ken_file_replace(target(), old_content, sizeof old_content), KEN_OK);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = (struct rlimit){ 70000, before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    ken_status replaced = replace(), pieces = write_pieces();
    ken_status appended = ken_file_append(target(), new_content, NEW_SIZE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(replaced, KEN_ERR_SPACE);
    assert_int_equal(pieces, KEN_ERR_SPACE);
    assert_int_equal(appended, KEN_ERR_SPACE);
    assert_non_null(strstr(ken_last_error(), "File too large"));
    assert_int_equal(content_of(target()), 'o'); /* half a record was cut off */
    assert_int_equal(folder_entries(), entries);
}

enum { CANNOT_MOUNT = 77 };

/* Runs in a process of its own, with a disk of 1 MB that only this process sees. The exit status
 * says which check failed. */
static int on_full_disk(void)
{
    const char *disk = folder_path("disk"), *file = folder_path("disk/file");
    size_t size = 2 << 20;
    char *data = ken_memory_zeroed(size, 1);
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS)) return CANNOT_MOUNT;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) return CANNOT_MOUNT;
    if (mkdir(disk, 0777) || mount("none", disk, "tmpfs", 0, "size=1m")) return CANNOT_MOUNT;
    if (ken_file_replace(file, old_content, sizeof old_content)) return 1;
    if (ken_file_replace(file, data, size) != KEN_ERR_SPACE) return 2;
    if (!strstr(ken_last_error(), "No space left")) return 3;
    if (content_of(file) != 'o') return 4;
    if (access(folder_path("disk/file.ken-tmp"), F_OK) == 0) return 5;
    if (ken_file_append(file, data, size) != KEN_ERR_SPACE || content_of(file) != 'o') return 6;
    if (ken_file_replace(file, new_content, NEW_SIZE) || content_of(file) != 'n') return 7;
    return 0;
}

static void full_disk(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) _exit(on_full_disk());
    int status;
    waitpid(child, &status, 0);
    rmdir(folder_path("disk"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_MOUNT) {
        printf("# skip full_disk: this user cannot mount a tmpfs\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* Two processes save the same file again and again until they are killed, at times spread over a
 * save. */
static void killed_while_saving(void **state)
{
    (void)state;
    enum { ROUNDS = 60 };
    for (uint64_t round = 0; round < ROUNDS; round++) {
        pid_t children[2];
        for (size_t i = 0; i < 2; i++) {
            children[i] = fork();
            while (children[i] == 0) {
                replace();
                ken_file_replace(target(), old_content, sizeof old_content);
            }
        }
        usleep((useconds_t)ken_random_below(11, round, 8000));
        for (size_t i = 0; i < 2; i++) kill(children[i], SIGKILL);
        for (size_t i = 0; i < 2; i++) waitpid(children[i], NULL, 0);
        char content = content_of(target());
        if (content == '?') fail_msg("round %d: a torn file", (int)round);
    }
    assert_int_equal(ken_file_replace(target(), old_content, sizeof old_content), KEN_OK);
    assert_int_equal(access(folder_path("target.ken-tmp"), F_OK), -1);
}

/* Files in /sys report 4096 bytes and have fewer, as if they had shrunk. */
static void file_that_shrinks(void **state)
{
    (void)state;
    const char *path = "/sys/kernel/mm/transparent_hugepage/enabled";
    struct stat facts;
    if (stat(path, &facts) || facts.st_size != 4096 || access(path, R_OK)) {
        printf("# skip file_that_shrinks: no %s\n", path);
        skip();
    }
    char *data;
    size_t size;
    assert_int_equal(ken_file_read(&data, &size, path, SIZE_MAX), KEN_ERR_IO);
    assert_non_null(strstr(ken_last_error(), "changed its size"));
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_system_call),   cmocka_unit_test(every_allocation),
        cmocka_unit_test(short_writes),        cmocka_unit_test(full_disk),
        cmocka_unit_test(killed_while_saving), cmocka_unit_test(file_that_shrinks),
    };
    for (size_t i = 0; i < NEW_SIZE; i++) new_content[i] = (char)('a' + i % 23);
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
