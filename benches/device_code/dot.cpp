#include "cpp/spawn.h"

struct Args : Launch {
    float const *a, *b;
    float *sums;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const first = item().x, stride = args->grid.x;
    float sum = 0;
    for (uint32_t k = first; k < args->n; k += stride)
        sum += args->a[k] * args->b[k];
    args->sums[first] = sum;
}

extern "C" void program() { spawn(body); }
