#include "cpp/spawn.h"

struct Args : GroupLaunch {
    float const *from;
    float *to;
    uint32_t w, h;
};

template <uint32_t TILE> struct Tile {
    float at[TILE][17];
};

// Whole tiles: no item is outside.
template <uint32_t TILE> static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    auto &tile = local<Tile<TILE>>();
    uint32_t const x = member().inside.x, y = member().inside.y;
    uint32_t const left = member().group.x * TILE, top = member().group.y * TILE;
    tile.at[y][x] = args->from[(top + y) * args->w + left + x];
    barrier();
    args->to[(left + y) * args->h + top + x] = tile.at[x][y];
    // The next group of these warps has the same tile.
    barrier();
}

extern "C" void program() {
    switch (arguments<Args>()->block.x) {
    case 16: return spawn_groups(body<16>);
    case 8: return spawn_groups(body<8>);
    default: return spawn_groups(body<4>);
    }
}
