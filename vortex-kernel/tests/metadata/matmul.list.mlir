gpu.func @matmul(%arg0: !llvm.struct<(ptr, i32, i32, i32)>, %arg1: !llvm.struct<(ptr, i32, i32, i32)>, %arg2: !llvm.struct<(ptr, i32, i32, i32)>) kernel attributes { vortex.kernel_args = [{name = "a", type = "&Tensor<bf16, 256, 256>", offset = 0, size = 16, align = 4, is_pointer = true}, {name = "b", type = "&Tensor<bf16, 256, 256>", offset = 16, size = 16, align = 4, is_pointer = true}, {name = "c", type = "&mut Tensor<bf16, 256, 256>", offset = 32, size = 16, align = 4, is_pointer = true}], vortex.kernel_args_size = 48, vortex.kernel_name = "matmul" } {
  gpu.return
}
