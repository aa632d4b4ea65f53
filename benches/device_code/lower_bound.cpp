#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *sorted, *keys;
    uint32_t *at;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, key = args->keys[i], some = active();
    uint32_t low = 0, high = args->n;
    while (go_on(low < high, some)) {
        uint32_t const middle = (low + high) / 2;
        uint32_t const less = mask(args->sorted[middle] < key);
        low = ((middle + 1) & less) | (low & ~less);
        high = (high & less) | (middle & ~less);
    }
    args->at[i] = low;
}

extern "C" void program() { spawn(body); }
