/* options.c - copies option structs whose size may differ between versions, see options.h. */
#include "base/options.h"

#include "base/size.h"

#include <string.h>

void ken_options_give(void *given, size_t size, const void *defaults, size_t own_size)
{
    if (ken_given(given != NULL, "options", "the struct to fill")) return;
    if (size < sizeof size) return; /* the struct has no room even for its size field */
    memset(given, 0, size);
    memcpy(given, defaults, ken_size_min(size, own_size));
    memcpy(given, &size, sizeof size);
}

ken_status ken_options_take(void *own, size_t own_size, const void *given, size_t least,
                            const char *name)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size < least)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "%s has size %zu, at least %zu expected: start from %s_"
                        "default()",
                        name, size, least, name);
    if (size > own_size)
        return ken_fail(KEN_ERR_ARGUMENT,
                        "%s has size %zu, this library knows %zu: the program "
                        "was built for a newer ken than %s",
                        name, size, own_size, ken_version());
    memcpy(own, given, size);
    memcpy(own, &own_size, sizeof own_size);
    return KEN_OK;
}

ken_status ken_options_unused(const void *const *reserved, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (reserved[i])
            return ken_fail(KEN_ERR_ARGUMENT,
                            "%s.reserved is not NULL: initialise the whole "
                            "struct, or use the ken it was written for",
                            name);
    return KEN_OK;
}
