#include "../cpp/spawn.h"

struct Args : Launch {
    float const *signal, *taps;
    uint32_t count;
    float *kept;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, count = args->count;
    float const *const window = args->signal + 2 * i, *const taps = args->taps;
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k)
        sum += window[k] * taps[k];
    args->kept[i] = sum;
}

extern "C" void program() { spawn(body); }
