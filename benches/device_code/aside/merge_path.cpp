#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *a, *b;
    uint32_t *to;
    uint32_t a_length, b_length;
};

static constexpr uint32_t PART = 16;

static uint32_t choose(uint32_t first, uint32_t a, uint32_t b) { return (a & first) | (b & ~first); }

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const diagonal = item().x * PART, a_length = args->a_length, b_length = args->b_length;
    uint32_t const *const a = args->a, *const b = args->b;
    uint32_t low = choose(mask(diagonal > b_length), diagonal - b_length, 0);
    uint32_t high = choose(mask(diagonal < a_length), diagonal, a_length);
    auto const token = split(low < high);
    if (low < high) {
        uint32_t const some = active();
        do {
            uint32_t const middle = (low + high) / 2;
            uint32_t const more = mask(a[middle] <= b[diagonal - 1 - middle]);
            low = choose(more, middle + 1, low);
            high = choose(more, high, middle);
        } while (go_on(low < high, some));
    }
    join(token);
    uint32_t i = low, j = diagonal - low;
    uint32_t *const to = args->to + diagonal;
    for (uint32_t k = 0; k < PART; ++k) {
        // Without branches: of an array that has ended, its last element, which is not chosen.
        uint32_t const has_a = mask(i < a_length), has_b = mask(j < b_length);
        uint32_t const of_a = a[i + ~has_a], of_b = b[j + ~has_b];
        uint32_t const first = ~has_b | (has_a & mask(of_a <= of_b));
        to[k] = choose(first, of_a, of_b);
        i -= first;
        j -= ~first;
    }
}

extern "C" void program() { spawn(body); }
