/* test_molecule.c - properties that follow from atoms and bonds: sizes of rings, hybridisation,
 * conjugation, and the rows of numbers. Molecules are written as SMILES, which test_smiles.c
 * tests. */
#include "chem/molecule_rows.h"

#include "base/buffer.h"
#include "base/size.h"
#include "chem/elements.h"
#include "chem/smiles.h"
#include "tests/unit.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTH = 64, MOST_ATOMS = 32 };

static void read_text(ken_molecule *molecule, const char *text)
{
    if (ken_smiles_read(molecule, text, strlen(text))) fail_msg("%s: %s", text, ken_last_error());
}

/* The expected text has one digit for each atom or bond: the size of its smallest ring, its
 * hybridisation, or whether it is conjugated. */
enum derived { RINGS, HYBRIDS, CONJUGATED };

static const struct {
    enum derived what;
    const char *text, *digits;
} derived[] = {
    { RINGS, "CC1CC1C", "03330" },
    { RINGS, "C1CCC12CCCC2", "44445555" },
    { RINGS, "c1ccc2[nH]ccc2c1", "666555556" },
    { RINGS, "C12C3C4C1C5C2C3C45", "44444444" }, /* cubane */
    { RINGS, "C1CC2CCC1C2", "5555555" }, /* norbornane: the ring of 6 is never the smallest */
    { RINGS, "C1CCCCCC1", "7777777" },
    { RINGS, "C1CCCCCCC1", "88888888" },
    { RINGS, "C1CCCCCCCC1", "000000000" }, /* rings of nine are not reported */
    { RINGS, "C1CCCCCC2CC12", "888888333" },
    { RINGS, "C1CC1CC1CC1", "3330333" },
    { RINGS, "C1CC1.C1CCC1.C", "33344440" },
    { RINGS, "C123.C14.C25.C36.C456", "44444" }, /* two atoms joined in three ways */
    { RINGS, "[Fe]123.C1=C2.C34CC4", "333333" },
    { HYBRIDS, "C", "3" },
    { HYBRIDS, "C=C", "22" },
    { HYBRIDS, "C#C", "11" },
    { HYBRIDS, "C=C=C", "212" },
    { HYBRIDS, "CC#N", "311" },
    { HYBRIDS, "N=[N+]=[N-]", "212" },
    { HYBRIDS, "CCOC", "3333" },
    { HYBRIDS, "CC(=O)OC", "32223" }, /* the lone pair of the ester's O takes part */
    { HYBRIDS, "CC(=O)NC", "32223" },
    { HYBRIDS, "CCN", "333" },
    { HYBRIDS, "Nc1ccccc1", "2222222" },
    { HYBRIDS, "CC(=O)[O-]", "3222" },
    { HYBRIDS, "C[N+](C)(C)C(=O)C", "3333223" },
    { HYBRIDS, "CS(=O)(=O)C", "33223" },
    { HYBRIDS, "CS(C)=O", "3332" },
    { HYBRIDS, "OP(=O)(O)O", "33233" },
    { HYBRIDS, "FC(Cl)(Br)I", "33333" },
    { HYBRIDS, "CB(C)C", "3233" },
    { HYBRIDS, "[CH3+]", "2" },
    { HYBRIDS, "[Na+].[Cl-]", "03" },
    { HYBRIDS, "[H][H]", "00" },
    { HYBRIDS, "FS(F)(F)(F)(F)F", "3033333" },
    { HYBRIDS, "[Fe]*", "00" },
    { HYBRIDS, "c1ccoc1", "22222" },
    { CONJUGATED, "C=C", "0" },
    { CONJUGATED, "C=CC=C", "111" },
    { CONJUGATED, "C=CCC=C", "0000" },
    { CONJUGATED, "C=CC#N", "111" },
    { CONJUGATED, "Cc1ccccc1", "0111111" },
    { CONJUGATED, "c1ccccc1C=O", "11111111" },
    { CONJUGATED, "CC(=O)NC", "0110" },
    { CONJUGATED, "CCOC", "000" },
    { CONJUGATED, "C=CO", "11" },
    { CONJUGATED, "C=CS(=O)(=O)C", "00000" }, /* conjugation does not pass a sulphone */
    { CONJUGATED, "C=C[CH2+]", "11" },
};

