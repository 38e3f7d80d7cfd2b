/* test_io.c - tests reading, writing and locking without faults; test_io_faults.c injects
 * faults. */
#define _GNU_SOURCE
#include "base/io.h"
#include "base/memory.h"
#include "base/size.h"
#include "tests/folder.h"
#include "tests/unit.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_content(const char *path, const void *expected, size_t size)
{
    char *data;
    size_t got;
    assert_int_equal(ken_file_read(&data, &got, path, SIZE_MAX), KEN_OK);
    assert_int_equal(got, size);
    assert_memory_equal(data, expected, size);
    assert_int_equal(data[size], 0);
    ken_memory_free(data);
}

static void assert_refused(ken_status status, ken_status expected, const char *reason)
{
    assert_int_equal(status, expected);
    if (!strstr(ken_last_error(), reason))
        fail_msg("\"%s\" lacks \"%s\"", ken_last_error(), reason);
}

static char *pattern(size_t size)
{
    char *data = ken_memory_new(size, 1);
    for (size_t i = 0; i < size; i++) data[i] = (char)(i * 7 + i / 251);
    return data;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void whole_files(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 1000003 };
    for (size_t i = 0; i < KEN_COUNT(sizes); i++) {
        char *data = pattern(sizes[i]), *back;
        size_t size;
        const char *path = folder_path("whole");
        assert_int_equal(ken_file_replace(path, data, sizes[i]), KEN_OK);
        assert_content(path, data, sizes[i]);
        assert_int_equal(ken_file_read(&back, &size, path, sizes[i]), KEN_OK);
        ken_memory_free(back);
        if (sizes[i] > 0)
            assert_refused(ken_file_read(&back, &size, path, sizes[i] - 1), KEN_ERR_FORMAT,
                           "larger than");
        ken_memory_free(data);
    }
    char *status; /* files in /proc report size 0 */
    size_t size;
    assert_int_equal(ken_file_read(&status, &size, "/proc/self/status", SIZE_MAX), KEN_OK);
    assert_true(size > 100 && strstr(status, "Pid:"));
    ken_memory_free(status);
}

static void what_is_no_file(void **state)
{
    (void)state;
    char *data = (char *)1;
    size_t size;
    ken_reader *reader;
    assert_refused(ken_file_read(&data, &size, folder_path("none"), 10), KEN_ERR_IO,
                   "No such file");
    assert_null(data);
    assert_refused(ken_file_read(&data, &size, folder_name(), 10), KEN_ERR_IO, "is a directory");
    assert_refused(ken_file_read(&data, &size, "/dev/zero", 10), KEN_ERR_IO, "is a device");
    assert_refused(ken_reader_open(&reader, "/dev/zero"), KEN_ERR_IO, "is a device");
    assert_refused(ken_reader_open(&reader, folder_name()), KEN_ERR_IO, "is a directory");
    assert_null(reader);
    ken_reader_close(NULL);
}

/* The writing end of a pipe: writes small pieces with pauses, so that reads return few bytes. */
static void *feed(void *pipe_end)
{
    int fd = *(int *)pipe_end;
    for (int i = 0; i < 40; i++) {
        char piece[16];
        snprintf(piece, sizeof piece, "%05d\n", i);
        assert_int_equal(write(fd, piece, 6), 6);
        usleep(500);
    }
    close(fd);
    return NULL;
}

static void ignore(int signal_number)
{
    (void)signal_number;
}

/* Reads return few bytes, and a timer interrupts reads that wait. */
static void slow_pipes(void **state)
{
    (void)state;
    struct sigaction action = { .sa_handler = ignore }; /* no SA_RESTART: read() gives EINTR */
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 0; round < 2; round++) {
        int ends[2];
        pthread_t feeder;
        char text[300], path[32];
        size_t got;
        assert_int_equal(pipe(ends), 0);
        pthread_create(&feeder, NULL, feed, &ends[1]);
        ken_reader *reader;
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        ken_status opened = round ? ken_reader_open(&reader, path)
                                  : ken_reader_attach(&reader, ends[0], "a pipe");
        assert_int_equal(opened, KEN_OK);
        assert_int_equal(ken_reader_read(reader, text, &got, 100), KEN_OK);
        assert_int_equal(got, 100);
        assert_int_equal(ken_reader_read(reader, text + 100, &got, 200), KEN_OK);
        assert_int_equal(got, 140);
        assert_memory_equal(text + 234, "00039\n", 6);
        assert_int_equal(ken_reader_read(reader, text, &got, 1), KEN_OK);
        assert_int_equal(got, 0);
        ken_reader_close(reader);
        pthread_join(feeder, NULL);
        close(ends[0]);
    }
    setitimer(ITIMER_REAL, &never, NULL);
}

