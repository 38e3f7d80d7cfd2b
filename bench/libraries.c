/* libraries.c - loads the BLAS libraries that ken is compared with, if they are installed. OpenBLAS
 * and BLIS export the same names, so each is loaded into a scope of its own. */
#define _GNU_SOURCE
#include "bench/bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The parts of cblas.h and dnnl.h that are needed here, so that compiling ken needs neither. */
enum { ROW_MAJOR = 101, STRAIGHT = 111, TRANSPOSED = 112 };
typedef void cblas_sgemm_fn(int order, int a_transposed, int b_transposed, int m, int n, int k,
                            float alpha, const float *a, int a_stride, const float *b, int b_stride,
                            float beta, float *c, int c_stride);
typedef int dnnl_sgemm_fn(char a_transposed, char b_transposed, int64_t m, int64_t n, int64_t k,
                          float alpha, const float *a, int64_t a_stride, const float *b,
                          int64_t b_stride, float beta, float *c, int64_t c_stride);
struct dnnl_version { /* only the first fields */
    int major, minor, patch;
};

struct bench_library {
    cblas_sgemm_fn *cblas; /* either this or dnnl is set */
    dnnl_sgemm_fn *dnnl;
};

static struct {
    struct bench_library library;
    bool loaded;
    char about[160];
} peers[BENCH_LIBRARIES];

/* ISO C does not allow a cast from a void pointer to a function pointer, but its bytes may be
 * copied. */
static bool find(void *function, void *handle, const char *name)
{
    void *address = dlsym(handle, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Each bind_x() finds the functions it needs, sets the number of threads, and describes the
 * library: its version and, if it reports this, the kernel it chose for this processor. A wrong
 * choice explains a slow peer. */
static bool bind_openblas(struct bench_library *library, void *handle, int threads, char *about,
                          size_t size)
{
    void (*set_threads)(int);
    const char *(*config)(void);
    const char *(*core)(void);
    if (!find(&library->cblas, handle, "cblas_sgemm") ||
        !find(&set_threads, handle, "openblas_set_num_threads"))
        return false;
    set_threads(threads);
    const char *version = "", *kernel = "?";
    if (find(&config, handle, "openblas_get_config")) version = config();
    if (strncmp(version, "OpenBLAS ", 9) == 0) version += 9;
    if (find(&core, handle, "openblas_get_corename")) kernel = core();
    snprintf(about, size, "%.*s (%s)", (int)strcspn(version, " "), version, kernel);
    return true;
}

static bool bind_blis(struct bench_library *library, void *handle, int threads, char *about,
                      size_t size)
{
    void (*set_threads)(long); /* dim_t has 64 bits, even if the BLAS interface has 32 */
    const char *(*version)(void);
    const char *(*name)(int);
    int (*kernel)(void);
    if (!find(&library->cblas, handle, "cblas_sgemm") ||
        !find(&set_threads, handle, "bli_thread_set_num_threads"))
        return false;
    set_threads(threads);
    bool named = find(&kernel, handle, "bli_arch_query_id") &&
                 find(&name, handle, "bli_arch_string");
    snprintf(about, size, "%s (%s)",
             find(&version, handle, "bli_info_get_version_str") ? version() : "?",
             named ? name(kernel()) : "?");
    return true;
}

static bool bind_onednn(struct bench_library *library, void *handle, int threads, char *about,
                        size_t size)
{
    const struct dnnl_version *(*version)(void);
    (void)threads; /* oneDNN reads OMP_NUM_THREADS */
    if (!find(&library->dnnl, handle, "dnnl_sgemm") || !find(&version, handle, "dnnl_version"))
        return false;
    const struct dnnl_version *v = version();
    snprintf(about, size, "%d.%d.%d", v->major, v->minor, v->patch);
    return true;
}

static const struct {
    const char *file;
    bool (*bind)(struct bench_library *library, void *handle, int threads, char *about,
                 size_t size);
} kinds[BENCH_LIBRARIES] = {
    /* the names in Debian's run-time packages */
    [BENCH_OPENBLAS] = { "libopenblas.so.0", bind_openblas },
    [BENCH_BLIS] = { "libblis.so.4", bind_blis },
    [BENCH_ONEDNN] = { "libdnnl.so.2", bind_onednn },
};

const char *bench_peer_name(enum bench_peer peer)
{
    static const char *const names[BENCH_PEERS] = {
        [BENCH_OPENBLAS] = "OpenBLAS", [BENCH_BLIS] = "BLIS",         [BENCH_ONEDNN] = "oneDNN",
        [BENCH_TORCH] = "PyTorch",     [BENCH_ONNX] = "ONNX Runtime",
    };
    return names[peer];
}

/* The libraries are never closed, because their thread pools would lose the code they run. */
void bench_libraries_open(size_t threads)
{
    char count[24];
    snprintf(count, sizeof count, "%zu", threads);
    setenv("OMP_NUM_THREADS", count, 1); /* OpenMP reads it when a library is loaded */
    for (size_t i = 0; i < BENCH_LIBRARIES; i++) {
        size_t size = sizeof peers[i].about;
        void *handle = dlopen(kinds[i].file, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            snprintf(peers[i].about, size, "left out: %s is not installed", kinds[i].file);
            continue;
        }
        peers[i].loaded = kinds[i].bind(&peers[i].library, handle, (int)threads, peers[i].about,
                                        size);
        if (!peers[i].loaded)
            snprintf(peers[i].about, size, "left out: %s lacks a function", kinds[i].file);
    }
}

const struct bench_library *bench_library(enum bench_peer peer)
{
    return peers[peer].loaded ? &peers[peer].library : NULL;
}

const char *bench_library_about(enum bench_peer peer)
{
    return peers[peer].about;
}

void bench_library_sgemm(const struct bench_library *library, const struct bench_sgemm *job)
{
    size_t a_stride = job->a_transposed ? job->m : job->k;
    size_t b_stride = job->b_transposed ? job->k : job->n;
    float beta = job->add ? 1 : 0;
    if (library->dnnl)
        library->dnnl(job->a_transposed ? 'T' : 'N', job->b_transposed ? 'T' : 'N', (int64_t)job->m,
                      (int64_t)job->n, (int64_t)job->k, 1, job->a, (int64_t)a_stride, job->b,
                      (int64_t)b_stride, beta, job->c, (int64_t)job->n);
    else
        library->cblas(ROW_MAJOR, job->a_transposed ? TRANSPOSED : STRAIGHT,
                       job->b_transposed ? TRANSPOSED : STRAIGHT, (int)job->m, (int)job->n,
                       (int)job->k, 1, job->a, (int)a_stride, job->b, (int)b_stride, beta, job->c,
                       (int)job->n);
}
