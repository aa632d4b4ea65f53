#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *bytes;
    uint32_t length, *text;
};

static constexpr char ALPHABET[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static uint32_t character(uint32_t bits, int shift) { return uint8_t(ALPHABET[bits >> shift & 63]); }

static uint32_t choose(uint32_t first, uint32_t a, uint32_t b) { return (a & first) | (b & ~first); }

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, left = args->length - 3 * i;
    uint8_t const *const from = args->bytes + 3 * i;
    // Without branches: of what is behind the end, the first byte, which is not used.
    uint32_t const two = mask(left > 1), three = mask(left > 2);
    uint32_t const bits = from[0] << 16 | (from[1 & two] & two) << 8 | (from[2 & three] & three);
    uint32_t const third = choose(two, character(bits, 6), '='), fourth = choose(three, character(bits, 0), '=');
    args->text[i] = character(bits, 18) | character(bits, 12) << 8 | third << 16 | fourth << 24;
}

extern "C" void program() { spawn(body); }
