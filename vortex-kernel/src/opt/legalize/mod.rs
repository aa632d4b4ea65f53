//! What the device has no instructions for becomes what it has: 16-bit floats, 64-bit integers, combining lanes.

mod f16;
mod i64;
mod warp;

pub use f16::legalize_f16;
pub use i64::legalize_i64;
pub use warp::legalize_warp;
