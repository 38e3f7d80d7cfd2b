/* xml.h - reads small XML documents strictly, to check what draw/ writes. */
#ifndef TESTS_XML_H
#define TESTS_XML_H

#include <stddef.h>

enum { XML_ELEMENTS = 4096, XML_ATTRIBUTES = 16 };

struct xml_element {
    const char *name;
    struct {
        const char *name, *value; /* entities as they are written */
    } attributes[XML_ATTRIBUTES];
    size_t attribute_count;
    const char *text; /* if it has no child elements, entities as written; else "" */
};

struct xml {
    char *copy; /* the document, cut into strings */
    struct xml_element elements[XML_ELEMENTS];
    size_t count;
};

/* NULL if the text is well-formed XML 1.0 with one root and only the five entities of XML; else
 * what is wrong. Comments, directives and CDATA count as wrong, because ken writes none. */
const char *xml_read(struct xml *xml, const char *text);
void xml_release(struct xml *xml);

const char *xml_attribute(const struct xml_element *element, const char *name); /* NULL if none */
size_t xml_elements(const struct xml *xml, const char *name); /* the number of elements */

#endif
