/* test_smiles_hostile.c - very deep, very long and malformed SMILES, and allocations that fail:
 * nothing crashes or leaks, and accepted text gives a consistent molecule. */
#include "chem/smiles.h"

#include "base/buffer.h"
#include "base/fault.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "tests/unit.h"

#include <stdio.h>
#include <string.h>

static void repeat(ken_buffer *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) ken_buffer_text(out, text);
}

static ken_status read_buffer(ken_molecule *molecule, const ken_buffer *text)
{
    return ken_smiles_read(molecule, text->data, text->size);
}

static void refused(ken_molecule *molecule, const ken_buffer *text, const char *message)
{
    assert_int_equal(read_buffer(molecule, text), KEN_ERR_FORMAT);
    assert_string_equal(ken_last_error(), message);
    assert_int_equal(molecule->atom_count, 0);
}

static void deep_branches(void **state)
{
    (void)state;
    enum { DEPTH = 30000 };
    ken_buffer text = { 0 };
    ken_molecule molecule = { 0 };
    repeat(&text, "C(", DEPTH);
    ken_buffer_text(&text, "C");
    refused(&molecule, &text, "column 60000: the branch is never closed");
    repeat(&text, ")", DEPTH);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.atom_count, DEPTH + 1);
    assert_int_equal(molecule.bond_count, DEPTH);
    assert_int_equal(molecule.component_count, 1);
    ken_buffer_text(&text, ")");
    refused(&molecule, &text, "column 90002: ) closes no branch, none is open here");
    ken_buffer_clear(&text);
    repeat(&text, "C(", 300);
    refused(&molecule, &text,
            "column 601: expected an atom, a bond or a dot after (, found the end");
    ken_buffer_release(&text);
    ken_molecule_release(&molecule);
}

/* A ladder whose rings are closed only after all of them were opened. */
static void many_open_rings(void **state)
{
    (void)state;
    enum { RINGS = 5000 };
    ken_buffer text = { 0 };
    ken_molecule molecule = { 0 };
    for (int i = 0; i < RINGS; i++) ken_buffer_format(&text, "C%%(%d)", i);
    refused(&molecule, &text, "column 2: ring 0 is never closed");
    for (int i = RINGS; i-- > 0;) ken_buffer_format(&text, "C%%(%d)", i);
    refused(&molecule, &text, "column 38892: the ring's ends have a bond already");
    ken_buffer_clear(&text);
    for (int i = 0; i < RINGS; i++) ken_buffer_format(&text, "C%%(%d)", i);
    ken_buffer_text(&text, ".");
    for (int i = 0; i < RINGS; i++) ken_buffer_format(&text, "C%%(%d)", i);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.bond_count, 3 * RINGS - 2);
    assert_int_equal(molecule.ring_count, RINGS - 1);
    for (size_t i = 0; i < molecule.atom_count; i++) assert_int_equal(molecule.atoms[i].ring, 4);
    ken_buffer_release(&text);
    ken_molecule_release(&molecule);
}

/* A ring of the maximum number of atoms, then one atom more, and more bonds than allowed. */
static void limits(void **state)
{
    (void)state;
    ken_buffer text = { 0 };
    ken_molecule molecule = { 0 };
    ken_buffer_text(&text, "C1");
    repeat(&text, "C", KEN_MOLECULE_ATOMS - 1);
    ken_buffer_text(&text, "1");
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.atom_count, KEN_MOLECULE_ATOMS);
    assert_int_equal(molecule.ring_count, 1);
    for (size_t i = 0; i < molecule.atom_count; i++)
        assert_true(molecule.atoms[i].in_ring && molecule.atoms[i].ring == 0);
    ken_buffer_text(&text, "C");
    refused(&molecule, &text, "column 65538: the molecule has more than 65535 atoms");
    ken_buffer_clear(&text);
    repeat(&text, "C1.C1", KEN_MOLECULE_ATOMS / 2);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    ken_buffer_clear(&text);
    repeat(&text, "C12345.C12345", KEN_MOLECULE_ATOMS / 2); /* 6 bonds for 2 atoms */
    assert_int_equal(read_buffer(&molecule, &text), KEN_ERR_FORMAT);
    assert_non_null(strstr(ken_last_error(), ": the molecule has more than 131070 bonds"));
    ken_buffer_release(&text);
    ken_molecule_release(&molecule);
}

/* A wheel: searches from every atom pass a hub with very many bonds. */
static void make_wheel(ken_buffer *text, int spokes)
{
    ken_buffer_clear(text);
    ken_buffer_text(text, "C");
    for (int i = 0; i < spokes; i++) ken_buffer_format(text, "%%(%d)", i);
    for (int i = 0; i < spokes; i++) ken_buffer_format(text, "%sC%%(%d)", i > 0 ? "" : ".", i);
}

