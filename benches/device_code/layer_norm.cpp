#include "cpp/spawn.h"

struct Args : Launch {
    float const *x, *gain, *bias;
    float *y;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const row = item().x, n = args->n;
    float const *x = args->x + row * n;
    float sum = 0;
    for (uint32_t k = 0; k < n; ++k)
        sum += x[k];
    float const mean = sum / float(n);
    float squares = 0;
    for (uint32_t k = 0; k < n; ++k)
        squares += (x[k] - mean) * (x[k] - mean);
    float const scale = 1.0f / __builtin_sqrtf(squares / float(n) + 1e-5f);
    for (uint32_t k = 0; k < n; ++k)
        args->y[row * n + k] = (x[k] - mean) * scale * args->gain[k] + args->bias[k];
}

extern "C" void program() { spawn(body); }
