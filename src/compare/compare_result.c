/* compare_result.c - reads and writes result.json, the result of a run in its folder. */
#include "compare/compare.h"

#include "base/io.h"
#include "base/json.h"
#include "base/memory.h"
#include "task/run_folder.h"

#include <math.h>
#include <string.h>

enum { FILE_MOST = 1 << 20 }; /* maximum bytes of a small JSON file */

const char *const ken_cost_names[KEN_COSTS] = {
    [KEN_COST_PARAMETERS] = "parameters", [KEN_COST_SECONDS] = "seconds",
    [KEN_COST_ROWS] = "rows_per_second",  [KEN_COST_PEAK] = "peak_bytes",
    [KEN_COST_FILE] = "file_bytes",
};

void ken_result_release(struct ken_result *result)
{
    ken_buffer_release(&result->failed);
    ken_buffer_release(&result->scores);
    *result = (struct ken_result){ 0 };
}

ken_status ken_result_write(const struct ken_result *result, const char *folder,
                            const ken_strings *tests)
{
    ken_buffer json = { 0 };
    ken_buffer_text(&json, "{\"failed\":");
    if (result->failed.size > 0) ken_json_string(&json, result->failed.data, result->failed.size);
    else ken_buffer_text(&json, "null");
    ken_buffer_format(&json, ",\"scores\":%s", result->scores.size ? result->scores.data : "{}");
    ken_json_member(&json, "value", result->value);
    ken_json_member(&json, "dev", result->dev);
    for (size_t c = 0; c < KEN_COSTS; c++)
        ken_json_member(&json, ken_cost_names[c], result->costs[c]);
    ken_buffer_text(&json, ",\"tests\":");
    ken_tests_json(&json, tests, result->tests);
    ken_buffer_text(&json, "}\n");
    ken_status status = ken_folder_write(folder, "result.json", &json);
    ken_buffer_release(&json);
    return status;
}

json_t *ken_result_object(const char *folder, const char *name)
{
    ken_buffer path = { 0 };
    char *text = NULL;
    size_t size = 0;
    json_t *object = NULL;
    bool there = false;
    if (!ken_folder_has(&there, folder, name) && there && !ken_path_join(&path, folder, name) &&
        !ken_file_read(&text, &size, path.data, FILE_MOST))
        object = ken_json_read(text, size, 0, NULL);
    ken_memory_free(text);
    ken_buffer_release(&path);
    return object;
}

static bool read_scores(struct ken_result *result, json_t *scores)
{
    const char *name;
    json_t *value;
    if (!json_is_object(scores)) return false;
    ken_buffer_text(&result->scores, "{");
    json_object_foreach(scores, name, value)
    {
        if (result->scores.size > 1) ken_buffer_text(&result->scores, ",");
        ken_json_string(&result->scores, name, strlen(name));
        ken_buffer_text(&result->scores, ":");
        ken_json_number(&result->scores, json_is_number(value) ? json_number_value(value) : NAN);
    }
    ken_buffer_text(&result->scores, "}");
    return !ken_buffer_status(&result->scores);
}

static bool read_numbers(struct ken_result *result, const json_t *object, const ken_strings *tests)
{
    bool good = ken_json_read_member(&result->value, object, "value") &&
                ken_json_read_member(&result->dev, object, "dev");
    for (size_t c = 0; c < KEN_COSTS && good; c++)
        good = ken_json_read_member(&result->costs[c], object, ken_cost_names[c]);
    const json_t *values = json_object_get(object, "tests");
    for (size_t i = 0; i < tests->count && good; i++)
        good = ken_json_read_member(&result->tests[i], values, ken_strings_at(tests, i, NULL));
    return good;
}

bool ken_result_read(struct ken_result *result, const char *folder, const ken_strings *tests)
{
    json_t *object = ken_result_object(folder, "result.json");
    const json_t *failed = json_object_get(object, "failed");
    bool good = (json_is_null(failed) || json_is_string(failed)) &&
                read_scores(result, json_object_get(object, "scores")) &&
                read_numbers(result, object, tests);
    if (good && json_is_string(failed)) ken_buffer_text(&result->failed, json_string_value(failed));
    json_decref(object);
    return good;
}
