/* smiles_atom.c - reads one atom of a SMILES text: a symbol of the organic subset, '*', or an atom
 * in brackets. The parts of an atom in brackets have a fixed order, and only the symbol is
 * required: [isotope symbol chirality hydrogens charge :class]. */
#include "chem/smiles_parse.h"

#include "base/size.h"
#include "chem/elements.h"

#include <string.h>

enum { MOST_CHARGE = 15, ISOTOPE_DIGITS = 3, CLASS_DIGITS = 9 };

static bool is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_upper(int byte)
{
    return byte >= 'A' && byte <= 'Z';
}

static bool is_lower(int byte)
{
    return byte >= 'a' && byte <= 'z';
}

ken_status ken_smiles_number(struct ken_smiles *smiles, uint32_t *number, size_t most,
                             const char *what)
{
    size_t begin = smiles->at;
    for (uint32_t value = 0; is_digit(ken_smiles_peek(smiles)); *number = value) {
        if (smiles->at - begin == most)
            return ken_smiles_refuse(begin, "%s has more than %zu digits", what, most);
        value = 10 * value + (uint32_t)(ken_smiles_peek(smiles) - '0');
        smiles->at++;
    }
    return KEN_OK;
}

/* ---- Symbols --------------------------------------------------------------------------------- */

/* Reads an aromatic symbol (in lower case) at `text`, and writes the usual symbol of the element to
 * `symbol`. Returns the length of the symbol, or 0 if `text` does not begin with an aromatic
 * symbol. */
static size_t aromatic_symbol(char symbol[2], const char *text, size_t length, bool bracket)
{
    static const char *const pairs[] = { "se", "as", "te" };
    if (length == 0 || !is_lower((unsigned char)*text)) return 0;
    symbol[0] = (char)(*text - 'a' + 'A');
    symbol[1] = length > 1 ? text[1] : '\0';
    for (size_t i = 0; bracket && length > 1 && i < KEN_COUNT(pairs); i++)
        if (memcmp(text, pairs[i], 2) == 0) return 2;
    return strchr("bcnops", *text) ? 1 : 0;
}

/* Reads the symbol of an atom in brackets. A lower-case letter after a capital always belongs to
 * the symbol, because chirality, hydrogens, charge and class never begin with a lower-case
 * letter. */
static ken_status read_symbol(struct ken_smiles *smiles, struct ken_atom *atom)
{
    const char *text = smiles->text + smiles->at;
    size_t left = smiles->length - smiles->at;
    char symbol[2];
    if (ken_smiles_peek(smiles) == '*') {
        smiles->at++;
        return KEN_OK;
    }
    size_t length = aromatic_symbol(symbol, text, left, true);
    if (length > 0) {
        atom->aromatic = true;
        text = symbol;
    } else if (is_upper(ken_smiles_peek(smiles))) {
        length = left > 1 && is_lower((unsigned char)text[1]) ? 2 : 1;
    } else {
        return ken_smiles_unexpected(smiles, "the symbol of an element");
    }
    atom->element = ken_element_find(text, length);
    if (atom->element == 0)
        return ken_smiles_refuse(smiles->at, "%.*s is not an element", (int)length, text);
    smiles->at += length;
    return KEN_OK;
}

/* Reads the symbol of an atom outside brackets (the organic subset). Only Cl and Br have a second
 * letter: "Sc" is a sulphur and an aromatic carbon, "Cn" is a carbon and an aromatic nitrogen. */
static ken_status read_organic(struct ken_smiles *smiles, struct ken_atom *atom)
{
    const char *text = smiles->text + smiles->at;
    size_t left = smiles->length - smiles->at, length;
    char symbol[2];
    if (left > 1 && (memcmp(text, "Cl", 2) == 0 || memcmp(text, "Br", 2) == 0)) {
        length = 2;
    } else if (strchr("BCNOPSFI", *text)) {
        length = 1;
    } else {
        length = aromatic_symbol(symbol, text, left, false);
        if (length == 0)
            return ken_smiles_refuse(smiles->at,
                                     "%c is not an atom; without brackets only B C N O P S F "
                                     "Cl Br I b c n o p s * are",
                                     *text);
        atom->aromatic = true;
        text = symbol;
    }
    atom->element = ken_element_find(text, length);
    smiles->at += length;
    return KEN_OK;
}

/* ---- Inside brackets ------------------------------------------------------------------------- */

/* Reads the chirality, such as @ @@ @TH1 @AL2 @SP3 @TB12 @OH30. An H directly after @ is a hydrogen
 * and not part of the chirality. */
