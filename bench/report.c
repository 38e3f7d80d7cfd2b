/* report.c - prints results as a table for people or as JSON for programs: {"case", "ken", "unit",
 * "peer", "peer_value", "ratio", "peak_share"}, one object per case and peer.
 * A group is printed when it is complete, so that all its shares refer to the same peak. */
#include "bench/bench.h"
#include "base/size.h"

#include "kernel/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A result in the units that are printed; 0 if there is none. */
struct row {
    char name[64];
    const char *unit;
    double ken, share;
    double peer[BENCH_PEERS], ratio[BENCH_PEERS];
};

static struct row row_of(const struct bench_result *result, double peak)
{
    const struct bench_case *info = &result->info;
    struct row row = { .unit = info->unit, .ken = info->work / result->ken };
    memcpy(row.name, info->name, sizeof row.name);
    if (info->threads > 0) peak *= (double)info->threads / (double)ken_threads();
    row.share = info->flops / result->ken / peak;
    for (size_t p = 0; p < BENCH_PEERS; p++) {
        if (result->peer[p] <= 0) continue;
        row.peer[p] = info->work / result->peer[p];
        row.ratio[p] = row.ken / row.peer[p];
    }
    return row;
}

/* The geometric mean of one column, given by its offset in struct row, over the rows that have
 * it. */
static double mean_of(const struct row *rows, size_t count, size_t offset)
{
    double sum = 0;
    size_t present = 0;
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)&rows[i] + offset, sizeof value);
        if (value <= 0) continue;
        sum += log(value);
        present++;
    }
    return present ? exp(sum / (double)present) : 0;
}

