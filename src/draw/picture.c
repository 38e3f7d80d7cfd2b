/* picture.c - checks the pictures that programs hand over, before anything is drawn or saved. */
#include "base/options.h"
#include "base/size.h"
#include "draw/heat.h"

size_t ken_picture_size(size_t count, size_t rows, size_t cols)
{
    size_t size;
    if (count == 0 || rows == 0 || cols == 0) return 0;
    if (!ken_size_mul(&size, count, rows) || !ken_size_mul(&size, size, cols)) return SIZE_MAX;
    return size;
}

/* Checks that a list of names is either absent or complete. */
static ken_status check_names(const char *const *names, size_t count, const char *list)
{
    for (size_t i = 0; i < count && names; i++)
        if (!names[i]) return ken_fail(KEN_ERR_ARGUMENT, "ken_picture: %s[%zu] is NULL", list, i);
    return KEN_OK;
}

ken_status ken_picture_check(const ken_picture *picture, size_t most)
{
    KEN_TRY(KEN_OPTIONS_UNUSED(picture, "ken_picture"));
    KEN_TRY(ken_given(picture->title != NULL, "ken_picture", "title"));
    size_t size = ken_picture_size(picture->count, picture->rows, picture->cols);
    if (size > most)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "a picture of %zu values is too large, at most %zu are allowed here; %s",
                        size, most, KEN_PICTURE_ADVICE);
    if (picture->dimensions > KEN_COUNT(picture->shape))
        return ken_fail(KEN_ERR_ARGUMENT, "ken_picture: dimensions is %zu, expected 0 to %zu",
                        picture->dimensions, KEN_COUNT(picture->shape));
    KEN_TRY(ken_given(size == 0 || picture->values, "ken_picture", "values"));
    KEN_TRY(check_names(picture->titles, picture->count, "titles"));
    KEN_TRY(check_names(picture->row_names, picture->rows, "row_names"));
    return check_names(picture->col_names, picture->cols, "col_names");
}
