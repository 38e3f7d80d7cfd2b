/* molecule_rows.h - the atoms and bonds of a molecule as rows of numbers: the nodes and links of a
 * graph. A molecule gives the same rows whether its hydrogens are atoms or are only counted. Marks
 * of stereochemistry (@, /) are kept as written, although their meaning depends on the order of
 * atoms.
 *
 * Columns of an atom (* = one-hot: one of the columns is 1, or none if no column fits):
 *   element *     the 22 most frequent elements in drugs and their salts, and "other"
 *   degree *      number of neighbours other than hydrogen: 0 .. 5, 6 or more
 *   charge        the charge as a number; then * its sign: -, 0, +
 *   hydrogens *   number of hydrogens, including those that are atoms: 0 .. 3, 4 or more
 *   aromatic, in ring
 *   ring *        size of the smallest ring with this atom, 3 .. 8
 *   hybrid *      sp, sp2, sp3: an estimate from bonds, lone pairs and neighbours
 *   chiral *      @, @@, another class
 *   mass / 100    mass of the isotope if one is given, else of the element
 *   electronegativity / 4
 *   valence / 4   number of bonds and hydrogens; an aromatic bond counts 1.5
 * Columns of a bond:
 *   order *       single, double, triple, aromatic
 *   conjugated, in ring
 *   direction *   / or \, seen from the bond's first atom */
#ifndef CHEM_MOLECULE_ROWS_H
#define CHEM_MOLECULE_ROWS_H

#include "chem/molecule.h"

size_t ken_molecule_atom_width(void);
size_t ken_molecule_bond_width(void);

/* Both functions return the name of a column, such as "element C" or "hydrogens 2", or NULL if
 * `column` is not below the number of columns. */
const char *ken_molecule_atom_name(size_t column);
const char *ken_molecule_bond_name(size_t column);

void ken_molecule_atom_row(float *row, const ken_molecule *molecule, size_t atom);
void ken_molecule_bond_row(float *row, const ken_molecule *molecule, size_t bond);

#endif
