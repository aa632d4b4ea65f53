#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *starts;
    uint32_t *counts;
};

static constexpr uint32_t SIZE = 8, GIVEN = 5;

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
        bool const ended = column == SIZE;
        more = !ended | (row > GIVEN);
        auto const token = split(ended);
        if (ended) {
            --row;
            column = columns[row] + 1;
        } else {
            uint32_t above = 0, unsafe;
            uint32_t const here = active();
            do {
                unsafe = meets(columns[above], column, row - above);
                ++above;
            } while (go_on(!unsafe & (above < row), here));
            uint32_t const safe = mask(!unsafe), last = mask(row == SIZE - 1);
            count -= safe & last;
            // What is stored in a row that is not taken is not read.
            columns[row] = column;
            uint32_t const down = safe & ~last;
            row -= down;
            column = (column + 1) & ~down;
        }
        join(token);
    } while (go_on(more, some));
    args->counts[i] = count;
}

extern "C" void program() { spawn(body); }
