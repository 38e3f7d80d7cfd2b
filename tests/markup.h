/* markup.h - is it well-formed XML? For pictures, whatever names are in them. */
#ifndef TESTS_MARKUP_H
#define TESTS_MARKUP_H

/* Elements closed in order, one root, attributes in quotes and each once, only the entities of XML,
 * no stray "<" or "&", no control characters. What is wrong, in words; NULL: nothing. */
const char *markup_wrong(const char *text);

#endif
