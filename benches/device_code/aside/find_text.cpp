#include "../cpp/spawn.h"

struct Args : Launch {
    uint8_t const *text;
    uint32_t const *starts;
    uint8_t const *word;
    uint32_t length, *places;
};

// The word is not empty.
static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, length = args->length;
    uint32_t const start = args->starts[i], line = args->starts[i + 1] - start;
    uint8_t const *const text = args->text + start, *const word = args->word;
    uint32_t place = ~0u;
    auto const token = split(line >= length);
    if (line >= length) {
        uint32_t const last = line - length;
        uint32_t at = 0;
        uint32_t const some = active();
        bool same;
        do {
            uint32_t k = 0;
            uint32_t const those = active();
            do {
                same = text[at + k] == word[k];
                ++k;
            } while (go_on(same & (k < length), those));
            ++at;
        } while (go_on(!same & (at <= last), some));
        uint32_t const found = mask(same);
        place = ((at - 1) & found) | ~found;
    }
    join(token);
    args->places[i] = place;
}

extern "C" void program() { spawn(body); }
