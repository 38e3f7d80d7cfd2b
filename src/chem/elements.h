/* elements.h - the periodic table, as far as reading molecules needs it. */
#ifndef CHEM_ELEMENTS_H
#define CHEM_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { KEN_ELEMENTS = 119 }; /* size of the table: atomic numbers 1 .. 118; 0 is "*", any atom */

struct ken_element {
    char symbol[3];
    float mass; /* standard atomic weight, or the weight of the longest-lived isotope; 0 for "*" */
    float electronegativity; /* Pauling scale; 0 = no value */
    uint8_t outer;           /* outer electrons of main-group elements; 0 for others */
};

extern const struct ken_element ken_elements[KEN_ELEMENTS];

/* Returns the atomic number of an element, given its symbol in the usual spelling ("Cl"); 0 if
 * there is no such element. */
uint8_t ken_element_find(const char *symbol, size_t length);

#endif
