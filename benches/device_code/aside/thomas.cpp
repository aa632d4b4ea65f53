#include "../cpp/spawn.h"

struct Args : Launch {
    float const *lower, *middle, *upper, *right;
    float *x;
    uint32_t n;
};

static constexpr int ROWS = 16;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, n = args->n;
    float const *lower = args->lower + i, *middle = args->middle + i;
    float const *upper = args->upper + i, *right = args->right + i;
    float above[ROWS], values[ROWS];
    above[0] = *upper / *middle;
    values[0] = *right / *middle;
#pragma clang loop unroll(full)
    for (int row = 1; row < ROWS; ++row) {
        lower += n;
        middle += n;
        upper += n;
        right += n;
        float const scale = 1.0f / (*middle - *lower * above[row - 1]);
        above[row] = *upper * scale;
        values[row] = (*right - *lower * values[row - 1]) * scale;
    }
    float last = values[ROWS - 1];
    float *x = args->x + (ROWS - 1) * n + i;
    *x = last;
#pragma clang loop unroll(full)
    for (int row = ROWS - 2; row >= 0; --row) {
        x -= n;
        last = values[row] - above[row] * last;
        *x = last;
    }
}

extern "C" void program() { spawn(body); }
