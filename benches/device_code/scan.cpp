#include "cpp/spawn.h"

struct Args : GroupLaunch {
    float const *x;
    float *sums, *totals;
};

struct Part {
    float at[64];
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &part = local<Part>();
    uint32_t const i = member().inside.x, size = args->block.x, n = member().group.x * size + i;
    part.at[i] = args->x[n];
    barrier();
    for (uint32_t apart = 1; apart < size; apart *= 2) {
        float before = 0;
        auto const token = split(i >= apart);
        if (i >= apart)
            before = part.at[i - apart];
        join(token);
        barrier();
        part.at[i] += before;
        barrier();
    }
    args->sums[n] = part.at[i];
    auto const token = split(i + 1 == size);
    if (i + 1 == size)
        args->totals[member().group.x] = part.at[i];
    join(token);
}

extern "C" void program() { spawn_groups(body); }
