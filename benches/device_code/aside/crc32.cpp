#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *bytes;
    uint32_t const *starts;
    uint32_t *sums;
};

struct Table {
    uint32_t of[256];
    constexpr Table() : of() {
        for (uint32_t at = 0; at < 256; ++at) {
            uint32_t sum = at;
            for (int bit = 0; bit < 8; ++bit)
                sum = sum & 1 ? sum >> 1 ^ 0xedb88320 : sum >> 1;
            of[at] = sum;
        }
    }
};

static constexpr Table TABLE;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint8_t const *at = args->bytes + args->starts[i], *const end = args->bytes + args->starts[i + 1];
    uint32_t sum = ~0u;
    auto const token = split(at < end);
    if (at < end) {
        uint32_t const some = active();
        do {
            sum = TABLE.of[(sum ^ *at) & 255] ^ sum >> 8;
            ++at;
        } while (go_on(at < end, some));
    }
    join(token);
    args->sums[i] = ~sum;
}

extern "C" void program() { spawn(body); }
