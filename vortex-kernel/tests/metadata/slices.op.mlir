vortex.kernel_metadata @"slices<u8>" {
  vortex.arg_layout {
    vortex.arg index=0, offset=0, size=1, type="scalar"
    vortex.arg index=1, offset=4, size=8, type="slice"
    vortex.arg index=2, offset=12, size=8, type="slice"
    vortex.arg index=3, offset=20, size=4, type="scalar"
    vortex.arg index=4, offset=24, size=1, type="scalar"
  }
  vortex.total_size = 28
}
