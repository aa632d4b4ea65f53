vortex.kernel_metadata @dotproduct {
  vortex.arg_layout {
    vortex.arg index=0, offset=0, size=4, type="pointer"
    vortex.arg index=1, offset=4, size=4, type="pointer"
    vortex.arg index=2, offset=8, size=4, type="pointer"
    vortex.arg index=3, offset=12, size=4, type="local_size"
    vortex.arg index=4, offset=16, size=4, type="scalar"
  }
  vortex.total_size = 20
}
