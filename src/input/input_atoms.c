/* input_atoms.c - input kind atoms: a molecule written in SMILES becomes a row for each atom and
 * two links for each bond. */
#include "base/memory.h"
#include "chem/molecule_rows.h"
#include "chem/smiles.h"
#include "input/input.h"

#include <string.h>

/* Checks that a text is valid SMILES. The caller treats a line with invalid SMILES as a bad
 * line. */
static ken_status valid(const char *text, size_t length)
{
    ken_molecule molecule = { 0 };
    ken_status status = ken_smiles_read(&molecule, text, length);
    ken_molecule_release(&molecule);
    return status;
}

static void lay_out(const struct ken_input_side *side, struct ken_layout *layout)
{
    (void)side;
    layout->valid = valid;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Appends `count` zeros to the buffer and returns a pointer to the first of them; NULL if memory is
 * short. */
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

/* Returns how many bytes the atom at the start of a SMILES text has: "C", "Cl", "[nH]". */
static size_t symbol_length(const char *text, size_t length)
{
    if (text[0] == '[') return strcspn(text, "]") + 1;
    bool two = length > 1 &&
               ((text[0] == 'C' && text[1] == 'l') || (text[0] == 'B' && text[1] == 'r'));
    return two ? 2 : 1;
}

/* Appends a row for each atom of a molecule, and two links (one in each direction) with equal
 * numbers for each bond. An example may consist of several molecules: `first` is the number of rows
 * that the example has before this molecule. */
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

/* Makes the rows and links of one example from `kept`, its text with one molecule per line. */
static ken_status make(const void *scaling, ken_dataset *out, const char *kept, size_t size)
{
    ken_molecule molecule = { 0 };
    ken_status status = KEN_OK;
    size_t first = 0;
    for (const char *at = kept, *end = kept + size; at < end && !status;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        status = ken_smiles_read(&molecule, at, (size_t)(stop - at));
        if (!status) status = add_molecule(scaling, out, &molecule, first);
        first += molecule.atom_count;
        at = stop + 1;
    }
    ken_molecule_release(&molecule);
    out->input.width = ken_molecule_atom_width();
    out->link_numbers.width = ken_molecule_bond_width();
    ken_column_end(&out->input);
    ken_column_end(&out->links);
    ken_column_end(&out->link_numbers);
    return status ? status : ken_dataset_status(out);
}

/* Appends the text of example i to `kept`; each molecule is followed by a line end. */
static ken_status keep(ken_buffer *kept, const ken_corpus *corpus, size_t i)
{
    for (size_t j = ken_corpus_input_start(corpus, i); j < ken_corpus_input_start(corpus, i + 1);
         j++) {
        size_t length;
        const char *text = ken_strings_at(&corpus->input, j, &length);
        ken_buffer_append(kept, text, length);
        ken_buffer_text(kept, "\n");
    }
    return ken_buffer_status(kept);
}

/* Stores an example as its text, with a count of its atoms and a count of its bonds. The rows are
 * made when a batch needs them, because the row of an atom has about 50 numbers, but its text only
 * one or two letters. */
static ken_status encode(const struct ken_input_side *side, ken_dataset *dataset,
                         const ken_corpus *corpus, size_t i, ken_strings *names)
{
    ken_molecule molecule = { 0 };
    ken_buffer kept = { 0 };
    size_t atoms = 0, bonds = 0;
    ken_status status = keep(&kept, corpus, i);
    for (size_t j = ken_corpus_input_start(corpus, i);
         j < ken_corpus_input_start(corpus, i + 1) && !status; j++) {
        size_t length;
        const char *text = ken_strings_at(&corpus->input, j, &length);
        status = ken_smiles_read(&molecule, text, length);
        if (status == KEN_ERR_FORMAT)
            status = ken_fail_because(status, "%s:%zu", corpus->path, ken_corpus_line(corpus, i));
        if (status) break;
        for (size_t a = 0; names && a < molecule.atom_count; a++) {
            size_t at = molecule.atoms[a].at;
            ken_strings_add(names, text + at, symbol_length(text + at, length - at));
        }
        atoms += molecule.atom_count;
        bonds += molecule.bond_count;
    }
    dataset->late = make;
    dataset->late_side = &side->scaling;
    ken_strings_add(&dataset->kept, ken_buffer_string(&kept), kept.size);
    ken_column_skip(&dataset->input, atoms);
    /* A bond makes two links, and a link has two ids. */
    ken_column_skip(&dataset->links, 4 * bonds);
    ken_column_skip(&dataset->link_numbers, 2 * bonds);
    ken_molecule_release(&molecule);
    ken_buffer_release(&kept);
    return status;
}

/* ---- what is learned ------------------------------------------------------------------------- */

/* Finds the columns that no atom of the training data uses, for example "hydrogens 4 or more" if no
 * molecule is methane. The weights of such a column learn nothing, so its deviation is set to a
 * huge number, by which the scaling divides; the model then ignores the column. All other columns
 * stay unscaled. */
static ken_status learn(struct ken_input_side *side, const ken_corpus *corpus,
                        const ken_recipe *recipe, const struct ken_input_side *old)
{
    static const float beyond = 1e30f;
    size_t width = ken_molecule_atom_width();
    float *mean = ken_memory_zeroed(width, sizeof *mean);
    float *deviation = ken_memory_zeroed(width, sizeof *deviation);
    ken_status status = mean && deviation
                            ? KEN_OK
                            : ken_fail(KEN_ERR_MEMORY, "no memory for %zu columns", width);
    (void)recipe;
    for (size_t j = 0; j < width && !status; j++)
        deviation[j] = old ? old->scaling.deviation[j] : beyond;
    ken_dataset atoms = { 0 };
    ken_buffer text = { 0 };
    for (size_t i = 0; i < corpus->count && !status; i++) {
        ken_dataset_clear(&atoms);
        ken_buffer_clear(&text);
        status = keep(&text, corpus, i);
        if (!status) status = make(&side->scaling, &atoms, ken_buffer_string(&text), text.size);
        if (status == KEN_ERR_FORMAT)
            status = ken_fail_because(status, "%s:%zu", corpus->path, ken_corpus_line(corpus, i));
        const float *numbers = ken_buffer_floats(&atoms.input.numbers);
        for (size_t k = 0; k < atoms.input.numbers.size / sizeof *numbers; k++)
            if (numbers[k] != 0 && deviation[k % width] == beyond) deviation[k % width] = 1;
    }
    ken_dataset_release(&atoms);
    ken_buffer_release(&text);
    /* side->scaling is set only here, at the end, because the loop over the corpus needs unscaled
     * rows. */
    side->scaling = (struct ken_scaling){ mean, deviation, status ? 0 : width };
    return status;
}

static void shape(const struct ken_input_side *side, ken_config *config, bool links)
{
    (void)side;
    config->input_kind = KEN_INPUT_VECTORS;
    config->input_size = ken_molecule_atom_width();
    config->edge_size = links ? ken_molecule_bond_width() : 0;
}

static void describe(const struct ken_input_side *side, ken_buffer *out, const char *unit)
{
    (void)unit;
    ken_buffer_format(out, "rows of %zu numbers, one for each atom", side->scaling.width);
}

static const enum ken_key same[] = { KEN_KEY_INPUT_UNIT, KEN_KEY_COUNT };

const struct ken_input_kind ken_input_atoms = {
    .name = "atoms",
    .reads = "molecules in SMILES",
    .units = "atoms",
    .carries = KEN_CARRIES_TEXT,
    .accepts = KEN_CARRIES_TEXT | KEN_CARRIES_WORDS,
    .outputs = "whole generate",
    .typed = true,
    .names = true,
    .linked = true,
    .same = same,
    .lay_out = lay_out,
    .learn = learn,
    .encode = encode,
    .shape = shape,
    .describe = describe,
};
