#include "../cpp/math.h"

struct Args : Launch {
    uint8_t const *text;
    uint32_t const *starts;
    float *values;
};

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    uint8_t const *at = args->text + args->starts[i], *const end = args->text + args->starts[i + 1] - 1;
    bool const negative = *at == '-';
    at += negative;
    uint32_t mantissa = 0, behind_point = 0, right = 1;
    float scale = 1;
    auto const token = split(at < end);
    if (at < end) {
        uint32_t const some = active();
        do {
            uint32_t const c = *at++, digit = c - '0';
            uint32_t const is_digit = mask(digit < 10), is_point = mask(c == '.') & ~behind_point;
            mantissa = ((10 * mantissa + digit) & is_digit) | (mantissa & ~is_digit);
            scale *= select(is_digit & behind_point, 10.0f, 1.0f);
            behind_point |= is_point;
            right = (is_digit | is_point) & 1;
        } while (go_on((at < end) & right, some));
    }
    join(token);
    float const sign = select(negative, -1.0f, 1.0f);
    args->values[i] = select(right, sign * float(mantissa) / scale, 0.0f);
}

extern "C" void program() { spawn(body); }
