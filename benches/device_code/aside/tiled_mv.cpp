#include "../cpp/spawn.h"

struct Args : GroupLaunch {
    float const *matrix, *x;
    uint32_t columns;
    float *y;
    uint32_t rows;
};

struct Part {
    float at[64];
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &part = local<Part>();
    uint32_t const i = member().inside.x, size = args->block.x, rows = args->rows, row = member().group.x * size + i;
    float const *at = args->matrix + row;
    float sum = 0;
    for (uint32_t first = 0; first < args->columns; first += size) {
        part.at[i] = args->x[first + i];
        barrier();
        for (uint32_t k = 0; k < size; ++k) {
            sum += *at * part.at[k];
            at += rows;
        }
        barrier();
    }
    args->y[row] = sum;
}

extern "C" void program() { spawn_groups(body); }
