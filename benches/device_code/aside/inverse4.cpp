#include "../cpp/spawn.h"

struct Matrix {
    float of[4][4];
};

struct Args : Launch {
    Matrix const *matrices;
    Matrix *inverses;
};

static float minor(Matrix const &m, int top, int left, int right) {
    return m.of[top][left] * m.of[top + 1][right] - m.of[top + 1][left] * m.of[top][right];
}

static void body(void const *p) {
    auto const *args = static_cast<Args const *>(p);
    uint32_t const i = item().x;
    Matrix const matrix = args->matrices[i];
    Matrix &inverse = args->inverses[i];
    auto const &m = matrix.of;
    float s[6], c[6];
    int n = 0;
    for (int left = 0; left < 3; ++left)
        for (int right = left + 1; right < 4; ++right) {
            s[n] = minor(matrix, 0, left, right);
            c[n++] = minor(matrix, 2, left, right);
        }
    float const determinant = s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0];
    auto const token = split(determinant != 0.0f);
    if (determinant != 0.0f) {
        float const by = 1.0f / determinant;
        inverse.of[0][0] = (m[1][1] * c[5] - m[1][2] * c[4] + m[1][3] * c[3]) * by;
        inverse.of[0][1] = (-m[0][1] * c[5] + m[0][2] * c[4] - m[0][3] * c[3]) * by;
        inverse.of[0][2] = (m[3][1] * s[5] - m[3][2] * s[4] + m[3][3] * s[3]) * by;
        inverse.of[0][3] = (-m[2][1] * s[5] + m[2][2] * s[4] - m[2][3] * s[3]) * by;
        inverse.of[1][0] = (-m[1][0] * c[5] + m[1][2] * c[2] - m[1][3] * c[1]) * by;
        inverse.of[1][1] = (m[0][0] * c[5] - m[0][2] * c[2] + m[0][3] * c[1]) * by;
        inverse.of[1][2] = (-m[3][0] * s[5] + m[3][2] * s[2] - m[3][3] * s[1]) * by;
        inverse.of[1][3] = (m[2][0] * s[5] - m[2][2] * s[2] + m[2][3] * s[1]) * by;
        inverse.of[2][0] = (m[1][0] * c[4] - m[1][1] * c[2] + m[1][3] * c[0]) * by;
        inverse.of[2][1] = (-m[0][0] * c[4] + m[0][1] * c[2] - m[0][3] * c[0]) * by;
        inverse.of[2][2] = (m[3][0] * s[4] - m[3][1] * s[2] + m[3][3] * s[0]) * by;
        inverse.of[2][3] = (-m[2][0] * s[4] + m[2][1] * s[2] - m[2][3] * s[0]) * by;
        inverse.of[3][0] = (-m[1][0] * c[3] + m[1][1] * c[1] - m[1][2] * c[0]) * by;
        inverse.of[3][1] = (m[0][0] * c[3] - m[0][1] * c[1] + m[0][2] * c[0]) * by;
        inverse.of[3][2] = (-m[3][0] * s[3] + m[3][1] * s[1] - m[3][2] * s[0]) * by;
        inverse.of[3][3] = (m[2][0] * s[3] - m[2][1] * s[1] + m[2][2] * s[0]) * by;
    }
    join(token);
}

extern "C" void program() { spawn(body); }
