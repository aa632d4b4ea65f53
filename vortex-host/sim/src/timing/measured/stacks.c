// Stacks: what a lane keeps there is 8 KiB from the next lane's, so that all of it falls into the same few sets of the data cache.
struct arguments {
    unsigned *from;
    unsigned *to;
};

static unsigned __attribute__((noinline)) mixed(const volatile unsigned *table, unsigned at) {
    return table[at % 7] * 5 + table[at % 5];
}

void work(struct arguments *arguments, unsigned hart, unsigned harts) {
    volatile unsigned table[24];
    for (unsigned n = 0; n < 24; n++)
        table[n] = n * hart;
    unsigned sum = 0;
    for (unsigned n = 0; n < 12; n++) {
        sum += mixed(table + n, n + sum % 3);
        table[n] = sum;
        arguments->to[hart + harts * n] = sum + arguments->from[hart * 16 + n];
    }
}
