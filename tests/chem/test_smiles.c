/* test_smiles.c - SMILES with known results, and the messages for SMILES that are wrong. */
#include "chem/smiles.h"

#include "base/buffer.h"
#include "base/size.h"
#include "chem/elements.h"
#include "tests/unit.h"

#include <ctype.h>
#include <string.h>

static void show_atom(ken_buffer *out, const struct ken_atom *atom)
{
    static const char *const kinds[] = { "", "@", "TH", "AL", "SP", "TB", "OH" };
    const char *symbol = ken_elements[atom->element].symbol;
    if (atom->isotope) ken_buffer_format(out, "%u", atom->isotope);
    ken_buffer_format(out, "%c%s", atom->aromatic ? tolower(*symbol) : *symbol, symbol + 1);
    if (atom->hydrogens) ken_buffer_text(out, "H");
    if (atom->hydrogens > 1) ken_buffer_format(out, "%u", atom->hydrogens);
    if (atom->charge) ken_buffer_format(out, "%+d", atom->charge);
    if (atom->chirality)
        ken_buffer_format(out, "%s%u", kinds[atom->chirality], atom->chiral_number);
    if (atom->label) ken_buffer_format(out, ":%u", atom->label);
    if (atom->in_ring) ken_buffer_format(out, "r%u", atom->ring);
    ken_buffer_text(out, " ");
}

/* Shows a molecule as "CH3 OH | 0-1 | 0": atoms with hydrogens, charge, chirality, class and ring;
 * bonds, with a dot after those in rings; the number of rings; and ", 2 parts" if there are
 * several. */
static const char *shown(const ken_molecule *molecule)
{
    static ken_buffer out;
    ken_buffer_clear(&out);
    for (size_t i = 0; i < molecule->atom_count; i++) show_atom(&out, &molecule->atoms[i]);
    ken_buffer_text(&out, "| ");
    for (size_t i = 0; i < molecule->bond_count; i++) {
        const struct ken_bond *bond = &molecule->bonds[i];
        char symbol = "?-=#$:~"[bond->order];
        if (bond->direction == KEN_BOND_UP) symbol = '/';
        if (bond->direction == KEN_BOND_DOWN) symbol = '\\';
        ken_buffer_format(&out, "%u%c%u%s ", bond->from, symbol, bond->to,
                          bond->in_ring ? "." : "");
    }
    ken_buffer_format(&out, "| %zu", molecule->ring_count);
    if (molecule->component_count != 1)
        ken_buffer_format(&out, ", %zu parts", molecule->component_count);
    return ken_buffer_string(&out);
}

