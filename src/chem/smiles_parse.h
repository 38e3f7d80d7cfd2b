/* smiles_parse.h - the reader at work, for smiles.c and smiles_atom.c alone. */
#ifndef CHEM_SMILES_PARSE_H
#define CHEM_SMILES_PARSE_H

#include "base/buffer.h"
#include "chem/molecule.h"

enum { KEN_SMILES_END = -1 };

/* What was read last, which decides on what may come. */
enum ken_smiles_state {
    KEN_SMILES_BEGIN,
    KEN_SMILES_ATOM, /* an atom with its ring numbers, or a whole branch */
    KEN_SMILES_OPEN, /* ( */
    KEN_SMILES_BOND,
    KEN_SMILES_OPEN_BOND, /* ( and a bond: no ring can be meant */
    KEN_SMILES_DOT,
    KEN_SMILES_STATES
};

struct ken_smiles {
    ken_molecule *molecule;
    const char *text;
    size_t length, at; /* bytes; `at` is read next                                      */
    enum ken_smiles_state state;
    uint32_t previous;   /* the atom that a bond, branch or ring begins at              */
    ken_buffer branches; /* those that are open, as a stack                             */
    ken_buffer rings;    /* by their number                                             */
    size_t open_rings;
    uint8_t order, direction; /* of the bond symbol before `at`; unspecified without one */
};

/* The byte at `at`, or KEN_SMILES_END. */
static inline int ken_smiles_peek(const struct ken_smiles *smiles)
{
    return smiles->at < smiles->length ? (unsigned char)smiles->text[smiles->at] : KEN_SMILES_END;
}

/* KEN_ERR_FORMAT "column N: ..." for the byte `at`, from 0. */
ken_status ken_smiles_refuse(size_t at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "column N: expected `what`, found 'x'": for what stands at `at` now. */
ken_status ken_smiles_unexpected(const struct ken_smiles *smiles, const char *what);

/* Passes over digits. Without any *number stays as it is; more than `most` of them are refused. */
ken_status ken_smiles_number(struct ken_smiles *smiles, uint32_t *number, size_t most,
                             const char *what);

/* Reads an atom, which begins with a letter, '*' or '['. */
ken_status ken_smiles_atom(struct ken_smiles *smiles, struct ken_atom *atom);

#endif
