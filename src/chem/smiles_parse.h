/* smiles_parse.h - the state of the SMILES reader, shared by smiles.c and smiles_atom.c only. */
#ifndef CHEM_SMILES_PARSE_H
#define CHEM_SMILES_PARSE_H

#include "base/buffer.h"
#include "chem/molecule.h"

enum { KEN_SMILES_END = -1 };

/* The last token, which decides what may come next. */
enum ken_smiles_state {
    KEN_SMILES_BEGIN,
    KEN_SMILES_ATOM, /* an atom with its ring numbers, or a whole branch */
    KEN_SMILES_OPEN, /* ( */
    KEN_SMILES_BOND,
    KEN_SMILES_OPEN_BOND, /* ( and a bond: no ring number may follow */
    KEN_SMILES_DOT,
    KEN_SMILES_STATES
};

struct ken_smiles {
    ken_molecule *molecule;
    const char *text;
    size_t length, at; /* in bytes; `at` is the next byte to read */
    enum ken_smiles_state state;
    uint32_t previous;   /* the atom where a bond, branch or ring begins */
    ken_buffer branches; /* the open branches, a stack                   */
    ken_buffer rings;    /* indexed by ring number                       */
    size_t open_rings;
    uint8_t order, direction; /* of the bond symbol before `at`; unspecified = there is none */
};

/* The byte at `at`, or KEN_SMILES_END. */
static inline int ken_smiles_peek(const struct ken_smiles *smiles)
{
    return smiles->at < smiles->length ? (unsigned char)smiles->text[smiles->at] : KEN_SMILES_END;
}

/* Fails with KEN_ERR_FORMAT "column N: ..."; `at` is the byte offset, from 0. */
ken_status ken_smiles_refuse(size_t at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with "column N: expected `what`, found x" for the byte at smiles->at. */
ken_status ken_smiles_unexpected(const struct ken_smiles *smiles, const char *what);

/* Reads digits. If there are none, *number is unchanged; more than `most` digits are refused. */
ken_status ken_smiles_number(struct ken_smiles *smiles, uint32_t *number, size_t most,
                             const char *what);

/* Reads an atom, which begins with a letter, '*' or '['. */
ken_status ken_smiles_atom(struct ken_smiles *smiles, struct ken_atom *atom);

#endif
