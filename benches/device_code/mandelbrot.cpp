#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t *picture, w, h, most;
};

// Not contracted: counts would be others.
#pragma clang fp contract(off)
static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, most = args->most;
    float const re = float(x) * 3.0f / float(args->w) - 2.0f;
    float const im = float(y) * 2.0f / float(args->h) - 1.0f;
    float a = 0, b = 0;
    uint32_t steps = 0;
    uint32_t const some = active();
    while (go_on((steps < most) & (a * a + b * b <= 4.0f), some)) {
        float const next = a * a - b * b + re;
        b = 2.0f * a * b + im;
        a = next;
        ++steps;
    }
    args->picture[y * args->w + x] = steps;
}

extern "C" void program() { spawn(body); }
