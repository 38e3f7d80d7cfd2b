/* training_log.c - the logs of a training run: metrics.jsonl for programs, log.txt for people. */
#include "task/training.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "task/run_folder.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char metrics_name[] = "metrics.jsonl", metrics_head[] = "{\"step\":";
static const char log_name[] = "log.txt", log_head[] = "step ";

ken_status ken_training_log_start(const struct ken_training_run *run)
{
    if (run->from.size == 0) return KEN_OK;
    ken_buffer line = { 0 };
    ken_buffer_format(&line, "%s\n", run->from.data);
    ken_status status = ken_folder_write(run->folder, log_name, &line);
    ken_buffer_release(&line);
    return status;
}

void ken_training_log_words(struct ken_training_run *run, const ken_progress *p)
{
    ken_buffer *words = &run->words;
    ken_buffer_clear(words);
    ken_buffer_format(words, "%s%" PRIu64 "/%" PRIu64 "  epoch %.2f  loss %.4f", log_head, p->step,
                      p->steps, p->epoch, p->loss);
    if (p->moment == KEN_AT_EVALUATION && run->has_dev)
        ken_buffer_format(words, "  dev %s %.4f%s", p->metric, p->dev, p->improved ? " *" : "");
    ken_buffer_format(words, "  rate %.3g  %.0f rows/s", p->rate, p->rows_per_second);
}

static void write_metrics(ken_buffer *line, const struct ken_training_run *run,
                          const ken_progress *p)
{
    ken_buffer_format(line, "%s%" PRIu64, metrics_head, p->step);
    ken_json_member(line, "epoch", p->epoch);
    ken_json_member(line, "loss", p->loss);
    ken_json_member(line, "rate", p->rate);
    ken_json_member(line, "rows_per_second", round(p->rows_per_second));
    ken_buffer_text(line, ",\"dev\":");
    ken_scores_json(&run->scores, line);
    ken_buffer_text(line, "}\n");
}

ken_status ken_training_log_evaluation(const struct ken_training_run *run, const ken_progress *p)
{
    ken_buffer metrics = { 0 }, line = { 0 };
    write_metrics(&metrics, run, p);
    ken_buffer_format(&line, "%s\n", p->words);
    ken_status status = ken_folder_append(run->folder, metrics_name, &metrics);
    if (!status) status = ken_folder_append(run->folder, log_name, &line);
    ken_buffer_release(&metrics);
    ken_buffer_release(&line);
    return status;
}

/* ---- resuming -------------------------------------------------------------------------------- */

/* Returns the number of the step in a log line that begins with `head` and this number. Returns 0
 * for all other lines, which are about the start of the run. */
static uint64_t step_of(const char *line, const char *head)
{
    uint64_t step = 0;
    size_t length = strlen(head);
    if (strncmp(line, head, length) != 0) return 0;
    for (const char *digit = line + length; *digit >= '0' && *digit <= '9'; digit++)
        step = 10 * step + (unsigned)(*digit - '0');
    return step;
}

static ken_status cut(const struct ken_training_run *run, const char *name, const char *head)
{
    ken_buffer path = { 0 }, kept = { 0 };
    char *text = NULL;
    size_t size = 0;
    bool there = false;
    ken_status status = ken_folder_has(&there, run->folder, name);
    if (!status) status = ken_path_join(&path, run->folder, name);
    if (!status && there) status = ken_file_read(&text, &size, path.data, SIZE_MAX);
    for (char *rest = text, *line; !status && (line = strsep(&rest, "\n")) && rest;)
        if (step_of(line, head) <= run->trainer->optimiser.step)
            ken_buffer_format(&kept, "%s\n", line);
    if (!status && text) status = ken_folder_write(run->folder, name, &kept);
    ken_memory_free(text);
    ken_buffer_release(&path);
    ken_buffer_release(&kept);
    return status;
}

ken_status ken_training_log_cut(const struct ken_training_run *run)
{
    KEN_TRY(cut(run, metrics_name, metrics_head));
    return cut(run, log_name, log_head);
}
