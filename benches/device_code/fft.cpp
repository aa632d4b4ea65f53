#include "cpp/spawn.h"

struct Args : Launch {
    float const *re, *im, *turn_re, *turn_im;
    float *to_re, *to_im;
    uint32_t half;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x, half = args->half, k = i % half, a = i / half * half * 2 + k, b = a + half;
    uint32_t const by = k * (args->grid.x / half);
    float const re_a = args->re[a], im_a = args->im[a], re = args->re[b], im = args->im[b];
    float const turn_re = args->turn_re[by], turn_im = args->turn_im[by];
    float const re_b = re * turn_re - im * turn_im, im_b = re * turn_im + im * turn_re;
    args->to_re[a] = re_a + re_b;
    args->to_im[a] = im_a + im_b;
    args->to_re[b] = re_a - re_b;
    args->to_im[b] = im_a - im_b;
}

extern "C" void program() { spawn(body); }
