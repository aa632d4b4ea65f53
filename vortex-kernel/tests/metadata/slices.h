typedef struct {
    uint8_t register_;
    uint32_t x;
    uint32_t x_len;
    uint32_t y;
    uint32_t y_len;
    uint32_t n;
    bool last;
} slices_u8_args_t;
_Static_assert(sizeof(slices_u8_args_t) == 28, "the layout of the kernel's arguments");
