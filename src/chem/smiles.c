/* smiles.c - reads the chain of atoms of a SMILES text: bonds, branches, ring numbers, dots. Which
 * token may come next depends only on the last token (enum ken_smiles_state) and on the open
 * branches. Open branches are kept in a list instead of using recursion, so only memory limits
 * their depth. A bond is added when its second atom is read, so a molecule never has a bond with
 * one end. */
#include "chem/smiles.h"

#include "base/size.h"
#include "chem/smiles_parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RING_DIGITS = 5 }; /* maximum number of digits in a ring number written as %(n) */

struct branch {
    uint32_t atom; /* index of the atom to which the chain returns after ")" */
    uint32_t at;
};

struct ring {
    uint32_t atom, at;
    uint8_t order, direction; /* bond symbol that was written where the ring was opened */
    bool open;
};

/* ---- Errors ---------------------------------------------------------------------------------- */

ken_status ken_smiles_refuse(size_t at, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ken_fail(KEN_ERR_FORMAT, "column %zu: %s", at + 1, what);
}

ken_status ken_smiles_unexpected(const struct ken_smiles *smiles, const char *what)
{
    char found[16] = "the end";
    int byte = ken_smiles_peek(smiles);
    if (byte > ' ' && byte < 0x7f) snprintf(found, sizeof found, "%c", byte);
    else if (byte == ' ') snprintf(found, sizeof found, "a space");
    else if (byte != KEN_SMILES_END) snprintf(found, sizeof found, "byte 0x%02x", byte);
    return ken_smiles_refuse(smiles->at, "expected %s, found %s", what, found);
}

/* ---- Atoms and bonds ------------------------------------------------------------------------- */

/* Adds a bond. A bond with a direction (/ or \) is added with unspecified order, because such a
 * bond may be single or aromatic: the marks also occur in aromatic rings, for example next to
 * =N. */
static ken_status add_bond(struct ken_smiles *smiles, struct ken_bond *bond)
{
    if (bond->direction != KEN_BOND_LEVEL) bond->order = KEN_BOND_UNSPECIFIED;
    if (smiles->molecule->bond_count == KEN_MOLECULE_BONDS)
        return ken_smiles_refuse(bond->at, "the molecule has more than %d bonds",
                                 KEN_MOLECULE_BONDS);
    return ken_molecule_add_bond(smiles->molecule, bond);
}

/* Reads an atom, and adds the bond to the previous atom unless a dot stands between them. */
static ken_status read_atom(struct ken_smiles *smiles)
{
    struct ken_atom atom;
    uint32_t number = (uint32_t)smiles->molecule->atom_count;
    if (number == KEN_MOLECULE_ATOMS)
        return ken_smiles_refuse(smiles->at, "the molecule has more than %d atoms",
                                 KEN_MOLECULE_ATOMS);
    KEN_TRY(ken_smiles_atom(smiles, &atom));
    KEN_TRY(ken_molecule_add_atom(smiles->molecule, &atom));
    if (smiles->state != KEN_SMILES_BEGIN && smiles->state != KEN_SMILES_DOT)
        KEN_TRY(add_bond(smiles, &(struct ken_bond){ .from = smiles->previous,
                                                     .to = number,
                                                     .at = atom.at,
                                                     .order = smiles->order,
                                                     .direction = smiles->direction }));
    smiles->order = smiles->direction = 0;
    smiles->previous = number;
    smiles->state = KEN_SMILES_ATOM;
    return KEN_OK;
}

static const struct bond_symbol {
    char symbol;
    uint8_t order, direction;
} bond_symbols[] = {
    { '-', KEN_BOND_SINGLE, KEN_BOND_LEVEL },   { '=', KEN_BOND_DOUBLE, KEN_BOND_LEVEL },
    { '#', KEN_BOND_TRIPLE, KEN_BOND_LEVEL },   { '$', KEN_BOND_QUADRUPLE, KEN_BOND_LEVEL },
    { ':', KEN_BOND_AROMATIC, KEN_BOND_LEVEL }, { '~', KEN_BOND_ANY, KEN_BOND_LEVEL },
    { '/', KEN_BOND_SINGLE, KEN_BOND_UP },      { '\\', KEN_BOND_SINGLE, KEN_BOND_DOWN }
};

/* Returns the bond symbol that `byte` stands for; NULL if it is no bond symbol. A linear search of
 * eight symbols is fast enough, although it is done for every byte of the text. */
static const struct bond_symbol *find_bond(int byte)
{
    for (size_t i = 0; i < KEN_COUNT(bond_symbols); i++)
        if (bond_symbols[i].symbol == byte) return &bond_symbols[i];
    return NULL;
}

