"vortex.kernel"() ({
}) {sym_name = "metadata_kernel", function_type = (i32, !llvm.ptr, f32, !llvm.ptr) -> (), vortex.metadata = {arg_offsets = [0, 4, 8, 12], arg_sizes = [4, 4, 4, 4], arg_types = ["scalar", "pointer", "scalar", "pointer"], total_size = 16}} : () -> ()
