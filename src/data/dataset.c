/* dataset.c - functions that handle all columns of a dataset together. */
#include "data/dataset.h"

enum { COLUMNS = 6 };

/* Lists the columns of a dataset in the order in which they are hashed. The column `spelled` is
 * left out, because it only says how the letters are stored. */
static void list_columns(struct ken_column *list[COLUMNS], ken_dataset *dataset)
{
    list[0] = &dataset->input;
    list[1] = &dataset->letters;
    list[2] = &dataset->spelled;
    list[3] = &dataset->links;
    list[4] = &dataset->link_numbers;
    list[5] = &dataset->target;
}

ken_status ken_dataset_status(const ken_dataset *dataset)
{
    KEN_TRY(ken_column_status(&dataset->input));
    KEN_TRY(ken_column_status(&dataset->letters));
    KEN_TRY(ken_column_status(&dataset->spelled));
    KEN_TRY(ken_column_status(&dataset->links));
    KEN_TRY(ken_column_status(&dataset->link_numbers));
    KEN_TRY(ken_strings_status(&dataset->kept));
    return ken_column_status(&dataset->target);
}

void ken_dataset_clear(ken_dataset *dataset)
{
    struct ken_column *columns[COLUMNS];
    list_columns(columns, dataset);
    for (size_t i = 0; i < COLUMNS; i++) ken_column_clear(columns[i]);
    ken_vocabulary_release(&dataset->words);
    ken_strings_release(&dataset->kept);
    dataset->late = NULL;
    dataset->count = 0;
}

void ken_dataset_release(ken_dataset *dataset)
{
    struct ken_column *columns[COLUMNS];
    list_columns(columns, dataset);
    for (size_t i = 0; i < COLUMNS; i++) ken_column_release(columns[i]);
    ken_vocabulary_release(&dataset->words);
    ken_strings_release(&dataset->kept);
    *dataset = (ken_dataset){ 0 };
}

/* Removes the last example. The letters of its words stay, because other examples may have the same
 * words. */
void ken_dataset_drop(ken_dataset *dataset)
{
    bool spells = ken_column_count(&dataset->spelled) > 0;
    ken_column_drop(&dataset->input);
    ken_column_drop(&dataset->spelled);
    size_t rows = ken_column_start(&dataset->input, ken_column_count(&dataset->input));
    while (!spells && ken_column_count(&dataset->letters) > rows)
        ken_column_drop(&dataset->letters);
    ken_column_drop(&dataset->links);
    ken_column_drop(&dataset->link_numbers);
    if (ken_column_count(&dataset->target) > dataset->count) ken_column_drop(&dataset->target);
    if (dataset->late) ken_strings_drop(&dataset->kept);
}

size_t ken_dataset_rows(const ken_dataset *dataset, size_t i, bool generates)
{
    /* + 1, because the decoder reads the id `begin` before the target */
    size_t written = generates ? ken_column_rows(&dataset->target, i) + 1 : 0;
    return ken_column_rows(&dataset->input, i) + written;
}

/* ---- hashing --------------------------------------------------------------------------------- */

/* Hashes the letters of all rows: first all letter ids, then the end of each row's letters. The
 * result does not depend on how often the letters of a word are stored. */
static ken_status hash_letters(const ken_dataset *dataset, ken_sha256 *sha)
{
    const struct ken_column *spelled = &dataset->spelled, *letters = &dataset->letters;
    size_t rows = ken_column_start(spelled, ken_column_count(spelled)), end = 0;
    ken_buffer ids = { 0 };
    if (ken_column_count(spelled) == 0) {
        ken_column_hash(letters, sha);
        return KEN_OK;
    }
    for (size_t r = 0; r < rows; r++) {
        size_t word = (size_t)ken_column_id(spelled, r);
        ken_buffer_clear(&ids);
        ken_column_unpack(letters, &ids, ken_column_start(letters, word),
                          ken_column_start(letters, word + 1));
        ken_sha256_add(sha, ids.data, ids.size);
    }
    for (size_t r = 0; r < rows; r++) {
        end += ken_column_rows(letters, (size_t)ken_column_id(spelled, r));
        ken_sha256_add(sha, &end, sizeof end);
    }
    ken_status status = ken_buffer_status(&ids);
    ken_buffer_release(&ids);
    return status;
}

/* Hashes column `which` of a dataset that does not store its rows: makes the rows of every example
 * and hashes them, then hashes the end of each example. */
static ken_status hash_made(const ken_dataset *dataset, ken_sha256 *sha, size_t which)
{
    ken_dataset made = { 0 };
    struct ken_column *columns[COLUMNS];
    ken_status status = KEN_OK;
    list_columns(columns, &made);
    for (size_t i = 0; i < dataset->count && !status; i++) {
        size_t size;
        const char *kept = ken_strings_at(&dataset->kept, i, &size);
        ken_dataset_clear(&made);
        status = dataset->late(dataset->late_side, &made, kept, size);
        if (status) break;
        ken_buffer_clear(&columns[which]->ends);
        ken_column_hash(columns[which], sha);
    }
    ken_dataset_release(&made);
    return status;
}

ken_status ken_dataset_hash(const ken_dataset *dataset, char hex[KEN_SHA256_HEX])
{
    /* list_columns() takes a non-const pointer, so it gets a copy of the struct; nothing is
     * changed. */
    ken_dataset all = *dataset;
    struct ken_column *columns[COLUMNS];
    ken_sha256 sha;
    ken_sha256_init(&sha);
    list_columns(columns, &all);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (columns[i] == &all.spelled) continue;
        if (columns[i] == &all.letters) {
            KEN_TRY(hash_letters(dataset, &sha));
            continue;
        }
        if (dataset->late && columns[i] != &all.target) KEN_TRY(hash_made(dataset, &sha, i));
        ken_column_hash(columns[i], &sha);
    }
    ken_sha256_hex(&sha, hex);
    return KEN_OK;
}
