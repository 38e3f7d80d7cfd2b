/* xml.c - reads elements, attributes and text strictly. */
#include "tests/xml.h"

#include "base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == ':' || c == '_';
}

/* Checks that the text has only characters of XML 1.0, in UTF-8, and "&" only before a known
 * entity. */
static const char *check_text(const char *text, size_t length)
{
    static const char *const entities[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    if (ken_text_valid(text, length) != length) return "not UTF-8";
    for (size_t i = 0; i < length; i++) {
        bool known = text[i] != '&';
        if ((unsigned char)text[i] < 0x20 && !strchr("\t\n\r", text[i]))
            return "a control character";
        if (strncmp(text + i, "\xef\xbf\xbe", 3) == 0 || strncmp(text + i, "\xef\xbf\xbf", 3) == 0)
            return "U+FFFE or U+FFFF";
        for (size_t e = 0; e < 5 && !known; e++)
            known = strncmp(text + i, entities[e], strlen(entities[e])) == 0;
        if (!known) return "an unknown entity";
    }
    return NULL;
}

/* *at is at the character after a tag's name and moves to the tag's end. Ends names and values with
 * a 0. */
static const char *read_attributes(struct xml_element *element, char **at)
{
    char *p = *at;
    while (isspace((unsigned char)*p)) {
        *p++ = '\0';
        while (isspace((unsigned char)*p)) p++;
        if (*p == '/' || *p == '>') break;
        if (element->attribute_count == XML_ATTRIBUTES) return "too many attributes";
        const char *name = p;
        while (is_name(*p)) p++;
        if (p == name || p[0] != '=' || p[1] != '"') return "an attribute without =\"";
        *p = '\0';
        const char *value = p += 2;
        p += strcspn(p, "\"<");
        if (*p != '"') return "a value that does not end, or has < in it";
        *p++ = '\0';
        if (xml_attribute(element, name)) return "an attribute twice";
        const char *wrong = check_text(value, strlen(value));
        if (wrong) return wrong;
        size_t i = element->attribute_count++;
        element->attributes[i].name = name;
        element->attributes[i].value = value;
    }
    *at = p;
    return NULL;
}

static const char *read_start(struct xml *xml, size_t stack[], size_t *depth, char **at)
{
    if (xml->count == XML_ELEMENTS || *depth == DEEPEST) return "too much for this reader";
    if (*depth == 0 && xml->count > 0) return "a second root";
    struct xml_element *element = &xml->elements[xml->count];
    *element = (struct xml_element){ .name = *at, .text = "" };
    while (is_name(**at)) ++*at;
    if (*at == element->name) return "no name behind <";
    char *behind = *at;
    const char *wrong = read_attributes(element, at);
    if (wrong) return wrong;
    bool empty = **at == '/';
    if (empty) ++*at;
    if (**at != '>') return "a tag that does not end";
    *behind = '\0';
    if (!empty) stack[(*depth)++] = xml->count;
    xml->count++;
    *(*at)++ = '\0';
    return NULL;
}

static const char *read_end(struct xml *xml, size_t stack[], size_t *depth, char **at)
{
    const char *name = ++*at;
    while (is_name(**at)) ++*at;
    if (**at != '>') return "an end tag that does not end";
    *(*at)++ = '\0';
    if (*depth == 0 || strcmp(xml->elements[stack[*depth - 1]].name, name) != 0)
        return "an end without its beginning";
    --*depth;
    return NULL;
}

const char *xml_read(struct xml *xml, const char *text)
{
    size_t stack[DEEPEST], depth = 0;
    xml->count = 0;
    xml->copy = strdup(text);
    char *at = xml->copy;
    const char *wrong = at ? NULL : "no memory";
    while (!wrong && *at) {
        char *from = at;
        at += strcspn(at, "<");
        wrong = check_text(from, (size_t)(at - from));
        if (wrong || !*at) break;
        if (depth == 0 && strspn(from, " \n") != (size_t)(at - from)) wrong = "text outside";
        *at++ = '\0';
        if (depth > 0 && stack[depth - 1] + 1 == xml->count)
            xml->elements[stack[depth - 1]].text = from;
        if (!wrong)
            wrong = *at == '/' ? read_end(xml, stack, &depth, &at)
                               : read_start(xml, stack, &depth, &at);
    }
    if (!wrong && (depth > 0 || xml->count == 0)) wrong = "the document does not end";
    return wrong;
}

void xml_release(struct xml *xml)
{
    free(xml->copy);
    xml->copy = NULL;
    xml->count = 0;
}

const char *xml_attribute(const struct xml_element *element, const char *name)
{
    for (size_t i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name) == 0) return element->attributes[i].value;
    return NULL;
}

size_t xml_elements(const struct xml *xml, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < xml->count; i++) count += strcmp(xml->elements[i].name, name) == 0;
    return count;
}
