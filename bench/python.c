/* python.c - the peers that live in Python, PyTorch and ONNX Runtime: a child process that receives
 * one command a line. It waits in a read while ken runs, so the two never compute at the same time.
 * README.md has the protocol. Whatever goes wrong with the child only leaves its peers out. */
#define _GNU_SOURCE
#include "bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { PATIENCE = 600 * 1000 }; /* milliseconds for one answer: a long case on a slow machine */

static struct {
    pid_t pid; /* 0 = no child */
    int to, from;
    char line[512]; /* last answer; bytes after it wait in `more` */
    char more[512];
    size_t waiting;
    char about[600]; /* why there is no child, else the version of PyTorch */
    char onnx[600];  /* the same of ONNX Runtime, if there is a child      */
} child = { .about = "left out: KEN_PEER_PYTHON is not set" };

static void leave_out(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void leave_out(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t used = (size_t)snprintf(child.about, sizeof child.about, "left out: ");
    vsnprintf(child.about + used, sizeof child.about - used, format, arguments);
    va_end(arguments);
    bench_python_stop();
}

/* Reads one line into child.line, without its end; false if the child has ended, does not answer in
 * time, or its line is too long. */
static bool read_line(void)
{
    for (;;) {
        char *end = memchr(child.more, '\n', child.waiting);
        if (end) {
            size_t length = (size_t)(end - child.more);
            memcpy(child.line, child.more, length);
            child.line[length] = '\0';
            child.waiting -= length + 1;
            memmove(child.more, end + 1, child.waiting);
            return true;
        }
        if (child.waiting == sizeof child.more) return false;
        struct pollfd wait = { .fd = child.from, .events = POLLIN };
        int ready = poll(&wait, 1, PATIENCE);
        if (ready < 0 && errno == EINTR) continue; /* stopped and continued by the user */
        if (ready <= 0) return false;
        ssize_t got = read(child.from, child.more + child.waiting,
                           sizeof child.more - child.waiting);
        if (got <= 0) return false;
        child.waiting += (size_t)got;
    }
}

/* A request may be longer than a pipe can hold. If the child has died, write gives EPIPE, because
 * the signal is ignored. */
static bool send_text(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        ssize_t sent = write(child.to, text, left);
        if (sent <= 0) return false;
        text += sent;
        left -= (size_t)sent;
    }
    return true;
}

/* Sends `text` and a line end; true if the answer begins with `expected`. */
static bool ask(const char *text, const char *expected)
{
    if (!child.pid) return false;
    if (!send_text(text) || !send_text("\n") || !read_line()) {
        leave_out("the child process ended or went silent");
        return false;
    }
    return strncmp(child.line, expected, strlen(expected)) == 0;
}

/* Looks for the script below the current folder, then below the folder that contains build/. */
static bool find_script(char *path, size_t size)
{
    static const char script[] = "bench/peers/peer.py";
    snprintf(path, size, "%s", script);
    if (access(path, R_OK) == 0) return true;
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    for (int up = 0; up < 2; up++) { /* removes the command's name, then build/ */
        char *slash = strrchr(path, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    size_t used = strlen(path);
    snprintf(path + used, size - used, "/%s", script);
    return access(path, R_OK) == 0;
}

/* Starts `python script threads` with pipes as its input and output. */
static bool spawn(const char *python, const char *script, size_t threads)
{
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC)) return false;
    if (pipe2(from, O_CLOEXEC)) {
        close(to[0]), close(to[1]);
        return false;
    }
    char count[24];
    snprintf(count, sizeof count, "%zu", threads);
    const char *arguments[] = { python, script, count, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE); /* ken ignores SIGPIPE; the child must not inherit that */
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(&child.pid, python, &actions, &attributes, (char *const *)arguments,
                             environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]), close(from[1]);
    child.to = to[1];
    child.from = from[0];
    if (!error) return true;
    close(to[1]), close(from[0]);
    child.pid = 0;
    return false;
}

/* "torch 2.13.0, 2 threads; onnxruntime 1.31.1", the latter only where it is installed. */
static void read_versions(const char *python)
{
    static const char mark[] = "; onnxruntime ";
    char *torch = child.line + 6, *onnx = strstr(torch, mark);
    if (onnx) snprintf(child.onnx, sizeof child.onnx, "%s", onnx + sizeof mark - 1);
    else snprintf(child.onnx, sizeof child.onnx, "left out: %s has no onnxruntime", python);
    snprintf(child.about, sizeof child.about, "%.*s", (int)strcspn(torch, ";"), torch);
}

/* The first line says that torch was loaded; importing it takes seconds. */
bool bench_python_start(size_t threads)
{
    char script[1024];
    const char *python = getenv("KEN_PEER_PYTHON");
    if (child.pid || !python || !*python) return child.pid != 0;
    if (!find_script(script, sizeof script)) {
        leave_out("bench/peers/peer.py not found from the current folder");
        return false;
    }
    if (!spawn(python, script, threads)) {
        leave_out("cannot start %s", python);
        return false;
    }
    if (!read_line() || strncmp(child.line, "torch ", 6) != 0) {
        leave_out("%s has no working torch", python);
        return false;
    }
    read_versions(python);
    return true;
}

bool bench_python_runs(void)
{
    return child.pid != 0;
}

const char *bench_python_about(enum bench_peer peer)
{
    return child.pid && peer == BENCH_ONNX ? child.onnx : child.about;
}

const char *bench_python_answer(void)
{
    return child.line;
}

bool bench_python_prepare(const char *request)
{
    return ask(request, "ready");
}

double bench_python_go(size_t repeats)
{
    char text[32];
    snprintf(text, sizeof text, "go %zu", repeats);
    if (!ask(text, "")) return -1;
    char *end;
    double seconds = strtod(child.line, &end);
    return end != child.line && *end == '\0' && seconds > 0 ? seconds : -1;
}

void bench_python_done(void)
{
    ask("done", "free");
}

void bench_python_stop(void)
{
    if (!child.pid) return;
    close(child.to);
    close(child.from);
    kill(child.pid, SIGKILL); /* the child has nothing to lose */
    waitpid(child.pid, NULL, 0);
    child.pid = 0;
    child.waiting = 0;
}

double bench_python_cpu_seconds(void)
{
    clockid_t clock;
    struct timespec used = { 0 };
    if (!child.pid || clock_getcpuclockid(child.pid, &clock) || clock_gettime(clock, &used))
        return 0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}
