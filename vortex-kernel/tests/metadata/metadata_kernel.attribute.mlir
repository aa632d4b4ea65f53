vortex.kernel @metadata_kernel(%arg0: i32, %arg1: !llvm.ptr, %arg2: f32, %arg3: !llvm.ptr) {
  vortex.metadata = { arg_offsets = [0, 4, 8, 12], arg_sizes = [4, 4, 4, 4], arg_types = ["scalar", "pointer", "scalar", "pointer"], total_size = 16 }
}
