// Divisions: independent ones one after the other, ones that wait for each other, and products beside them.
struct arguments {
    unsigned *from;
    unsigned *to;
};

void work(struct arguments *arguments, unsigned hart, unsigned harts) {
    unsigned a = hart + 1000, b = 7, c = hart * 13 + 5, d = 0;
    for (unsigned n = 0; n < 24; n++) {
        unsigned e = (a * 17 + n) / (b | 1), f = c % (n + 3), g = (int)(a - 5000) / (int)(n + 2);
        d += e * f + g;
        a = (d ^ c) / (f + 1) + hart;
        b = (b * 3 + e) % 1000;
        c = c * 5 + (int)d % 77;
        if (n % 4 == 3)
            arguments->to[hart + harts * (n / 4)] = a / (b + 1);
    }
}
