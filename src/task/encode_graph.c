/* encode_graph.c - graphs become rows and links: molecules that are written as SMILES, and nodes
 * with the links that a file has. */
#include "base/number.h"
#include "chem/molecule_rows.h"
#include "chem/smiles.h"
#include "task/task.h"

#include <string.h>

/* ---- molecules ------------------------------------------------------------------------------- */

/* `count` zeros behind what the buffer has; NULL when memory is short. */
static float *grow(ken_buffer *buffer, size_t count)
{
    static const float zeros[64];
    size_t before = buffer->size;
    for (size_t left = count; left > 0;) {
        size_t some = left < 64 ? left : 64;
        ken_buffer_append(buffer, zeros, some * sizeof *zeros);
        left -= some;
    }
    return ken_buffer_status(buffer) ? NULL : (float *)(void *)(buffer->data + before);
}

/* "C", "Cl", "[nH]": the atom as it is written. */
static size_t symbol_length(const char *text, size_t length)
{
    if (text[0] == '[') return strcspn(text, "]") + 1;
    bool two = length > 1 &&
               ((text[0] == 'C' && text[1] == 'l') || (text[0] == 'B' && text[1] == 'r'));
    return two ? 2 : 1;
}

/* Each bond is two links, with the same numbers. `first` is the number of the example's rows that
 * were there before, as one may be of several molecules. */
static ken_status add_molecule(const struct ken_scaling *scaling, ken_dataset *dataset,
                               const ken_molecule *molecule, size_t first)
{
    size_t atoms = molecule->atom_count, width = ken_molecule_atom_width();
    size_t bond_width = ken_molecule_bond_width();
    float *rows = grow(&dataset->input.numbers, atoms * width);
    float *numbers = grow(&dataset->link_numbers.numbers, 2 * molecule->bond_count * bond_width);
    KEN_TRY(ken_dataset_status(dataset));
    dataset->input.width = width;
    dataset->link_numbers.width = bond_width;
    for (size_t i = 0; i < atoms; i++) {
        ken_molecule_atom_row(rows + i * width, molecule, i);
        for (size_t j = 0; j < scaling->width; j++) rows[i * width + j] /= scaling->deviation[j];
    }
    for (size_t i = 0; i < molecule->bond_count; i++) {
        const struct ken_bond *bond = &molecule->bonds[i];
        int32_t from = (int32_t)(first + bond->from), to = (int32_t)(first + bond->to);
        int32_t pairs[4] = { from, to, to, from };
        float *row = numbers + 2 * i * bond_width;
        ken_molecule_bond_row(row, molecule, i);
        memcpy(row + bond_width, row, bond_width * sizeof *row);
        ken_buffer_append(&dataset->links.ids, pairs, sizeof pairs);
    }
    return KEN_OK;
}

ken_status ken_task_encode_atoms(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                 size_t i, ken_strings *names)
{
    ken_molecule molecule = { 0 };
    ken_status status = KEN_OK;
    size_t first = 0;
    for (size_t j = ken_corpus_input_start(corpus, i);
         j < ken_corpus_input_start(corpus, i + 1) && !status; j++) {
        size_t length;
        const char *text = ken_strings_at(&corpus->input, j, &length);
        status = ken_smiles_read(&molecule, text, length);
        if (status == KEN_ERR_FORMAT)
            status = ken_fail_because(status, "%s:%zu", corpus->path, ken_corpus_line(corpus, i));
        if (!status) status = add_molecule(&task->inputs, dataset, &molecule, first);
        for (size_t a = 0; names && a < molecule.atom_count && !status; a++) {
            size_t at = molecule.atoms[a].at;
            ken_strings_add(names, text + at, symbol_length(text + at, length - at));
        }
        first += molecule.atom_count;
    }
    ken_molecule_release(&molecule);
    dataset->input.width = ken_molecule_atom_width();
    dataset->link_numbers.width = ken_molecule_bond_width();
    ken_column_end(&dataset->links);
    ken_column_end(&dataset->link_numbers);
    return status;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* "3 17 42": each an index below the number that training has seen. A row itself is nothing but a
 * place to count, so it gets the id 0. */
ken_status ken_task_encode_indices(ken_task *task, ken_dataset *dataset, const ken_corpus *corpus,
                                   size_t i)
{
    size_t from = ken_corpus_input_start(corpus, i), to = ken_corpus_input_start(corpus, i + 1);
    for (size_t j = from; j < to; j++) {
        const char *at = ken_strings_at(&corpus->input, j, NULL);
        while (*(at += strspn(at, " "))) {
            size_t length = strcspn(at, " ");
            uint64_t index;
            if (!ken_number_whole(&index, at, length, INT32_MAX) || index >= task->index_count)
                return ken_fail(KEN_ERR_FORMAT,
                                "%s: node %zu of the graph in line %zu: \"%.*s\" is not an index "
                                "below %zu",
                                corpus->path, j - from + 1, ken_corpus_line(corpus, i),
                                length < 40 ? (int)length : 40, at, task->index_count);
            ken_buffer_append(&dataset->letters.ids, &(int32_t){ (int32_t)index }, sizeof(int32_t));
            at += length;
        }
        ken_column_end(&dataset->letters);
        ken_buffer_append(&dataset->input.ids, &(int32_t){ 0 }, sizeof(int32_t));
    }
    return ken_dataset_status(dataset);
}

ken_status ken_task_encode_links(const ken_task *task, ken_dataset *dataset,
                                 const ken_corpus *corpus, size_t i)
{
    size_t from = ken_corpus_link_start(corpus, i), to = ken_corpus_link_start(corpus, i + 1);
    size_t width = task->link_width, pair = 2 * sizeof(int32_t);
    if (to > from && corpus->link_width != width)
        return ken_fail(KEN_ERR_FORMAT, "%s:%zu: links of %zu numbers, the model reads %zu",
                        corpus->path, ken_corpus_line(corpus, i), corpus->link_width, width);
    if (to > from)
        ken_buffer_append(&dataset->links.ids, corpus->links.data + from * pair,
                          (to - from) * pair);
    if (to > from && width > 0)
        ken_buffer_append(&dataset->link_numbers.numbers,
                          corpus->link_numbers.data + from * width * sizeof(float),
                          (to - from) * width * sizeof(float));
    dataset->link_numbers.width = width;
    ken_column_end(&dataset->links);
    ken_column_end(&dataset->link_numbers);
    return ken_dataset_status(dataset);
}
