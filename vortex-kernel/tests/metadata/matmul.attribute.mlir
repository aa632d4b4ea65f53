vortex.kernel @matmul(%arg0: !llvm.struct<(ptr, i32, i32, i32)>, %arg1: !llvm.struct<(ptr, i32, i32, i32)>, %arg2: !llvm.struct<(ptr, i32, i32, i32)>) {
  vortex.metadata = { arg_offsets = [0, 16, 32], arg_sizes = [16, 16, 16], arg_types = ["tensor", "tensor", "tensor"], total_size = 48 }
}
