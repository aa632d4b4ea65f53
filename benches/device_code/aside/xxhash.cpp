#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *bytes;
    uint32_t const *starts;
    uint32_t seed;
    uint32_t *hashes;
};

static constexpr uint32_t P1 = 0x9e3779b1, P2 = 0x85ebca77, P3 = 0xc2b2ae3d, P4 = 0x27d4eb2f, P5 = 0x165667b1;

static uint32_t rotate_left(uint32_t x, int by) { return __builtin_rotateleft32(x, by); }

static uint32_t word(uint8_t const *at) { return at[0] | at[1] << 8 | at[2] << 16 | uint32_t(at[3]) << 24; }

static uint32_t round(uint32_t sum, uint32_t word) { return rotate_left(sum + word * P2, 13) * P1; }

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, seed = args->seed;
    uint32_t const start = args->starts[i], length = args->starts[i + 1] - start;
    uint8_t const *at = args->bytes + start, *const end = at + length;
    uint32_t hash = seed + P5;
    auto const stripes = split(length >= 16);
    if (length >= 16) {
        uint32_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
        uint32_t const some = active();
        do {
            a = round(a, word(at));
            b = round(b, word(at + 4));
            c = round(c, word(at + 8));
            d = round(d, word(at + 12));
            at += 16;
        } while (go_on(end - at >= 16, some));
        hash = rotate_left(a, 1) + rotate_left(b, 7) + rotate_left(c, 12) + rotate_left(d, 18);
    }
    join(stripes);
    hash += length;
    auto const words = split(end - at >= 4);
    if (end - at >= 4) {
        uint32_t const some = active();
        do {
            hash = rotate_left(hash + word(at) * P3, 17) * P4;
            at += 4;
        } while (go_on(end - at >= 4, some));
    }
    join(words);
    auto const rest = split(at < end);
    if (at < end) {
        uint32_t const some = active();
        do {
            hash = rotate_left(hash + *at * P5, 11) * P1;
            ++at;
        } while (go_on(at < end, some));
    }
    join(rest);
    hash = (hash ^ hash >> 15) * P2;
    hash = (hash ^ hash >> 13) * P3;
    args->hashes[i] = hash ^ hash >> 16;
}

extern "C" void program() { spawn(body); }
