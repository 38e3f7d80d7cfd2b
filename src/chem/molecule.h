/* molecule.h - atoms, bonds and rings of a molecule in memory; also of several that belong
 * together, like the ions of a salt.
 * Invariant of a finished molecule: each bond has two different ends, no two bonds have the same
 * ends, and no bond is KEN_BOND_UNSPECIFIED. Begins as { 0 }.
 * Not here: any format (smiles.h), or rows of numbers (molecule_rows.h). */
#ifndef CHEM_MOLECULE_H
#define CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEN_MOLECULE_ATOMS = 65535, KEN_MOLECULE_BONDS = 2 * KEN_MOLECULE_ATOMS }; /* at most */

enum ken_bond_order {
    KEN_BOND_UNSPECIFIED, /* only until ken_molecule_finish(): single or aromatic */
    KEN_BOND_SINGLE,
    KEN_BOND_DOUBLE,
    KEN_BOND_TRIPLE,
    KEN_BOND_QUADRUPLE,
    KEN_BOND_AROMATIC,
    KEN_BOND_ANY
};

/* Seen when going from the first end to the second. */
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

/* By the number of neighbours and lone pairs: 2, 3, 4. */
enum ken_hybrid { KEN_HYBRID_NONE, KEN_HYBRID_SP, KEN_HYBRID_SP2, KEN_HYBRID_SP3 };

struct ken_atom {
    uint32_t at;           /* byte of the text where it is written             */
    uint32_t label;        /* the class of "[CH3:7]"; 0 without                */
    uint16_t isotope;      /* mass number; 0 without                           */
    uint8_t element;       /* atomic number; 0 is "*"                          */
    int8_t charge;         /* -15 .. 15                                        */
    uint8_t hydrogens;     /* without those that are atoms of their own        */
    uint8_t chirality;     /* enum ken_chirality                               */
    uint8_t chiral_number; /* from 1                                           */
    bool aromatic;         /* as written                                       */
    bool hydrogens_given;  /* in brackets; otherwise they follow from valence  */
    /* from ken_molecule_finish() */
    bool in_ring;
    uint8_t ring;   /* size of the smallest ring that it is in, 3 .. 8; 0: none or larger */
    uint8_t hybrid; /* enum ken_hybrid, a guess                                           */
    bool pi; /* has electrons in a double, triple or aromatic bond, which a neighbour can share */
};

struct ken_bond {
    uint32_t from, to; /* atoms                                                    */
    uint32_t at;       /* byte of the text that made it: the second atom or number */
    uint8_t order;     /* enum ken_bond_order                                      */
    uint8_t direction; /* enum ken_bond_direction                                  */
    /* from ken_molecule_finish() */
    bool in_ring;
    bool conjugated;
};

typedef struct ken_molecule {
    struct ken_atom *atoms; /* (atom_count), in the order of the text                            */
    struct ken_bond *bonds; /* (bond_count)                                                      */
    uint32_t *start;    /* (atom_count + 1): the bonds of atom i are touching[start[i]] and so */
    uint32_t *touching; /* (2 bond_count)    on, before start[i + 1], ascending; in one block */
    size_t atom_count, bond_count;
    size_t component_count; /* parts that no bond connects                     */
    size_t ring_count;      /* independent ones: bonds - atoms + components    */
    size_t atom_room, bond_room, graph_room;
} ken_molecule;

void ken_molecule_clear(ken_molecule *molecule); /* empty, keeps its memory */
void ken_molecule_release(ken_molecule *molecule);

/* The end of a bond that is not `atom`. */
static inline uint32_t ken_bond_other(const struct ken_bond *bond, size_t atom)
{
    return bond->from == atom ? bond->to : bond->from;
}

/* ---- For readers of formats ------------------------------------------------------------------ */

ken_status ken_molecule_add_atom(ken_molecule *molecule, const struct ken_atom *atom);
ken_status ken_molecule_add_bond(ken_molecule *molecule, const struct ken_bond *bond);

/* Fills in `start` and `touching`, then all that follows from atoms and bonds. When two bonds have
 * the same ends, *twice is the second of them and nothing more is done; else it is SIZE_MAX. */
ken_status ken_molecule_finish(ken_molecule *molecule, size_t *twice);

/* A part of finishing (molecule_rings.c): in_ring, ring, the counts, and which unspecified bonds
 * are aromatic: those on a ring of nothing but aromatic atoms. The bond between the rings of
 * biphenyl or fluorene is on none. */
ken_status ken_molecule_find_rings(ken_molecule *molecule);

#endif
