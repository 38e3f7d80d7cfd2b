/* smiles_parse.h - the state of the SMILES reader, shared by smiles.c and smiles_atom.c only. */
#ifndef CHEM_SMILES_PARSE_H
#define CHEM_SMILES_PARSE_H

#include "base/buffer.h"
#include "chem/molecule.h"

enum { KEN_SMILES_END = -1 };

/* The state of the reader: the kind of the last token. The state decides which token may come
 * next. */
enum ken_smiles_state {
    KEN_SMILES_BEGIN,
    KEN_SMILES_ATOM, /* last read: an atom, a ring number or ")" */
    KEN_SMILES_OPEN, /* last read: "("                           */
    KEN_SMILES_BOND,
    KEN_SMILES_OPEN_BOND, /* last read: "(" and a bond symbol; a ring number may not follow */
    KEN_SMILES_DOT,
    KEN_SMILES_STATES
};

struct ken_smiles {
    ken_molecule *molecule;
    const char *text;
    size_t length, at; /* length of the text; offset of the next byte to read */
    enum ken_smiles_state state;
    uint32_t previous;   /* index of the atom at which the next bond, branch or ring begins */
    ken_buffer branches; /* stack of open branches: array of struct branch                  */
    ken_buffer rings;    /* open rings, indexed by ring number: array of struct ring        */
    size_t open_rings;
    uint8_t order, direction; /* bond symbol read last, not yet used by an atom or ring; 0 = none */
};

/* Returns the byte at smiles->at, or KEN_SMILES_END at the end of the text. */
static inline int ken_smiles_peek(const struct ken_smiles *smiles)
{
    return smiles->at < smiles->length ? (unsigned char)smiles->text[smiles->at] : KEN_SMILES_END;
}

/* Returns KEN_ERR_FORMAT with the message "column N: ...", where N is `at` + 1; `at` is a byte
 * offset. */
ken_status ken_smiles_refuse(size_t at, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns KEN_ERR_FORMAT with the message "column N: expected `what`, found x", where x is the byte
 * at smiles->at and N is its column. */
ken_status ken_smiles_unexpected(const struct ken_smiles *smiles, const char *what);

/* Reads a number of at most `most` digits; fails if the number has more digits. If there is no
 * digit, *number is unchanged. */
ken_status ken_smiles_number(struct ken_smiles *smiles, uint32_t *number, size_t most,
                             const char *what);

/* Reads one atom, which begins with a letter, '*' or '['. */
ken_status ken_smiles_atom(struct ken_smiles *smiles, struct ken_atom *atom);

#endif
