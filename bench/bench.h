/* bench.h - the structure of a benchmark, and the functions that the files of this folder share.
 *
 * A group is one row in groups.c: a file case_NAME.c fills a struct bench_group, and the harness
 * does the rest. It measures ken and every peer in turn, round after round in one process, takes
 * the best time of each, and prints. A case does a fixed amount of work; its figure is work per
 * second, so larger is better, and the ratio is ken / peer. README.md explains the output. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bench_peer { BENCH_OPENBLAS, BENCH_BLIS, BENCH_ONEDNN, BENCH_TORCH, BENCH_ONNX, BENCH_PEERS };
/* The peers before PyTorch are loaded into this process; the others run in Python: python.c */
enum { BENCH_LIBRARIES = BENCH_TORCH };

enum { BENCH_CASES = 128 }; /* maximum per group */

struct bench_library; /* a loaded BLAS: libraries.c */

/* ---- Cases ---------------------------------------------------------------------------------- */

struct bench_case {
    char name[64];    /* "matmul/nt/2048x768x3072": group, kind, size               */
    const char *unit; /* of the figure, e.g. "GFLOP/s" or "tokens/s"                */
    double work;      /* of one run, so that work / seconds is in that unit         */
    double flops;     /* of one run, for the share of the peak; 0 = not counted     */
    size_t threads;   /* threads of this case; 0 = those of the whole benchmark     */
};

struct bench_group {
    const char *name;  /* the user types it; names of its cases begin with it */
    const char *about; /* one line for --list                                 */
    size_t count;      /* number of cases                                     */
    void (*describe)(struct bench_case *out, size_t index); /* cheap: sets nothing up   */

    ken_status (*setup)(void **state, size_t index, uint64_t seed);
    void (*run)(void *state);     /* ken does the work once    */
    void (*release)(void *state); /* accepts a half-made state */

    /* Peers; NULL if there are none. `agrees` compares the results of one run each; a peer with a
     * different result is not measured. */
    void (*run_library)(void *state, const struct bench_library *library);
    bool (*agrees)(void *state, const struct bench_library *library);
    /* `request` returns a line for the Python peer `asked`, BENCH_TORCH or BENCH_ONNX. The state
     * owns the line; NULL leaves the peer out. It is called only if Python runs. */
    enum bench_peer asked;
    const char *(*request)(void *state);

    /* For groups whose cases are named group/kind/size: the memory that a run took, in bytes; else
     * NULL. growth.c then fits how time and memory grow with the size, and draws it on request. */
    double (*bytes)(void *state);
    const char *once,
        *size; /* names of a run and of the size; NULL = "a step", "rows of a sequence" */
};

extern const struct bench_group bench_peak, bench_matmul, bench_attend, bench_window, bench_step,
    bench_gpt2, bench_answer, bench_generate, bench_length, bench_parallel, bench_decode,
    bench_edges, bench_graph, bench_links;

size_t bench_group_count(void);
const struct bench_group *bench_group_at(size_t index);

/* Describes case KIND/SIZE of a group; its work is share * size, counted in `unit`. */
void bench_describe(struct bench_case *out, const char *group, const char *kind, size_t size,
                    const char *unit, double share);

/* The recipe's word for the first of the three that is not the default. */
const char *bench_word(ken_mixing mixing, ken_weigh weigh, ken_reach reach);

/* Whether `wish` selects the case: it is the whole name, or its beginning up to a slash. */
bool bench_matches(const char *wish, const char *name);

/* ---- Running -------------------------------------------------------------------------------- */

struct bench_options {
    const char *const *wishes; /* each matches a case; none selects all   */
    size_t count;
    uint64_t seed;
    bool json, quick, quiet;
    const char *folder; /* for pictures of growth, or NULL */
};

ken_status bench_main(const struct bench_options *options);

struct bench_result {
    struct bench_case info;
    double ken;               /* best time of one run, in seconds     */
    double peer[BENCH_PEERS]; /* the same; 0 = not measured           */
    double bytes;             /* memory; 0 = not measured             */
};

/* report.c: results to standard output; with JSON the header goes to standard error. */
void bench_report_header(const struct bench_options *options, bool libraries,
                         const bool asked[BENCH_PEERS]);
void bench_report_group(const struct bench_options *options, const struct bench_result *results,
                        size_t count);

/* growth.c: fits the exponents of time and memory by size, and draws both. */
ken_status bench_growth(const struct bench_options *options, const struct bench_group *group,
                        const struct bench_result *results, size_t count);

/* ---- Clock and yardsticks ------------------------------------------------------------------- */

double bench_now(void); /* seconds, monotonic */

/* Waits until the idle threads of the side that ran last have stopped spinning. */
void bench_settle(void);

/* FLOP/s of all threads at once: measured now, and the best measurement so far. */
double bench_peak_look(void);
double bench_peak_flops(void);
double bench_peak_bandwidth(void); /* bytes/s read from memory; 0 if it cannot be allocated */

/* ---- Peers ---------------------------------------------------------------------------------- */

const char *bench_peer_name(enum bench_peer peer);

/* Loads the libraries that are installed. A missing library stays NULL, and its `about` says why;
 * otherwise `about` has the version. */
void bench_libraries_open(size_t threads);
const struct bench_library *bench_library(enum bench_peer peer);
const char *bench_library_about(enum bench_peer peer);

/* c (m, n) = a b, or c += a b with `add`, row-major and dense. a is (m, k), or stored as (k, m) if
 * transposed; b is (k, n), or (n, k) if transposed. */
struct bench_sgemm {
    float *c;
    const float *a, *b;
    size_t m, n, k;
    bool a_transposed, b_transposed, add;
};
void bench_library_sgemm(const struct bench_library *library, const struct bench_sgemm *job);

/* The child process that runs peers/peer.py (PyTorch and ONNX Runtime; protocol: README.md). False
 * or a negative time: the peer is left out. `about` is its version, or why it is left out. */
bool bench_python_start(size_t threads);
bool bench_python_runs(void);
const char *bench_python_about(enum bench_peer peer);
const char *bench_python_answer(void); /* the child's last line, e.g. "error ..." */
bool bench_python_prepare(const char *request);
double bench_python_go(size_t repeats); /* seconds of one run, the mean of `repeats` */
void bench_python_done(void);
void bench_python_stop(void);
double bench_python_cpu_seconds(void); /* used by the child so far */

#endif
