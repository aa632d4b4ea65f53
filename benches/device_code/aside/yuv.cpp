#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *luma, *cb, *cr;
    uint32_t w, *pixels;
};

static uint32_t channel(int32_t value) {
    value = (value + 128) >> 8;
    value &= ~(value >> 31);
    // All bits set if it is more than 255.
    return (value | (255 - value) >> 31) & 255;
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w, colour = y / 2 * (w / 2) + x / 2;
    int32_t const c = 298 * (int32_t(args->luma[y * w + x]) - 16);
    int32_t const d = int32_t(args->cb[colour]) - 128, e = int32_t(args->cr[colour]) - 128;
    uint32_t const red = channel(c + 409 * e), green = channel(c - 100 * d - 208 * e), blue = channel(c + 516 * d);
    args->pixels[y * w + x] = red | green << 8 | blue << 16 | 255u << 24;
}

extern "C" void program() { spawn(body); }
