vortex.kernel_args @dotproduct_args : !vortex.kernel_args<struct_size = 20, args = [<index=0, offset=0, size=4, type=!llvm.ptr>, <index=1, offset=4, size=4, type=!llvm.ptr>, <index=2, offset=8, size=4, type=!llvm.ptr>, <index=3, offset=12, size=4, type=i32>, <index=4, offset=16, size=4, type=i32>]>
gpu.func @dotproduct kernel attributes {vortex.kernel_args = @dotproduct_args}
