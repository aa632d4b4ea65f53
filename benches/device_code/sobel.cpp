#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t w;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w;
    float const *up = args->from + y * (w + 2) + x, *here = up + w + 2, *down = here + w + 2;
    float const across = up[2] - up[0] + 2.0f * (here[2] - here[0]) + down[2] - down[0];
    float const along = down[0] + 2.0f * down[1] + down[2] - up[0] - 2.0f * up[1] - up[2];
    args->to[y * w + x] = __builtin_sqrtf(across * across + along * along);
}

extern "C" void program() { spawn(body); }
