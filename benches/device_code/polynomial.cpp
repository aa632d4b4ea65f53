#include "cpp/spawn.h"

struct Args : Launch {
    float const *x, *c;
    float *y;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    float const x = args->x[i];
    float y = args->c[8];
    for (int k = 7; k >= 0; --k)
        y = y * x + args->c[k];
    args->y[i] = y;
}

extern "C" void program() { spawn(body); }