static ken_status read_bond(struct ken_smiles *smiles)
{
    const struct bond_symbol *bond = find_bond(ken_smiles_peek(smiles));
    smiles->order = bond->order;
    smiles->direction = bond->direction;
    smiles->state = smiles->state == KEN_SMILES_OPEN ? KEN_SMILES_OPEN_BOND : KEN_SMILES_BOND;
    smiles->at++;
    return KEN_OK;
}

/* Reads a dot, which means that the next atom has no bond to the previous one. Open branches stay
 * open. */
static ken_status read_dot(struct ken_smiles *smiles)
{
    smiles->state = KEN_SMILES_DOT;
    smiles->at++;
    return KEN_OK;
}

/* ---- Branches -------------------------------------------------------------------------------- */

/* Opens a branch. Its byte offset fits into 32 bits: the limits on atoms and on ring numbers keep
 * every text shorter than 2^32 bytes. */
static ken_status open_branch(struct ken_smiles *smiles)
{
    struct branch branch = { smiles->previous, (uint32_t)smiles->at };
    ken_buffer_append(&smiles->branches, &branch, sizeof branch);
    smiles->state = KEN_SMILES_OPEN;
    smiles->at++;
    return ken_buffer_status(&smiles->branches);
}

/* Returns the innermost open branch. */
static struct branch last_branch(const struct ken_smiles *smiles)
{
    struct branch branch;
    memcpy(&branch, smiles->branches.data + smiles->branches.size - sizeof branch, sizeof branch);
    return branch;
}

static ken_status close_branch(struct ken_smiles *smiles)
{
    if (smiles->branches.size == 0)
        return ken_smiles_refuse(smiles->at, ") closes no branch, none is open here");
    smiles->previous = last_branch(smiles).atom;
    smiles->branches.size -= sizeof(struct branch);
    smiles->at++;
    return KEN_OK;
}

/* ---- Rings ----------------------------------------------------------------------------------- */

/* Reads a ring number, written as 7, %12 or %(123). */
static ken_status read_ring_number(struct ken_smiles *smiles, uint32_t *number)
{
    size_t digits = 0;
    if (ken_smiles_peek(smiles) != '%') {
        *number = (uint32_t)(ken_smiles_peek(smiles) - '0');
        smiles->at++;
        return KEN_OK;
    }
    smiles->at++;
    if (ken_smiles_peek(smiles) == '(') {
        size_t begin = ++smiles->at;
        KEN_TRY(ken_smiles_number(smiles, number, RING_DIGITS, "a ring number"));
        if (smiles->at == begin) return ken_smiles_unexpected(smiles, "a digit after %(");
        if (ken_smiles_peek(smiles) != ')')
            return ken_smiles_unexpected(smiles, ") after the ring number");
        smiles->at++;
        return KEN_OK;
    }
    for (; digits < 2; digits++, smiles->at++) {
        int byte = ken_smiles_peek(smiles);
        if (byte < '0' || byte > '9')
            return ken_smiles_unexpected(smiles, "two digits, or (, after %");
        *number = 10 * *number + (uint32_t)(byte - '0');
    }
    return KEN_OK;
}

/* Finds the ring with the number `number`. Rings are kept in an array indexed by ring number, which
 * grows up to the largest number; ring numbers are small. */
static ken_status find_ring(struct ken_smiles *smiles, uint32_t number, struct ring **ring)
{
    static const struct ring none = { .open = false };
    ken_buffer *rings = &smiles->rings;
    while (rings->size <= number * sizeof none && !rings->failed)
        ken_buffer_append(rings, &none, sizeof none);
    KEN_TRY(ken_buffer_status(rings));
    *ring = (struct ring *)(void *)rings->data + number;
    return KEN_OK;
}

/* Returns a bond direction as seen from the other end of the bond: up becomes down, and down
 * becomes up. */
static uint8_t turned(uint8_t direction)
{
    if (direction == KEN_BOND_LEVEL) return direction;
    return direction == KEN_BOND_UP ? KEN_BOND_DOWN : KEN_BOND_UP;
}

/* Closes a ring: adds the bond between the atom where the ring was opened and the current atom. The
 * bond symbol may be written at either end or at both; if at both, the bond orders must agree.
 * Directions (/ and \) need not agree, because programs differ in what a direction at the closing
 * end means: the direction at the opening end counts if there is one. */
static ken_status close_ring(struct ken_smiles *smiles, struct ring *ring, uint32_t number,
                             size_t at)
{
    struct ken_bond bond = { ring->atom, smiles->previous, .at = (uint32_t)at };
    if (ring->atom == smiles->previous)
        return ken_smiles_refuse(at, "ring %u begins and ends at the same atom", number);
    if (ring->order && smiles->order && ring->order != smiles->order)
        return ken_smiles_refuse(at, "ring %u has a different bond here than at column %u", number,
                                 ring->at + 1);
    bond.order = ring->order ? ring->order : smiles->order;
    bond.direction = ring->direction ? ring->direction : turned(smiles->direction);
    ring->open = false;
    smiles->open_rings--;
    return add_bond(smiles, &bond);
}

