/* elements.h - the part of the periodic table that reading molecules needs. */
#ifndef CHEM_ELEMENTS_H
#define CHEM_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { KEN_ELEMENTS = 119 }; /* number of entries: 0 for "*" (any atom), 1 .. 118 for elements */

struct ken_element {
    char symbol[3];
    float mass; /* standard atomic weight, or that of the longest-lived isotope; 0 for "*" */
    float electronegativity; /* electronegativity on the Pauling scale; 0 = no value              */
    uint8_t outer;           /* number of outer electrons, main-group elements only; 0 for others */
};

extern const struct ken_element ken_elements[KEN_ELEMENTS];

/* Returns the atomic number of an element, given its symbol in the usual spelling ("Cl"); 0 if
 * there is no such element. */
uint8_t ken_element_find(const char *symbol, size_t length);

#endif
