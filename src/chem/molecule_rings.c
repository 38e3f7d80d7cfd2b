/* molecule_rings.c - finds which atoms and bonds are in rings, and the size of the smallest ring of
 * each atom. A bond is in a ring exactly if it is not a bridge of the graph. One depth-first walk
 * finds all bridges (Tarjan 1974). The walk keeps its path in arrays instead of using recursion,
 * because in a chain of 65535 atoms the recursion would be 65535 calls deep. */
#include "chem/molecule.h"

#include "base/memory.h"

#include <string.h>

/* LARGEST is the largest ring size that is measured. MOST_LOOKED_AT limits the number of bonds that
 * the search for one ring looks at, so that no input makes it slow. In real molecules, even in
 * metal clusters, only a few hundred bonds are within 4 bonds of an atom. */
enum { LARGEST = 8, MOST_LOOKED_AT = 4096 };

static const uint32_t NONE = UINT32_MAX;

/* ---- Bridges --------------------------------------------------------------------------------- */

struct walk {
    const ken_molecule *molecule;
    bool aromatic;    /* whether the walk follows only bonds that could be aromatic               */
    uint32_t *number; /* for each atom: order of the first visit, from 1; 0 = not visited         */
    uint32_t *lowest; /* for each atom: lowest `number` that its subtree reaches by one more bond */
    /* For each atom: the bond by which the walk came to it; NONE for the first atom of a
     * component. */
    uint32_t *way;
    uint32_t *next; /* for each atom: index in molecule->touching of the bond to follow next */
    bool *in_ring;  /* result, for each bond: whether it is in a ring                        */
};

static bool passable(const struct walk *walk, const struct ken_bond *bond)
{
    const struct ken_atom *atoms = walk->molecule->atoms;
    if (!walk->aromatic) return true;
    return (bond->order == KEN_BOND_UNSPECIFIED || bond->order == KEN_BOND_AROMATIC) &&
           atoms[bond->from].aromatic && atoms[bond->to].aromatic;
}

/* Makes one step of the depth-first walk: looks at the next bond of `atom`, which must have one
 * left. Returns the atom at the other end if the walk goes there for the first time, else
 * `atom`. */
static uint32_t step_down(struct walk *walk, uint32_t atom, uint32_t *visited)
{
    uint32_t id = walk->molecule->touching[walk->next[atom]++];
    const struct ken_bond *bond = &walk->molecule->bonds[id];
    if (id == walk->way[atom] || !passable(walk, bond)) return atom;
    uint32_t other = ken_bond_other(bond, atom);
    if (walk->number[other] == 0) {
        walk->number[other] = walk->lowest[other] = ++*visited;
        walk->way[other] = id;
        return other;
    }
    /* A bond to an atom that was visited before closes a ring. */
    walk->in_ring[id] = true;
    if (walk->number[other] < walk->lowest[atom]) walk->lowest[atom] = walk->number[other];
    return atom;
}

static uint32_t step_up(struct walk *walk, uint32_t atom)
{
    uint32_t id = walk->way[atom];
    uint32_t parent = ken_bond_other(&walk->molecule->bonds[id], atom);
    walk->in_ring[id] = walk->lowest[atom] <= walk->number[parent];
    if (walk->lowest[atom] < walk->lowest[parent]) walk->lowest[parent] = walk->lowest[atom];
    return parent;
}

/* Sets walk->in_ring for all bonds. Returns the number of connected components of the graph whose
 * edges are the bonds that the walk may follow. */
static size_t find_bridges(struct walk *walk)
{
    const ken_molecule *molecule = walk->molecule;
    size_t components = 0;
    uint32_t visited = 0;
    memset(walk->number, 0, molecule->atom_count * sizeof *walk->number);
    memset(walk->in_ring, 0, molecule->bond_count * sizeof *walk->in_ring);
    memcpy(walk->next, molecule->start, molecule->atom_count * sizeof *walk->next);
    for (uint32_t first = 0; first < molecule->atom_count; first++) {
        if (walk->number[first]) continue;
        walk->number[first] = walk->lowest[first] = ++visited;
        walk->way[first] = NONE;
        components++;
        for (uint32_t atom = first;;) {
            if (walk->next[atom] < molecule->start[atom + 1])
                atom = step_down(walk, atom, &visited);
            else if (walk->way[atom] != NONE) atom = step_up(walk, atom);
            else break;
        }
    }
    return components;
}

