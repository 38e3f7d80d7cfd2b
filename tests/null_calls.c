/* null_calls.c - see null_calls.h. */
#include "tests/null_calls.h"

#include "base/size.h"
#include "tests/folder.h"
#include "tests/models.h"
#include "tests/unit.h"
#include "tests/views.h"

int null;
#define P(number, pointer) (null == (number) ? NULL : (pointer))

ken_model *tagger, *writer;
static ken_trainer *trainer;
static ken_session *session;
static ken_recipe *recipe;
static ken_view *view;
static const int32_t ids[] = { 1, 2, 3 };
static const size_t start[] = { 0, 3 };
static const ken_sequences input = { ids, start, 1 };
static float floats[64 * OUTPUT_SIZE];
static int32_t written[8];
static size_t lengths[1];
static const ken_request request = { .text = "the cat", .size = 7, .name = "text" };
static const ken_glance glance = { .which = KEN_LOOK_ENCODER, .layer = KEN_EVERY };
static const float four[] = { 0, 1, 2, 3 };
static const ken_picture picture = {
    .title = "title", .count = 1, .rows = 2, .cols = 2, .values = four
};

void null_write(void *user, const char *text, size_t length)
{
    (void)user, (void)text, (void)length;
}

int null_take(void *user, const ken_answer *answer)
{
    (void)user, (void)answer;
    return 0;
}

/* The status of a call that returns no status: KEN_ERR_ARGUMENT if its result is 0 or NULL. */
static ken_status found(bool result)
{
    return result ? KEN_OK : KEN_ERR_ARGUMENT;
}

/* ---- a call of each function ----------------------------------------------------------------- */

#define CALL(function) static ken_status call_##function(void)

/* A call of a function that frees an object; all of these functions allow NULL. */
#define FREE(function)                                                                             \
    CALL(function)                                                                                 \
    {                                                                                              \
        function(NULL);                                                                            \
        return KEN_OK;                                                                             \
    }
FREE(ken_model_free)
FREE(ken_session_free)
FREE(ken_trainer_free)
FREE(ken_recipe_free)
FREE(ken_task_free)
FREE(ken_view_free)

