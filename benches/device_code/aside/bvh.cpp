#include "../cpp/math.h"

struct Node {
    float low[3], high[3];
    uint32_t inside, is_leaf;
};

struct Ray {
    float from[3], direction[3];
};

struct Args : Launch {
    Node const *nodes;
    Ray const *rays;
    uint32_t *hits;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    Ray const &ray = args->rays[i];
    float from[3], inverse[3];
    for (int k = 0; k < 3; ++k) {
        from[k] = ray.from[k];
        inverse[k] = 1.0f / ray.direction[k];
    }
    Node const *const nodes = args->nodes;
    uint32_t stack[16];
    stack[0] = 0;
    uint32_t depth = 1, hit = ~0u;
    float nearest = 3.4028235e38f;
    uint32_t const some = active();
    do {
        --depth;
        Node const &node = nodes[stack[depth]];
        float enter = 0, leave = 3.4028235e38f;
        for (int k = 0; k < 3; ++k) {
            float const a = (node.low[k] - from[k]) * inverse[k], b = (node.high[k] - from[k]) * inverse[k];
            enter = __builtin_fmaxf(enter, __builtin_fminf(a, b));
            leave = __builtin_fminf(leave, __builtin_fmaxf(a, b));
        }
        bool const meets = (enter <= leave) & (enter < nearest);
        auto const token = split(meets);
        if (meets) {
            bool const leaf = node.is_leaf != 0;
            uint32_t const inside = node.inside;
            // What is stored above the top is not read.
            nearest = select(leaf, enter, nearest);
            hit = (inside & mask(leaf)) | (hit & ~mask(leaf));
            stack[depth] = inside;
            stack[depth + 1] = inside + 1;
            depth += 2 & ~mask(leaf);
        }
        join(token);
    } while (go_on(depth > 0, some));
    args->hits[i] = hit;
}

extern "C" void program() { spawn(body); }
