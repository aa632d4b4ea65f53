//! Programs of any content end, trap or spend their budget on the cycle model, whatever hardware it is of: nothing
//! panics, nothing stands still.

use vortex_sim::TrapKind;

#[path = "../../vortex-host/sim/tests/sim/raw.rs"]
mod raw;

/// Runs the program that the bytes mean.
pub fn run(bytes: &[u8]) -> bool {
    let result = raw::run(bytes);
    if let Err(trap) = &result {
        let text = trap.to_string();
        assert!(!matches!(trap.kind, TrapKind::NoProgress { .. }), "{text}");
    }
    result.is_ok()
}
