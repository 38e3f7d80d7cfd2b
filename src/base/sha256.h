/* sha256.h - computes the SHA-256 (FIPS 180-4) of bytes that arrive in pieces. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { KEN_SHA256_HEX = 65 }; /* 64 hexadecimal digits and the final 0 */

typedef struct ken_sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} ken_sha256;

void ken_sha256_init(ken_sha256 *sha);
void ken_sha256_add(ken_sha256 *sha, const void *data, size_t size);
void ken_sha256_hex(ken_sha256 *sha, char hex[KEN_SHA256_HEX]); /* call it once, at the end */

#endif
