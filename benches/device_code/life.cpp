#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *from;
    uint32_t *to;
    uint32_t w, h;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w, h = args->h;
    uint32_t around = 0;
    for (uint32_t dy = 0; dy < 3; ++dy)
        for (uint32_t dx = 0; dx < 3; ++dx)
            if (dx != 1 || dy != 1)
                around += args->from[(y + h + dy - 1) % h * w + (x + w + dx - 1) % w];
    uint32_t const here = args->from[y * w + x];
    args->to[y * w + x] = uint32_t(around == 3) | (uint32_t(here == 1) & uint32_t(around == 2));
}

extern "C" void program() { spawn(body); }
