#include "../cpp/math.h"

struct Put {
    float spot, strike, years;
};

struct Args : Launch {
    Put const *puts;
    float rate, volatility;
    float *prices;
};

static constexpr int STEPS = 22;

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    Put const put = args->puts[i];
    float const dt = put.years / float(STEPS);
    float const up = exp(args->volatility * __builtin_sqrtf(dt)), down = 1.0f / up, growth = exp(args->rate * dt);
    float const chance = (growth - down) / (up - down), rising = chance / growth, falling = (1.0f - chance) / growth;
    float const square = up * up;
    float values[STEPS + 1];
    float lowest = put.spot;
    for (int k = 0; k < STEPS; ++k)
        lowest *= down;
    float spot = lowest;
    for (float &value : values) {
        value = __builtin_fmaxf(put.strike - spot, 0.0f);
        spot *= square;
    }
    for (int step = STEPS - 1; step >= 0; --step) {
        lowest *= up;
        spot = lowest;
        for (int k = 0; k <= step; ++k) {
            float const kept = rising * values[k + 1] + falling * values[k];
            values[k] = __builtin_fmaxf(kept, put.strike - spot);
            spot *= square;
        }
    }
    args->prices[i] = values[0];
}

extern "C" void program() { spawn(body); }
