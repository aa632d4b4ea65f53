// What compilers make of C: thread-local variables, constants beside the code, a call through a pointer per item, spills, divisions,
// `lw` beside `flw`, fused multiply-add. A 3 x 3 stencil over 64 x 16 items.
enum { WIDTH = 64, HEIGHT = 16 };

struct arguments {
    float *from;
    float *to;
};

typedef void (*kernel)(struct arguments *);

static __thread unsigned x, y;
static volatile unsigned width = WIDTH, height = HEIGHT;
static const volatile float weights[9] = {0.5f, 1, 1.5f, 2, 2.5f, 3, 3.5f, 4, 4.5f};

static void item(struct arguments *arguments) {
    float *volatile spilled = arguments->from;
    unsigned column = x, row = y, padded = width + 2;
    float sum = 0;
    for (unsigned r = 0; r < 3; r++)
        for (unsigned c = 0; c < 3; c++)
            sum += spilled[(row + r) * padded + column + c] * weights[r * 3 + c];
    arguments->to[row * width + column] = sum + (float)column;
}

void work(struct arguments *arguments, unsigned hart, unsigned harts) {
    volatile kernel call = item;
    for (unsigned n = hart; n < WIDTH * HEIGHT; n += harts) {
        x = n % width;
        y = n / width % height;
        call(arguments);
    }
}
