vortex.kernel @"slices<u8>"(%arg0: i8, %arg1: !llvm.struct<(ptr, i32)>, %arg2: !llvm.struct<(ptr, i32)>, %arg3: i32, %arg4: i8) {
  vortex.metadata = { arg_offsets = [0, 4, 12, 20, 24], arg_sizes = [1, 8, 8, 4, 1], arg_types = ["scalar", "slice", "slice", "scalar", "scalar"], total_size = 28 }
}
