#include "cpp/math.h"

struct Args : Launch {
    float const *prices, *strikes, *years;
    float *calls, *puts;
    float rate, volatility;
};

static float normal(float d) {
    float const k = 1.0f / (1.0f + 0.2316419f * __builtin_fabsf(d));
    float const series = k * (0.31938153f + k * (-0.35656378f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302745f))));
    float const rest = 0.3989423f * exp(-0.5f * d * d) * series;
    return select(d > 0.0f, 1.0f - rest, rest);
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    float const price = args->prices[i], strike = args->strikes[i], time = args->years[i];
    float const rate = args->rate, volatility = args->volatility;
    float const spread = volatility * __builtin_sqrtf(time);
    float const drift = (rate + 0.5f * volatility * volatility) * time;
    float const d1 = (ln(price / strike) + drift) / spread;
    float const near = normal(d1), far = normal(d1 - spread);
    float const discounted = strike * exp(-rate * time);
    args->calls[i] = price * near - discounted * far;
    args->puts[i] = discounted * (1.0f - far) - price * (1.0f - near);
}

extern "C" void program() { spawn(body); }
