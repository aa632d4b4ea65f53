#include "../cpp/spawn.h"

static constexpr uint32_t DIGITS = 16, KEYS = 8;

struct Args : GroupLaunch {
    uint32_t const *keys;
    uint32_t shift, *counts;
};

struct Part {
    uint32_t count[DIGITS];
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &own = local<Part>();
    uint32_t const i = member().inside.x, size = args->block.x, group = member().group.x, shift = args->shift;
    auto const first = split(i < DIGITS);
    if (i < DIGITS)
        own.count[i] = 0;
    join(first);
    barrier();
    uint32_t const *keys = args->keys + group * size * KEYS + i;
    for (uint32_t k = 0; k < KEYS; ++k) {
        __atomic_fetch_add(&own.count[(*keys >> shift) % DIGITS], 1, __ATOMIC_RELAXED);
        keys += size;
    }
    barrier();
    auto const last = split(i < DIGITS);
    if (i < DIGITS)
        args->counts[i * args->grid.x + group] = own.count[i];
    join(last);
}

extern "C" void program() { spawn_groups(body); }