/* Sizes beyond 2^31 and 2^32, with a sparse file, so that nothing has to be stored. */
static void large_files(void **state)
{
    (void)state;
    const off_t hole = (off_t)5 << 30;
    const char *path = folder_path("large");
    int fd = open(path, O_CREAT | O_WRONLY, 0666);
    int made = ftruncate(fd, hole);
    close(fd);
    if (made) {
        printf("# skip large_files: no files of 5 GB here\n");
        skip();
    }
    char *data;
    size_t size;
    struct stat facts;
    assert_refused(ken_file_read(&data, &size, path, (size_t)1 << 32), KEN_ERR_FORMAT,
                   "4294967296");
    assert_int_equal(ken_file_append(path, "the end", 7), KEN_OK);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_size, hole + 7);

    fd = open(path, O_RDONLY);
    assert_int_equal(lseek(fd, hole, SEEK_SET), hole);
    ken_reader *reader;
    char end[8] = "";
    assert_int_equal(ken_reader_attach(&reader, fd, path), KEN_OK);
    assert_int_equal(ken_reader_read(reader, end, &size, 8), KEN_OK);
    assert_int_equal(size, 7);
    assert_string_equal(end, "the end");
    ken_reader_close(reader);
    close(fd);
    unlink(path);
}

/* ---- Writing -------------------------------------------------------------------------------- */

static void pieces_of_all_sizes(void **state)
{
    (void)state;
    const char *path = folder_path("pieces");
    char *data = pattern(1 << 20);
    ken_writer *writer;
    assert_int_equal(ken_writer_open(&writer, path), KEN_OK);
    size_t at = 0;
    for (size_t piece = 0; at + piece <= 1 << 20; piece = piece * 3 / 2 + 1) {
        assert_int_equal(ken_writer_append(writer, data + at, piece), KEN_OK);
        at += piece;
    }
    assert_int_equal(access(path, F_OK), -1); /* not before the commit */
    assert_int_equal(ken_writer_commit(writer), KEN_OK);
    assert_content(path, data, at);
    ken_memory_free(data);
}

