vortex.kernel @sharded(%arg0: !llvm.struct<(ptr, i32, i32, i32)>, %arg1: !llvm.struct<(ptr, i32, i32, i32)>) {
  vortex.metadata = { arg_offsets = [0, 16], arg_sizes = [16, 16], arg_types = ["tensor", "tensor"], total_size = 32 }
}
