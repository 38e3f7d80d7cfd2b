/* molecule.h - the atoms, bonds and rings of a molecule, or of several molecules that belong
 * together, like the ions of a salt.
 * Invariant of a finished molecule: each bond has two different ends, no two bonds have the same
 * ends, and no bond is KEN_BOND_UNSPECIFIED. Initialise a molecule with { 0 }. smiles.h reads
 * molecules; molecule_rows.h makes rows of numbers from them. */
#ifndef CHEM_MOLECULE_H
#define CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum numbers of atoms and of bonds in a molecule. */
enum { KEN_MOLECULE_ATOMS = 65535, KEN_MOLECULE_BONDS = 2 * KEN_MOLECULE_ATOMS };

enum ken_bond_order {
    KEN_BOND_UNSPECIFIED, /* single or aromatic; ken_molecule_finish() decides */
    KEN_BOND_SINGLE,
    KEN_BOND_DOUBLE,
    KEN_BOND_TRIPLE,
    KEN_BOND_QUADRUPLE,
    KEN_BOND_AROMATIC,
    KEN_BOND_ANY
};

/* The direction of a bond (/ or \ in SMILES), seen from the bond's first end towards its second
 * end. */
enum ken_bond_direction { KEN_BOND_LEVEL, KEN_BOND_UP, KEN_BOND_DOWN };

enum ken_chirality {
    KEN_CHIRAL_NONE,
    KEN_CHIRAL_PLAIN, /* written as @ or @@: chiral_number 1 or 2 */
    KEN_CHIRAL_TETRAHEDRON,
    KEN_CHIRAL_ALLENE,
    KEN_CHIRAL_SQUARE,
    KEN_CHIRAL_BIPYRAMID,
    KEN_CHIRAL_OCTAHEDRON
};

/* The hybridisation of an atom: SP, SP2, SP3 mean that its neighbours and lone pairs take 2, 3, 4
 * directions in space. */
enum ken_hybrid { KEN_HYBRID_NONE, KEN_HYBRID_SP, KEN_HYBRID_SP2, KEN_HYBRID_SP3 };

struct ken_atom {
    uint32_t at;           /* byte offset of the atom in the text */
    uint32_t label;        /* atom class, 7 in "[CH3:7]"; 0 = none */
    uint16_t isotope;      /* mass number of the isotope; 0 = not given */
    uint8_t element;       /* atomic number; 0 is "*" (any atom) */
    int8_t charge;         /* electric charge, -15 .. 15 */
    uint8_t hydrogens;     /* attached hydrogens that are not atoms of the molecule */
    uint8_t chirality;     /* enum ken_chirality */
    uint8_t chiral_number; /* number within the chirality class, from 1 */
    bool aromatic;         /* written as aromatic (lower case) */
    /* true if the hydrogens are written (in brackets); otherwise they follow from the valence */
    bool hydrogens_given;
    /* The fields from here to the end of the struct are set by ken_molecule_finish(). */
    bool in_ring;
    uint8_t ring;   /* size of the atom's smallest ring, 3 .. 8; 0 = no ring, or a larger one */
    uint8_t hybrid; /* enum ken_hybrid: an estimate of the hybridisation */
    /* whether the atom has electrons in a double, triple or aromatic bond that a neighbour can
     * share */
    bool pi;
};

struct ken_bond {
    uint32_t from, to; /* indices of the two atoms */
    uint32_t at;       /* byte offset in the text: of the second atom, or of the ring number */
    uint8_t order;     /* enum ken_bond_order */
    uint8_t direction; /* enum ken_bond_direction */
    /* The fields from here to the end of the struct are set by ken_molecule_finish(). */
    bool in_ring;
    bool conjugated;
};

typedef struct ken_molecule {
    struct ken_atom *atoms; /* (atom_count): in the order of the text */
    struct ken_bond *bonds; /* (bond_count): in the order in which they were added */
    /* (atom_count + 1): the bonds of atom i are touching[start[i]] .. touching[start[i + 1] - 1],
     * in ascending order. */
    uint32_t *start;
    uint32_t *touching; /* (2 bond_count): indices of bonds; same block of memory as `start` */
    size_t atom_count, bond_count;
    size_t component_count; /* number of separate parts, which no bond connects */
    size_t ring_count;      /* number of independent rings: bonds - atoms + components */
    size_t atom_room, bond_room, graph_room;
} ken_molecule;

void ken_molecule_clear(ken_molecule *molecule); /* removes all atoms; keeps the memory */
void ken_molecule_release(ken_molecule *molecule);

/* Returns the end of a bond that is not `atom`. */
static inline uint32_t ken_bond_other(const struct ken_bond *bond, size_t atom)
{
    return bond->from == atom ? bond->to : bond->from;
}

/* ---- For readers of formats ------------------------------------------------------------------ */

ken_status ken_molecule_add_atom(ken_molecule *molecule, const struct ken_atom *atom);
ken_status ken_molecule_add_bond(ken_molecule *molecule, const struct ken_bond *bond);

/* Completes a molecule: fills `start` and `touching`, then all properties that follow from atoms
 * and bonds. If two bonds have the same ends, *twice is the index of the second one and nothing
 * more is done; otherwise *twice is SIZE_MAX. */
ken_status ken_molecule_finish(ken_molecule *molecule, size_t *twice);

/* Finds the rings; a step of ken_molecule_finish(), in molecule_rings.c. It sets in_ring, ring and
 * the counts, and decides which unspecified bonds are aromatic: those in a ring that has only
 * aromatic atoms. The bond between the two rings of biphenyl or fluorene is in no such ring. */
ken_status ken_molecule_find_rings(ken_molecule *molecule);

#endif
