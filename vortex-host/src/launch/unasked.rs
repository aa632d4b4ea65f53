//! What a kernel has if its attributes ask for it: of one whose attributes do not, rustc says what to write.

/// What runs on the host, too. Nothing does by this: a kernel that does has a function of the name, which comes first.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not run on the host",
    label = "write `#[vortex::kernel(host)]` in front of the kernel, and it does"
)]
pub trait RunsOnHost {}

/// What leaves something open to be tuned. Nothing does by this.
#[diagnostic::on_unimplemented(
    message = "`{Self}` leaves nothing open to be tuned",
    label = "write `#[tune(block in [64, 128])]` below `#[vortex::kernel]`, or `#[tune(N in [4, 8])]` where `N` is a \
             `const N: usize` or a `#[comptime]` parameter"
)]
pub trait HasChoice {}

/// Finds `kernel::on_host`.
#[allow(missing_docs)]
pub trait AlsoOnHost {
    fn on_host();
}

impl<K: RunsOnHost> AlsoOnHost for K {
    fn on_host() {}
}

/// Finds `kernel::tuned`.
#[allow(missing_docs)]
pub trait Tunable {
    fn tuned();
}

impl<K: HasChoice> Tunable for K {
    fn tuned() {}
}
