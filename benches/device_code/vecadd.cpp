#include "cpp/spawn.h"

struct Args : Launch {
    float const *a, *b;
    float *c;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    args->c[i] = args->a[i] + args->b[i];
}

extern "C" void program() { spawn(body); }
