/* growth.c - how cost grows with size. For the cases group/kind/size of a kind, a straight line is
 * fitted to the logarithms of cost and size; its slope is the exponent: 1 is linear, 2
 * quadratic. */
#include "bench/bench.h"

#include "base/io.h"
#include "base/size.h"
#include "draw/chart.h"
#include "kernel/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 16 };

/* One kind, from its smallest size to its largest. */
struct curve {
    char name[64]; /* of the kind alone */
    const struct bench_result *first;
    size_t count;
    double size[BENCH_CASES], cost[BENCH_CASES];
};

enum measure { SECONDS, BYTES };

/* Finds the kind in a name such as "length/all/512", and its length. */
static const char *kind_of(const char *name, size_t *length)
{
    const char *kind = strchr(name, '/') + 1;
    *length = (size_t)(strrchr(name, '/') - kind);
    return kind;
}

static bool same_kind(const char *a, const char *b)
{
    size_t first, second;
    a = kind_of(a, &first);
    b = kind_of(b, &second);
    return first == second && strncmp(a, b, first) == 0;
}

static size_t cut(struct curve curves[KINDS], const struct bench_result *results, size_t count,
                  enum measure measure)
{
    size_t kinds = 0;
    for (size_t i = 0; i < count; i++) {
        const char *name = results[i].info.name;
        if (i == 0 || !same_kind(results[i - 1].info.name, name)) {
            if (kinds == KINDS) break;
            size_t length;
            const char *kind = kind_of(name, &length);
            struct curve *curve = &curves[kinds++];
            *curve = (struct curve){ .first = &results[i] };
            snprintf(curve->name, sizeof curve->name, "%.*s", (int)length, kind);
        }
        struct curve *curve = &curves[kinds - 1];
        curve->size[curve->count] = strtod(strrchr(name, '/') + 1, NULL);
        curve->cost[curve->count++] = measure == SECONDS ? results[i].ken : results[i].bytes;
    }
    return kinds;
}

/* The slope of the least-squares line; NaN if there are fewer than two sizes. */
static double exponent(const struct curve *curve)
{
    double n = (double)curve->count, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < curve->count; i++) {
        double a = log(curve->size[i]), b = log(curve->cost[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return curve->count < 2 ? (double)NAN : (n * xy - x * y) / (n * xx - x * x);
}

static void print(const struct bench_options *options, const struct curve *curve,
                  enum measure measure)
{
    static const char *const names[] = { [SECONDS] = "time", [BYTES] = "memory" };
    const struct bench_case *info = &curve->first->info;
    int group = (int)strcspn(info->name, "/");
    if (curve->count < 2) return;
    if (options->json)
        printf("{\"case\":\"%.*s/%s/exponent\",\"ken\":%.4f,\"unit\":\"%s\"}\n", group, info->name,
               curve->name, exponent(curve), names[measure]);
    else
        printf("%.*s/%s: %s grows as size^%.2f\n", group, info->name, curve->name, names[measure],
               exponent(curve));
}

static ken_status draw(const struct bench_options *options, const struct bench_group *group,
                       const struct curve *curves, size_t kinds, enum measure measure)
{
    static const char *const units[] = { [SECONDS] = "seconds", [BYTES] = "bytes" };
    static const char *const files[] = { [SECONDS] = "time", [BYTES] = "memory" };
    struct ken_series series[KINDS];
    const char *once = group->once ? group->once : "a step";
    char names[KINDS][96], path[4096], title[128], y_title[64];
    for (size_t i = 0; i < kinds; i++) {
        snprintf(names[i], sizeof names[i], "%.63s, size^%.2f", curves[i].name,
                 exponent(&curves[i]));
        series[i] = (struct ken_series){ .name = names[i],
                                         .x = curves[i].size,
                                         .y = curves[i].cost,
                                         .count = curves[i].count };
    }
    snprintf(title, sizeof title, "%s against rows, %zu thread%s", files[measure], ken_threads(),
             ken_plural(ken_threads()));
    snprintf(y_title, sizeof y_title, "%s %s", units[measure], once);
    title[0] = (char)(title[0] - 'a' + 'A');
    struct ken_chart chart = { .title = title,
                               .x_title = group->size ? group->size : "rows of a sequence",
                               .y_title = y_title,
                               .x_scale = KEN_SCALE_LOG2,
                               .y_scale = KEN_SCALE_LOG10 };
    if (snprintf(path, sizeof path, "%s/%s-%s.svg", options->folder, group->name, files[measure]) >=
        (int)sizeof path)
        return ken_fail(KEN_ERR_ARGUMENT, "%s: a path this long", options->folder);
    ken_buffer picture = { 0 };
    ken_chart_lines(&picture, &chart, series, kinds);
    ken_status status = ken_buffer_status(&picture);
    if (!status) status = ken_file_replace(path, picture.data, picture.size);
    ken_buffer_release(&picture);
    return status;
}

ken_status bench_growth(const struct bench_options *options, const struct bench_group *group,
                        const struct bench_result *results, size_t count)
{
    static struct curve curves[KINDS];
    for (int measure = SECONDS; measure <= BYTES; measure++) {
        size_t kinds = cut(curves, results, count, (enum measure)measure);
        for (size_t i = 0; i < kinds; i++) print(options, &curves[i], (enum measure)measure);
        if (options->folder) KEN_TRY(draw(options, group, curves, kinds, (enum measure)measure));
    }
    fflush(stdout);
    return KEN_OK;
}
