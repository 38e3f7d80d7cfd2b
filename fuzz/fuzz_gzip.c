/* fuzz_gzip.c - fuzzes packed files: the unpacked bytes never exceed the limit. */
#include "base/io.h"
#include "base/memory.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 1 << 20 };
    char *text;
    size_t length;
    if (ken_file_read(&text, &length, fuzz_file(data, size), MOST)) return 0;
    FUZZ_CHECK(length <= MOST && text[length] == 0);
    ken_memory_free(text);
    return 0;
}
