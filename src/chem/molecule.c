/* molecule.c - adds atoms and bonds to a molecule one by one, and derives the properties that
 * follow from them. ken_molecule_finish() derives them in this order, because each step uses the
 * results of earlier steps: the bonds of each atom, rings and aromatic bonds, hydrogens,
 * hybridisation, conjugation. */
#include "chem/molecule.h"

#include "base/memory.h"
#include "base/size.h"
#include "chem/elements.h"

#include <string.h>

enum { FIRST_ROOM = 32 };

/* ---- Growing --------------------------------------------------------------------------------- */

void ken_molecule_clear(ken_molecule *molecule)
{
    molecule->atom_count = molecule->bond_count = 0;
    molecule->component_count = molecule->ring_count = 0;
}

void ken_molecule_release(ken_molecule *molecule)
{
    ken_memory_free(molecule->atoms);
    ken_memory_free(molecule->bonds);
    /* The arrays `start` and `touching` are one allocation. */
    ken_memory_free(molecule->start);
    *molecule = (ken_molecule){ 0 };
}

/* Doubles the capacity *room of an array. Returns NULL and changes nothing if memory is short. */
static void *grown(void *old, size_t *room, size_t size)
{
    size_t larger = ken_size_max(FIRST_ROOM, 2 * *room);
    void *array = ken_memory_resize(old, *room * size, larger, size);
    if (array) *room = larger;
    else ken_fail(KEN_ERR_MEMORY, "no memory for a molecule of %zu atoms or bonds", larger);
    return array;
}

ken_status ken_molecule_add_atom(ken_molecule *molecule, const struct ken_atom *atom)
{
    if (molecule->atom_count == molecule->atom_room) {
        void *atoms = grown(molecule->atoms, &molecule->atom_room, sizeof *atom);
        if (!atoms) return KEN_ERR_MEMORY;
        molecule->atoms = atoms;
    }
    molecule->atoms[molecule->atom_count++] = *atom;
    return KEN_OK;
}

ken_status ken_molecule_add_bond(ken_molecule *molecule, const struct ken_bond *bond)
{
    if (molecule->bond_count == molecule->bond_room) {
        void *bonds = grown(molecule->bonds, &molecule->bond_room, sizeof *bond);
        if (!bonds) return KEN_ERR_MEMORY;
        molecule->bonds = bonds;
    }
    molecule->bonds[molecule->bond_count++] = *bond;
    return KEN_OK;
}

/* ---- The bonds of each atom ----------------------------------------------------------------- */

static ken_status make_graph_room(ken_molecule *molecule)
{
    size_t need = molecule->atom_count + 1 + 2 * molecule->bond_count;
    if (need > molecule->graph_room) {
        uint32_t *graph = ken_memory_new(need, sizeof *graph);
        if (!graph) return ken_fail(KEN_ERR_MEMORY, "no memory for %zu bonds", need / 2);
        ken_memory_free(molecule->start);
        molecule->start = graph;
        molecule->graph_room = need;
    }
    molecule->touching = molecule->start + molecule->atom_count + 1;
    return KEN_OK;
}

/* Fills `start` and `touching`, the bonds of each atom, by a counting sort. At first start[i] is
 * the end of atom i's part of `touching`. Each part is filled from its end, and every entry moves
 * start[i] down by 1, so that it is the beginning of the part when the part is full. */
static void connect(ken_molecule *molecule)
{
    uint32_t *start = molecule->start;
    memset(start, 0, (molecule->atom_count + 1) * sizeof *start);
    for (size_t i = 0; i < molecule->bond_count; i++) {
        start[molecule->bonds[i].from]++;
        start[molecule->bonds[i].to]++;
    }
    for (size_t i = 0; i < molecule->atom_count; i++) start[i + 1] += start[i];
    for (size_t i = molecule->bond_count; i-- > 0;) {
        molecule->touching[--start[molecule->bonds[i].from]] = (uint32_t)i;
        molecule->touching[--start[molecule->bonds[i].to]] = (uint32_t)i;
    }
}

static size_t degree(const ken_molecule *molecule, size_t atom)
{
    return molecule->start[atom + 1] - molecule->start[atom];
}

/* Finds a duplicate bond, whose two atoms are joined by an earlier bond too, and returns its index.
 * For each bond, only the atom with fewer bonds is searched, which keeps the work below bonds^1.5
 * for any graph. */
