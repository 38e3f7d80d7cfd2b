/* molecule_rows.h - the atoms and bonds of a molecule as rows of numbers, the vectors of a graph.
 * A molecule gives the same rows whether its hydrogens are atoms or only counted. Marks of
 * stereochemistry are kept as written; they have a meaning only relative to the atom's neighbours.
 *
 * Columns of an atom (a group marked * is one-hot: a single 1, or none if no column fits):
 *   element *     the 22 most frequent ones in drugs and their salts, and "other"
 *   degree *      neighbours other than hydrogen: 0 .. 5, 6 or more
 *   charge        the number; then its sign *: -, 0, +
 *   hydrogens *   0 .. 3, 4 or more, including those that are atoms themselves
 *   aromatic, in ring
 *   ring *        size of the smallest ring with this atom, 3 .. 8
 *   hybrid *      sp, sp2, sp3: an estimate from bonds, lone pairs and neighbours
 *   chiral *      @, @@, another class
 *   mass / 100    of the isotope if one is given
 *   electronegativity / 4
 *   valence / 4   bonds and hydrogens; aromatic bonds count 1.5
 * Columns of a bond:
 *   order *       single, double, triple, aromatic
 *   conjugated, in ring
 *   direction *   / or \, from its first atom to the second */
#ifndef CHEM_MOLECULE_ROWS_H
#define CHEM_MOLECULE_ROWS_H

#include "chem/molecule.h"

size_t ken_molecule_atom_width(void);
size_t ken_molecule_bond_width(void);

/* Return the name of a column, such as "element C" or "hydrogens 2"; NULL after the last column. */
const char *ken_molecule_atom_name(size_t column);
const char *ken_molecule_bond_name(size_t column);

void ken_molecule_atom_row(float *row, const ken_molecule *molecule, size_t atom);
void ken_molecule_bond_row(float *row, const ken_molecule *molecule, size_t bond);

#endif
