/* compare_tests.c - tests: additional data that the models of a comparison are measured on, for
 * example data with several distances, in several languages, or with increasing noise. */
#include "compare/compared.h"

#include "base/json.h"
#include "base/number.h"
#include "task/evaluate.h"

#include <math.h>
#include <string.h>

ken_status ken_tests_check(const ken_strings *tests, const ken_recipe *recipe)
{
    for (size_t i = 0; i < tests->count; i++) {
        ken_corpus corpus = { 0 };
        ken_status status = ken_part_test(&corpus, recipe, ken_strings_at(tests, i, NULL));
        ken_corpus_release(&corpus);
        KEN_TRY(status);
    }
    return KEN_OK;
}

ken_status ken_tests_measure(double *values, const ken_strings *tests, ken_task *task)
{
    for (size_t i = 0; i < tests->count; i++) {
        ken_corpus corpus = { 0 };
        struct ken_scores scores = { 0 };
        ken_status status = ken_part_test(&corpus, task->recipe, ken_strings_at(tests, i, NULL));
        if (!status) status = ken_task_measure(task, &scores, &corpus, true, false, NULL);
        ken_corpus_release(&corpus);
        KEN_TRY(status);
        values[i] = ken_scores_find(&scores, ken_metric_name(task));
    }
    return KEN_OK;
}

void ken_tests_json(ken_buffer *json, const ken_strings *tests, const double *values)
{
    ken_buffer_text(json, "{");
    for (size_t i = 0; i < tests->count; i++) {
        const char *name = ken_strings_at(tests, i, NULL);
        if (i > 0) ken_buffer_text(json, ",");
        ken_json_string(json, name, strlen(name));
        ken_buffer_text(json, ":");
        ken_json_number(json, values[i]);
    }
    ken_buffer_text(json, "}");
}

bool ken_tests_distances(double *distances, const ken_strings *tests)
{
    for (size_t i = 0; i < tests->count; i++) {
        const char *at = strchr(ken_strings_at(tests, i, NULL), '@');
        if (!at || !ken_number_read(&distances[i], at + 1, strlen(at + 1))) return false;
        if (i > 0 && !(distances[i] > distances[i - 1])) return false;
    }
    return true;
}

/* ---- the table of tests ---------------------------------------------------------------------- */

/* Fills the cells of the table row by row; the first row is the heading with the names of the
 * variants. */
static void fill(ken_strings *cells, const struct ken_compared *compared)
{
    const struct ken_plan *plan = &compared->plan;
    ken_buffer words = { 0 };
    ken_strings_add(cells, compared->metric, strlen(compared->metric));
    for (size_t v = 0; v < plan->variants; v++) {
        const ken_buffer *name = &compared->summaries[v].name;
        ken_strings_add(cells, ken_buffer_string(name), name->size);
    }
    for (size_t t = 0; t < plan->tests.count; t++) {
        const char *test = ken_strings_at(&plan->tests, t, NULL);
        ken_strings_add(cells, test, strlen(test));
        for (size_t v = 0; v < plan->variants; v++) {
            ken_buffer_clear(&words);
            ken_compared_test(compared, v, t, &words);
            ken_strings_add(cells, ken_buffer_string(&words), words.size);
            if (words.failed) cells->text.failed = true;
        }
    }
    ken_buffer_release(&words);
}

/* Prints the cells as a Markdown table, or in plain columns that are as wide as their widest
 * cell. */
static void print(ken_buffer *out, const ken_strings *cells, size_t columns, bool markdown)
{
    for (size_t i = 0; i < cells->count; i++) {
        const char *text = ken_strings_at(cells, i, NULL);
        size_t column = i % columns, widest = 0;
        bool last = column == columns - 1;
        if (markdown) {
            ken_buffer_text(out, "| ");
            ken_escape_markdown(out, text);
            ken_buffer_text(out, last ? " |\n" : " ");
            for (size_t c = 0; i == columns - 1 && c < columns; c++)
                ken_buffer_text(out, c == columns - 1 ? "|---|\n" : "|---");
            continue;
        }
        for (size_t r = column; r < cells->count; r += columns) {
            size_t width = ken_count_characters(ken_strings_at(cells, r, NULL));
            if (width > widest) widest = width;
        }
        int pad = last ? 0 : (int)(widest - ken_count_characters(text));
        ken_buffer_format(out, "%s%*s%s", text, pad, "", last ? "\n" : "  ");
    }
}

void ken_compared_tests(const struct ken_compared *compared, ken_buffer *out, bool markdown)
{
    ken_strings cells = { 0 };
    if (compared->plan.tests.count == 0) return;
    fill(&cells, compared);
    ken_buffer_text(out, "\n");
    if (ken_strings_status(&cells)) out->failed = true;
    else print(out, &cells, compared->plan.variants + 1, markdown);
    ken_strings_release(&cells);
}
