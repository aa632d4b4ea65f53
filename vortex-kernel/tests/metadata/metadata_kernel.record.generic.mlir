"vortex.kernel_args"() {sym_name = "metadata_kernel_args", layout = !vortex.kernel_args<struct_size = 16, args = [<index=0, offset=0, size=4, type=i32>, <index=1, offset=4, size=4, type=!llvm.ptr>, <index=2, offset=8, size=4, type=f32>, <index=3, offset=12, size=4, type=!llvm.ptr>]>} : () -> ()
"vortex.kernel"() ({
}) {sym_name = "metadata_kernel", function_type = (i32, !llvm.ptr, f32, !llvm.ptr) -> (), vortex.kernel_args = @metadata_kernel_args} : () -> ()
