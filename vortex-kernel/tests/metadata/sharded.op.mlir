vortex.kernel_metadata @sharded {
  vortex.arg_layout {
    vortex.arg index=0, offset=0, size=16, type="tensor"
    vortex.arg index=1, offset=16, size=16, type="tensor"
  }
  vortex.total_size = 32
}
