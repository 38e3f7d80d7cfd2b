/* smiles_parse.h - the state of the SMILES reader, shared by smiles.c and smiles_atom.c only. */
#ifndef CHEM_SMILES_PARSE_H
#define CHEM_SMILES_PARSE_H

#include "base/buffer.h"
#include "chem/molecule.h"

enum { KEN_SMILES_END = -1 };

/* The state of the reader: the kind of the last token, which decides what may come next. */
enum ken_smiles_state {
    KEN_SMILES_BEGIN,
    KEN_SMILES_ATOM, /* after an atom with its ring numbers, or after a whole branch */
    KEN_SMILES_OPEN, /* after ( */
    KEN_SMILES_BOND,
    KEN_SMILES_OPEN_BOND, /* after ( and a bond: no ring number may follow */
    KEN_SMILES_DOT,
    KEN_SMILES_STATES
};

struct ken_smiles {
    ken_molecule *molecule;
    const char *text;
    size_t length, at; /* in bytes; `at` is the offset of the next byte to read */
    enum ken_smiles_state state;
    uint32_t previous;   /* the atom where the next bond, branch or ring begins */
    ken_buffer branches; /* stack of the open branches */
    ken_buffer rings;    /* rings, indexed by ring number */
    size_t open_rings;
    uint8_t order, direction; /* bond symbol just read; 0 = none */
};

/* Returns the byte at smiles->at, or KEN_SMILES_END at the end of the text. */
static inline int ken_smiles_peek(const struct ken_smiles *smiles)
{
    return smiles->at < smiles->length ? (unsigned char)smiles->text[smiles->at] : KEN_SMILES_END;
}

/* Fails with KEN_ERR_FORMAT and the message "column N: ..."; `at` is the byte offset of column N,
 * from 0. */
ken_status ken_smiles_refuse(size_t at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fails with the message "column N: expected `what`, found x" about the byte at smiles->at. */
ken_status ken_smiles_unexpected(const struct ken_smiles *smiles, const char *what);

/* Reads a number of at most `most` digits. If there is no digit, *number is unchanged; if there are
 * more digits, it fails. */
ken_status ken_smiles_number(struct ken_smiles *smiles, uint32_t *number, size_t most,
                             const char *what);

/* Reads one atom, which begins with a letter, '*' or '['. */
ken_status ken_smiles_atom(struct ken_smiles *smiles, struct ken_atom *atom);

#endif
