#include "../cpp/spawn.h"

struct Args : Launch {
    int8_t const *weights;
    float const *scales, *bias;
    int8_t const *x;
    uint32_t n;
    float x_scale;
    float *y;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const row = item().x, n = args->n;
    int8_t const *const weights = args->weights + row * n, *const x = args->x;
    int32_t sum = 0;
    for (uint32_t k = 0; k < n; ++k)
        sum += int32_t(weights[k]) * int32_t(x[k]);
    float const y = float(sum) * (args->scales[row] * args->x_scale) + args->bias[row];
    args->y[row] = __builtin_fmaxf(y, 0.0f);
}

extern "C" void program() { spawn(body); }