/* Two hubs joined by `ways` paths of three bonds: all rings have 6 atoms. */
static void make_bundle(ken_buffer *text, int ways)
{
    ken_buffer_clear(text);
    ken_buffer_text(text, "C");
    for (int i = 0; i < ways; i++) ken_buffer_format(text, "%%(%d)", i);
    ken_buffer_text(text, ".C");
    for (int i = 0; i < ways; i++) ken_buffer_format(text, "(CC%%(%d))", i);
}

static void hubs(void **state)
{
    (void)state;
    enum { FEW = 500, MANY = 32000 };
    ken_buffer text = { 0 };
    ken_molecule molecule = { 0 };
    make_wheel(&text, FEW);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    for (size_t i = 0; i < molecule.atom_count; i++) assert_int_equal(molecule.atoms[i].ring, 3);
    make_bundle(&text, FEW);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.ring_count, FEW - 1);
    for (size_t i = 0; i < molecule.atom_count; i++) assert_int_equal(molecule.atoms[i].ring, 6);
    /* these are hardly molecules; the test is that reading them does not take for ever */
    make_wheel(&text, MANY);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.ring_count, MANY - 1);
    make_bundle(&text, MANY);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.ring_count, MANY - 1);
    for (size_t i = 0; i < molecule.atom_count; i++) assert_true(molecule.atoms[i].in_ring);
    ken_buffer_clear(&text);
    ken_buffer_text(&text, "C");
    repeat(&text, "(=C)", KEN_MOLECULE_ATOMS - 1);
    assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
    assert_int_equal(molecule.bond_count, KEN_MOLECULE_ATOMS - 1);
    ken_buffer_release(&text);
    ken_molecule_release(&molecule);
}

static void no_memory(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    ken_buffer text = { 0 };
    uint64_t failures = 0;
    repeat(&text, "C(c%(300)ccccc%(300)", 20); /* makes every array grow several times */
    repeat(&text, ")", 20);
    for (uint64_t nth = 1;; nth++) {
        ken_molecule molecule = { 0 };
        ken_fault_arm(KEN_FAULT_MEMORY, nth, nth % 2 == 0);
        ken_status status = read_buffer(&molecule, &text);
        bool reached = ken_fault_calls(KEN_FAULT_MEMORY) >= nth;
        ken_fault_arm(KEN_FAULT_MEMORY, 0, false);
        assert_int_equal(status, reached ? KEN_ERR_MEMORY : KEN_OK);
        assert_int_equal(molecule.atom_count, reached ? 0 : 140);
        /* the molecule can be used again */
        assert_int_equal(read_buffer(&molecule, &text), KEN_OK);
        assert_int_equal(molecule.bond_count, 159);
        ken_molecule_release(&molecule);
        if (!reached) break;
        failures++;
        assert_true(nth < MOST);
    }
    assert_true(failures > 15);
    ken_buffer_release(&text);
}

/* ---- Any bytes ------------------------------------------------------------------------------- */

static const char *const seeds[] = {
    "CC(=O)Oc1ccccc1C(=O)O",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "N[C@@H](Cc1c[nH]c2ccccc12)C(=O)O",
    "C[C@]12CC[C@H]3[C@@H](CCC4=CC(=O)CC[C@]34C)[C@@H]1CC[C@@H]2O",
    "[Fe+2].c1cc[cH-]c1.c1cc[cH-]c1",
    "F/C=C/[13CH2:7]C#N",
    "C%10CC(S(=O)(=O)[O-])CC%10.[Na+]",
    "C1CC12CC2[Si](C)(C)Br",
    "c1ccc2c(c1)ccc1ccccc12",
    "[2H]OC(=O)\\C=C/Cl.*",
    "[Co@OH12](C)(N)(O)(S)(P)F",
    "C%(101)C$C~C:C%(101)",
};

/* A valid text with some bytes changed, inserted, removed or copied from elsewhere. */
static size_t mutate(char *text, size_t room, uint64_t key)
{
    static const char alphabet[] = "BCNOPSFIHbcnopsClr[]()=#$:/\\-+.%0123456789@~*ETAL \xff";
    const char *seed = seeds[ken_random_below(key, 0, KEN_COUNT(seeds))];
    size_t length = strlen(seed), changes = 1 + ken_random_below(key, 1, 4);
    memcpy(text, seed, length);
    for (uint64_t i = 0; i < changes && length > 0 && length + 8 < room; i++) {
        uint64_t draw = ken_random_key(key, i);
        size_t at = ken_random_below(draw, 0, length);
        char byte = alphabet[ken_random_below(draw, 1, sizeof alphabet)]; /* its 0 too */
        switch (ken_random_below(draw, 2, 4)) {
        case 0: text[at] = byte; break;
        case 1:
            memmove(text + at + 1, text + at, length++ - at);
            text[at] = byte;
            break;
        case 2: memmove(text + at, text + at + 1, --length - at); break;
        default: {
            size_t size = ken_size_min(1 + ken_random_below(draw, 3, 8), length - at);
            memmove(text + ken_random_below(draw, 4, length - size + 1), text + at, size);
        }
        }
    }
    return length;
}

