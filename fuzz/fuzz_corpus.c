/* fuzz_corpus.c - fuzzes the readers of all formats of examples. The first bytes choose format,
 * targets, separator, decimal mark, windows, columns, and where a second file begins. */
#include "chem/smiles.h"
#include "format/corpus.h"
#include "fuzz/fuzz.h"

static void nobody(void *user, const char *what)
{
    (void)user;
    (void)what;
}

/* Accepts molecules only. */
static ken_status molecule(const char *text, size_t length)
{
    ken_molecule molecule = { 0 };
    ken_status status = ken_smiles_read(&molecule, text, length);
    ken_molecule_release(&molecule);
    return status;
}

/* Reads everything that the corpus says it has. */
static void walk(const ken_corpus *corpus)
{
    size_t sum = 0, length;
    for (size_t i = 0; i < corpus->count; i++) {
        size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
        FUZZ_CHECK(from <= to);
        for (size_t j = from; j < to && corpus->width == 0; j++)
            sum += (size_t)ken_strings_at(&corpus->input, j, &length)[0] + length;
        FUZZ_CHECK(ken_corpus_same_input(corpus, i, i));
        FUZZ_CHECK(ken_corpus_line(corpus, i) > 0);
    }
    FUZZ_CHECK(sum != SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = { NULL, "1", "2", "a", "1 2", "3" };
    if (size < 6) return 0;
    struct ken_layout layout = {
        .format = (enum ken_format)(data[0] % KEN_FORMAT_COUNT),
        .target_kind = (enum ken_target_kind)(data[1] % 5),
        .each = data[2] & 1,
        .header = data[2] & 2,
        .numbers = data[2] & 4,
        .directed = data[2] & 8,
        .indices = data[2] & 16,
        .valid = data[2] & 32 ? molecule : NULL,
        .separator = "\0,;\t"[data[1] / 5 % 4],
        .decimal = "\0.,"[data[1] / 20 % 3],
        .window = data[1] / 60,
        .stride = 1 + data[1] / 120,
        .horizon = data[1] / 60 % 2,
        .hash = data[2] & 64 ? 3 : 0,
        .part = data[2] & 128 ? "1" : NULL,
        .split = "2",
        .input = columns[data[3] % 6],
        .target = columns[data[3] / 6 % 6],
        .sequence = columns[data[3] / 36 % 6],
    };
    size_t first = (data[4] | (size_t)data[5] << 8) % (size - 5);
    const char *text = (const char *)data + 6;
    struct ken_text one = { "one", text, first }, two = { "two", text + first, size - 6 - first };
    for (int told = 0; told < 2; told++) {
        ken_corpus corpus = { 0 };
        if (!ken_corpus_parse_two(&corpus, &one, data[4] & 1 ? &two : NULL, &layout,
                                  told ? nobody : NULL, NULL))
            walk(&corpus);
        ken_corpus_release(&corpus);
    }
    return 0;
}
