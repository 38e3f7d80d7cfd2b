/* molecule.h - the atoms, bonds and rings of a molecule, or of several molecules that belong
 * together, such as the ions of a salt. In a finished molecule each bond joins two different atoms,
 * two atoms have at most one bond, and no bond is KEN_BOND_UNSPECIFIED. Initialise a molecule with
 * { 0 }. smiles.h reads molecules; molecule_rows.h makes rows of numbers from them. */
#ifndef CHEM_MOLECULE_H
#define CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum numbers of atoms and of bonds in a molecule. */
enum { KEN_MOLECULE_ATOMS = 65535, KEN_MOLECULE_BONDS = 2 * KEN_MOLECULE_ATOMS };

enum ken_bond_order {
    KEN_BOND_UNSPECIFIED, /* single or aromatic; ken_molecule_finish() decides between them */
    KEN_BOND_SINGLE,
    KEN_BOND_DOUBLE,
    KEN_BOND_TRIPLE,
    KEN_BOND_QUADRUPLE,
    KEN_BOND_AROMATIC,
    KEN_BOND_ANY
};

/* The direction of a bond (/ or \ in SMILES), seen from the atom `from` of the bond to the atom
 * `to`. */
enum ken_bond_direction { KEN_BOND_LEVEL, KEN_BOND_UP, KEN_BOND_DOWN };

enum ken_chirality {
    KEN_CHIRAL_NONE,
    KEN_CHIRAL_PLAIN, /* written as @ or @@; chiral_number is 1 for @ and 2 for @@ */
    KEN_CHIRAL_TETRAHEDRON,
    KEN_CHIRAL_ALLENE,
    KEN_CHIRAL_SQUARE,
    KEN_CHIRAL_BIPYRAMID,
    KEN_CHIRAL_OCTAHEDRON
};

/* The hybridisation of an atom: sp, sp2 and sp3 mean that its neighbours and lone pairs take 2, 3
 * and 4 directions in space. */
enum ken_hybrid { KEN_HYBRID_NONE, KEN_HYBRID_SP, KEN_HYBRID_SP2, KEN_HYBRID_SP3 };

struct ken_atom {
    uint32_t at;           /* byte offset of the atom in the SMILES text               */
    uint32_t label;        /* atom class, the number 7 in "[CH3:7]"; 0 = none          */
    uint16_t isotope;      /* mass number of the isotope; 0 = not given                */
    uint8_t element;       /* atomic number; 0 is "*" (any atom)                       */
    int8_t charge;         /* electric charge, -15 .. 15                               */
    uint8_t hydrogens;     /* number of attached hydrogens, except those in `atoms`    */
    uint8_t chirality;     /* one of enum ken_chirality                                */
    uint8_t chiral_number; /* number within the chirality class, from 1: 2 in "@TH2"   */
    bool aromatic;         /* whether the atom was written as aromatic (in lower case) */
    /* Whether the number of hydrogens was written, in brackets; otherwise it follows from the
     * valence. */
    bool hydrogens_given;
    /* ken_molecule_finish() sets the fields of an atom from `in_ring` on. */
    bool in_ring;
    uint8_t ring;   /* size of the smallest ring with this atom, 3 .. 8; 0 = no such ring */
    uint8_t hybrid; /* one of enum ken_hybrid; an estimate                                */
    /* Whether the atom has electrons that a neighbour can share: those of a double, triple or
     * aromatic bond. */
    bool pi;
};

struct ken_bond {
    uint32_t from, to; /* indices of the two atoms that the bond joins                       */
    uint32_t at;       /* byte offset, in the text, of the second atom or of the ring number */
    uint8_t order;     /* one of enum ken_bond_order                                         */
    uint8_t direction; /* one of enum ken_bond_direction                                     */
    /* ken_molecule_finish() sets the fields of a bond from `in_ring` on. */
    bool in_ring;
    bool conjugated;
};

typedef struct ken_molecule {
    struct ken_atom *atoms; /* atoms in the order of the text; atom_count entries              */
    struct ken_bond *bonds; /* bonds in the order in which they were added; bond_count entries */
    /* The bonds of atom i are touching[start[i]] .. touching[start[i + 1] - 1], in ascending order.
     * `start` has atom_count + 1 entries. */
    uint32_t *start;
    /* Indices of bonds, grouped by atom (see `start`); 2 * bond_count entries, because a bond has
     * two ends. */
    uint32_t *touching;
    size_t atom_count, bond_count;
    size_t component_count; /* number of components: parts without a bond between them */
    size_t ring_count;      /* number of independent rings: bonds - atoms + components */
    size_t atom_room, bond_room, graph_room;
} ken_molecule;

void ken_molecule_clear(ken_molecule *molecule); /* removes all atoms; keeps the memory */
void ken_molecule_release(ken_molecule *molecule);

/* Returns the atom at the other end of a bond of `atom`. */
static inline uint32_t ken_bond_other(const struct ken_bond *bond, size_t atom)
{
    return bond->from == atom ? bond->to : bond->from;
}

/* ---- For readers of formats ------------------------------------------------------------------ */

ken_status ken_molecule_add_atom(ken_molecule *molecule, const struct ken_atom *atom);
ken_status ken_molecule_add_bond(ken_molecule *molecule, const struct ken_bond *bond);

/* Completes a molecule: fills `start` and `touching`, then all properties that follow from atoms
 * and bonds. If two bonds join the same two atoms, *twice receives the index of the second one and
 * nothing more is done; otherwise *twice is SIZE_MAX. */
ken_status ken_molecule_finish(ken_molecule *molecule, size_t *twice);

/* Finds the rings of a molecule; ken_molecule_finish() calls it. Sets `in_ring` of atoms and bonds,
 * `ring` of atoms, and the numbers of rings and of components. Also decides which unspecified bonds
 * are aromatic: those in a ring that has only aromatic atoms. (The bond between the two rings of
 * biphenyl is in no such ring.) Defined in molecule_rings.c. */
ken_status ken_molecule_find_rings(ken_molecule *molecule);

#endif
