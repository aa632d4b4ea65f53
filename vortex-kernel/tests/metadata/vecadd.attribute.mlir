vortex.kernel @vecadd(%arg0: i32, %arg1: !llvm.ptr, %arg2: !llvm.ptr, %arg3: !llvm.ptr) {
  vortex.metadata = { arg_offsets = [0, 4, 8, 12], arg_sizes = [4, 4, 4, 4], arg_types = ["scalar", "pointer", "pointer", "pointer"], total_size = 16 }
}
