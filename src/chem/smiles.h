/* smiles.h - molecules written as SMILES, the line notation of chemistry: "CC(=O)O" is acetic acid.
 *
 * OpenSMILES 1.0, with what is common besides: %(n) with up to five digits, ring numbers behind
 * branches, charges like +++, the bond ~ (any). Not read: reactions, aromatic symbols other than
 * b c n o p s and [se] [as] [te], and the signs of chirality at anything but atoms.
 *
 * Atoms stand as they are written: "[H]" is an atom, lower case is aromatic and C1=CC=CC=C1 is not,
 * no charges are moved. Whether an aromatic ring has a Kekule structure is not asked. */
#ifndef CHEM_SMILES_H
#define CHEM_SMILES_H

#include "chem/molecule.h"

/* In place of what `molecule` held. Blanks at the end are passed over. Anything else that is not
 * SMILES is KEN_ERR_FORMAT, "column 7: ring 1 is never closed", columns from 1; the caller adds
 * where the text is from. After any failure the molecule is empty. */
ken_status ken_smiles_read(ken_molecule *molecule, const char *text, size_t length);

#endif
