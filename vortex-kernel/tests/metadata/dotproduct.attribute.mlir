vortex.kernel @dotproduct(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: i32, %arg4: i32) {
  vortex.metadata = { arg_offsets = [0, 4, 8, 12, 16], arg_sizes = [4, 4, 4, 4, 4], arg_types = ["pointer", "pointer", "pointer", "local_size", "scalar"], total_size = 20 }
}