static void derived_facts(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    for (size_t i = 0; i < KEN_COUNT(derived); i++) {
        char digits[MOST_ATOMS + 1] = "";
        read_text(&molecule, derived[i].text);
        size_t count = derived[i].what == CONJUGATED ? molecule.bond_count : molecule.atom_count;
        assert_true(count <= MOST_ATOMS);
        for (size_t k = 0; k < count; k++) {
            int value = derived[i].what == RINGS     ? molecule.atoms[k].ring
                        : derived[i].what == HYBRIDS ? molecule.atoms[k].hybrid
                                                     : molecule.bonds[k].conjugated;
            digits[k] = (char)('0' + value);
        }
        if (strcmp(digits, derived[i].digits) != 0) fail_msg("%s: %s", derived[i].text, digits);
    }
    ken_molecule_release(&molecule);
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static float number_in(const float *row, const char *name)
{
    for (size_t i = 0; ken_molecule_atom_name(i); i++)
        if (strcmp(ken_molecule_atom_name(i), name) == 0) return row[i];
    fail_msg("no column %s", name);
    return 0;
}

/* The names of all columns that are 1, in their order. */
static const char *ones(const float *row, const char *(*name)(size_t column), size_t width)
{
    static ken_buffer out;
    ken_buffer_clear(&out);
    for (size_t i = 0; i < width; i++)
        if (row[i] == 1) ken_buffer_format(&out, "%s%s", out.size ? ", " : "", name(i));
    return ken_buffer_string(&out);
}

static const struct {
    const char *text;
    size_t atom;
    const char *ones;
    float charge, mass, electronegativity, valence; /* these are not whole numbers */
} atom_rows[] = {
    { "CCO", 0, "element C, degree 1, charge 0, hydrogens 3, hybrid sp3, valence / 4", 0, 12.011f,
      2.55f, 4 },
    { "CCO", 2, "element O, degree 1, charge 0, hydrogens 1, hybrid sp3", 0, 15.999f, 3.44f, 2 },
    { "C", 0, "element C, degree 0, charge 0, hydrogens 4 or more, hybrid sp3, valence / 4", 0,
      12.011f, 2.55f, 4 },
    { "[H]C([H])([H])[2H]", 1,
      "element C, degree 0, charge 0, hydrogens 4 or more, hybrid sp3, valence / 4", 0, 12.011f,
      2.55f, 4 },
    { "[H]C([H])([H])[2H]", 4, "element H, degree 1, charge 0, hydrogens 0", 0, 2, 2.20f, 1 },
    { "[13CH3-]", 0, "element C, degree 0, charge -, hydrogens 3, hybrid sp3", -1, 13, 2.55f, 3 },
    { "[nH]1cccc1", 0,
      "element N, degree 2, charge 0, hydrogens 1, aromatic, in ring, ring 5, hybrid sp2, valence "
      "/ 4",
      0, 14.007f, 3.04f, 4 },
    { "N[C@@H](C)C(=O)O", 1,
      "element C, degree 3, charge 0, hydrogens 1, hybrid sp3, chiral @@, valence / 4", 0, 12.011f,
      2.55f, 4 },
    { "C[S@AL1](N)O", 1, "element S, degree 3, charge 0, hydrogens 0, hybrid sp3, chiral @", 0,
      32.06f, 2.58f, 3 },
    { "[Co@OH7+3](C)(C)(C)(C)(C)(C)C", 0,
      "element other, degree 6 or more, charge +, hydrogens 0, chiral other", 3, 58.933f, 1.88f,
      7 },
    { "*", 0, "element other, degree 0, charge 0, hydrogens 0", 0, 0, 0, 0 },
    { "[Sn+]", 0, "element Sn, degree 0, charge, charge +, hydrogens 0", 1, 118.71f, 1.96f, 0 },
    { "C1CCCCCCCC1", 0,
      "element C, degree 2, charge 0, hydrogens 2, in ring, hybrid sp3, valence / 4", 0, 12.011f,
      2.55f, 4 },
};

static void rows_of_atoms(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    float row[MOST_WIDTH];
    assert_int_equal(ken_molecule_atom_width(), 56);
    for (size_t i = 0; i < KEN_COUNT(atom_rows); i++) {
        read_text(&molecule, atom_rows[i].text);
        ken_molecule_atom_row(row, &molecule, atom_rows[i].atom);
        assert_string_equal(ones(row, ken_molecule_atom_name, ken_molecule_atom_width()),
                            atom_rows[i].ones);
        assert_true(number_in(row, "charge") == atom_rows[i].charge);
        assert_float_equal(number_in(row, "mass / 100"), atom_rows[i].mass / 100, 1e-6);
        assert_float_equal(number_in(row, "electronegativity / 4"),
                           atom_rows[i].electronegativity / 4, 1e-6);
        assert_float_equal(number_in(row, "valence / 4"), atom_rows[i].valence / 4, 1e-6);
    }
    ken_molecule_release(&molecule);
}

static void rows_of_bonds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *ones[4];
    } cases[] = {
        { "F/C=C\\F", { "single, direction /", "double", "single, direction \\" } },
        { "CC#N", { "single", "triple" } },
        { "C$C~C", { "", "" } },
        { "C=CC=O", { "double, conjugated", "single, conjugated", "double, conjugated" } },
        { "c1cc1",
          { "aromatic, conjugated, in ring", "aromatic, conjugated, in ring",
            "aromatic, conjugated, in ring" } },
        { "C1CC1", { "single, in ring", "single, in ring", "single, in ring" } },
    };
    ken_molecule molecule = { 0 };
    float row[MOST_WIDTH];
    assert_int_equal(ken_molecule_bond_width(), 8);
    for (size_t i = 0; i < KEN_COUNT(cases); i++) {
        read_text(&molecule, cases[i].text);
        for (size_t k = 0; k < molecule.bond_count; k++) {
            ken_molecule_bond_row(row, &molecule, k);
            assert_string_equal(ones(row, ken_molecule_bond_name, ken_molecule_bond_width()),
                                cases[i].ones[k]);
        }
    }
    ken_molecule_release(&molecule);
}

