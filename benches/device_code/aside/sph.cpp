#include "../cpp/math.h"

struct Particle {
    float x, y;
};

struct Args : Launch {
    Particle const *particles;
    uint32_t const *starts;
    uint32_t columns, rows;
    float reach, mass;
    float *density;
};

static uint32_t min(uint32_t a, uint32_t b) {
    uint32_t const first = mask(a < b);
    return (a & first) | (b & ~first);
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, columns = args->columns;
    Particle const *const particles = args->particles;
    Particle const own = particles[i];
    float const reach = args->reach, square = reach * reach;
    uint32_t const column = uint32_t(own.x / reach), row = uint32_t(own.y / reach);
    uint32_t const left = column - (column > 0), right = min(column + 2, columns), bottom = min(row + 2, args->rows);
    uint32_t y = row - (row > 0);
    float sum = 0;
    uint32_t const some = active();
    do {
        uint32_t x = left;
        uint32_t const those = active();
        do {
            uint32_t const *const start = args->starts + y * columns + x;
            Particle const *at = particles + start[0], *const end = particles + start[1];
            auto const token = split(at < end);
            if (at < end) {
                uint32_t const here = active();
                do {
                    float const dx = own.x - at->x, dy = own.y - at->y;
                    float const near = __builtin_fmaxf(square - (dx * dx + dy * dy), 0.0f);
                    sum += near * near * near;
                    ++at;
                } while (go_on(at < end, here));
            }
            join(token);
            ++x;
        } while (go_on(x < right, those));
        ++y;
    } while (go_on(y < bottom, some));
    args->density[i] = args->mass * sum;
}

extern "C" void program() { spawn(body); }
