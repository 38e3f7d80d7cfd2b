/* molecule.h - the atoms, bonds and rings of a molecule in memory, or of several molecules that
 * belong together, like the ions of a salt.
 * Invariant of a finished molecule: each bond has two different ends, no two bonds have the same
 * ends, and no bond is KEN_BOND_UNSPECIFIED. Begins as { 0 }. Not here: any format (smiles.h), or
 * rows of numbers (molecule_rows.h). */
#ifndef CHEM_MOLECULE_H
#define CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Maximum numbers of atoms and bonds. */
enum { KEN_MOLECULE_ATOMS = 65535, KEN_MOLECULE_BONDS = 2 * KEN_MOLECULE_ATOMS };

enum ken_bond_order {
    KEN_BOND_UNSPECIFIED, /* only before ken_molecule_finish(): single or aromatic */
    KEN_BOND_SINGLE,
    KEN_BOND_DOUBLE,
    KEN_BOND_TRIPLE,
    KEN_BOND_QUADRUPLE,
    KEN_BOND_AROMATIC,
    KEN_BOND_ANY
};

/* As seen from the first end of the bond towards the second. */
enum ken_bond_direction { KEN_BOND_LEVEL, KEN_BOND_UP, KEN_BOND_DOWN };

enum ken_chirality {
    KEN_CHIRAL_NONE,
    KEN_CHIRAL_PLAIN, /* @ and @@, numbers 1 and 2 */
    KEN_CHIRAL_TETRAHEDRON,
    KEN_CHIRAL_ALLENE,
    KEN_CHIRAL_SQUARE,
    KEN_CHIRAL_BIPYRAMID,
    KEN_CHIRAL_OCTAHEDRON
};

/* Named by the number of neighbours and lone pairs: 2, 3, 4. */
enum ken_hybrid { KEN_HYBRID_NONE, KEN_HYBRID_SP, KEN_HYBRID_SP2, KEN_HYBRID_SP3 };

struct ken_atom {
    uint32_t at;           /* byte offset in the text                                     */
    uint32_t label;        /* the class of "[CH3:7]"; 0 = none                            */
    uint16_t isotope;      /* mass number; 0 = not given                                  */
    uint8_t element;       /* atomic number; 0 is "*"                                     */
    int8_t charge;         /* -15 .. 15                                                   */
    uint8_t hydrogens;     /* not counting those that are atoms themselves                */
    uint8_t chirality;     /* enum ken_chirality                                          */
    uint8_t chiral_number; /* from 1                                                      */
    bool aromatic;         /* written as aromatic (lower case)                            */
    bool hydrogens_given;  /* written in brackets; otherwise they follow from the valence */
    /* set by ken_molecule_finish() */
    bool in_ring;
    uint8_t ring;   /* size of the smallest ring with this atom, 3 .. 8; 0 = none, or larger */
    uint8_t hybrid; /* enum ken_hybrid, an estimate                                          */
    /* whether the atom has electrons in a double, triple or aromatic bond that a neighbour can
     * share */
    bool pi;
};

struct ken_bond {
    uint32_t from, to; /* indices of the atoms                          */
    uint32_t at;       /* byte offset of the second atom or ring number */
    uint8_t order;     /* enum ken_bond_order                           */
    uint8_t direction; /* enum ken_bond_direction                       */
    /* set by ken_molecule_finish() */
    bool in_ring;
    bool conjugated;
};

typedef struct ken_molecule {
    struct ken_atom *atoms; /* (atom_count), in the order of the text */
    struct ken_bond *bonds; /* (bond_count)                           */
    /* (atom_count + 1): the bonds of atom i are touching[start[i]] up to, not including,
     * touching[start[i + 1]], in ascending order. */
    uint32_t *start;
    uint32_t *touching; /* (2 bond_count), in the same block of memory as `start` */
    size_t atom_count, bond_count;
    size_t component_count; /* number of parts that no bond connects         */
    size_t ring_count;      /* independent rings: bonds - atoms + components */
    size_t atom_room, bond_room, graph_room;
} ken_molecule;

void ken_molecule_clear(ken_molecule *molecule); /* makes it empty, keeps its memory */
void ken_molecule_release(ken_molecule *molecule);

/* The end of a bond that is not `atom`. */
static inline uint32_t ken_bond_other(const struct ken_bond *bond, size_t atom)
{
    return bond->from == atom ? bond->to : bond->from;
}

/* ---- For readers of formats ------------------------------------------------------------------ */

ken_status ken_molecule_add_atom(ken_molecule *molecule, const struct ken_atom *atom);
ken_status ken_molecule_add_bond(ken_molecule *molecule, const struct ken_bond *bond);

/* Fills in `start` and `touching`, then all properties that follow from atoms and bonds. If two
 * bonds have the same ends, *twice is the index of the second one and nothing more is done; else
 * *twice is SIZE_MAX. */
ken_status ken_molecule_finish(ken_molecule *molecule, size_t *twice);

/* A step of ken_molecule_finish() (molecule_rings.c): sets in_ring, ring and the counts, and
 * decides which unspecified bonds are aromatic: those in a ring of aromatic atoms only. The bond
 * between the two rings of biphenyl or fluorene is in no such ring. */
ken_status ken_molecule_find_rings(ken_molecule *molecule);

#endif
