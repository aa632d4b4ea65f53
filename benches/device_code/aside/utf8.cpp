#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *text;
    uint32_t const *starts;
    uint32_t *counts;
};

static bool is_between(uint32_t x, uint32_t low, uint32_t high) { return x - low <= high - low; }

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint8_t const *at = args->text + args->starts[i], *const end = args->text + args->starts[i + 1];
    uint32_t count = 0;
    uint32_t valid = 1;
    auto const token = split(at < end);
    if (at < end) {
        uint32_t const some = active();
        do {
            uint32_t const first = *at++;
            uint32_t more = (first >= 0xc2) + (first >= 0xe0) + (first >= 0xf0);
            valid = (first < 0x80) | is_between(first, 0xc2, 0xf4);
            uint32_t const low = 0x80 + (mask(first == 0xe0) & 0x20) + (mask(first == 0xf0) & 0x10);
            uint32_t const high = 0xbf - (mask(first == 0xed) & 0x20) - (mask(first == 0xf4) & 0x30);
            valid &= more <= uint32_t(end - at);
            auto const longer = split(valid & (more > 0));
            if (valid & (more > 0)) {
                valid = is_between(*at++, low, high);
                auto const still = split(more > 1);
                if (more > 1) {
                    uint32_t const here = active();
                    do {
                        valid &= (*at++ & 0xc0) == 0x80;
                        --more;
                    } while (go_on(more > 1, here));
                }
                join(still);
            }
            join(longer);
            ++count;
        } while (go_on(valid & (at < end), some));
    }
    join(token);
    uint32_t const wrong = mask(!valid);
    args->counts[i] = count | wrong;
}

extern "C" void program() { spawn(body); }
