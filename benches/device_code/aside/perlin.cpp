#include "../cpp/math.h"

struct Args : Launch {
    uint8_t const *permutation;
    float scale;
    uint32_t w;
    float *picture;
};

static float fade(float t) { return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f); }

static float lerp(float t, float a, float b) { return a + t * (b - a); }

// The sign of `x` turned if the bit is set.
static float turned(float x, uint32_t bit) { return of_bits(bits(x) ^ int32_t(bit << 31)); }

static float slope(uint32_t hash, float x, float y) {
    bool const swapped = hash & 4;
    float const a = select(swapped, y, x), b = select(swapped, x, y);
    return turned(a, hash & 1) + turned(2.0f * b, hash >> 1 & 1);
}

static float noise(uint8_t const *permutation, float x, float y) {
    float const left_of = __builtin_floorf(x), above = __builtin_floorf(y);
    uint32_t const column = uint32_t(left_of) & 255, row = uint32_t(above) & 255;
    x -= left_of;
    y -= above;
    uint8_t const *const left = permutation + permutation[column] + row;
    uint8_t const *const right = permutation + permutation[column + 1] + row;
    float const u = fade(x), v = fade(y);
    float const top = lerp(u, slope(left[0], x, y), slope(right[0], x - 1.0f, y));
    float const bottom = lerp(u, slope(left[1], x, y - 1.0f), slope(right[1], x - 1.0f, y - 1.0f));
    return lerp(v, top, bottom);
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y;
    float frequency = args->scale, amplitude = 1, sum = 0;
    for (int octave = 0; octave < 4; ++octave) {
        sum += amplitude * noise(args->permutation, float(x) * frequency, float(y) * frequency);
        frequency *= 2.0f;
        amplitude *= 0.5f;
    }
    args->picture[y * args->w + x] = sum;
}

extern "C" void program() { spawn(body); }
