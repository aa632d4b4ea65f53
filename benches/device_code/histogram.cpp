#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *x;
    uint32_t *bins, count;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    __atomic_fetch_add(args->bins + args->x[item().x] % args->count, 1, __ATOMIC_RELAXED);
}

extern "C" void program() { spawn(body); }
