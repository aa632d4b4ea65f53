#include "../cpp/spawn.h"

struct Slot {
    uint32_t key, row;
};

struct Args : Launch {
    Slot const *slots;
    uint32_t size;
    uint32_t const *keys, *prices, *counts;
    uint32_t *sums;
};

static constexpr uint32_t EMPTY = ~0u;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, key = args->keys[i], last = args->size - 1;
    uint32_t const hash = (key ^ key >> 15) * 0x2c1b3c6d;
    uint32_t at = hash ^ hash >> 13;
    Slot const *slot;
    uint32_t const some = active();
    uint32_t found;
    do {
        slot = args->slots + (at & last);
        found = slot->key;
        ++at;
    } while (go_on((found != key) & (found != EMPTY), some));
    auto const token = split(found == key);
    if (found == key)
        args->sums[i] = args->prices[slot->row] * args->counts[i];
    join(token);
}

extern "C" void program() { spawn(body); }
