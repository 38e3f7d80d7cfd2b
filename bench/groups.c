/* groups.c - the list of benchmarks. A new one is a file case_NAME.c and a row here. */
#include "bench/bench.h"

#include "base/size.h"

#include <string.h>

static const struct bench_group *const groups[] = {
    &bench_peak,   &bench_matmul, &bench_attend,   &bench_window, &bench_step,
    &bench_gpt2,   &bench_answer, &bench_generate, &bench_length, &bench_parallel,
    &bench_decode, &bench_edges,  &bench_graph,    &bench_links,
};

size_t bench_group_count(void)
{
    return KEN_COUNT(groups);
}

const struct bench_group *bench_group_at(size_t index)
{
    return groups[index];
}

bool bench_matches(const char *wish, const char *name)
{
    size_t length = strlen(wish);
    return strncmp(wish, name, length) == 0 && (name[length] == '\0' || name[length] == '/');
}
