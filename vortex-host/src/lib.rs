//! The host side of `vortex`: devices, buffers, launches, and the embedded Vortex device.