static void targets(void **state)
{
    (void)state;
    struct stat facts;
    ken_writer *writer;
    size_t entries = folder_entries();
    const char *path = folder_path("private"), *link = folder_path("link");
    assert_int_equal(ken_file_replace(path, "a", 1), KEN_OK);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("private", link), 0);
    assert_int_equal(ken_file_replace(link, "bb", 2), KEN_OK);
    assert_int_equal(lstat(link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    assert_content(path, "bb", 2);

    assert_int_equal(ken_writer_open(&writer, path), KEN_OK);
    ken_writer_append(writer, "ccc", 3);
    ken_writer_discard(writer);
    ken_writer_discard(NULL);
    assert_content(path, "bb", 2);
    assert_int_equal(folder_entries(), entries + 2);

    assert_refused(ken_file_replace("/dev/null", "x", 1), KEN_ERR_IO, "is not a regular file");
    assert_refused(ken_file_replace(folder_name(), "x", 1), KEN_ERR_IO, "is not a regular file");
    assert_refused(ken_file_replace(folder_path("none/x"), "x", 1), KEN_ERR_IO, "No such file");
}

static void temporary_files(void **state)
{
    (void)state;
    const char *path = folder_path("busy"), *temporary = folder_path("busy.ken-tmp");
    ken_writer *first, *second;
    /* The file that a killed process left is longer than the new content; none of it may remain. */
    int fd = open(temporary, O_CREAT | O_WRONLY, 0666);
    assert_int_equal(write(fd, "left over", 9), 9);
    close(fd);
    assert_int_equal(ken_file_replace(path, "new", 3), KEN_OK);
    assert_content(path, "new", 3);
    assert_int_equal(access(temporary, F_OK), -1);

    assert_int_equal(ken_writer_open(&first, path), KEN_OK);
    assert_refused(ken_writer_open(&second, path), KEN_ERR_STATE, "another writer");
    assert_null(second);
    assert_int_equal(ken_writer_append(first, "mine", 4), KEN_OK);
    assert_int_equal(ken_writer_commit(first), KEN_OK);
    assert_content(path, "mine", 4);

    assert_int_equal(symlink("/dev/null", temporary), 0); /* a trap */
    assert_refused(ken_file_replace(path, "x", 1), KEN_ERR_IO, "cannot write");
    assert_int_equal(unlink(temporary), 0);
}

static void logs(void **state)
{
    (void)state;
    const char *path = folder_path("log");
    for (int i = 0; i < 3; i++) assert_int_equal(ken_file_append(path, "line\n", 5), KEN_OK);
    assert_content(path, "line\nline\nline\n", 15);
    assert_int_equal(ken_file_append("/dev/null", "x", 1), KEN_OK);
    assert_refused(ken_file_append("/dev/full", "x", 1), KEN_ERR_SPACE, "No space left");
}

/* ---- Names and locks ------------------------------------------------------------------------ */

static void names(void **state)
{
    (void)state;
    enum ken_path_kind kind;
    bool empty;
    uint64_t bytes;
    const char *deep = folder_path("a//b/c/"), *file = folder_path("a/file");
    assert_int_equal(ken_directory_make(deep), KEN_OK);
    assert_int_equal(ken_directory_make(deep), KEN_OK);
    assert_int_equal(ken_directory_empty(&empty, deep), KEN_OK);
    assert_true(empty);
    assert_int_equal(ken_file_append(file, "x", 1), KEN_OK);
    assert_int_equal(ken_directory_empty(&empty, folder_path("a")), KEN_OK);
    assert_false(empty);
    assert_refused(ken_directory_make(folder_path("a/file")), KEN_ERR_IO, "File exists");
    assert_refused(ken_directory_make(folder_path("a/file/x")), KEN_ERR_IO, "File exists");
    assert_refused(ken_directory_empty(&empty, folder_path("none")), KEN_ERR_IO, "No such file");

    const char *const paths[] = { folder_path("none"), file, folder_path("a"), "/dev/null" };
    for (size_t i = 0; i < KEN_COUNT(paths); i++) {
        assert_int_equal(ken_path_kind(&kind, paths[i]), KEN_OK);
        assert_int_equal(kind, KEN_PATH_NONE + i);
    }
    assert_int_equal(ken_path_kind(&kind, folder_path("a/file/below")), KEN_OK);
    assert_int_equal(kind, KEN_PATH_NONE);
    assert_int_equal(ken_file_rename(file, folder_path("a/other")), KEN_OK);
    assert_refused(ken_file_rename(file, folder_path("a/x")), KEN_ERR_IO, "No such file");
    assert_content(folder_path("a/other"), "x", 1);
    for (int i = 0; i < 2; i++) assert_int_equal(ken_file_remove(folder_path("a/other")), KEN_OK);
    static const char *const places[] = { "/", "nowhere", "nowhere/at/all", "/nowhere/at/all" };
    for (size_t i = 0; i < KEN_COUNT(places); i++)
        assert_int_equal(ken_path_space(&bytes, places[i]), KEN_OK);
}

static void names_too_long(void **state)
{
    (void)state;
    enum { LENGTH = 5000 };
    char path[LENGTH + 1], *data;
    size_t size;
    uint64_t bytes;
    ken_lock *lock;
    memset(path, 'x', LENGTH);
    path[LENGTH] = 0;
    for (size_t i = 0; i < LENGTH; i += 100) path[i] = '/'; /* each part is fine */
    assert_int_equal(ken_file_read(&data, &size, path, 1), KEN_ERR_IO);
    assert_int_equal(ken_file_replace(path, "", 0), KEN_ERR_IO);
    assert_int_equal(ken_file_append(path, "", 0), KEN_ERR_IO);
    assert_int_equal(ken_file_rename(path, path), KEN_ERR_IO);
    assert_int_equal(ken_file_remove(path), KEN_ERR_IO);
    assert_int_equal(ken_directory_make(path), KEN_ERR_IO);
    assert_int_equal(ken_path_space(&bytes, path), KEN_ERR_IO);
    assert_int_equal(ken_lock_take(&lock, path), KEN_ERR_IO);
    char name[256]; /* the longest name allowed: no room for the suffix of the temporary file */
    memset(name, 'y', 255);
    name[255] = 0;
    assert_refused(ken_file_replace(folder_path(name), "", 0), KEN_ERR_IO, "File name too long");
}

static void one_lock_holder(void **state)
{
    (void)state;
    const char *path = folder_path("lock");
    char process[32];
    ken_lock *lock, *other;
    snprintf(process, sizeof process, "process %ld", (long)getpid());
    assert_int_equal(ken_lock_take(&lock, path), KEN_OK);
    assert_refused(ken_lock_take(&other, path), KEN_ERR_STATE, process);
    assert_null(other);
    ken_lock_free(lock);
    ken_lock_free(NULL);
    assert_int_equal(access(path, F_OK), -1);

    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        bool taken = ken_lock_take(&lock, path) == KEN_OK;
        if (write(ready[1], &taken, 1) == 1) pause();
        _exit(0);
    }
    char taken;
    assert_int_equal(read(ready[0], &taken, 1), 1);
    assert_int_equal(taken, 1);
    assert_refused(ken_lock_take(&other, path), KEN_ERR_STATE, "locked by process");
    kill(child, SIGKILL); /* the lock ends with its holder; its file stays */
    waitpid(child, NULL, 0);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(ken_lock_take(&lock, path), KEN_OK);
    ken_lock_free(lock);
    close(ready[0]);
    close(ready[1]);
}

