/* elements.h - the periodic table, as far as reading molecules needs it. */
#ifndef CHEM_ELEMENTS_H
#define CHEM_ELEMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { KEN_ELEMENTS = 119 }; /* atomic numbers 1 .. 118; 0 is "*", an atom that may be any */

struct ken_element {
    char symbol[3];
    float mass; /* standard atomic weight; of the longest-lived isotope if none; 0: * */
    float
        electronegativity; /* after Pauling; 0 where there is no value                           */
    uint8_t outer;         /* electrons that bind, in the main groups; 0 elsewhere               */
};

extern const struct ken_element ken_elements[KEN_ELEMENTS];

/* The atomic number of a symbol, written as usual ("Cl"); 0 when it is none. */
uint8_t ken_element_find(const char *symbol, size_t length);

#endif
