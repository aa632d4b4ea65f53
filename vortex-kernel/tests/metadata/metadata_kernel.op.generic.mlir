"vortex.kernel_metadata"() ({
  "vortex.arg_layout"() ({
    "vortex.arg"() {index = 0, offset = 0, size = 4, type = "scalar"} : () -> ()
    "vortex.arg"() {index = 1, offset = 4, size = 4, type = "pointer"} : () -> ()
    "vortex.arg"() {index = 2, offset = 8, size = 4, type = "scalar"} : () -> ()
    "vortex.arg"() {index = 3, offset = 12, size = 4, type = "pointer"} : () -> ()
  }) : () -> ()
}) {sym_name = "metadata_kernel", vortex.total_size = 16} : () -> ()
