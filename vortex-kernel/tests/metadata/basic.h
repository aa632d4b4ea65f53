typedef struct {
    uint32_t count;
    uint32_t src;
    uint32_t dst;
} basic_args_t;
_Static_assert(sizeof(basic_args_t) == 12, "the layout of the kernel's arguments");
