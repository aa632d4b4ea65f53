#include "../cpp/math.h"

struct Vector {
    float x, y, z;
};

static Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static Vector operator*(Vector a, float b) { return {a.x * b, a.y * b, a.z * b}; }
static Vector operator/(Vector a, float b) { return {a.x / b, a.y / b, a.z / b}; }
static float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

struct Ball {
    Vector centre;
    float radius, shade;
};

struct Args : Launch {
    Ball const *balls;
    uint32_t count;
    Vector eye, light;
    uint32_t w, h;
    float *picture;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const x = item().x, y = item().y, w = args->w;
    float const u = (float(x) + 0.5f) / float(w) - 0.5f, v = (float(y) + 0.5f) / float(args->h) - 0.5f;
    Vector const eye = args->eye, towards = {u, v, 1.0f};
    Vector const direction = towards / __builtin_sqrtf(dot(towards, towards));
    float nearest = 3.4028235e38f;
    Ball const *const balls = args->balls, *hit = balls;
    bool any = false;
    for (uint32_t k = 0; k < args->count; ++k) {
        Ball const &ball = balls[k];
        Vector const away = eye - ball.centre;
        float const half = dot(away, direction);
        float const inside = half * half - (dot(away, away) - ball.radius * ball.radius);
        // Without branches: the root of what is negative is not a number, and no comparison with it holds.
        float const distance = -half - __builtin_sqrtf(inside);
        bool const nearer = (distance > 0.0f) & (distance < nearest);
        uint32_t const chosen = mask(nearer);
        nearest = select(nearer, distance, nearest);
        hit = reinterpret_cast<Ball const *>((uint32_t(&ball) & chosen) | (uint32_t(hit) & ~chosen));
        any |= nearer;
    }
    Vector const normal = (eye + direction * nearest - hit->centre) / hit->radius;
    float const lit = hit->shade * (0.1f + __builtin_fmaxf(dot(normal, args->light), 0.0f));
    args->picture[y * w + x] = select(any, lit, 0.0f);
}

extern "C" void program() { spawn(body); }
