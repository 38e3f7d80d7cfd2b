/* molecule_rows.h - atoms and bonds of a molecule as rows of numbers, the vectors of a graph.
 * The same molecule gives the same rows whether its hydrogens are atoms or counted; marks of
 * stereochemistry are those that are written, and mean something only beside their neighbours.
 *
 * Columns of an atom: one 1 in each group marked *, or none where no column fits
 *   element *     the 22 most usual ones in drugs and their salts, and "other"
 *   degree *      neighbours that are no hydrogen: 0 .. 5, 6 or more
 *   charge        the number; then its sign *: -, 0, +
 *   hydrogens *   0 .. 3, 4 or more, those that are atoms of their own included
 *   aromatic, in ring
 *   ring *        size of the smallest one that it is in, 3 .. 8
 *   hybrid *      sp, sp2, sp3: a guess from bonds, lone pairs and neighbours
 *   chiral *      @, @@, another class
 *   mass / 100    of the isotope if one is given
 *   electronegativity / 4
 *   valence / 4   bonds and hydrogens; aromatic bonds count 1.5
 * Columns of a bond
 *   order *       single, double, triple, aromatic
 *   conjugated, in ring
 *   direction *   / or \, from its first atom to the second */
#ifndef CHEM_MOLECULE_ROWS_H
#define CHEM_MOLECULE_ROWS_H

#include "chem/molecule.h"

size_t ken_molecule_atom_width(void);
size_t ken_molecule_bond_width(void);

/* "element C", "hydrogens 2" ...; NULL behind the last column. */
const char *ken_molecule_atom_name(size_t column);
const char *ken_molecule_bond_name(size_t column);

void ken_molecule_atom_row(float *row, const ken_molecule *molecule, size_t atom);
void ken_molecule_bond_row(float *row, const ken_molecule *molecule, size_t bond);

#endif
