#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *letters;
    uint32_t const *lengths;
    uint32_t *distances;
};

static constexpr uint32_t MOST = 16;

static uint32_t min(uint32_t a, uint32_t b) {
    uint32_t const first = mask(a < b);
    return b ^ ((a ^ b) & first);
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint8_t const *const a = args->letters + 2 * i * MOST, *const b = a + MOST;
    uint32_t const a_length = args->lengths[2 * i], b_length = args->lengths[2 * i + 1];
    uint32_t row[MOST + 1];
    for (uint32_t k = 0; k <= MOST; ++k)
        row[k] = k;
    uint32_t const some = active();
    for (uint32_t k = 0; go_on(k < a_length, some);) {
        uint32_t const letter = a[k];
        uint32_t diagonal = row[0], left = ++k;
        row[0] = left;
        uint32_t const here = active();
        for (uint32_t j = 0; go_on(j < b_length, here);) {
            uint32_t const above = row[j + 1];
            left = min(min(left, above) + 1, diagonal + (letter != b[j]));
            row[++j] = left;
            diagonal = above;
        }
    }
    args->distances[i] = row[b_length];
}

extern "C" void program() { spawn(body); }
