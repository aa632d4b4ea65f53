#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *starts, *columns;
    float const *values, *x;
    float *y;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const row = item().x, end = args->starts[row + 1];
    uint32_t k = args->starts[row];
    float sum = 0;
    auto const token = split(k < end);
    if (k < end) {
        uint32_t const some = active();
        do {
            sum += args->values[k] * args->x[args->columns[k]];
            ++k;
        } while (go_on(k < end, some));
    }
    join(token);
    args->y[row] = sum;
}

extern "C" void program() { spawn(body); }
