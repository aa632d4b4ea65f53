#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *from;
    uint32_t *to;
};

static constexpr uint32_t COUNT = 16;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const *const from = args->from + item().x * COUNT;
    uint32_t *const own = args->to + item().x * COUNT;
    own[0] = from[0];
    for (uint32_t k = 1; k < COUNT; ++k) {
        uint32_t const value = from[k];
        uint32_t *at = own + k;
        uint32_t before = at[-1];
        auto const token = split(before > value);
        if (before > value) {
            uint32_t const those = active();
            bool more;
            do {
                *at-- = before;
                more = at > own;
                // Of what is before the first one, itself, which is not moved.
                before = at[-int32_t(more)];
            } while (go_on(more & (before > value), those));
        }
        join(token);
        *at = value;
    }
}

extern "C" void program() { spawn(body); }
