/* visitor.c - builds the full names of parameters while a visitor walks through the layers. */
#include "layer/visitor.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t ken_visit_enter(ken_visitor *visitor, const char *format, ...)
{
    size_t length = strlen(visitor->name);
    if (length > 0 && length + 1 < sizeof visitor->name) strcat(visitor->name, ".");
    size_t at = strlen(visitor->name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(visitor->name + at, sizeof visitor->name - at, format, arguments);
    va_end(arguments);
    return length;
}

void ken_visit_leave(ken_visitor *visitor, size_t entered)
{
    visitor->name[entered] = '\0';
}

void ken_visit(ken_visitor *visitor, const char *name, ken_tensor *tensor,
               struct ken_parameter parameter)
{
    size_t entered = ken_visit_enter(visitor, "%s", name);
    visitor->visit(visitor, visitor->name, tensor, &parameter);
    ken_visit_leave(visitor, entered);
}
