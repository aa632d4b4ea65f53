#include "../cpp/spawn.h"

struct Stage {
    float b[3], a[2];
};

struct Args : Launch {
    Stage const *stages;
    float const *samples;
    uint32_t length, channels;
    float *filtered;
};

struct Kept {
    float first = 0, second = 0;

    float step(Stage const &stage, float x) {
        float const y = stage.b[0] * x + first;
        first = stage.b[1] * x - stage.a[0] * y + second;
        second = stage.b[2] * x - stage.a[1] * y;
        return y;
    }
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const channel = item().x, channels = args->channels;
    Stage const low = args->stages[0], high = args->stages[1];
    Kept before, behind;
    float const *from = args->samples + channel;
    float *to = args->filtered + channel;
    for (uint32_t at = 0; at < args->length; ++at) {
        *to = behind.step(high, before.step(low, *from));
        from += channels;
        to += channels;
    }
}

extern "C" void program() { spawn(body); }