/* Every column has a name of its own, there are as many names as columns, and each element has a
 * column with its symbol or the column "other". */
static void names_of_columns(void **state)
{
    (void)state;
    size_t width = ken_molecule_atom_width();
    assert_true(width <= MOST_WIDTH);
    assert_null(ken_molecule_atom_name(width));
    assert_null(ken_molecule_bond_name(ken_molecule_bond_width()));
    for (size_t i = 0; i < width; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ken_molecule_atom_name(i), ken_molecule_atom_name(k));
    for (size_t i = 0; i < ken_molecule_bond_width(); i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(ken_molecule_bond_name(i), ken_molecule_bond_name(k));
    ken_molecule molecule = { 0 };
    size_t others = 0;
    for (size_t element = 0; element < KEN_ELEMENTS; element++) {
        char text[8], name[16];
        float row[MOST_WIDTH];
        snprintf(text, sizeof text, "[%.2s]", ken_elements[element].symbol);
        snprintf(name, sizeof name, "element %.2s", ken_elements[element].symbol);
        read_text(&molecule, text);
        ken_molecule_atom_row(row, &molecule, 0);
        size_t column = 0;
        while (row[column] != 1) column++;
        if (strcmp(ken_molecule_atom_name(column), "element other") == 0) others++;
        else assert_string_equal(ken_molecule_atom_name(column), name);
    }
    assert_int_equal(others, KEN_ELEMENTS - 22);
    ken_molecule_release(&molecule);
}

/* ---- The same molecule, written differently -------------------------------------------------- */

static size_t sorted_width;

static int compare_rows(const void *a, const void *b)
{
    const float *x = a, *y = b;
    for (size_t i = 0; i < sorted_width; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* The rows of all atoms or all bonds, sorted by their numbers. Marks of chirality and direction
 * depend on the order of writing, so texts without such marks are compared. */
static size_t sorted_rows(float *rows, const char *text, bool bonds)
{
    ken_molecule molecule = { 0 };
    read_text(&molecule, text);
    sorted_width = bonds ? ken_molecule_bond_width() : ken_molecule_atom_width();
    size_t count = bonds ? molecule.bond_count : molecule.atom_count;
    assert_true(count <= MOST_ATOMS);
    for (size_t i = 0; i < count; i++) {
        if (bonds) ken_molecule_bond_row(rows + i * sorted_width, &molecule, i);
        else ken_molecule_atom_row(rows + i * sorted_width, &molecule, i);
    }
    qsort(rows, count, sorted_width * sizeof *rows, compare_rows);
    ken_molecule_release(&molecule);
    return count;
}

static void other_spellings(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        { "CCO", "OCC" },
        { "CCO", "C(O)C" },
        { "CCO", "[CH3][CH2][OH]" },
        { "CCO", "C1C.O1" },
        { "CC(=O)Oc1ccccc1C(=O)O", "OC(=O)c1ccccc1OC(C)=O" },
        { "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "O=c1n(C)c(=O)c2n(C)cnc2n1C" },
        { "c1ccccc1-c2ccccc2", "c1ccc(cc1)c1ccccc1" },
        { "c1ccc2c(c1)Cc1ccccc12", "c%10ccc%11-c3c(cccc3)Cc%11c%10" },
        { "C1CC12CC2", "C12(CC1)CC2" },
        { "[Na+].[O-]C(=O)C", "CC(=O)[O-].[Na+]" },
        { "C1CCC=C1", "C=1CCCC1" },
    };
    static float rows[2][MOST_ATOMS * MOST_WIDTH];
    for (size_t i = 0; i < KEN_COUNT(pairs); i++)
        for (int bonds = 0; bonds < 2; bonds++) {
            size_t count = sorted_rows(rows[0], pairs[i][0], bonds);
            assert_int_equal(sorted_rows(rows[1], pairs[i][1], bonds), count);
            if (memcmp(rows[0], rows[1], count * sorted_width * sizeof **rows) != 0)
                fail_msg("%s and %s differ", pairs[i][0], pairs[i][1]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derived_facts),   cmocka_unit_test(rows_of_atoms),
        cmocka_unit_test(rows_of_bonds),   cmocka_unit_test(names_of_columns),
        cmocka_unit_test(other_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
