gpu.func @basic(%arg0: i32, %arg1: !llvm.ptr, %arg2: !llvm.ptr) kernel attributes { vortex.kernel_args = [{name = "count", type = "u32", offset = 0, size = 4, align = 4, is_pointer = false}, {name = "src", type = "*const i32", offset = 4, size = 4, align = 4, is_pointer = true}, {name = "dst", type = "*mut i32", offset = 8, size = 4, align = 4, is_pointer = true}], vortex.kernel_args_size = 12, vortex.kernel_name = "basic" } {
  gpu.return
}
