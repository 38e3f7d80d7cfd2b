/* cmd_demo.c - ken demo: trains a small model to read dates and shows how well it does. An encoder
 * reads a date as people write it, letter by letter; a decoder writes the date in ISO form. The
 * demo uses only the public interface, ken.h. */
#include "cli/command.h"
#include "base/size.h"
#include "cli/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    STEPS = 900,
    BATCH = 96,           /* number of dates per training step */
    TESTS = 2000,         /* number of unseen dates on which the model is measured */
    SHOWN = 12,           /* number of unseen dates that are printed */
    FIRST = 2,            /* first id of a letter; ids 0 and 1 begin and end a sequence */
    LETTERS = FIRST + 95, /* number of input ids: `FIRST` special ids and printable ASCII */
    /* number of output ids: `FIRST` special ids, ten digits and the dash */
    ISO_LETTERS = FIRST + 11,
    LONGEST = 12 /* maximum number of ids of a generated date */
};

/* A batch of dates as ids, in two forms: as people write them, and in ISO form. */
struct dates {
    int32_t *input, *target;
    size_t *input_start, *target_start;
    size_t count;
};

static int32_t iso_id(char c)
{
    return FIRST + (c == '-' ? 10 : c - '0');
}

static char iso_letter(int32_t id)
{
    return id < FIRST ? '?' : id == FIRST + 10 ? '-' : (char)('0' + id - FIRST);
}

static bool make_dates(struct dates *dates, size_t count)
{
    *dates = (struct dates){ .count = count };
    dates->input = malloc(count * KEN_DATE_WRITTEN * sizeof *dates->input);
    dates->target = malloc(count * KEN_DATE_ISO * sizeof *dates->target);
    dates->input_start = calloc(count + 1, sizeof *dates->input_start);
    dates->target_start = calloc(count + 1, sizeof *dates->target_start);
    return dates->input && dates->target && dates->input_start && dates->target_start;
}

static void free_dates(struct dates *dates)
{
    free(dates->input);
    free(dates->target);
    free(dates->input_start);
    free(dates->target_start);
}

