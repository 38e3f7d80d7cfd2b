/* fuzz_model.c - fuzzes model files: a false header is refused, and an accepted file is
 * complete. */
#include "fuzz/fuzz.h"
#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ken_safetensors file;
    if (ken_safetensors_read(&file, fuzz_file(data, size))) return 0;
    double sum = 0;
    for (size_t i = 0; i < file.count; i++) {
        size_t numbers = 1;
        for (size_t d = 0; d < file.tensors[i].dimensions; d++) numbers *= file.tensors[i].shape[d];
        for (size_t j = 0; j < numbers; j++) sum += file.tensors[i].data[j];
    }
    FUZZ_CHECK(sum == sum || sum != sum);
    ken_safetensors_release(&file);
    return 0;
}
