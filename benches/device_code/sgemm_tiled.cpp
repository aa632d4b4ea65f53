#include "cpp/spawn.h"

struct Args : GroupLaunch {
    float const *a, *b;
    float *c;
    uint32_t n;
};

template <uint32_t TILE> struct Tiles {
    float left[TILE][TILE], right[TILE][TILE];
};

template <uint32_t TILE> static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &tiles = local<Tiles<TILE>>();
    uint32_t const x = member().inside.x, y = member().inside.y, n = args->n;
    uint32_t const col = member().group.x * TILE + x, row = member().group.y * TILE + y;
    float sum = 0;
    for (uint32_t tile = 0; tile < n / TILE; ++tile) {
        tiles.left[y][x] = args->a[row * n + tile * TILE + x];
        tiles.right[y][x] = args->b[(tile * TILE + y) * n + col];
        barrier();
        for (uint32_t k = 0; k < TILE; ++k)
            sum += tiles.left[y][k] * tiles.right[k][x];
        barrier();
    }
    args->c[row * n + col] = sum;
}

extern "C" void program() {
    switch (arguments<Args>()->block.x) {
    case 16: return spawn_groups(body<16>);
    case 8: return spawn_groups(body<8>);
    default: return spawn_groups(body<4>);
    }
}
