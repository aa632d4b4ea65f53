#include "../cpp/spawn.h"

static constexpr uint32_t SIDE = 4;

struct Block {
    float of[SIDE][SIDE];
};

struct Args : Launch {
    uint32_t const *starts, *columns;
    Block const *blocks;
    float const *x;
    float *y;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, of_block = i / SIDE, row = i % SIDE;
    uint32_t k = args->starts[of_block];
    uint32_t const end = args->starts[of_block + 1];
    float sum = 0;
    auto const token = split(k < end);
    if (k < end) {
        uint32_t const some = active();
        do {
            float const *const values = args->blocks[k].of[row], *const x = args->x + args->columns[k] * SIDE;
            for (uint32_t column = 0; column < SIDE; ++column)
                sum += values[column] * x[column];
            ++k;
        } while (go_on(k < end, some));
    }
    join(token);
    args->y[i] = sum;
}

extern "C" void program() { spawn(body); }
