#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t w;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w;
    float const *upper = args->from + 2 * y * w + 2 * x, *lower = upper + w;
    float const most = __builtin_fmaxf(__builtin_fmaxf(upper[0], upper[1]), __builtin_fmaxf(lower[0], lower[1]));
    args->to[y * (w / 2) + x] = most;
}

extern "C" void program() { spawn(body); }