static ken_status read_chirality(struct ken_smiles *smiles, struct ken_atom *atom)
{
    static const struct {
        const char *name;
        enum ken_chirality chirality;
        uint32_t most;
    } kinds[] = { { "TH", KEN_CHIRAL_TETRAHEDRON, 2 },
                  { "AL", KEN_CHIRAL_ALLENE, 2 },
                  { "SP", KEN_CHIRAL_SQUARE, 3 },
                  { "TB", KEN_CHIRAL_BIPYRAMID, 20 },
                  { "OH", KEN_CHIRAL_OCTAHEDRON, 30 } };
    if (ken_smiles_peek(smiles) != '@') return KEN_OK;
    smiles->at++;
    atom->chirality = KEN_CHIRAL_PLAIN;
    atom->chiral_number = ken_smiles_peek(smiles) == '@' ? 2 : 1;
    if (atom->chiral_number == 2) smiles->at++;
    int next = ken_smiles_peek(smiles);
    if (atom->chiral_number == 2 || !is_upper(next) || next == 'H') return KEN_OK;
    for (size_t i = 0; i < KEN_COUNT(kinds); i++) {
        uint32_t number = 0;
        if (smiles->length - smiles->at < 2) break;
        if (memcmp(smiles->text + smiles->at, kinds[i].name, 2) != 0) continue;
        smiles->at += 2;
        size_t begin = smiles->at;
        KEN_TRY(ken_smiles_number(smiles, &number, 2, "a chirality"));
        if (number < 1 || number > kinds[i].most)
            return ken_smiles_refuse(begin, "expected @%s with a number from 1 to %u",
                                     kinds[i].name, kinds[i].most);
        atom->chirality = (uint8_t)kinds[i].chirality;
        atom->chiral_number = (uint8_t)number;
        return KEN_OK;
    }
    return ken_smiles_unexpected(smiles, "TH, AL, SP, TB, OH or H after @");
}

/* Reads the hydrogens of an atom in brackets: H alone is one hydrogen; H may be followed by a
 * count, which is a single digit because no atom has ten hydrogens. */
static ken_status read_hydrogens(struct ken_smiles *smiles, struct ken_atom *atom)
{
    uint32_t number = 1;
    if (ken_smiles_peek(smiles) != 'H') return KEN_OK;
    if (atom->element == 1)
        return ken_smiles_refuse(smiles->at, "hydrogen has no hydrogens; write [H][H]");
    smiles->at++;
    KEN_TRY(ken_smiles_number(smiles, &number, 1, "a count of hydrogens"));
    atom->hydrogens = (uint8_t)number;
    return KEN_OK;
}

/* Reads a charge, such as + ++ +2 - -- -2. Repeated signs are an old style that is still in use. */
static ken_status read_charge(struct ken_smiles *smiles, struct ken_atom *atom)
{
    int sign = ken_smiles_peek(smiles);
    size_t begin = smiles->at;
    uint32_t charge = 0;
    if (sign != '+' && sign != '-') return KEN_OK;
    for (; ken_smiles_peek(smiles) == sign && charge <= MOST_CHARGE; charge++) smiles->at++;
    if (charge == 1) KEN_TRY(ken_smiles_number(smiles, &charge, 2, "a charge"));
    if (charge > MOST_CHARGE)
        return ken_smiles_refuse(begin, "the charge is more than %d", MOST_CHARGE);
    atom->charge = (int8_t)(sign == '+' ? (int)charge : -(int)charge);
    return KEN_OK;
}

/* Reads the class of an atom: a number without chemical meaning, by which the writer of the text
 * identifies the atom, for example in reactions. */
static ken_status read_class(struct ken_smiles *smiles, struct ken_atom *atom)
{
    if (ken_smiles_peek(smiles) != ':') return KEN_OK;
    smiles->at++;
    if (!is_digit(ken_smiles_peek(smiles)))
        return ken_smiles_unexpected(smiles, "the number of a class after :");
    return ken_smiles_number(smiles, &atom->label, CLASS_DIGITS, "a class");
}

static ken_status read_bracket(struct ken_smiles *smiles, struct ken_atom *atom)
{
    uint32_t isotope = 0;
    smiles->at++;
    KEN_TRY(ken_smiles_number(smiles, &isotope, ISOTOPE_DIGITS, "an isotope"));
    atom->isotope = (uint16_t)isotope;
    atom->hydrogens_given = true;
    KEN_TRY(read_symbol(smiles, atom));
    KEN_TRY(read_chirality(smiles, atom));
    KEN_TRY(read_hydrogens(smiles, atom));
    KEN_TRY(read_charge(smiles, atom));
    KEN_TRY(read_class(smiles, atom));
    if (ken_smiles_peek(smiles) != ']')
        return ken_smiles_unexpected(smiles,
                                     "] after [isotope symbol chirality hydrogens charge :class]");
    smiles->at++;
    return KEN_OK;
}

ken_status ken_smiles_atom(struct ken_smiles *smiles, struct ken_atom *atom)
{
    *atom = (struct ken_atom){ .at = (uint32_t)smiles->at };
    if (ken_smiles_peek(smiles) == '[') return read_bracket(smiles, atom);
    if (ken_smiles_peek(smiles) != '*') return read_organic(smiles, atom);
    smiles->at++;
    return KEN_OK;
}
