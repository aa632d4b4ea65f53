#include "cpp/math.h"

struct Args : Launch {
    float const *x;
    float *y;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const n = args->n;
    float const *x = args->x + item().x * n;
    float *y = args->y + item().x * n;
    float most = -3.4028235e38f;
    for (uint32_t k = 0; k < n; ++k)
        most = __builtin_fmaxf(most, x[k]);
    float sum = 0;
    for (uint32_t k = 0; k < n; ++k) {
        y[k] = exp(x[k] - most);
        sum += y[k];
    }
    float const scale = 1.0f / sum;
    for (uint32_t k = 0; k < n; ++k)
        y[k] *= scale;
}

extern "C" void program() { spawn(body); }
