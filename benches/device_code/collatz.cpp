#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t *steps;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint32_t n = i + 1, count = 0;
    auto const token = split(n != 1);
    if (n != 1) {
        uint32_t const some = active();
        bool more;
        do {
            uint32_t const odd = mask(n & 1);
            n = ((n >> 1) & ~odd) | ((3 * n + 1) & odd);
            count++;
            more = n != 1;
        } while (go_on(more, some));
    }
    join(token);
    args->steps[i] = count;
}

extern "C" void program() { spawn(body); }
