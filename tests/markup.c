/* markup.c - reads the subset of XML that pictures use: no comments, no CDATA, no document type. */
#include "tests/markup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH = 32, NAME = 40, ATTRIBUTES = 16 };

static bool is_name(char c)
{
    return c && strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_:.", c);
}

static size_t name_at(char name[NAME], const char *text)
{
    size_t length = 0;
    while (is_name(text[length]) && length + 1 < NAME) length++;
    memcpy(name, text, length);
    name[length] = '\0';
    return length;
}

/* Skips characters up to one of `ends`; NULL if one of them is wrong. */
static const char *characters(const char *at, const char *ends)
{
    static const char *const entities[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&apos;" };
    for (; *at && !strchr(ends, *at); at++) {
        unsigned char c = (unsigned char)*at;
        bool known = c != '&';
        for (size_t i = 0; i < 5; i++)
            known = known || strncmp(at, entities[i], strlen(entities[i])) == 0;
        if (!known || c == '<' || c == 0x7f || (c < 0x20 && !strchr("\t\n\r", c))) return NULL;
    }
    return at;
}

/* Reads name="value" pairs up to the end of the tag. */
static const char *attributes(const char *at, const char **wrong)
{
    char seen[ATTRIBUTES][NAME];
    size_t count = 0;
    while (*at == ' ') {
        at++;
        size_t length = name_at(seen[count], at);
        if (length == 0 || at[length] != '=' || at[length + 1] != '"') *wrong = "an attribute";
        for (size_t i = 0; i < count; i++)
            if (strcmp(seen[i], seen[count]) == 0) *wrong = "an attribute twice";
        if (!*wrong) at = characters(at + length + 2, "\"");
        if (!*wrong && (!at || *at++ != '"')) *wrong = "the value of an attribute";
        if (!*wrong && ++count == ATTRIBUTES) *wrong = "too many attributes";
        if (*wrong) return NULL;
    }
    return at;
}

const char *markup_wrong(const char *at)
{
    static char open[DEPTH][NAME];
    size_t depth = 0, roots = 0;
    const char *wrong = NULL;
    while (*at) {
        if (*at != '<') {
            at = characters(at, "<");
            if (!at) return "a character";
            continue;
        }
        bool closes = at[1] == '/';
        char name[NAME];
        at += closes ? 2 : 1;
        at += name_at(name, at);
        if (closes) {
            if (*at++ != '>' || depth == 0 || strcmp(open[--depth], name) != 0)
                return "an end without its beginning";
            continue;
        }
        at = attributes(at, &wrong);
        if (wrong) return wrong;
        roots += depth == 0;
        if (strncmp(at, "/>", 2) == 0) {
            at += 2;
            continue;
        }
        if (*at++ != '>' || depth == DEPTH) return "a tag";
        memcpy(open[depth++], name, NAME);
    }
    return depth > 0 ? "an element that stays open" : roots != 1 ? "not one root" : NULL;
}
