/* smiles.h - reads molecules written as SMILES, the line notation of chemistry: "CC(=O)O" is acetic
 * acid.
 *
 * The reader accepts OpenSMILES 1.0 and some common extensions: %(n) with up to five digits, ring
 * numbers after branches, charges like +++, the bond ~ (any). It does not accept reactions,
 * aromatic symbols other than b c n o p s and [se] [as] [te], or signs of chirality on anything but
 * atoms.
 *
 * Atoms are kept as they are written: "[H]" is an atom, only lower-case atoms are aromatic (so
 * those of C1=CC=CC=C1 are not), and charges are not moved. The reader does not check that an
 * aromatic ring has a Kekule structure. */
#ifndef CHEM_SMILES_H
#define CHEM_SMILES_H

#include "chem/molecule.h"

/* Reads a SMILES text and replaces the content of `molecule`. White space at the end of the text is
 * ignored. If the text is not SMILES, returns KEN_ERR_FORMAT with a message such as "column 7: ring
 * 1 is never closed"; columns are counted from 1, and the caller adds file and line. After any
 * failure the molecule is empty. */
ken_status ken_smiles_read(ken_molecule *molecule, const char *text, size_t length);

#endif
