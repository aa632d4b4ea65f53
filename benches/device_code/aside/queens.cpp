#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *starts;
    uint32_t *counts;
};

static constexpr uint32_t SIZE = 8, GIVEN = 5;

static uint32_t choose(uint32_t first, uint32_t a, uint32_t b) { return (a & first) | (b & ~first); }

static uint32_t meets(uint32_t other, uint32_t column, uint32_t apart) {
    uint32_t const difference = other - column;
    return (difference == 0) | (difference == apart) | (difference == -apart);
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint32_t const start = args->starts[i];
    uint32_t columns[SIZE];
    for (uint32_t row = 0; row < GIVEN; ++row)
        columns[row] = start >> 3 * row & 7;
    uint32_t count = 0;
    uint32_t row = GIVEN, column = 0;
    uint32_t const some = active();
    bool more;
    do {
        // At the end of a row nothing is tried.
        uint32_t const ended = mask(column == SIZE);
        uint32_t above = 0, unsafe;
        uint32_t const here = active();
        do {
            unsafe = meets(columns[above], column, row - above);
            ++above;
        } while (go_on(!unsafe & (above < row), here));
        uint32_t const refused = ended | mask(unsafe), last = mask(row == SIZE - 1);
        more = !(ended & mask(row == GIVEN));
        count -= ~refused & last;
        // What is stored in a row that is not taken is not read.
        uint32_t const down = ~refused & ~last;
        uint32_t const before = columns[row - 1];
        columns[row] = column;
        row = row + (down & 1) + ended;
        column = choose(ended, before, column & ~down) + (~down & 1);
    } while (go_on(more, some));
    args->counts[i] = count;
}

extern "C" void program() { spawn(body); }
