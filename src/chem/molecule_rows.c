/* molecule_rows.c - makes rows of numbers from molecules, by two tables of columns: one for atoms
 * and one for bonds. A column has a name, a quantity and a value. If the quantity is a choice
 * (one-hot), the column is 1 where the quantity has that value, else 0; if the quantity is a
 * number, the column is that number. Width, names and rows all come from the tables, so they cannot
 * disagree. New columns may only be added at the end, because a trained model knows columns by
 * their index. */
#include "chem/molecule_rows.h"

#include "base/size.h"
#include "chem/elements.h"

/* The quantities of an atom that columns show. Those before ATOM_CHOICES are choices, whose columns
 * are one-hot; the others are numbers. */
enum atom_quantity {
    ELEMENT,
    DEGREE,
    SIGN,
    HYDROGENS,
    AROMATIC,
    IN_RING,
    RING,
    HYBRID,
    CHIRAL,
    ATOM_CHOICES,
    CHARGE = ATOM_CHOICES,
    MASS,
    ELECTRONEGATIVITY,
    VALENCE,
    ATOM_QUANTITIES
};

enum bond_quantity { ORDER, CONJUGATED, BOND_IN_RING, DIRECTION, BOND_QUANTITIES };

enum { OTHER = -1, MOST_DEGREE = 6, MOST_HYDROGENS = 4, CHIRAL_OTHER = 3 };

struct column {
    const char *name;
    int quantity, value;
};

static const struct column atom_columns[] = {
    { "element H", ELEMENT, 1 },
    { "element B", ELEMENT, 5 },
    { "element C", ELEMENT, 6 },
    { "element N", ELEMENT, 7 },
    { "element O", ELEMENT, 8 },
    { "element F", ELEMENT, 9 },
    { "element Na", ELEMENT, 11 },
    { "element Mg", ELEMENT, 12 },
    { "element Al", ELEMENT, 13 },
    { "element Si", ELEMENT, 14 },
    { "element P", ELEMENT, 15 },
    { "element S", ELEMENT, 16 },
    { "element Cl", ELEMENT, 17 },
    { "element K", ELEMENT, 19 },
    { "element Ca", ELEMENT, 20 },
    { "element Zn", ELEMENT, 30 },
    { "element As", ELEMENT, 33 },
    { "element Se", ELEMENT, 34 },
    { "element Br", ELEMENT, 35 },
    { "element Sn", ELEMENT, 50 },
    { "element I", ELEMENT, 53 },
    { "element Hg", ELEMENT, 80 },
    { "element other", ELEMENT, OTHER },
    { "degree 0", DEGREE, 0 },
    { "degree 1", DEGREE, 1 },
    { "degree 2", DEGREE, 2 },
    { "degree 3", DEGREE, 3 },
    { "degree 4", DEGREE, 4 },
    { "degree 5", DEGREE, 5 },
    { "degree 6 or more", DEGREE, MOST_DEGREE },
    { "charge", CHARGE, 0 },
    { "charge -", SIGN, -1 },
    { "charge 0", SIGN, 0 },
    { "charge +", SIGN, 1 },
    { "hydrogens 0", HYDROGENS, 0 },
    { "hydrogens 1", HYDROGENS, 1 },
    { "hydrogens 2", HYDROGENS, 2 },
    { "hydrogens 3", HYDROGENS, 3 },
    { "hydrogens 4 or more", HYDROGENS, MOST_HYDROGENS },
    { "aromatic", AROMATIC, 1 },
    { "in ring", IN_RING, 1 },
    { "ring 3", RING, 3 },
    { "ring 4", RING, 4 },
    { "ring 5", RING, 5 },
    { "ring 6", RING, 6 },
    { "ring 7", RING, 7 },
    { "ring 8", RING, 8 },
    { "hybrid sp", HYBRID, KEN_HYBRID_SP },
    { "hybrid sp2", HYBRID, KEN_HYBRID_SP2 },
    { "hybrid sp3", HYBRID, KEN_HYBRID_SP3 },
    { "chiral @", CHIRAL, 1 },
    { "chiral @@", CHIRAL, 2 },
    { "chiral other", CHIRAL, CHIRAL_OTHER },
    { "mass / 100", MASS, 0 },
    { "electronegativity / 4", ELECTRONEGATIVITY, 0 },
    { "valence / 4", VALENCE, 0 },
};

static const struct column bond_columns[] = {
    { "single", ORDER, KEN_BOND_SINGLE },      { "double", ORDER, KEN_BOND_DOUBLE },
    { "triple", ORDER, KEN_BOND_TRIPLE },      { "aromatic", ORDER, KEN_BOND_AROMATIC },
    { "conjugated", CONJUGATED, 1 },           { "in ring", BOND_IN_RING, 1 },
    { "direction /", DIRECTION, KEN_BOND_UP }, { "direction \\", DIRECTION, KEN_BOND_DOWN },
};

