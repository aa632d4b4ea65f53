typedef struct {
    int32_t count;
    uint32_t input;
    float scale;
    uint32_t output;
} metadata_kernel_args_t;
_Static_assert(sizeof(metadata_kernel_args_t) == 16, "the layout of the kernel's arguments");