static ken_status read_ring(struct ken_smiles *smiles)
{
    size_t at = smiles->at;
    uint32_t number = 0;
    struct ring *ring;
    KEN_TRY(read_ring_number(smiles, &number));
    KEN_TRY(find_ring(smiles, number, &ring));
    if (ring->open) {
        KEN_TRY(close_ring(smiles, ring, number, at));
    } else {
        *ring = (struct ring){ smiles->previous, (uint32_t)at, smiles->order, smiles->direction,
                               true };
        smiles->open_rings++;
    }
    smiles->order = smiles->direction = 0;
    smiles->state = KEN_SMILES_ATOM;
    return KEN_OK;
}

/* Fails with a message about the first ring that is never closed. */
static ken_status refuse_open_ring(const struct ken_smiles *smiles)
{
    const struct ring *rings = (const struct ring *)(const void *)smiles->rings.data, *first = NULL;
    size_t count = smiles->rings.size / sizeof *rings;
    for (size_t i = 0; i < count; i++)
        if (rings[i].open && (!first || rings[i].at < first->at)) first = &rings[i];
    return ken_smiles_refuse(first->at, "ring %zu is never closed", (size_t)(first - rings));
}

/* ---- The text -------------------------------------------------------------------------------- */

enum { ATOM = 1 << KEN_SMILES_ATOM, OPEN = 1 << KEN_SMILES_OPEN, BOND = 1 << KEN_SMILES_BOND };

struct token {
    unsigned behind; /* bit set of the states after which the token is allowed */
    ken_status (*read)(struct ken_smiles *smiles);
};

static struct token token_of(int byte)
{
    if ((byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '[' || byte == '*')
        return (struct token){ (1 << KEN_SMILES_STATES) - 1, read_atom };
    if ((byte >= '0' && byte <= '9') || byte == '%')
        return (struct token){ ATOM | BOND, read_ring };
    if (byte == '(') return (struct token){ ATOM, open_branch };
    if (byte == ')') return (struct token){ ATOM, close_branch };
    if (byte == '.') return (struct token){ ATOM | OPEN, read_dot };
    if (find_bond(byte)) return (struct token){ ATOM | OPEN, read_bond };
    return (struct token){ 0, NULL };
}

static ken_status read_all(struct ken_smiles *smiles)
{
    static const char *const expected[KEN_SMILES_STATES] = {
        [KEN_SMILES_BEGIN] = "an atom",
        [KEN_SMILES_ATOM] = "an atom, a bond, a ring number, a branch or a dot",
        [KEN_SMILES_OPEN] = "an atom, a bond or a dot after (",
        [KEN_SMILES_BOND] = "an atom or a ring number after the bond",
        [KEN_SMILES_OPEN_BOND] = "an atom after the bond",
        [KEN_SMILES_DOT] = "an atom after the dot"
    };
    while (smiles->at < smiles->length) {
        struct token token = token_of(ken_smiles_peek(smiles));
        if (!(token.behind & 1u << smiles->state))
            return ken_smiles_unexpected(smiles, expected[smiles->state]);
        KEN_TRY(token.read(smiles));
    }
    if (smiles->state != KEN_SMILES_ATOM)
        return ken_smiles_unexpected(smiles, expected[smiles->state]);
    if (smiles->branches.size > 0)
        return ken_smiles_refuse(last_branch(smiles).at, "the branch is never closed");
    return smiles->open_rings > 0 ? refuse_open_ring(smiles) : KEN_OK;
}

/* Finishes the molecule. If two atoms have two bonds, the second bond must come from a ring number,
 * because nothing else in SMILES joins atoms that already have a bond. */
static ken_status finish(ken_molecule *molecule)
{
    size_t twice;
    KEN_TRY(ken_molecule_finish(molecule, &twice));
    if (twice == SIZE_MAX) return KEN_OK;
    return ken_smiles_refuse(molecule->bonds[twice].at, "the ring's ends have a bond already");
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

ken_status ken_smiles_read(ken_molecule *molecule, const char *text, size_t length)
{
    struct ken_smiles smiles = { .molecule = molecule, .text = text };
    while (length > 0 && is_blank(text[length - 1])) length--;
    smiles.length = length;
    ken_molecule_clear(molecule);
    ken_status status = read_all(&smiles);
    if (!status) status = finish(molecule);
    if (status) ken_molecule_clear(molecule);
    ken_buffer_release(&smiles.branches);
    ken_buffer_release(&smiles.rings);
    return status;
}
