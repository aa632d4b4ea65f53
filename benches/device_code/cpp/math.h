// Exponential and logarithm as the Rust side computes them (`vortex-kernel/src/math`), without branches, which would
// have to be split.
#pragma once
#include "spawn.h"

inline int32_t bits(float x) { return __builtin_bit_cast(int32_t, x); }
inline float of_bits(int32_t x) { return __builtin_bit_cast(float, x); }

inline float select(bool condition, float a, float b) {
    uint32_t const first = mask(condition);
    return of_bits((bits(a) & first) | (bits(b) & ~first));
}

template <int N> inline float polynomial(float x, float const (&coefficients)[N]) {
    float sum = coefficients[0];
    for (int n = 1; n < N; ++n)
        sum = __builtin_fmaf(sum, x, coefficients[n]);
    return sum;
}

inline float power_of_two(int32_t n) { return of_bits((n + 127) << 23); }

inline float exp(float x) {
    constexpr float PUSH = 12582912.0f;
    constexpr float REST[] = {1.9891103e-4f, 1.3933751e-3f, 8.3333105e-3f, 4.1666463e-2f, 0.16666667f, 0.5f};
    float const clamped = __builtin_fminf(__builtin_fmaxf(x, -104.0f), 89.0f);
    float const pushed = clamped * 1.44269504f + PUSH, n = pushed - PUSH;
    int32_t const integer = bits(pushed) - bits(PUSH), half = integer >> 1;
    float const high = __builtin_fmaf(n, -0.69314575f, clamped);
    float const r = __builtin_fmaf(n, -1.4286068e-6f, high);
    float const low = __builtin_fmaf(n, -1.4286068e-6f, high - r);
    float const y = __builtin_fmaf(r * r, polynomial(r, REST), low) + r;
    return select(x != x, x, (y + 1.0f) * power_of_two(half) * power_of_two(integer - half));
}

inline float ln(float x) {
    constexpr float REST[] = {0.11624035f,  -0.12739103f, 0.10850984f,  -0.12218872f, 0.14296316f,
                              -0.16678122f, 0.19999851f,  -0.24999839f, 0.33333334f,  -0.5f};
    bool const subnormal = x < 1.17549435e-38f;
    float const normal = select(subnormal, x * 8388608.0f, x);
    int32_t const exponent = (bits(normal) - 0x3f2aaaab) & ~((1 << 23) - 1);
    float const f = of_bits(bits(normal) - exponent) - 1.0f;
    float const whole = float(exponent >> 23), k = select(subnormal, whole - 23.0f, whole);
    float const low = __builtin_fmaf(k, -1.9046542e-9f, polynomial(f, REST) * (f * f));
    float const inside = __builtin_fmaf(k, 0.693147181f, f + low);
    float const finite = select(x < __builtin_inff(), inside, x);
    return select(0.0f < x, finite, select(x == 0.0f, -__builtin_inff(), __builtin_nanf("")));
}