/* The mean of `count` rows, named after the first `length` characters that their names share. */
static struct row mean_row(const struct row *rows, size_t count, size_t length)
{
    struct row mean = { .unit = rows->unit };
    snprintf(mean.name, sizeof mean.name, "%.*s/mean", (int)length, rows->name);
    mean.ken = mean_of(rows, count, offsetof(struct row, ken));
    mean.share = mean_of(rows, count, offsetof(struct row, share));
    for (size_t p = 0; p < BENCH_PEERS; p++) {
        mean.peer[p] = mean_of(rows, count, offsetof(struct row, peer) + p * sizeof(double));
        mean.ratio[p] = mean_of(rows, count, offsetof(struct row, ratio) + p * sizeof(double));
    }
    return mean;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Prints six digits, more than a measurement has. A figure that does not exist is null, never 0. */
static void print_number(const char *key, double value, bool present)
{
    if (present) printf(",\"%s\":%.6g", key, value);
    else printf(",\"%s\":null", key);
}

static void print_object(const struct row *row, int peer)
{
    printf("{\"case\":\"%s\",\"ken\":%.6g,\"unit\":\"%s\"", row->name, row->ken, row->unit);
    if (peer < 0) printf(",\"peer\":null");
    else printf(",\"peer\":\"%s\"", bench_peer_name(peer));
    print_number("peer_value", peer < 0 ? 0 : row->peer[peer], peer >= 0);
    print_number("ratio", peer < 0 ? 0 : row->ratio[peer], peer >= 0);
    print_number("peak_share", row->share, row->share > 0);
    printf("}\n");
}

/* Prints one object per peer; a case without peers gets one object too. */
static void print_json(const struct row *row)
{
    bool any = false;
    for (int p = 0; p < BENCH_PEERS; p++) {
        if (row->peer[p] <= 0) continue;
        print_object(row, p);
        any = true;
    }
    if (!any) print_object(row, -1);
}

/* ---- Table ---------------------------------------------------------------------------------- */

/* A column is as wide as its title, and ten characters at least. */
static int width_of(int peer)
{
    size_t length = strlen(bench_peer_name(peer));
    return length > 10 ? (int)length : 10;
}

static void print_titles(const bool shown[BENCH_PEERS])
{
    printf("\n%-30s %10s %-8s %5s", "case", "ken", "", "peak");
    for (int p = 0; p < BENCH_PEERS; p++)
        if (shown[p]) printf(" %*s %6s", width_of(p), bench_peer_name(p), "ratio");
    printf("\n");
}

/* GFLOP/s have a decimal, tokens/s do not need one. */
static void print_figure(double value, int width)
{
    printf(" %*.*f", width, value < 1000 ? 1 : 0, value);
}

static void print_line(const struct row *row, const bool shown[BENCH_PEERS])
{
    printf("%-30s", row->name);
    print_figure(row->ken, 10);
    printf(" %-8s", row->unit);
    if (row->share > 0) printf(" %3.0f %%", 100 * row->share);
    else printf(" %5s", "-");
    for (int p = 0; p < BENCH_PEERS; p++) {
        if (!shown[p]) continue;
        if (row->peer[p] <= 0) {
            printf(" %*s %6s", width_of(p), "-", "-");
            continue;
        }
        print_figure(row->peer[p], width_of(p));
        printf(" %6.2f", row->ratio[p]);
    }
    printf("\n");
}

struct printer {
    bool json;
    bool shown[BENCH_PEERS]; /* columns: peers that were measured at least once */
};

static void print_row(const struct printer *printer, const struct row *row)
{
    if (printer->json) print_json(row);
    else print_line(row, printer->shown);
}

/* The length of the name without its last part, which is the section of the row. */
static size_t section(const struct row *row)
{
    return (size_t)(strrchr(row->name, '/') - row->name);
}

static bool same_section(const struct row *a, const struct row *b)
{
    return section(a) == section(b) && strncmp(a->name, b->name, section(a)) == 0;
}

/* Prints a mean only if it covers several rows of one unit and there is a peer to compare with. */
static void print_mean(const struct printer *printer, const struct row *rows, size_t count,
                       size_t length)
{
    bool peers = false;
    for (int p = 0; p < BENCH_PEERS; p++) peers |= printer->shown[p];
    for (size_t i = 1; i < count; i++) peers &= strcmp(rows[i].unit, rows->unit) == 0;
    if (!peers || count < 2) return;
    struct row mean = mean_row(rows, count, length);
    print_row(printer, &mean);
}

/* Prints the rows, after each section its mean and, if there are several sections, the mean of
 * all at the end. */
static void print_sections(const struct printer *printer, const struct row *rows, size_t count)
{
    size_t first = 0, sections = 0;
    for (size_t i = 0; i < count; i++) {
        print_row(printer, &rows[i]);
        if (i + 1 < count && same_section(&rows[i], &rows[i + 1])) continue;
        print_mean(printer, rows + first, i + 1 - first, section(&rows[first]));
        first = i + 1;
        sections++;
    }
    if (sections > 1) print_mean(printer, rows, count, strcspn(rows->name, "/"));
}

void bench_report_group(const struct bench_options *options, const struct bench_result *results,
                        size_t count)
{
    static struct row rows[BENCH_CASES];
    struct printer printer = { .json = options->json };
    double peak = bench_peak_flops(); /* the best of the whole run */
    for (size_t i = 0; i < count; i++) {
        rows[i] = row_of(&results[i], peak);
        for (int p = 0; p < BENCH_PEERS; p++) printer.shown[p] |= rows[i].peer[p] > 0;
    }
    if (!options->json) print_titles(printer.shown);
    print_sections(&printer, rows, count);
    if (!options->json) printf("shares are of a peak of %.1f GFLOP/s\n", 1e-9 * peak);
    fflush(stdout);
}

/* ---- Header --------------------------------------------------------------------------------- */

/* The name that Linux reports; other systems and some processors have no such line. */
static void cpu_name(char *name, size_t size)
{
    snprintf(name, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    fclose(file);
}

void bench_report_header(const struct bench_options *options, bool libraries,
                         const bool asked[BENCH_PEERS])
{
    FILE *out = options->json ? stderr : stdout;
    char cpu[128];
    if (options->json && options->quiet) return;
    cpu_name(cpu, sizeof cpu);
    fprintf(out, "ken %s on %s, %s, %zu thread%s\n", ken_version(), cpu, ken_kernels()->name,
            ken_threads(), ken_plural(ken_threads()));
    fprintf(out, "peak %.1f GFLOP/s multiply-add, %.1f GB/s read\n", 1e-9 * bench_peak_look(),
            1e-9 * bench_peak_bandwidth());
    for (int p = 0; libraries && p < BENCH_LIBRARIES; p++)
        fprintf(out, "%s %s\n", bench_peer_name(p), bench_library_about(p));
    for (int p = BENCH_LIBRARIES; p < BENCH_PEERS; p++)
        if (asked[p]) fprintf(out, "%s %s\n", bench_peer_name(p), bench_python_about(p));
    fflush(out);
}
