// A product of 32 x 32 matrices: the warps of a core bring a row into local memory, meet at a barrier, and compute a row of the result.
enum { SIZE = 32 };

struct arguments {
    float *a;
    float *b;
};

static inline unsigned csr_of_this_core(void) {
    unsigned core;
    __asm__ volatile("csrr %0, 0xCC2" : "=r"(core));
    return core;
}

static inline void all_warps_of_the_core_meet(unsigned warps) {
    __asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" : : "r"(0), "r"(warps) : "memory");
}

void work(struct arguments *arguments, unsigned hart, unsigned harts) {
    unsigned warps, lanes, cores, core = csr_of_this_core();
    float *row;
    __asm__ volatile("csrr %0, 0xFC0" : "=r"(lanes));
    __asm__ volatile("csrr %0, 0xFC1" : "=r"(warps));
    __asm__ volatile("csrr %0, 0xFC2" : "=r"(cores));
    __asm__ volatile("csrr %0, 0xFC3" : "=r"(row));
    unsigned own = hart - core * warps * lanes, step = warps * lanes;
    const float *a = arguments->a, *b = arguments->a + SIZE * SIZE;
    for (unsigned r = core; r < SIZE; r += cores) {
        row[own % SIZE] = a[r * SIZE + own % SIZE];
        row[(own + step) % SIZE] = a[r * SIZE + (own + step) % SIZE];
        all_warps_of_the_core_meet(warps);
        float sum = 0;
        unsigned column = own % SIZE;
        for (unsigned k = 0; k < SIZE; k++)
            sum += row[k] * b[k * SIZE + column];
        arguments->b[r * SIZE + column] = sum;
        column = (own + step) % SIZE;
        sum = 0;
        for (unsigned k = 0; k < SIZE; k++)
            sum += row[k] * b[k * SIZE + column];
        arguments->b[r * SIZE + column] = sum;
        all_warps_of_the_core_meet(warps);
    }
}
