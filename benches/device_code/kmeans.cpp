#include "cpp/spawn.h"

struct Args : Launch {
    float const *x, *y, *centre_x, *centre_y;
    float *to;
    uint32_t centres;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    float best = 3.4028235e38f;
    uint32_t nearest = 0;
    for (uint32_t j = 0; j < args->centres; ++j) {
        float const dx = args->x[i] - args->centre_x[j], dy = args->y[i] - args->centre_y[j];
        float const distance = dx * dx + dy * dy;
        // Without a branch, which would have to be split.
        uint32_t const less = mask(distance < best);
        best = __builtin_fminf(distance, best);
        nearest = (nearest & ~less) | (j & less);
    }
    args->to[i] = float(nearest);
}

extern "C" void program() { spawn(body); }
