#include "../cpp/spawn.h"

struct Args : Launch {
    float const *from;
    float *to;
    uint32_t w, h;
};

static void order(float &a, float &b) {
    float const low = __builtin_fminf(a, b), high = __builtin_fmaxf(a, b);
    a = low;
    b = high;
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w, h = args->h;
    float const *const at = args->from + y * w + x;
    float result = *at;
    bool const inner = (x > 0) & (y > 0) & (x + 1 < w) & (y + 1 < h);
    auto const token = split(inner);
    if (inner) {
        float v[9];
        for (int k = 0; k < 9; ++k)
            v[k] = at[(k / 3 - 1) * int32_t(w) + k % 3 - 1];
        static constexpr int PAIRS[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                             {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                             {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma clang loop unroll(full)
        for (auto const &pair : PAIRS)
            order(v[pair[0]], v[pair[1]]);
        result = v[4];
    }
    join(token);
    args->to[y * w + x] = result;
}

extern "C" void program() { spawn(body); }