size_t ken_molecule_atom_width(void)
{
    return KEN_COUNT(atom_columns);
}

size_t ken_molecule_bond_width(void)
{
    return KEN_COUNT(bond_columns);
}

const char *ken_molecule_atom_name(size_t column)
{
    return column < KEN_COUNT(atom_columns) ? atom_columns[column].name : NULL;
}

const char *ken_molecule_bond_name(size_t column)
{
    return column < KEN_COUNT(bond_columns) ? bond_columns[column].name : NULL;
}

/* ---- Atoms ----------------------------------------------------------------------------------- */

/* Returns the element if the table has a column for it, else OTHER. */
static int usual_element(int element)
{
    for (size_t i = 0; i < KEN_COUNT(atom_columns); i++)
        if (atom_columns[i].quantity == ELEMENT && atom_columns[i].value == element) return element;
    return OTHER;
}

/* Properties of an atom that follow from its bonds. */
struct around {
    size_t heavy, hydrogens; /* number of neighbours that are heavy atoms; number of hydrogens */
    float valence;
};

static struct around look_around(const ken_molecule *molecule, size_t atom)
{
    static const float orders[] = {
        [KEN_BOND_SINGLE] = 1,    [KEN_BOND_DOUBLE] = 2,      [KEN_BOND_TRIPLE] = 3,
        [KEN_BOND_QUADRUPLE] = 4, [KEN_BOND_AROMATIC] = 1.5f, [KEN_BOND_ANY] = 1
    };
    struct around around = { .hydrogens = molecule->atoms[atom].hydrogens };
    around.valence = (float)around.hydrogens;
    for (uint32_t k = molecule->start[atom]; k < molecule->start[atom + 1]; k++) {
        const struct ken_bond *bond = &molecule->bonds[molecule->touching[k]];
        bool hydrogen = molecule->atoms[ken_bond_other(bond, atom)].element == 1;
        around.heavy += !hydrogen;
        around.hydrogens += hydrogen;
        around.valence += orders[bond->order];
    }
    return around;
}

/* Returns the column value for the chirality of an atom. The marks @ and @@ mean TH1 and TH2 if the
 * atom has four neighbours, AL1 and AL2 if it has two. All other chirality classes share one
 * column, because they occur in too few molecules. */
static int chiral_choice(const struct ken_atom *atom)
{
    bool two = atom->chirality == KEN_CHIRAL_PLAIN || atom->chirality == KEN_CHIRAL_TETRAHEDRON ||
               atom->chirality == KEN_CHIRAL_ALLENE;
    if (atom->chirality == KEN_CHIRAL_NONE) return 0;
    return two ? atom->chiral_number : CHIRAL_OTHER;
}

/* Fills the row of atom i. Numbers are scaled to about 1, because layers with initial weights
 * expect this size. */
void ken_molecule_atom_row(float *row, const ken_molecule *molecule, size_t i)
{
    const struct ken_atom *atom = &molecule->atoms[i];
    const struct ken_element *element = &ken_elements[atom->element];
    struct around around = look_around(molecule, i);
    const int choices[ATOM_CHOICES] = {
        [ELEMENT] = usual_element(atom->element),
        [DEGREE] = (int)ken_size_min(around.heavy, MOST_DEGREE),
        [SIGN] = (atom->charge > 0) - (atom->charge < 0),
        [HYDROGENS] = (int)ken_size_min(around.hydrogens, MOST_HYDROGENS),
        [AROMATIC] = atom->aromatic,
        [IN_RING] = atom->in_ring,
        [RING] = atom->ring,
        [HYBRID] = atom->hybrid,
        [CHIRAL] = chiral_choice(atom),
    };
    const float numbers[ATOM_QUANTITIES] = {
        [CHARGE] = atom->charge,
        [MASS] = (atom->isotope ? (float)atom->isotope : element->mass) / 100,
        [ELECTRONEGATIVITY] = element->electronegativity / 4,
        [VALENCE] = around.valence / 4,
    };
    for (size_t c = 0; c < KEN_COUNT(atom_columns); c++) {
        const struct column *column = &atom_columns[c];
        bool choice = column->quantity < ATOM_CHOICES;
        row[c] = choice ? (float)(choices[column->quantity] == column->value)
                        : numbers[column->quantity];
    }
}

/* ---- Bonds ----------------------------------------------------------------------------------- */

void ken_molecule_bond_row(float *row, const ken_molecule *molecule, size_t i)
{
    const struct ken_bond *bond = &molecule->bonds[i];
    const int choices[BOND_QUANTITIES] = { [ORDER] = bond->order,
                                           [CONJUGATED] = bond->conjugated,
                                           [BOND_IN_RING] = bond->in_ring,
                                           [DIRECTION] = bond->direction };
    for (size_t c = 0; c < KEN_COUNT(bond_columns); c++)
        row[c] = (float)(choices[bond_columns[c].quantity] == bond_columns[c].value);
}
