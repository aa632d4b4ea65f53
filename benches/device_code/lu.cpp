#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t n, pivot;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, n = args->n, pivot = args->pivot;
    float const *from = args->from;
    float value = from[y * n + x];
    bool const below = (y > pivot) & (x >= pivot);
    auto const token = split(below);
    if (below)
        value -= from[y * n + pivot] / from[pivot * n + pivot] * from[pivot * n + x];
    join(token);
    args->to[y * n + x] = value;
}

extern "C" void program() { spawn(body); }
