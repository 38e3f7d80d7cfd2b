/* groups.c - the list of benchmarks. A new one is a file case_NAME.c and a row here. */
#include "bench/bench.h"

#include "base/size.h"

#include <stdio.h>
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

void bench_describe(struct bench_case *out, const char *group, const char *kind, size_t size,
                    const char *unit, double share)
{
    *out = (struct bench_case){ .unit = unit, .work = share * (double)size };
    snprintf(out->name, sizeof out->name, "%s/%s/%zu", group, kind, size);
}

const char *bench_word(ken_mixing mixing, ken_weigh weigh, ken_reach reach)
{
    if (mixing != KEN_MIX_ATTENTION) return ken_word(KEN_CHOICE_MIXING, (int)mixing);
    if (weigh != KEN_WEIGH_SOFTMAX) return ken_word(KEN_CHOICE_WEIGH, (int)weigh);
    return ken_word(KEN_CHOICE_REACH, (int)reach);
}

bool bench_matches(const char *wish, const char *name)
{
    size_t length = strlen(wish);
    return strncmp(wish, name, length) == 0 && (name[length] == '\0' || name[length] == '/');
}
