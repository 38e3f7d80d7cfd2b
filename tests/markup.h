/* markup.h - checks that pictures are well-formed XML, whatever names are in them. */
#ifndef TESTS_MARKUP_H
#define TESTS_MARKUP_H

/* Checks that elements are closed in order, there is one root, attributes are quoted and unique,
 * only entities of XML are used, and there are no stray "<" or "&" and no control characters.
 * Returns what is wrong in words, or NULL. */
const char *markup_wrong(const char *text);

#endif