/* Fills the batch with dates of ken_date_example(), starting with number `first`. */
static void fill_dates(struct dates *dates, uint64_t first, int unseen)
{
    for (size_t b = 0; b < dates->count; b++) {
        char written[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
        size_t in = dates->input_start[b], to = dates->target_start[b];
        ken_date_example(written, iso, cli_flags.seed, first + b, unseen);
        for (const char *c = written; *c; c++) dates->input[in++] = FIRST + (*c - ' ');
        for (const char *c = iso; *c; c++) dates->target[to++] = iso_id(*c);
        dates->input_start[b + 1] = in;
        dates->target_start[b + 1] = to;
    }
}

static ken_sequences input_of(const struct dates *dates)
{
    return (ken_sequences){ dates->input, dates->input_start, dates->count };
}

static ken_sequences target_of(const struct dates *dates)
{
    return (ken_sequences){ dates->target, dates->target_start, dates->count };
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Shows the progress: rewrites one line on a terminal, or prints a line every 100 steps if the
 * output is not a terminal. */
static void show_progress(const ken_report *report, double started, double rows)
{
    bool live = isatty(STDERR_FILENO);
    double spent = seconds() - started, share = (double)report->step / STEPS;
    if (cli_flags.quiet || (report->step % (live ? 5 : 100) && report->step != STEPS)) return;
    fprintf(stderr,
            "%sstep %4llu of %d  loss %.4f  letters right %5.1f %%  %6.0f rows/s  %3.0f s left%s",
            live ? "\r" : "", (unsigned long long)report->step, STEPS, report->loss,
            100 * report->accuracy, rows / spent, spent / share - spent,
            live && report->step != STEPS ? " " : "\n");
}

static ken_status train(ken_model *model)
{
    ken_training training = ken_training_default();
    training.steps = STEPS;
    training.warm_up = 60;
    training.rate = 2.5e-3;
    training.seed = cli_flags.seed;
    ken_trainer *trainer;
    struct dates dates;
    if (!make_dates(&dates, BATCH)) {
        free_dates(&dates);
        return KEN_ERR_MEMORY;
    }
    ken_status status = ken_trainer_new(&trainer, model, &training);
    double started = seconds(), rows = 0;
    for (uint64_t step = 0; step < STEPS && !status; step++) {
        const ken_report *report;
        fill_dates(&dates, step * BATCH, 0);
        ken_sequences input = input_of(&dates), target = target_of(&dates);
        status = ken_trainer_step(trainer, &input, &target, &report);
        if (status) break;
        rows += (double)report->rows;
        show_progress(report, started, rows);
    }
    ken_trainer_free(trainer);
    free_dates(&dates);
    return status;
}

/* Prints the first generated dates and returns how many of all dates are exactly right. */
static size_t judge(const struct dates *dates, const int32_t *ids, const size_t *lengths)
{
    size_t right = 0;
    printf("\nDates that it has never seen:\n\n");
    for (size_t b = 0; b < dates->count; b++) {
        const int32_t *expected = dates->target + dates->target_start[b];
        size_t length = dates->target_start[b + 1] - dates->target_start[b];
        bool exact = lengths[b] == length &&
                     memcmp(ids + b * LONGEST, expected, length * sizeof *ids) == 0;
        right += exact;
        if (b >= SHOWN) continue;
        char answer[LONGEST + 1] = { 0 }, written[KEN_DATE_WRITTEN] = { 0 };
        for (size_t i = 0; i < lengths[b]; i++) answer[i] = iso_letter(ids[b * LONGEST + i]);
        for (size_t i = dates->input_start[b]; i < dates->input_start[b + 1]; i++)
            written[i - dates->input_start[b]] = (char)(dates->input[i] - FIRST + ' ');
        printf("  %-52s %s  %s\n", written, answer, exact ? "right" : "wrong");
    }
    return right;
}

/* Draws the attention from each letter of the generated date to the input: the mean over the heads
 * of the last block. */
static ken_status draw_attention(ken_model *model, const struct dates *dates, size_t block)
{
    ken_sequences input = input_of(dates), target = target_of(dates);
    size_t n = dates->input_start[1], m = dates->target_start[1];
    float *weights = malloc((m + 1) * n * sizeof *weights);
    char letters[KEN_DATE_WRITTEN + KEN_DATE_ISO][2] = { { 0 } };
    const char *names[KEN_DATE_WRITTEN + KEN_DATE_ISO];
    if (!weights) return KEN_ERR_MEMORY;
    ken_status status = ken_model_look(model, weights, KEN_LOOK_CROSS, block, KEN_ALL_HEADS, &input,
                                       &target);
    for (size_t i = 0; i < n + m; i++) {
        letters[i][0] = i < n ? (char)(dates->input[i] - FIRST + ' ')
                              : iso_letter(dates->target[i - n]);
        names[i] = letters[i];
    }
    ken_picture picture = { .title = "Where the model looks while it writes",
                            .about = "rows: its answer, columns: the date as written",
                            .count = 1,
                            .rows = m,
                            .cols = n,
                            .values = weights,
                            .row_names = names + n,
                            .col_names = names };
    printf("\n");
    if (!status) status = cli_draw(&picture);
    free(weights);
    return status;
}

static ken_status test(ken_model *model, double *exact)
{
    struct dates dates = { 0 };
    int32_t *ids = malloc(TESTS * LONGEST * sizeof *ids);
    size_t *lengths = malloc(TESTS * sizeof *lengths);
    ken_status status = KEN_ERR_MEMORY;
    if (ids && lengths && make_dates(&dates, TESTS)) {
        fill_dates(&dates, 0, 1);
        ken_sequences input = input_of(&dates);
        ken_generation how = ken_generation_default();
        how.longest = LONGEST;
        status = ken_model_generate(model, ids, lengths, NULL, &input, &how);
    }
    if (!status) *exact = (double)judge(&dates, ids, lengths) / TESTS;
    if (!status) status = draw_attention(model, &dates, 1);
    free(ids);
    free(lengths);
    free_dates(&dates);
    return status;
}

static int run(int argc, char **argv)
{
    struct cli_line line;
    int code = cli_read(&line, &cli_demo, NULL, argc, argv);
    if (!code) code = cli_at_most(&line, &cli_demo, 0);
    if (code) return code;
    ken_config config = ken_config_default(KEN_GENERATE);
    config.input_size = LETTERS;
    config.output_size = ISO_LETTERS;
    config.width = 96;
    config.hidden = 256;
    config.dropout = config.attention_dropout = 0;
    config.seed = cli_flags.seed;
    ken_model *model;
    double exact = 0, started = seconds();
    ken_status status = ken_model_new(&model, &config);
    if (status) return cli_fail(status);
    printf("An encoder-decoder of %zu weights learns to read dates, on %zu thread%s.\n",
           ken_model_size(model), ken_threads(), ken_plural(ken_threads()));
    /* main() reports the failure; training is useless if nobody can see the result */
    if (!cli_flush()) {
        ken_model_free(model);
        return CLI_RESOURCES;
    }
    status = train(model);
    if (!status) status = test(model, &exact);
    ken_model_free(model);
    if (status) return cli_fail(status);
    printf("\n%.2f %% of %d unseen dates are exactly right, after %.0f s.\n", 100 * exact, TESTS,
           seconds() - started);
    return exact >= 0.98 ? CLI_OK : CLI_FAILED;
}

const struct cli_command cli_demo = {
    .name = "demo",
    .run = run,
    .arguments = "",
    .about = "learn to read dates, in about a minute, and show the result",
};
