vortex.kernel_args @metadata_kernel_args : !vortex.kernel_args<struct_size = 16, args = [<index=0, offset=0, size=4, type=i32>, <index=1, offset=4, size=4, type=!llvm.ptr>, <index=2, offset=8, size=4, type=f32>, <index=3, offset=12, size=4, type=!llvm.ptr>]>
vortex.kernel @metadata_kernel(%arg0: i32, %arg1: !llvm.ptr, %arg2: f32, %arg3: !llvm.ptr) { vortex.kernel_args = @metadata_kernel_args }
