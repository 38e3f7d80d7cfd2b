/* fuzz_smiles.c - fuzzes molecules: bonds of a molecule join its own atoms, and all atoms and bonds
 * have rows of numbers. */
#include "chem/molecule_rows.h"
#include "chem/smiles.h"
#include "fuzz/fuzz.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_molecule molecule = { 0 };
    float row[256];
    if (!ken_smiles_read(&molecule, (const char *)data, size)) {
        FUZZ_CHECK(ken_molecule_atom_width() <= 256 && ken_molecule_bond_width() <= 256);
        for (size_t i = 0; i < molecule.bond_count; i++) {
            FUZZ_CHECK(molecule.bonds[i].from < molecule.atom_count);
            FUZZ_CHECK(molecule.bonds[i].to < molecule.atom_count);
            ken_molecule_bond_row(row, &molecule, i);
        }
        for (size_t i = 0; i < molecule.atom_count; i++) {
            ken_molecule_atom_row(row, &molecule, i);
            for (size_t j = 0; j < ken_molecule_atom_width(); j++) FUZZ_CHECK(isfinite(row[j]));
        }
    }
    ken_molecule_release(&molecule);
    return 0;
}
