#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *front, *back;
    uint32_t *to;
};

static uint32_t by_255(uint32_t x) {
    x += 128;
    return (x + (x >> 8)) >> 8;
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, front = args->front[i], back = args->back[i];
    uint32_t const alpha = front >> 24, rest = 255 - alpha;
    // Also where the front is not seen at all, which gives the back.
    uint32_t mixed = (alpha + by_255((back >> 24) * rest)) << 24;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t const over = front >> shift & 255, under = back >> shift & 255;
        mixed |= by_255(over * alpha + under * rest) << shift;
    }
    args->to[i] = mixed;
}

extern "C" void program() { spawn(body); }
