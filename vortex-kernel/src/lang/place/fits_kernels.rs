//! Which of the host's constants are no wider than the device's numbers.

/// What is too wide for kernels in an item: nothing.
#[diagnostic::on_unimplemented(
    message = "there is no `{Self}` in kernels: floats have 32 bits there, and integers 64 at most",
    label = "this constant is of type `{Self}`",
    note = "write `f32` for `f64` where it is declared, `const SCALE: f32 = 0.5;`, `u64` for `u128`, and `i64` for \
            `i128`; constants of mathematics are those of `std::f32::consts`"
)]
pub trait FitsKernels {}

#[diagnostic::do_not_recommend]
impl FitsKernels for () {}
