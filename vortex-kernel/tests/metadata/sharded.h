typedef struct {
    uint32_t a;
    uint32_t a_local;
    uint32_t a_rows;
    uint32_t a_cols;
    uint32_t b;
    uint32_t b_local;
    uint32_t b_rows;
    uint32_t b_cols;
} sharded_args_t;
_Static_assert(sizeof(sharded_args_t) == 32, "the layout of the kernel's arguments");
