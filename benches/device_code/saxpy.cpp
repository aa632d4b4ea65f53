#include "cpp/spawn.h"

struct Args : Launch {
    float alpha;
    float const *x, *y;
    float *z;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    args->z[i] = args->alpha * args->x[i] + args->y[i];
}

extern "C" void program() { spawn(body); }