/* Processes increment a number that only the lock protects; no increment may be lost. */
static void lock_excludes(void **state)
{
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 100 };
    const char *path = folder_path("lock"), *number = folder_path("number");
    pid_t children[PROCESSES];
    int sum = 0;
    int fd = open(number, O_CREAT | O_RDWR, 0666);
    assert_int_equal(pwrite(fd, &sum, sizeof sum, 0), sizeof sum);
    for (int p = 0; p < PROCESSES; p++) {
        children[p] = fork();
        if (children[p] != 0) continue;
        for (int done = 0; done < ROUNDS;) {
            ken_lock *lock;
            if (ken_lock_take(&lock, path)) continue;
            if (pread(fd, &sum, sizeof sum, 0) != sizeof sum) _exit(1);
            sum++;
            if (pwrite(fd, &sum, sizeof sum, 0) != sizeof sum) _exit(1);
            ken_lock_free(lock);
            done++;
        }
        _exit(0);
    }
    for (int p = 0; p < PROCESSES; p++) {
        int status;
        waitpid(children[p], &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(pread(fd, &sum, sizeof sum, 0), sizeof sum);
    assert_int_equal(sum, PROCESSES * ROUNDS);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files),
        cmocka_unit_test(what_is_no_file),
        cmocka_unit_test(slow_pipes),
        cmocka_unit_test(large_files),
        cmocka_unit_test(pieces_of_all_sizes),
        cmocka_unit_test(targets),
        cmocka_unit_test(temporary_files),
        cmocka_unit_test(logs),
        cmocka_unit_test(names),
        cmocka_unit_test(names_too_long),
        cmocka_unit_test(one_lock_holder),
        cmocka_unit_test(lock_excludes),
    };
    size_t before = open_descriptors();
    int failed = cmocka_run_group_tests(tests, folder_make, folder_remove);
    if (open_descriptors() != before) printf("not ok - descriptors leak\n");
    return failed || open_descriptors() != before;
}
