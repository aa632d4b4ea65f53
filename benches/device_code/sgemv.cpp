#include "cpp/spawn.h"

struct Args : Launch {
    float const *a, *x;
    float *y;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const row = item().x, n = args->n;
    float sum = 0;
    for (uint32_t k = 0; k < n; ++k)
        sum += args->a[row * n + k] * args->x[k];
    args->y[row] = sum;
}

extern "C" void program() { spawn(body); }
