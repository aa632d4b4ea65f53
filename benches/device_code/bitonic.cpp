#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t run, apart;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, other = i ^ args->apart;
    float const a = args->from[i], b = args->from[other];
    // Without a branch, which would have to be split.
    uint32_t const least = mask(((i & args->run) == 0) == (i < other));
    auto const low = __builtin_bit_cast(uint32_t, __builtin_fminf(a, b));
    auto const high = __builtin_bit_cast(uint32_t, __builtin_fmaxf(a, b));
    args->to[i] = __builtin_bit_cast(float, (low & least) | (high & ~least));
}

extern "C" void program() { spawn(body); }
