#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *blocks;
    uint32_t *digests;
};

static constexpr uint32_t START[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static constexpr uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int by) { return __builtin_rotateright32(x, by); }

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint32_t w[64];
    for (int t = 0; t < 16; ++t)
        w[t] = args->blocks[16 * i + t];
    for (int t = 16; t < 64; ++t) {
        uint32_t const a = w[t - 15], b = w[t - 2];
        uint32_t const low = rotate_right(a, 7) ^ rotate_right(a, 18) ^ (a >> 3);
        uint32_t const high = rotate_right(b, 17) ^ rotate_right(b, 19) ^ (b >> 10);
        w[t] = w[t - 16] + low + w[t - 7] + high;
    }
    uint32_t a = START[0], b = START[1], c = START[2], d = START[3];
    uint32_t e = START[4], f = START[5], g = START[6], h = START[7];
    for (int t = 0; t < 64; ++t) {
        uint32_t const high = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t const choice = (e & f) ^ (~e & g);
        uint32_t const first = h + high + choice + K[t] + w[t];
        uint32_t const low = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t const majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + low + majority;
    }
    uint32_t const end[8] = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k)
        args->digests[8 * i + k] = START[k] + end[k];
}

extern "C" void program() { spawn(body); }
