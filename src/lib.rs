//! Write Vortex RISC-V GPGPU kernels as Rust functions, typed from the host call to the last device byte.
