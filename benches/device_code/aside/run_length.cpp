#include "../cpp/spawn.h"

struct Args : Launch {
    uint32_t const *values;
    uint32_t n, limit;
    uint32_t *lengths;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, left = args->n - i, limit = args->limit;
    uint32_t const few = mask(left < limit);
    uint32_t const *const first = args->values + i, *const end = first + ((left & few) | (limit & ~few));
    uint32_t const value = *first;
    uint32_t const *at = first;
    uint32_t const some = active();
    // The first element is always one of the run.
    bool more;
    do {
        ++at;
        more = at < end;
        // Of what is behind the last one, itself.
        more &= at[-uint32_t(!more)] == value;
    } while (go_on(more, some));
    args->lengths[i] = at - first;
}

extern "C" void program() { spawn(body); }
