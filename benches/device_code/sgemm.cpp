#include "cpp/spawn.h"

struct Args : Launch {
    float const *a, *b;
    float *c;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const col = item().x, row = item().y, n = args->n;
    float sum = 0;
    for (uint32_t k = 0; k < n; ++k)
        sum += args->a[row * n + k] * args->b[k * n + col];
    args->c[row * n + col] = sum;
}

extern "C" void program() { spawn(body); }
