//! Barriers in two halves, on the host: an item that has arrived continues, and at the second half it lets others run.

use super::turn::Turn;

/// As in kernels: what `barrier::arrive()` gives.
#[derive(Debug)]
#[must_use = "an item that has arrived at a barrier has to wait for the others: call `.wait()` in the same block"]
pub struct ArrivalToken(());

/// As in kernels: `barrier::arrive()`.
pub const fn arrive() -> ArrivalToken {
    ArrivalToken(())
}

impl ArrivalToken {
    /// As in kernels: `token.wait()`. The others have arrived when it is this item's turn again, or have ended.
    pub fn wait(self, turn: &mut Turn<'_>) {
        turn.barrier();
    }
}
