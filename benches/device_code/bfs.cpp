#include "cpp/spawn.h"

struct Args : Launch {
    uint32_t const *starts, *neighbours, *levels;
    uint32_t *next, step;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const node = item().x, step = args->step;
    uint32_t level = args->levels[node];
    auto const token = split(level > step);
    if (level > step) {
        uint32_t const end = args->starts[node + 1];
        uint32_t k = args->starts[node];
        auto const loop = split(k < end);
        if (k < end) {
            uint32_t const some = active();
            bool found;
            do {
                found = args->levels[args->neighbours[k]] == step - 1;
                uint32_t const chosen = mask(found);
                level = (level & ~chosen) | (step & chosen);
                ++k;
            } while (go_on(!found & (k < end), some));
        }
        join(loop);
    }
    join(token);
    args->next[node] = level;
}

extern "C" void program() { spawn(body); }
