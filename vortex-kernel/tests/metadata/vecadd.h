typedef struct {
    uint32_t num_points;
    uint32_t src0;
    uint32_t src1;
    uint32_t dst;
} vecadd_args_t;
_Static_assert(sizeof(vecadd_args_t) == 16, "the layout of the kernel's arguments");
