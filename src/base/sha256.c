/* sha256.c - the rounds of FIPS 180-4, section 6.2, with its names: a..h are the working variables,
 * w the message schedule. Not here: any other hash, or a promise about timing. */
#include "base/sha256.h"

#include "base/size.h"

#include <string.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static inline uint32_t big_endian(const unsigned char *byte)
{
    return (uint32_t)byte[0] << 24 | (uint32_t)byte[1] << 16 | (uint32_t)byte[2] << 8 | byte[3];
}

/* w[t] = s1(w[t - 2]) + w[t - 7] + s0(w[t - 15]) + w[t - 16], the last 16 of them in a ring */
static inline uint32_t schedule(uint32_t w[16], int t)
{
    uint32_t two = w[(t - 2) & 15], fifteen = w[(t - 15) & 15];
    w[t & 15] += (rotate(two, 17) ^ rotate(two, 19) ^ two >> 10) + w[(t - 7) & 15] +
                 (rotate(fifteen, 7) ^ rotate(fifteen, 18) ^ fifteen >> 3);
    return w[t & 15];
}

static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 16; t++) w[t] = big_endian(block + 4 * t);
    for (int t = 0; t < 64; t++) {
        uint32_t t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) +
                      constants[t] + (t < 16 ? w[t] : schedule(w, t));
        uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                      ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void ken_sha256_init(ken_sha256 *sha)
{
    /* Of the square roots of the first 8 primes. */
    *sha = (ken_sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                    0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void ken_sha256_add(ken_sha256 *sha, const void *data, size_t size)
{
    const unsigned char *from = data;
    size_t held = sha->bytes % sizeof sha->block; /* bytes that wait for their block to be full */
    sha->bytes += size;
    if (held > 0) {
        size_t more = ken_size_min(size, sizeof sha->block - held);
        if (more > 0) memcpy(sha->block + held, from, more);
        from += more;
        size -= more;
        if (held + more < sizeof sha->block) return;
        compress(sha->state, sha->block);
    }
    for (; size >= sizeof sha->block; from += sizeof sha->block, size -= sizeof sha->block)
        compress(sha->state, from);
    if (size > 0) memcpy(sha->block, from, size);
}

void ken_sha256_hex(ken_sha256 *sha, char hex[KEN_SHA256_HEX])
{
    static const unsigned char padding[64] = { 0x80 };
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(sha->bytes * 8 >> (56 - 8 * i));
    /* One bit 1, then zeros until only the 8 bytes of the length are missing from a block. */
    ken_sha256_add(sha, padding, 1 + (119 - sha->bytes % 64) % 64);
    ken_sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 64; i++)
        hex[i] = "0123456789abcdef"[sha->state[i / 8] >> (28 - i % 8 * 4) & 15];
    hex[64] = '\0';
}
