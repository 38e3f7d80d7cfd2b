/* fuzz_tokeniser.c - fuzzes tokenisers, read from JSON or learned from a text. Any bytes become
 * ids, and units of bytes and subwords give the same bytes back. */
#include "unit/tokeniser.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void use(const ken_tokeniser *tokeniser, const char *text, size_t size)
{
    ken_buffer ids = { 0 }, back = { 0 };
    ken_strings names = { 0 };
    bool exact = !tokeniser->options.lower && (tokeniser->options.unit == KEN_UNIT_BYTES ||
                                               tokeniser->options.unit == KEN_UNIT_SUBWORDS);
    if (!ken_tokeniser_encode(tokeniser, text, size, &ids, &names)) {
        const int32_t *id = (const int32_t *)(const void *)ids.data;
        size_t count = ids.size / sizeof *id;
        for (size_t i = 0; i < count; i++)
            FUZZ_CHECK(id[i] >= 0 && (size_t)id[i] < ken_tokeniser_size(tokeniser));
        if (!ken_tokeniser_decode(tokeniser, id, count, &back) && exact)
            FUZZ_CHECK(back.size == size && (size == 0 || memcmp(back.data, text, size) == 0));
    }
    ken_strings_release(&names);
    ken_buffer_release(&ids);
    ken_buffer_release(&back);
}

/* The first bytes choose how the tokeniser is made and where the text to tokenise begins. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    size_t first = data[1] % (size - 1);
    const char *text = (const char *)data + 2, *rest = text + first;
    size_t left = size - 2 - first;
    ken_tokeniser tokeniser = { .options = { .unit = (enum ken_unit)(data[0] / 4 % 4),
                                             .most = data[0] & 1 ? 300 : 0,
                                             .lower = data[0] & 2 } };
    ken_status status;
    if (data[0] & 64) {
        tokeniser = (ken_tokeniser){ 0 };
        status = ken_tokeniser_read(&tokeniser, rest, left);
    } else {
        status = ken_tokeniser_see(&tokeniser, rest, left);
        if (!status) status = ken_tokeniser_finish(&tokeniser);
    }
    if (!status) use(&tokeniser, text, size - 2);
    if (!status) { /* written as JSON and read again, it does the same */
        ken_buffer json = { 0 };
        ken_tokeniser copy = { 0 };
        if (!ken_tokeniser_write(&tokeniser, &json)) {
            FUZZ_CHECK(ken_tokeniser_read(&copy, json.data, json.size) == KEN_OK);
            FUZZ_CHECK(ken_tokeniser_size(&copy) == ken_tokeniser_size(&tokeniser));
        }
        ken_tokeniser_release(&copy);
        ken_buffer_release(&json);
    }
    ken_tokeniser_release(&tokeniser);
    return 0;
}
