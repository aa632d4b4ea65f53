vortex.kernel_args @sharded_args : !vortex.kernel_args<struct_size = 32, args = [<index=0, offset=0, size=16, type=!llvm.struct<(ptr, i32, i32, i32)>>, <index=1, offset=16, size=16, type=!llvm.struct<(ptr, i32, i32, i32)>>]>
vortex.kernel @sharded(%arg0: !llvm.struct<(ptr, i32, i32, i32)>, %arg1: !llvm.struct<(ptr, i32, i32, i32)>) { vortex.kernel_args = @sharded_args }
