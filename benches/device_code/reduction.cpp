#include "cpp/spawn.h"

struct Args : GroupLaunch {
    float const *x;
    float *sums;
};

struct Part {
    float at[64];
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &part = local<Part>();
    uint32_t const i = member().inside.x, size = args->block.x;
    part.at[i] = args->x[member().group.x * size + i];
    barrier();
    for (uint32_t half = size / 2; half > 0; half /= 2) {
        auto const token = split(i < half);
        if (i < half)
            part.at[i] += part.at[i + half];
        join(token);
        barrier();
    }
    auto const token = split(i == 0);
    if (i == 0)
        args->sums[member().group.x] = part.at[0];
    join(token);
}

extern "C" void program() { spawn_groups(body); }
