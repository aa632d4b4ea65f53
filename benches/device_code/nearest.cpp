#include "cpp/spawn.h"

struct Place {
    float latitude, longitude;
};

struct Args : Launch {
    Place const *places;
    float *distances;
    float latitude, longitude;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    Place const place = args->places[item().x];
    float const north = place.latitude - args->latitude, east = place.longitude - args->longitude;
    args->distances[item().x] = __builtin_sqrtf(north * north + east * east);
}

extern "C" void program() { spawn(body); }
