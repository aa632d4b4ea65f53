#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    uint32_t const *at;
    float *to;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    args->to[i] = args->from[args->at[i]];
}

extern "C" void program() { spawn(body); }