CALL(ken_attention)
{
    float out[4];
    return ken_attention(P(0, out), P(1, four), P(2, four), P(3, four), 2, 2, 1, 2, 0);
}
CALL(ken_config_init)
{
    ken_config config;
    ken_config_init(P(0, &config), sizeof config, KEN_EACH);
    return found(null < 0);
}
CALL(ken_model_new)
{
    ken_model *model = NULL;
    ken_config config = small_config(TAGGER);
    ken_status status = ken_model_new(P(0, &model), P(1, &config));
    ken_model_free(model);
    return status;
}
CALL(ken_model_size)
{
    return found(ken_model_size(P(0, tagger)) > 0);
}
CALL(ken_model_predict)
{
    return ken_model_predict(P(0, tagger), P(1, floats), P(2, &input));
}
CALL(ken_model_save)
{
    return ken_model_save(P(0, tagger), P(1, folder_path("saved.ken")));
}
CALL(ken_model_load)
{
    ken_model *model = NULL;
    if (null < 0) return KEN_OK;
    ken_status status = ken_model_load(P(0, &model), P(1, folder_path("saved.ken")));
    ken_model_free(model);
    return status;
}
CALL(ken_generation_init)
{
    ken_generation how;
    ken_generation_init(P(0, &how), sizeof how);
    return found(null < 0);
}
CALL(ken_model_generate)
{
    ken_generation how = ken_generation_default();
    how.longest = 4;
    return ken_model_generate(P(0, writer), P(1, written), P(2, lengths), P(5, floats),
                              P(3, &input), P(4, &how));
}
CALL(ken_session_options_init)
{
    ken_session_options options;
    ken_session_options_init(P(0, &options), sizeof options);
    return found(null < 0);
}
CALL(ken_session_new)
{
    ken_session *made = NULL;
    ken_session_options options = ken_session_options_default();
    ken_status status = ken_session_new(P(0, &made), P(1, tagger), P(2, &options));
    ken_session_free(made);
    return status;
}
CALL(ken_session_predict)
{
    return ken_session_predict(P(0, session), P(1, floats), P(2, &input));
}
CALL(ken_session_generate)
{
    ken_generation how = ken_generation_default();
    ken_session *made;
    must(ken_session_new(&made, writer, NULL));
    how.longest = 4;
    ken_status status = ken_session_generate(P(0, made), P(1, written), P(2, lengths), P(5, floats),
                                             P(3, &input), P(4, &how));
    ken_session_free(made);
    return status;
}
CALL(ken_training_init)
{
    ken_training training;
    ken_training_init(P(0, &training), sizeof training);
    return found(null < 0);
}
CALL(ken_trainer_new)
{
    ken_trainer *made = NULL;
    ken_training training = ken_training_default();
    ken_status status = ken_trainer_new(P(0, &made), P(1, writer), P(2, &training));
    ken_trainer_free(made);
    return status;
}
CALL(ken_trainer_step)
{
    const ken_report *report;
    return ken_trainer_step(P(0, trainer), P(1, &input), P(2, &input), P(3, &report));
}
CALL(ken_trainer_swap_average)
{
    ken_trainer_swap_average(P(0, trainer));
    return found(null < 0);
}
CALL(ken_date_example)
{
    char text[KEN_DATE_WRITTEN], iso[KEN_DATE_ISO];
    ken_date_example(P(0, text), P(1, iso), 1, 1, 0);
    return found(null < 0);
}
CALL(ken_recipe_read)
{
    ken_recipe *made = NULL;
    file_of(folder_path("recipe"), "", 0);
    ken_status status = ken_recipe_read(P(0, &made), P(1, folder_path("recipe")));
    ken_recipe_free(made);
    return status;
}
CALL(ken_recipe_parse)
{
    ken_recipe *made = NULL;
    ken_status status = ken_recipe_parse(P(0, &made), P(1, ""), P(2, "name"));
    ken_recipe_free(made);
    return status;
}
CALL(ken_recipe_set)
{
    return ken_recipe_set(P(0, recipe), P(1, "train.seed=1"));
}
CALL(ken_recipe_get)
{
    return found(ken_recipe_get(P(0, recipe), P(1, "train.seed")));
}
CALL(ken_recipe_text)
{
    return found(ken_recipe_text(P(0, recipe)));
}
CALL(ken_recipe_keys)
{
    return ken_recipe_keys(P(0, null_write), NULL);
}
CALL(ken_train)
{
    return null < 0 ? KEN_OK : ken_train(P(0, recipe), P(1, folder_path("run")), NULL, NULL);
}
CALL(ken_resume)
{
    return null < 0 ? KEN_OK : ken_resume(P(0, folder_path("run")), NULL, NULL);
}
CALL(ken_check)
{
    return null < 0 ? KEN_OK : ken_check(P(0, recipe), 0, P(1, null_write), NULL);
}
CALL(ken_task_load)
{
    ken_task *task = NULL;
    ken_status status = ken_task_load(P(0, &task), P(1, folder_path("tags.run/model.ken")));
    ken_task_free(task);
    return status;
}
CALL(ken_task_model)
{
    return found(ken_task_model(P(0, tasks[TAGS])));
}
CALL(ken_task_set)
{
    return ken_task_set(P(0, tasks[TAGS]), P(1, "generate.seed=1"));
}
CALL(ken_task_set_all)
{
    const char *keys[] = { P(2, "generate.seed=1") };
    return ken_task_set_all(P(0, tasks[TAGS]), P(1, keys), 1);
}
CALL(ken_task_get)
{
    return found(ken_task_get(P(0, tasks[TAGS]), P(1, "train.seed")));
}
CALL(ken_answer_json)
{
    static const char *const labels[] = { "label" };
    static const double scores[] = { 1 };
    ken_answer answer = { .count = 1, .labels = P(3, labels), .scores = P(2, scores) };
    return ken_answer_json(P(0, &answer), P(1, null_write), NULL);
}
CALL(ken_task_run)
{
    ken_request asked = request;
    asked.text = P(3, asked.text);
    asked.name = P(4, asked.name);
    return ken_task_run(P(0, tasks[TAGS]), P(1, &asked), P(2, null_take), NULL);
}
CALL(ken_task_format)
{
    return found(ken_task_format(P(0, tasks[TAGS]), P(1, "x.tsv")));
}
CALL(ken_task_recognise)
{
    const char *format;
    return ken_task_recognise(P(0, tasks[TAGS]), P(1, &format), P(3, "x.txt"), P(2, "the cat"), 7);
}
CALL(ken_task_line_by_line)
{
    return found(ken_task_line_by_line(P(0, tasks[TAGS]), NULL));
}
CALL(ken_task_reads_text)
{
    return found(ken_task_reads_text(P(0, tasks[TAGS])));
}
CALL(ken_task_evaluate)
{
    return ken_task_evaluate(P(0, tasks[TAGS]), P(1, folder_path("tags")), NULL, 0,
                             P(2, null_write), NULL);
}
CALL(ken_info)
{
    return ken_info(P(0, folder_path("tags.run/model.ken")), 0, P(1, null_write), NULL);
}
CALL(ken_compare)
{
    const char *change = P(4, "model.width=8");
    ken_comparison comparison = { .recipe = P(2, recipe),
                                  .changes = P(3, &change),
                                  .change_count = 1 };
    if (null < 0) return KEN_OK;
    return ken_compare(P(0, &comparison), P(1, folder_path("compared")), NULL, NULL);
}
CALL(ken_compare_resume)
{
    return null < 0 ? KEN_OK : ken_compare_resume(P(0, folder_path("compared")), NULL, NULL);
}
CALL(ken_model_look)
{
    return ken_model_look(P(0, tagger), P(1, floats), KEN_LOOK_ENCODER, 0, 0, P(2, &input), NULL);
}
CALL(ken_session_look)
{
    return ken_session_look(P(0, session), P(1, floats), KEN_LOOK_ENCODER, 0, 0, P(2, &input),
                            NULL);
}
CALL(ken_model_places)
{
    return ken_model_places(P(0, tagger), P(1, floats), KEN_LOOK_ENCODER, KEN_PLACE_INPUT, 0, 4);
}
static ken_picture spoilt(void)
{
    static const char *names[] = { "one", "two" };
    ken_picture spoilt = picture;
    names[1] = P(4, "two");
    spoilt.title = P(2, picture.title);
    spoilt.values = P(3, picture.values);
    spoilt.row_names = spoilt.col_names = names;
    return spoilt;
}
CALL(ken_picture_text)
{
    ken_picture drawn = spoilt();
    return ken_picture_text(P(0, &drawn), 80, KEN_TERMINAL_PLAIN, P(1, null_write), NULL);
}
CALL(ken_picture_svg)
{
    ken_picture drawn = spoilt();
    return ken_picture_svg(P(0, &drawn), P(1, null_write), NULL);
}
CALL(ken_picture_json)
{
    ken_picture drawn = spoilt();
    return ken_picture_json(P(0, &drawn), P(1, null_write), NULL);
}
CALL(ken_picture_npy)
{
    ken_picture drawn = spoilt();
    return ken_picture_npy(P(0, &drawn), P(1, folder_path("x.npy")));
}
CALL(ken_view_new)
{
    ken_view *made = NULL;
    ken_status status = ken_view_new(P(0, &made), P(1, tasks[TAGS]), P(2, &request), 0, NULL);
    ken_view_free(made);
    return status;
}
CALL(ken_view_answer)
{
    return found(ken_view_answer(P(0, view)));
}
CALL(ken_task_usual_look)
{
    return found(ken_task_usual_look(P(0, tasks[STORY])) == KEN_LOOK_DECODER);
}
CALL(ken_view_layers)
{
    return found(ken_view_layers(P(0, view), KEN_LOOK_ENCODER) > 0);
}
CALL(ken_view_heads)
{
    return found(ken_view_heads(P(0, view), KEN_LOOK_ENCODER) > 0);
}
CALL(ken_view_show)
{
    ken_picture shown;
    return ken_view_show(P(0, view), P(1, &shown), P(2, &glance));
}
CALL(ken_view_json)
{
    return ken_view_json(P(0, view), P(1, &glance), P(2, null_write), NULL);
}
CALL(ken_view_html)
{
    return ken_view_html(P(0, view), P(1, &glance), P(2, null_write), NULL);
}
CALL(ken_view_places)
{
    ken_view *made = NULL;
    ken_picture shown;
    ken_status status = ken_view_places(P(0, &made), P(1, &shown), P(2, tasks[TAGS]),
                                        KEN_LOOK_ENCODER, 4);
    ken_view_free(made);
    return status;
}
CALL(ken_word_value)
{
    return found(ken_word_value(KEN_CHOICE_SCORE, P(0, "dot")) == KEN_SCORE_DOT);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct null_function null_functions[] = {
#define ROW(function, needed, optional)                                                            \
    {                                                                                              \
#function, needed, optional, call_##function                                               \
    }
    ROW(ken_attention, 4, 0),
    ROW(ken_config_init, 1, 0),
    ROW(ken_model_new, 2, 0),
    ROW(ken_model_free, 0, 0),
    ROW(ken_model_size, 1, 0),
    ROW(ken_model_predict, 3, 0),
    ROW(ken_model_save, 2, 0),
    ROW(ken_model_load, 2, 0),
    ROW(ken_generation_init, 1, 0),
    ROW(ken_model_generate, 5, 1),
    ROW(ken_session_options_init, 1, 0),
    ROW(ken_session_new, 2, 1),
    ROW(ken_session_free, 0, 0),
    ROW(ken_session_predict, 3, 0),
    ROW(ken_session_generate, 5, 1),
    ROW(ken_training_init, 1, 0),
    ROW(ken_trainer_new, 3, 0),
    ROW(ken_trainer_free, 0, 0),
    ROW(ken_trainer_step, 3, 1),
    ROW(ken_trainer_swap_average, 1, 0),
    ROW(ken_date_example, 2, 0),
    ROW(ken_recipe_read, 2, 0),
    ROW(ken_recipe_parse, 2, 1),
    ROW(ken_recipe_free, 0, 0),
    ROW(ken_recipe_set, 2, 0),
    ROW(ken_recipe_get, 2, 0),
    ROW(ken_recipe_text, 1, 0),
    ROW(ken_recipe_keys, 1, 0),
    ROW(ken_train, 2, 0),
    ROW(ken_resume, 1, 0),
    ROW(ken_check, 2, 0),
    ROW(ken_task_load, 2, 0),
    ROW(ken_task_free, 0, 0),
    ROW(ken_task_model, 1, 0),
    ROW(ken_task_set, 2, 0),
    ROW(ken_task_set_all, 3, 0),
    ROW(ken_task_get, 2, 0),
    ROW(ken_answer_json, 3, 1),
    ROW(ken_task_run, 4, 1),
    ROW(ken_task_format, 2, 0),
    ROW(ken_task_recognise, 3, 1),
    ROW(ken_task_line_by_line, 1, 0),
    ROW(ken_task_reads_text, 1, 0),
    ROW(ken_task_evaluate, 3, 0),
    ROW(ken_info, 2, 0),
    ROW(ken_compare, 5, 0),
    ROW(ken_compare_resume, 1, 0),
    ROW(ken_model_look, 3, 0),
    ROW(ken_session_look, 3, 0),
    ROW(ken_model_places, 2, 0),
    ROW(ken_picture_text, 5, 0),
    ROW(ken_picture_svg, 5, 0),
    ROW(ken_picture_json, 5, 0),
    ROW(ken_picture_npy, 5, 0),
    ROW(ken_view_new, 3, 0),
    ROW(ken_view_free, 0, 0),
    ROW(ken_view_answer, 1, 0),
    ROW(ken_task_usual_look, 1, 0),
    ROW(ken_view_layers, 1, 0),
    ROW(ken_view_heads, 1, 0),
    ROW(ken_view_show, 3, 0),
    ROW(ken_view_json, 3, 0),
    ROW(ken_view_html, 3, 0),
    ROW(ken_view_places, 3, 0),
    ROW(ken_word_value, 1, 0),
};
const size_t null_function_count = KEN_COUNT(null_functions);

/* ---- the objects that the calls use ---------------------------------------------------------- */

int null_calls_make(void **state)
{
    if (views_make(state)) return -1;
    ken_config each = small_config(TAGGER), text = small_config(WRITER);
    ken_training training = ken_training_default();
    tagger = new_model(&each);
    writer = new_model(&text);
    must(ken_trainer_new(&trainer, tagger, &training));
    must(ken_session_new(&session, tagger, NULL));
    must(ken_recipe_parse(&recipe, "", "recipe"));
    view = view_of(TAGS, "the cat sat", NULL);
    return 0;
}

int null_calls_remove(void **state)
{
    ken_view_free(view);
    ken_recipe_free(recipe);
    ken_session_free(session);
    ken_trainer_free(trainer);
    ken_model_free(tagger);
    ken_model_free(writer);
    return views_remove(state);
}
