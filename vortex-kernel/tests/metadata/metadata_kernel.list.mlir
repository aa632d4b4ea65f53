gpu.func @metadata_kernel(%arg0: i32, %arg1: !llvm.ptr, %arg2: f32, %arg3: !llvm.ptr) kernel attributes { vortex.kernel_args = [{name = "count", type = "i32", offset = 0, size = 4, align = 4, is_pointer = false}, {name = "input", type = "*const i32", offset = 4, size = 4, align = 4, is_pointer = true}, {name = "scale", type = "f32", offset = 8, size = 4, align = 4, is_pointer = false}, {name = "output", type = "*mut i32", offset = 12, size = 4, align = 4, is_pointer = true}], vortex.kernel_args_size = 16, vortex.kernel_name = "metadata_kernel" } {
  gpu.return
}
