#include "cpp/spawn.h"

struct Args : Launch {
    float const *x, *y, *z, *mass;
    float *ax, *ay, *az;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, n = args->n;
    float const x = args->x[i], y = args->y[i], z = args->z[i];
    float ax = 0, ay = 0, az = 0;
    for (uint32_t j = 0; j < n; ++j) {
        float const dx = args->x[j] - x, dy = args->y[j] - y, dz = args->z[j] - z;
        float const square = dx * dx + dy * dy + dz * dz + 0.01f;
        float const inverse = 1.0f / __builtin_sqrtf(square);
        float const pull = args->mass[j] * inverse * inverse * inverse;
        ax += pull * dx;
        ay += pull * dy;
        az += pull * dz;
    }
    args->ax[i] = ax;
    args->ay[i] = ay;
    args->az[i] = az;
}

extern "C" void program() { spawn(body); }
