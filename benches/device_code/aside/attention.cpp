#include "../cpp/math.h"

static constexpr int WIDTH = 8;

struct Args : Launch {
    float const *queries, *keys, *values;
    uint32_t length;
    float scale;
    float *to;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const first = item().x * WIDTH;
    float query[WIDTH], mixed[WIDTH] = {};
    for (int k = 0; k < WIDTH; ++k)
        query[k] = args->queries[first + k];
    float most = -__builtin_inff(), total = 0;
    float const *key = args->keys, *value = args->values;
    float const scale = args->scale;
    for (uint32_t at = 0; at < args->length; ++at) {
        float score = 0;
        for (int k = 0; k < WIDTH; ++k)
            score += query[k] * key[k];
        score *= scale;
        float const next = __builtin_fmaxf(most, score);
        float const before = exp(most - next), weight = exp(score - next);
        total = total * before + weight;
        for (int k = 0; k < WIDTH; ++k)
            mixed[k] = mixed[k] * before + weight * value[k];
        most = next;
        key += WIDTH;
        value += WIDTH;
    }
    for (int k = 0; k < WIDTH; ++k)
        args->to[first + k] = mixed[k] / total;
}

extern "C" void program() { spawn(body); }
