//! Types without instructions on the device (16-bit floats, 64-bit integers) become those with.

mod f16;
mod i64;

pub use f16::legalize_f16;
pub use i64::legalize_i64;
