//! Types that the device has no instructions for become those that it has: floats of 16 bits, integers of 64.

mod f16;
mod i64;

pub use f16::legalize_f16;
pub use i64::legalize_i64;
