/* test_predict.c - predictions that are not finite are errors, and leave the session usable. */
#include "base/size.h"
#include "tests/models.h"
#include "tests/unit.h"

#include <string.h>

static void diverged(ken_status status)
{
    if (status != KEN_ERR_DIVERGED || !strstr(ken_last_error(), "not finite (row 1,"))
        fail_msg("%s, \"%s\"", ken_status_name(status), ken_last_error());
}

/* A model whose answer is not finite reports this instead of probabilities that are NaN. */
static void answers_not_finite(void **state)
{
    (void)state;
    static const ken_value values[] = { KEN_VALUE_CLASS, KEN_VALUE_SET, KEN_VALUE_NUMBER };
    enum { COLUMNS = 2, ROWS = 3 };
    float good[ROWS * COLUMNS] = { 1, 2, 3, 4, 5, 6 }, large[ROWS * COLUMNS] = { 0 };
    float results[ROWS * OUTPUT_SIZE];
    large[COLUMNS] = large[COLUMNS + 1] = 3e38f; /* finite, but products with it are not */
    for (size_t i = 0; i < KEN_COUNT(values); i++) {
        ken_config config = small_config(TAGGER);
        config.input_kind = KEN_INPUT_VECTORS;
        config.input_size = COLUMNS;
        config.value = values[i];
        ken_model *model = new_model(&config);
        ken_session *session;
        ken_sequences in = { NULL, (size_t[]){ 0, 1, 2, ROWS }, 3, .numbers = good };
        assert_int_equal(ken_session_new(&session, model, NULL), KEN_OK);
        assert_int_equal(ken_session_predict(session, results, &in), KEN_OK);
        in.numbers = large;
        diverged(ken_session_predict(session, results, &in));
        diverged(ken_model_predict(model, results, &in));
        in.numbers = good;
        assert_int_equal(ken_session_predict(session, results, &in), KEN_OK);
        ken_session_free(session);
        ken_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_not_finite) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