static const struct {
    const char *text, *shown;
} known[] = {
    /* the organic subset */
    { "C", "CH4 | | 0" },
    { "CCO", "CH3 CH2 OH | 0-1 1-2 | 0" },
    { "C=C", "CH2 CH2 | 0=1 | 0" },
    { "C#N", "CH N | 0#1 | 0" },
    { "C$C", "C C | 0$1 | 0" },
    { "C~C", "CH3 CH3 | 0~1 | 0" },
    { "B", "BH3 | | 0" },
    { "N", "NH3 | | 0" },
    { "P", "PH3 | | 0" },
    { "S", "SH2 | | 0" },
    { "F", "FH | | 0" },
    { "Cl", "ClH | | 0" },
    { "Br", "BrH | | 0" },
    { "I", "IH | | 0" },
    { "ClCBr", "Cl CH2 Br | 0-1 1-2 | 0" },
    { "*", "* | | 0" },
    { "*C", "* CH3 | 0-1 | 0" },
    /* the next valence if the first one is exceeded; no hydrogens beyond the last valence */
    { "CN(=O)=O", "CH3 N O O | 0-1 1=2 1=3 | 0" },
    { "C[N](C)(C)C", "CH3 N CH3 CH3 CH3 | 0-1 1-2 1-3 1-4 | 0" },
    { "CN(C)(C)C", "CH3 NH CH3 CH3 CH3 | 0-1 1-2 1-3 1-4 | 0" },
    { "CP(C)(C)C", "CH3 PH CH3 CH3 CH3 | 0-1 1-2 1-3 1-4 | 0" },
    { "CS(=O)C", "CH3 S O CH3 | 0-1 1=2 1-3 | 0" },
    { "CS(=O)(=O)N", "CH3 S O O NH2 | 0-1 1=2 1=3 1-4 | 0" },
    { "CS(C)C", "CH3 SH CH3 CH3 | 0-1 1-2 1-3 | 0" },
    { "CCl(C)C", "CH3 Cl CH3 CH3 | 0-1 1-2 1-3 | 0" },
    { "FS(F)(F)(F)(F)F", "F S F F F F F | 0-1 1-2 1-3 1-4 1-5 1-6 | 0" },
    /* aromatic */
    { "c1ccccc1", "cHr6 cHr6 cHr6 cHr6 cHr6 cHr6 | 0:1. 1:2. 2:3. 3:4. 4:5. 0:5. | 1" },
    { "C1=CC=CC=C1", "CHr6 CHr6 CHr6 CHr6 CHr6 CHr6 | 0=1. 1-2. 2=3. 3-4. 4=5. 0-5. | 1" },
    { "n1ccccc1", "nr6 cHr6 cHr6 cHr6 cHr6 cHr6 | 0:1. 1:2. 2:3. 3:4. 4:5. 0:5. | 1" },
    { "[nH]1cccc1", "nHr5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "o1cccc1", "or5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "s1cccc1", "sr5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "Cn1cccc1", "CH3 nr5 cHr5 cHr5 cHr5 cHr5 | 0-1 1:2. 2:3. 3:4. 4:5. 1:5. | 1" },
    { "[se]1cccc1", "ser5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "[te]1cccc1", "ter5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "[asH]1cccc1", "asHr5 cHr5 cHr5 cHr5 cHr5 | 0:1. 1:2. 2:3. 3:4. 0:4. | 1" },
    { "b1ccccp1", "br6 cHr6 cHr6 cHr6 cHr6 pr6 | 0:1. 1:2. 2:3. 3:4. 4:5. 0:5. | 1" },
    { "O=c1cc[nH]cc1", "O cr6 cHr6 cHr6 nHr6 cHr6 cHr6 | 0=1 1:2. 2:3. 3:4. 4:5. 5:6. 1:6. | 1" },
    { "c1cc1-c2cc2", "cHr3 cHr3 cr3 cr3 cHr3 cHr3 | 0:1. 1:2. 0:2. 2-3 3:4. 4:5. 3:5. | 2" },
    { "c1cc1c2cc2", "cHr3 cHr3 cr3 cr3 cHr3 cHr3 | 0:1. 1:2. 0:2. 2-3 3:4. 4:5. 3:5. | 2" },
    /* the five-membered ring between them, closed by CH2, is not aromatic, nor are its own bonds */
    { "c1cc2c1Cc1c2cc1",
      "cHr4 cHr4 cr4 cr4 CH2r5 cr4 cr4 cHr4 cHr4 | 0:1. 1:2. 2:3. 0:3. 3-4. 4-5. 5:6. 2-6. 6:7. "
      "7:8. 5:8. | 3" },
    { "C1:C:C:C:C:C1", "CHr6 CHr6 CHr6 CHr6 CHr6 CHr6 | 0:1. 1:2. 2:3. 3:4. 4:5. 0-5. | 1" },
    /* aromatic by its letter, but without an aromatic neighbour */
    { "CcC", "CH3 cH2 CH3 | 0-1 1-2 | 0" },
    { "c1ccc*1", "cHr5 cHr5 cHr5 cHr5 *r5 | 0-1. 1-2. 2-3. 3-4. 0-4. | 1" },
    /* brackets */
    { "[NH4+]", "NH4+1 | | 0" },
    { "[13CH4]", "13CH4 | | 0" },
    { "[C]", "C | | 0" },
    { "[H][H]", "H H | 0-1 | 0" },
    { "[2H]O[2H]", "2H O 2H | 0-1 1-2 | 0" },
    { "[H+]", "H+1 | | 0" },
    { "[Na+].[Cl-]", "Na+1 Cl-1 | | 0, 2 parts" },
    { "[Fe+++].[Fe+3].[O--].[O-2].[N+0]", "Fe+3 Fe+3 O-2 O-2 N | | 0, 5 parts" },
    { "[Ti+15][C-15]", "Ti+15 C-15 | 0-1 | 0" },
    { "[CH3:1][OH0:123456789]", "CH3:1 O:123456789 | 0-1 | 0" },
    { "[999*H9-:0]", "999*H9-1 | | 0" },
    { "[Og][Sc][sH]", "Og Sc sH | 0-1 1-2 | 0" },
    { "Sc1cc1", "SH cr3 cHr3 cHr3 | 0-1 1:2. 2:3. 1:3. | 1" },
    /* stereochemistry */
    { "N[C@@H](C)C(=O)O", "NH2 CH@2 CH3 C O OH | 0-1 1-2 1-3 3=4 3-5 | 0" },
    { "N[C@H](C)O", "NH2 CH@1 CH3 OH | 0-1 1-2 1-3 | 0" },
    { "[C@TH1H][C@AL2][Pt@SP3][P@TB20][Co@OH30+2]",
      "CHTH1 CAL2 PtSP3 PTB20 Co+2OH30 | 0-1 1-2 2-3 3-4 | 0" },
    { "F/C=C/F", "F CH CH F | 0/1 1=2 2/3 | 0" },
    { "F/C=C\\F", "F CH CH F | 0/1 1=2 2\\3 | 0" },
    { "C(\\F)=C/F", "CH F CH F | 0\\1 0=2 2/3 | 0" },
    { "C/1=C/CC1", "CHr4 CHr4 CH2r4 CH2r4 | 0=1. 1/2. 2-3. 0/3. | 1" },
    { "C1CCC/1", "CH2r4 CH2r4 CH2r4 CH2r4 | 0-1. 1-2. 2-3. 0\\3. | 1" },
    /* rings */
    { "C1CC1", "CH2r3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. | 1" },
    { "C=1CC1", "CHr3 CH2r3 CHr3 | 0-1. 1-2. 0=2. | 1" },
    { "C1CC=1", "CHr3 CH2r3 CHr3 | 0-1. 1-2. 0=2. | 1" },
    { "C=1CC=1", "CHr3 CH2r3 CHr3 | 0-1. 1-2. 0=2. | 1" },
    { "C0CC0C0CC0", "CH2r3 CH2r3 CHr3 CHr3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. 2-3 3-4. 4-5. 3-5. | 2" },
    { "C%10CC%10", "CH2r3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. | 1" },
    { "C%01CC1", "CH2r3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. | 1" },
    { "C%(7)CC%(00007)", "CH2r3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. | 1" },
    { "C%(99999)CC=%(99999)", "CHr3 CH2r3 CHr3 | 0-1. 1-2. 0=2. | 1" },
    { "C12CC1C2", "CHr3 CH2r3 CHr3 CH2r3 | 0-1. 1-2. 0-2. 2-3. 0-3. | 2" },
    { "C1CC12CC2", "CH2r3 CH2r3 Cr3 CH2r3 CH2r3 | 0-1. 1-2. 0-2. 2-3. 3-4. 2-4. | 2" },
    { "C(C)1CC1", "CHr3 CH3 CH2r3 CH2r3 | 0-1 0-2. 2-3. 0-3. | 1" },
    { "C1.C1", "CH3 CH3 | 0-1 | 0" },
    { "C1.CC.C1", "CH3 CH3 CH3 CH3 | 1-2 0-3 | 0, 2 parts" },
    /* branches */
    { "CC(C)(C)C", "CH3 C CH3 CH3 CH3 | 0-1 1-2 1-3 1-4 | 0" },
    { "C(C(C(C)))C", "CH2 CH2 CH2 CH3 CH3 | 0-1 1-2 2-3 0-4 | 0" },
    { "C(.C)=O", "CH2 CH4 O | 0=2 | 0, 2 parts" },
    { "C(C.C)O", "CH2 CH3 CH4 OH | 0-1 0-3 | 0, 2 parts" },
    { "CC \t\r\n", "CH3 CH3 | 0-1 | 0" },
};

static void known_molecules(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    for (size_t i = 0; i < KEN_COUNT(known); i++) {
        if (ken_smiles_read(&molecule, known[i].text, strlen(known[i].text)))
            fail_msg("%s: %s", known[i].text, ken_last_error());
        if (strcmp(shown(&molecule), known[i].shown) != 0)
            fail_msg("%s: %s", known[i].text, shown(&molecule));
    }
    ken_molecule_release(&molecule);
}

/* Every symbol of an element is read, and no other letters. */
static void all_elements(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    size_t found = 0;
    for (char first = 'A'; first <= 'Z'; first++)
        for (char second = '`'; second <= 'z'; second++) {
            char text[5] = { '[', first, second, ']', 0 };
            if (second < 'a') text[2] = ']', text[3] = 0;
            if (ken_smiles_read(&molecule, text, strlen(text))) continue;
            const char *symbol = ken_elements[molecule.atoms[0].element].symbol;
            assert_memory_equal(symbol, text + 1, strlen(symbol));
            found++;
        }
    assert_int_equal(found, KEN_ELEMENTS - 1);
    for (size_t i = 1; i < KEN_ELEMENTS; i++) assert_true(ken_elements[i].mass > 1);
    ken_molecule_release(&molecule);
}

/* The columns of atoms and bonds in the text. */
static void places(void **state)
{
    (void)state;
    static const char text[] = "C[13CH2]%12(=O)Cl.C%12";
    static const uint32_t atoms[] = { 0, 1, 13, 15, 18 }, bonds[] = { 1, 13, 15, 19 };
    ken_molecule molecule = { 0 };
    assert_int_equal(ken_smiles_read(&molecule, text, strlen(text)), KEN_OK);
    assert_int_equal(molecule.atom_count, KEN_COUNT(atoms));
    assert_int_equal(molecule.bond_count, KEN_COUNT(bonds));
    for (size_t i = 0; i < KEN_COUNT(atoms); i++) assert_int_equal(molecule.atoms[i].at, atoms[i]);
    for (size_t i = 0; i < KEN_COUNT(bonds); i++) assert_int_equal(molecule.bonds[i].at, bonds[i]);
    ken_molecule_release(&molecule);
}

#define TEXT(literal) literal, sizeof literal - 1
#define ANYTHING "expected an atom, a bond, a ring number, a branch or a dot, found "
#define BRACKET "expected ] after [isotope symbol chirality hydrogens charge :class], found "

static const struct {
    const char *text;
    size_t length;
    const char *message;
} bads[] = {
    /* the beginning and the end */
    { TEXT(""), "column 1: expected an atom, found the end" },
    { TEXT(" "), "column 1: expected an atom, found the end" },
    { TEXT(" C"), "column 1: expected an atom, found a space" },
    { TEXT("(C)"), "column 1: expected an atom, found (" },
    { TEXT("=C"), "column 1: expected an atom, found =" },
    { TEXT("1CC1"), "column 1: expected an atom, found 1" },
    { TEXT("%10CC"), "column 1: expected an atom, found %" },
    { TEXT(".C"), "column 1: expected an atom, found ." },
    { TEXT(")"), "column 1: expected an atom, found )" },
    { TEXT("C="), "column 3: expected an atom or a ring number after the bond, found the end" },
    { TEXT("C."), "column 3: expected an atom after the dot, found the end" },
    { TEXT("C("), "column 3: expected an atom, a bond or a dot after (, found the end" },
    { TEXT("C(="), "column 4: expected an atom after the bond, found the end" },
    /* bytes that belong nowhere */
    { TEXT("C\0C"), "column 2: " ANYTHING "byte 0x00" },
    { TEXT("C\0"), "column 2: " ANYTHING "byte 0x00" },
    { TEXT("\0"), "column 1: expected an atom, found byte 0x00" },
    { TEXT("C\xc3\xa9"), "column 2: " ANYTHING "byte 0xc3" },
    { TEXT("C C"), "column 2: " ANYTHING "a space" },
    { TEXT("CC]"), "column 3: " ANYTHING "]" },
    { TEXT("C>C"), "column 2: " ANYTHING ">" },
    { TEXT("C@C"), "column 2: " ANYTHING "@" },
    { TEXT("C\x7f"), "column 2: " ANYTHING "byte 0x7f" },
    /* symbols */
    { TEXT("CX"), "column 2: X is not an atom; without brackets only B C N O P S F Cl Br I b c n "
                  "o p s * are" },
    { TEXT("Na"), "column 2: a is not an atom; without brackets only B C N O P S F Cl Br I b c n "
                  "o p s * are" },
    { TEXT("H"), "column 1: H is not an atom; without brackets only B C N O P S F Cl Br I b c n "
                 "o p s * are" },
    { TEXT("C[Xx]"), "column 3: Xx is not an element" },
    { TEXT("[Cc]"), "column 2: Cc is not an element" },
    { TEXT("[12D]"), "column 4: D is not an element" },
    { TEXT("[]"), "column 2: expected the symbol of an element, found ]" },
    { TEXT("[12"), "column 4: expected the symbol of an element, found the end" },
    { TEXT("[+]"), "column 2: expected the symbol of an element, found +" },
    { TEXT("[f]"), "column 2: expected the symbol of an element, found f" },
    { TEXT("[\xff]"), "column 2: expected the symbol of an element, found byte 0xff" },
    /* brackets */
    { TEXT("[C"), "column 3: " BRACKET "the end" },
    { TEXT("C[CH"), "column 5: " BRACKET "the end" },
    { TEXT("[C["), "column 3: " BRACKET "[" },
    { TEXT("[C+H]"), "column 4: " BRACKET "H" },
    { TEXT("[CH2@]"), "column 5: " BRACKET "@" },
    { TEXT("[C@@@]"), "column 5: " BRACKET "@" },
    { TEXT("[cx]"), "column 3: " BRACKET "x" },
    { TEXT("[1234C]"), "column 2: an isotope has more than 3 digits" },
    { TEXT("[CH12]"), "column 4: a count of hydrogens has more than 1 digits" },
    { TEXT("[HH]"), "column 3: hydrogen has no hydrogens; write [H][H]" },
    { TEXT("[C:]"), "column 4: expected the number of a class after :, found ]" },
    { TEXT("[C:1234567890]"), "column 4: a class has more than 9 digits" },
    /* charges */
    { TEXT("[Na+-]"), "column 5: " BRACKET "-" },
    { TEXT("[Na++2]"), "column 6: " BRACKET "2" },
    { TEXT("[Na+16]"), "column 4: the charge is more than 15" },
    { TEXT("[Na-99]"), "column 4: the charge is more than 15" },
    { TEXT("[Na+100]"), "column 5: a charge has more than 2 digits" },
    { TEXT("[Na++++++++++++++++]"), "column 4: the charge is more than 15" },
    /* chirality */
    { TEXT("[C@TH3]"), "column 6: expected @TH with a number from 1 to 2" },
    { TEXT("[C@TH]"), "column 6: expected @TH with a number from 1 to 2" },
    { TEXT("[C@AL0]"), "column 6: expected @AL with a number from 1 to 2" },
    { TEXT("[C@SP4]"), "column 6: expected @SP with a number from 1 to 3" },
    { TEXT("[C@TB21]"), "column 6: expected @TB with a number from 1 to 20" },
    { TEXT("[C@OH31]"), "column 6: expected @OH with a number from 1 to 30" },
    { TEXT("[C@OH100]"), "column 6: a chirality has more than 2 digits" },
    { TEXT("[C@TX1]"), "column 4: expected TH, AL, SP, TB, OH or H after @, found T" },
    { TEXT("[C@T"), "column 4: expected TH, AL, SP, TB, OH or H after @, found T" },
    /* bonds */
    { TEXT("C==C"), "column 3: expected an atom or a ring number after the bond, found =" },
    { TEXT("C=-C"), "column 3: expected an atom or a ring number after the bond, found -" },
    { TEXT("C->C"), "column 3: expected an atom or a ring number after the bond, found >" },
    { TEXT("C=.C"), "column 3: expected an atom or a ring number after the bond, found ." },
    { TEXT("C=(C)C"), "column 3: expected an atom or a ring number after the bond, found (" },
    { TEXT("C(C=)C"), "column 5: expected an atom or a ring number after the bond, found )" },
    { TEXT("C..C"), "column 3: expected an atom after the dot, found ." },
    { TEXT("C.1C1"), "column 3: expected an atom after the dot, found 1" },
    { TEXT("C.(C)"), "column 3: expected an atom after the dot, found (" },
    { TEXT("C(C.)C"), "column 5: expected an atom after the dot, found )" },
    /* branches */
    { TEXT("C()C"), "column 3: expected an atom, a bond or a dot after (, found )" },
    { TEXT("C(=)C"), "column 4: expected an atom after the bond, found )" },
    { TEXT("C((C)C)C"), "column 3: expected an atom, a bond or a dot after (, found (" },
    { TEXT("C(1CC1)"), "column 3: expected an atom, a bond or a dot after (, found 1" },
    { TEXT("C(=1CC1)"), "column 4: expected an atom after the bond, found 1" },
    { TEXT("CC)C"), "column 3: ) closes no branch, none is open here" },
    { TEXT("C(C))C"), "column 5: ) closes no branch, none is open here" },
    { TEXT("CC(C"), "column 3: the branch is never closed" },
    { TEXT("C(C(C)C"), "column 2: the branch is never closed" },
    /* rings */
    { TEXT("C1CC"), "column 2: ring 1 is never closed" },
    { TEXT("C2C1CC2"), "column 4: ring 1 is never closed" },
    { TEXT("C1CC1C1C9C0"), "column 7: ring 1 is never closed" },
    { TEXT("CC%12C"), "column 3: ring 12 is never closed" },
    { TEXT("CC%(12345)C"), "column 3: ring 12345 is never closed" },
    { TEXT("C%1CC%1"), "column 4: expected two digits, or (, after %, found C" },
    { TEXT("C%"), "column 3: expected two digits, or (, after %, found the end" },
    { TEXT("C%()"), "column 4: expected a digit after %(, found )" },
    { TEXT("C%(12C"), "column 6: expected ) after the ring number, found C" },
    { TEXT("C%(123456)"), "column 4: a ring number has more than 5 digits" },
    { TEXT("C11"), "column 3: ring 1 begins and ends at the same atom" },
    { TEXT("C1C1"), "column 4: the ring's ends have a bond already" },
    { TEXT("C12CC12"), "column 7: the ring's ends have a bond already" },
    { TEXT("C1.C1CC.C1"), "column 10: ring 1 is never closed" },
    { TEXT("C=1CC-1"), "column 7: ring 1 has a different bond here than at column 3" },
    { TEXT("C/1CC=1"), "column 7: ring 1 has a different bond here than at column 3" },
    { TEXT("C#1CC:1"), "column 7: ring 1 has a different bond here than at column 3" },
};

static void malformed(void **state)
{
    (void)state;
    ken_molecule molecule = { 0 };
    for (size_t i = 0; i < KEN_COUNT(bads); i++) {
        assert_int_equal(ken_smiles_read(&molecule, "CCO", 3), KEN_OK);
        if (ken_smiles_read(&molecule, bads[i].text, bads[i].length) != KEN_ERR_FORMAT)
            fail_msg("%s is read", bads[i].text);
        assert_string_equal(ken_last_error(), bads[i].message);
        assert_int_equal(molecule.atom_count + molecule.bond_count + molecule.ring_count, 0);
    }
    ken_molecule_release(&molecule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_molecules),
        cmocka_unit_test(all_elements),
        cmocka_unit_test(places),
        cmocka_unit_test(malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
