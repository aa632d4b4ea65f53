#include "cpp/spawn.h"

struct Args : Launch {
    float const *x, *weights;
    float *y;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const n = args->n;
    float const *x = args->x + item().x * n;
    float *y = args->y + item().x * n;
    float sum = 0;
    for (uint32_t k = 0; k < n; ++k)
        sum += x[k] * x[k];
    float const scale = 1.0f / __builtin_sqrtf(sum / float(n) + 1e-5f);
    for (uint32_t k = 0; k < n; ++k)
        y[k] = x[k] * scale * args->weights[k];
}

extern "C" void program() { spawn(body); }
