gpu.func @vecadd(%arg0: i32, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) kernel attributes { vortex.kernel_args = [{name = "num_points", type = "u32", offset = 0, size = 4, align = 4, is_pointer = false}, {name = "src0", type = "*const f32", offset = 4, size = 4, align = 4, is_pointer = true}, {name = "src1", type = "*const f32", offset = 8, size = 4, align = 4, is_pointer = true}, {name = "dst", type = "*mut f32", offset = 12, size = 4, align = 4, is_pointer = true}], vortex.kernel_args_size = 16, vortex.kernel_name = "vecadd" } {
  gpu.return
}
