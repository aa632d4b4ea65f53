#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *x, *y;
    uint32_t *to;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, some = active();
    uint32_t a = args->x[i], b = args->y[i];
    while (go_on(b != 0, some)) {
        uint32_t const rest = a % b;
        a = b;
        b = rest;
    }
    args->to[i] = a;
}

extern "C" void program() { spawn(body); }
