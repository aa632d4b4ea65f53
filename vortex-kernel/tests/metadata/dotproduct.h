typedef struct {
    uint32_t a;
    uint32_t b;
    uint32_t partial;
    uint32_t sums;
    int32_t count;
} dotproduct_args_t;
_Static_assert(sizeof(dotproduct_args_t) == 20, "the layout of the kernel's arguments");