static size_t find_twice(const ken_molecule *molecule)
{
    for (size_t i = 0; i < molecule->bond_count; i++) {
        const struct ken_bond *bond = &molecule->bonds[i];
        bool first = degree(molecule, bond->from) < degree(molecule, bond->to);
        uint32_t end = first ? bond->from : bond->to, other = ken_bond_other(bond, end);
        for (uint32_t k = molecule->start[end]; molecule->touching[k] < i; k++)
            if (ken_bond_other(&molecule->bonds[molecule->touching[k]], end) == other) return i;
    }
    return SIZE_MAX;
}

/* ---- Valence --------------------------------------------------------------------------------- */

/* Returns how much of an atom's valence a bond uses. An aromatic bond counts 1 here; the electron
 * that an aromatic atom gives to its ring is counted once per atom by the callers. */
static int weight(const struct ken_bond *bond)
{
    static const int weights[] = {
        [KEN_BOND_SINGLE] = 1,    [KEN_BOND_DOUBLE] = 2,   [KEN_BOND_TRIPLE] = 3,
        [KEN_BOND_QUADRUPLE] = 4, [KEN_BOND_AROMATIC] = 1, [KEN_BOND_ANY] = 1
    };
    return weights[bond->order];
}

struct bonding {
    int weight; /* sum of weight() over all bonds of the atom */
    /* Whether the atom has an aromatic bond or is one of two aromatic atoms with another kind of
     * bond between them, such as those in "c1ccc*cc1", whose ring is not wholly aromatic. */
    bool ring;
    bool multiple;
};

/* Summarises the bonds of an atom. An aromatic atom without an aromatic neighbour is treated like
 * any other atom, because it has nobody to share electrons with. */
static struct bonding bonding_of(const ken_molecule *molecule, size_t atom)
{
    const struct ken_atom *atoms = molecule->atoms;
    struct bonding bonding = { .weight = 0 };
    for (uint32_t k = molecule->start[atom]; k < molecule->start[atom + 1]; k++) {
        const struct ken_bond *bond = &molecule->bonds[molecule->touching[k]];
        bonding.weight += weight(bond);
        bonding.ring |= bond->order == KEN_BOND_AROMATIC ||
                        (atoms[bond->from].aromatic && atoms[bond->to].aromatic);
        bonding.multiple |= weight(bond) > 1;
    }
    return bonding;
}

/* Returns the number of hydrogens that SMILES leaves unwritten: as many as fill the atom up to the
 * next usual valence of its element (OpenSMILES 3.1.5). For an aromatic atom only the first usual
 * valence counts, and one electron is given to the ring. */
static uint8_t implied_hydrogens(const ken_molecule *molecule, size_t atom)
{
    static const struct {
        uint8_t element, valences[4];
    } usual[] = { { 5, { 3 } },     { 6, { 4 } },        { 7, { 3, 5 } }, { 8, { 2 } },
                  { 15, { 3, 5 } }, { 16, { 2, 4, 6 } }, { 9, { 1 } },    { 17, { 1 } },
                  { 35, { 1 } },    { 53, { 1 } } };
    struct bonding bonding = bonding_of(molecule, atom);
    int used = bonding.weight + (bonding.ring ? 1 : 0);
    for (size_t i = 0; i < KEN_COUNT(usual); i++) {
        if (usual[i].element != molecule->atoms[atom].element) continue;
        for (const uint8_t *valence = usual[i].valences; *valence; valence++) {
            if (*valence >= used) return (uint8_t)(*valence - used);
            if (bonding.ring || molecule->atoms[atom].aromatic) break;
        }
    }
    return 0;
}

/* ---- Electrons: hybridisation and conjugation ----------------------------------------------- */

/* Estimates the hybridisation of an atom: 2 directions in space make sp, 3 make sp2, 4 make sp3.
 * Each neighbour and each lone pair takes one direction. Lone pairs are computed from the outer
 * electrons that charge and bonds leave over. */
