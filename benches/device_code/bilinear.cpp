#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t w, h, to_w;
    float scale;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, j = item().y, w = args->w, h = args->h;
    float const x = float(i) * args->scale, y = float(j) * args->scale;
    uint32_t const left = uint32_t(x), top = uint32_t(y);
    uint32_t const right = left + 1 < w - 1 ? left + 1 : w - 1, bottom = top + 1 < h - 1 ? top + 1 : h - 1;
    float const dx = x - float(left), dy = y - float(top);
    float const *above = args->from + top * w, *below = args->from + bottom * w;
    float const upper = above[left] * (1.0f - dx) + above[right] * dx;
    float const lower = below[left] * (1.0f - dx) + below[right] * dx;
    args->to[j * args->to_w + i] = upper * (1.0f - dy) + lower * dy;
}

extern "C" void program() { spawn(body); }