/* The number of parts if bond `without` is removed; found by joining sets, not by a search. */
static size_t count_parts(const ken_molecule *molecule, size_t without)
{
    uint32_t part[256];
    size_t parts = molecule->atom_count;
    assert_true(parts <= KEN_COUNT(part));
    for (uint32_t i = 0; i < molecule->atom_count; i++) part[i] = i;
    for (size_t i = 0; i < molecule->bond_count; i++) {
        uint32_t a = part[molecule->bonds[i].from], b = part[molecule->bonds[i].to];
        if (i == without || a == b) continue;
        parts--;
        for (size_t k = 0; k < molecule->atom_count; k++)
            if (part[k] == a) part[k] = b;
    }
    return parts;
}

static void check_molecule(const ken_molecule *molecule)
{
    size_t parts = count_parts(molecule, SIZE_MAX);
    assert_true(molecule->atom_count > 0);
    assert_int_equal(molecule->component_count, parts);
    assert_int_equal(molecule->ring_count, molecule->bond_count + parts - molecule->atom_count);
    assert_int_equal(molecule->start[molecule->atom_count], 2 * molecule->bond_count);
    for (size_t i = 0; i < molecule->bond_count; i++) {
        const struct ken_bond *bond = &molecule->bonds[i];
        assert_true(bond->from != bond->to && bond->to < molecule->atom_count);
        assert_true(bond->order > KEN_BOND_UNSPECIFIED && bond->order <= KEN_BOND_ANY);
        assert_int_equal(bond->in_ring, count_parts(molecule, i) == parts);
    }
    for (size_t i = 0; i < molecule->atom_count; i++) {
        const struct ken_atom *atom = &molecule->atoms[i];
        bool in_ring = false;
        for (uint32_t k = molecule->start[i]; k < molecule->start[i + 1]; k++) {
            const struct ken_bond *bond = &molecule->bonds[molecule->touching[k]];
            assert_true(bond->from == i || bond->to == i);
            assert_true(k == molecule->start[i] ||
                        molecule->touching[k - 1] < molecule->touching[k]);
            in_ring |= bond->in_ring;
        }
        assert_int_equal(atom->in_ring, in_ring);
        assert_true(atom->ring == 0 || (in_ring && atom->ring >= 3 && atom->ring <= 8));
        assert_true(atom->hydrogens <= 9 && atom->charge >= -15 && atom->charge <= 15);
    }
}

static void any_bytes(void **state)
{
    (void)state;
    enum { ROUNDS = 200000, ROOM = 160 };
    ken_molecule molecule = { 0 };
    size_t good = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        char text[ROOM];
        size_t length = mutate(text, ROOM, ken_random_key(11, round)), column = 0;
        char *copy = ken_memory_new(length,
                                    1); /* so that a sanitizer notices a read beyond its end */
        memcpy(copy, text, length);
        ken_status status = ken_smiles_read(&molecule, copy, length);
        ken_memory_free(copy);
        assert_true(status == KEN_OK || status == KEN_ERR_FORMAT);
        if (!status) {
            check_molecule(&molecule);
            good++;
            continue;
        }
        assert_int_equal(sscanf(ken_last_error(), "column %zu: ", &column), 1);
        assert_true(column >= 1 && column <= length + 1);
        assert_int_equal(molecule.atom_count, 0);
    }
    assert_true(good > ROUNDS / 20 && good < ROUNDS / 2);
    ken_molecule_release(&molecule);
}

/* Random bytes do not resemble SMILES, and are mostly refused at once. */
static void random_bytes(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    for (uint64_t round = 0; round < 50000; round++) {
        char text[24];
        uint64_t key = ken_random_key(12, round);
        size_t length = ken_random_below(key, 0, sizeof text + 1);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(round % 2 ? ken_random_below(key, i + 1, 256)
                                       : 32 + ken_random_below(key, i + 1, 96));
        ken_status status = ken_smiles_read(&molecule, text, length);
        assert_true(status == KEN_OK || status == KEN_ERR_FORMAT);
        if (!status) check_molecule(&molecule);
    }
    ken_molecule_release(&molecule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_branches), cmocka_unit_test(many_open_rings),
        cmocka_unit_test(limits),        cmocka_unit_test(hubs),
        cmocka_unit_test(no_memory),     cmocka_unit_test(any_bytes),
        cmocka_unit_test(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