static enum ken_hybrid hybrid_of(const ken_molecule *molecule, size_t i,
                                 const struct bonding *bonding)
{
    static const enum ken_hybrid
        hybrids[] = { [2] = KEN_HYBRID_SP, [3] = KEN_HYBRID_SP2, [4] = KEN_HYBRID_SP3 };
    const struct ken_atom *atom = &molecule->atoms[i];
    int outer = ken_elements[atom->element].outer;
    if (bonding->ring) return KEN_HYBRID_SP2;
    if (outer == 0) return KEN_HYBRID_NONE;
    int left = outer - atom->charge - bonding->weight - atom->hydrogens;
    size_t directions = degree(molecule, i) + atom->hydrogens + (left > 0 ? (size_t)left / 2 : 0);
    return directions < KEN_COUNT(hybrids) ? hybrids[directions] : KEN_HYBRID_NONE;
}

/* Sets the hybridisation of each atom, and `pi`: whether the atom has electrons to share with its
 * neighbours. The sulphur of a sulphone has no such electrons: it is sp3 in spite of its double
 * bonds. */
static void find_electrons(ken_molecule *molecule)
{
    for (size_t i = 0; i < molecule->atom_count; i++) {
        struct ken_atom *atom = &molecule->atoms[i];
        struct bonding bonding = bonding_of(molecule, i);
        atom->hybrid = (uint8_t)hybrid_of(molecule, i, &bonding);
        atom->pi = (bonding.ring || bonding.multiple) && atom->hybrid != KEN_HYBRID_SP3;
    }
}

/* Makes nitrogen and oxygen flat (sp2) if they give a lone pair to a neighbour with `pi`, such as
 * the N of an amide or the O of an ester. An sp3 atom has four directions; each direction without a
 * neighbour holds a lone pair. */
static void flatten_pairs(ken_molecule *molecule)
{
    for (size_t i = 0; i < molecule->atom_count; i++) {
        struct ken_atom *atom = &molecule->atoms[i];
        bool able = (atom->element == 7 || atom->element == 8) && atom->hybrid == KEN_HYBRID_SP3 &&
                    degree(molecule, i) + atom->hydrogens < 4;
        for (uint32_t k = molecule->start[i]; able && k < molecule->start[i + 1]; k++) {
            const struct ken_bond *bond = &molecule->bonds[molecule->touching[k]];
            if (molecule->atoms[ken_bond_other(bond, i)].pi) atom->hybrid = KEN_HYBRID_SP2;
        }
    }
}

/* Marks the conjugated bonds: aromatic bonds; single bonds between an atom with `pi` and another
 * atom that has `pi` or is flat (sp2); and multiple bonds next to such a single bond. */
static void find_conjugation(ken_molecule *molecule)
{
    for (size_t i = 0; i < molecule->bond_count; i++) {
        struct ken_bond *bond = &molecule->bonds[i];
        const struct ken_atom *a = &molecule->atoms[bond->from], *b = &molecule->atoms[bond->to];
        bool both = (a->pi && (b->pi || b->hybrid == KEN_HYBRID_SP2)) ||
                    (b->pi && a->hybrid == KEN_HYBRID_SP2);
        bond->conjugated = bond->order == KEN_BOND_AROMATIC ||
                           (bond->order == KEN_BOND_SINGLE && both);
    }
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const uint32_t *first = molecule->touching + molecule->start[i];
        const uint32_t *end = molecule->touching + molecule->start[i + 1];
        bool beside = false;
        for (const uint32_t *id = first; id < end && !beside; id++)
            beside = molecule->bonds[*id].order == KEN_BOND_SINGLE &&
                     molecule->bonds[*id].conjugated;
        for (const uint32_t *id = first; id < end && beside; id++)
            if (weight(&molecule->bonds[*id]) > 1) molecule->bonds[*id].conjugated = true;
    }
}

ken_status ken_molecule_finish(ken_molecule *molecule, size_t *twice)
{
    *twice = SIZE_MAX;
    KEN_TRY(make_graph_room(molecule));
    connect(molecule);
    *twice = find_twice(molecule);
    if (*twice != SIZE_MAX) return KEN_OK;
    KEN_TRY(ken_molecule_find_rings(molecule));
    for (size_t i = 0; i < molecule->atom_count; i++)
        if (!molecule->atoms[i].hydrogens_given)
            molecule->atoms[i].hydrogens = implied_hydrogens(molecule, i);
    find_electrons(molecule);
    flatten_pairs(molecule);
    find_conjugation(molecule);
    return KEN_OK;
}
