#include "cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t n;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, z = item().z, n = args->n;
    uint32_t const left = x > 0 ? x - 1 : 0, right = x + 1 < n ? x + 1 : n - 1;
    uint32_t const up = y > 0 ? y - 1 : 0, down = y + 1 < n ? y + 1 : n - 1;
    uint32_t const front = z > 0 ? z - 1 : 0, back = z + 1 < n ? z + 1 : n - 1;
    float const *from = args->from;
    auto const at = [=](uint32_t x, uint32_t y, uint32_t z) { return from[(z * n + y) * n + x]; };
    float const sum = at(left, y, z) + at(right, y, z) + at(x, up, z) + at(x, down, z) + at(x, y, front) + at(x, y, back);
    args->to[(z * n + y) * n + x] = sum - 6.0f * at(x, y, z);
}

extern "C" void program() { spawn(body); }
