/* elements.h - the periodic table, as far as reading molecules needs it. */
#ifndef CHEM_ELEMENTS_H
#define CHEM_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { KEN_ELEMENTS = 119 }; /* atomic numbers 1 .. 118; 0 is "*", any atom */

struct ken_element {
    char symbol[3];
    float mass; /* standard atomic weight, or that of the longest-lived isotope; 0 for * */
    float electronegativity; /* Pauling scale; 0 = no value                      */
    uint8_t outer;           /* outer electrons, in the main groups; 0 elsewhere */
};

extern const struct ken_element ken_elements[KEN_ELEMENTS];

/* The atomic number of a symbol in its usual spelling ("Cl"); 0 if there is no such element. */
uint8_t ken_element_find(const char *symbol, size_t length);

#endif