static void mark_rings(ken_molecule *molecule, struct walk *walk)
{
    walk->aromatic = false;
    molecule->component_count = find_bridges(walk);
    molecule->ring_count = molecule->bond_count + molecule->component_count - molecule->atom_count;
    for (size_t i = 0; i < molecule->bond_count; i++) {
        struct ken_bond *bond = &molecule->bonds[i];
        if (!walk->in_ring[i]) continue;
        bond->in_ring = true;
        molecule->atoms[bond->from].in_ring = molecule->atoms[bond->to].in_ring = true;
    }
}

static void settle_bonds(ken_molecule *molecule, struct walk *walk)
{
    walk->aromatic = true;
    find_bridges(walk);
    for (size_t i = 0; i < molecule->bond_count; i++)
        if (molecule->bonds[i].order == KEN_BOND_UNSPECIFIED)
            molecule->bonds[i].order = walk->in_ring[i] ? KEN_BOND_AROMATIC : KEN_BOND_SINGLE;
}

/* ---- The smallest ring of an atom ------------------------------------------------------------ */

struct search {
    uint32_t *far;  /* for each atom: distance from the start in bonds; NONE = not found          */
    uint32_t *side; /* for each atom: which neighbour of the start the shortest path goes through */
    uint32_t *queue; /* atoms in the order in which the search found them */
};

/* Returns the size of the smallest ring of an atom, by breadth-first search that starts at the
 * atom. A ring is found where a bond joins two atoms that were reached through different neighbours
 * of the starting atom. The search stops when only larger rings can follow: an atom at distance d
 * closes rings of at least 2 * d + 1 atoms. */
static uint8_t smallest_ring(const struct search *search, const ken_molecule *molecule,
                             uint32_t atom)
{
    uint32_t best = LARGEST + 1, count = 0, looked_at = 0;
    search->queue[count++] = atom;
    search->far[atom] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t here = search->queue[i], far = search->far[here];
        looked_at += molecule->start[here + 1] - molecule->start[here];
        if (2 * far + 1 >= best || looked_at > MOST_LOOKED_AT) break;
        for (uint32_t k = molecule->start[here]; k < molecule->start[here + 1]; k++) {
            const struct ken_bond *bond = &molecule->bonds[molecule->touching[k]];
            uint32_t there = ken_bond_other(bond, here);
            if (!bond->in_ring || there == atom) continue;
            if (search->far[there] == NONE) {
                search->far[there] = far + 1;
                search->side[there] = far == 0 ? there : search->side[here];
                search->queue[count++] = there;
            } else if (far > 0 && search->side[there] != search->side[here]) {
                uint32_t size = far + search->far[there] + 1;
                if (size < best) best = size;
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) search->far[search->queue[i]] = NONE;
    return (uint8_t)(best <= LARGEST ? best : 0);
}

static void measure_rings(ken_molecule *molecule, const struct search *search)
{
    memset(search->far, 0xff, molecule->atom_count * sizeof *search->far);
    for (uint32_t i = 0; i < molecule->atom_count; i++)
        if (molecule->atoms[i].in_ring)
            molecule->atoms[i].ring = smallest_ring(search, molecule, i);
}

ken_status ken_molecule_find_rings(ken_molecule *molecule)
{
    size_t n = molecule->atom_count;
    uint32_t *work = ken_memory_new(4 * n, sizeof *work);
    bool *in_ring = ken_memory_new(molecule->bond_count, sizeof *in_ring);
    ken_status status = KEN_OK;
    if (work && in_ring) {
        struct walk walk = { .molecule = molecule, .in_ring = in_ring };
        walk.number = work;
        walk.lowest = work + n;
        walk.way = work + 2 * n;
        walk.next = work + 3 * n;
        mark_rings(molecule, &walk);
        settle_bonds(molecule, &walk);
        if (molecule->ring_count > 0)
            measure_rings(molecule, &(struct search){ work, work + n, work + 2 * n });
    } else {
        status = ken_fail(KEN_ERR_MEMORY, "no memory for the rings of %zu atoms", n);
    }
    ken_memory_free(in_ring);
    ken_memory_free(work);
    return status;
}
