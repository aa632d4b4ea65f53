#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t w, h;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y;
    args->to[x * args->h + y] = args->from[y * args->w + x];
}

extern "C" void program() { spawn(body); }
