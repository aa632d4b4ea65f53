#include "cpp/spawn.h"

struct Args : Launch {
    float const *from, *weights;
    float *to;
    uint32_t w;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w;
    float sum = 0;
    for (uint32_t dy = 0; dy < 5; ++dy)
        for (uint32_t dx = 0; dx < 5; ++dx)
            sum += args->from[(y + dy) * (w + 4) + x + dx] * args->weights[dy * 5 + dx];
    args->to[y * w + x] = sum;
}

extern "C" void program() { spawn(body); }
