#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *bytes;
    uint32_t const *starts;
    uint32_t *lists;
};

static constexpr uint32_t LIST = 12;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint8_t const *at = args->bytes + args->starts[i];
    uint32_t *const list = args->lists + i * LIST;
    uint32_t const some = active();
    uint32_t last = 0;
    for (uint32_t k = 0; k < LIST; ++k) {
        uint32_t value = 0, shift = 0, byte;
        do {
            byte = *at++;
            value |= (byte & 0x7f) << shift;
            shift += 7;
        } while (go_on(byte >> 7, some));
        last += value;
        list[k] = last;
    }
}

extern "C" void program() { spawn(body); }
