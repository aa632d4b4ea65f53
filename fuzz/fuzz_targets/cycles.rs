//! Programs of any content end, trap or spend their budget on the cycle model, whatever hardware it is of: nothing
//! panics, nothing stands still.

#![no_main]

use libfuzzer_sys::fuzz_target;
use vortex_host::sim::TrapKind;

#[path = "../../vortex-host/tests/sim/raw.rs"]
mod raw;

fuzz_target!(|bytes: &[u8]| {
    if let Err(trap) = raw::run(bytes) {
        let text = trap.to_string();
        assert!(!matches!(trap.kind, TrapKind::NoProgress { .. }), "{text}");
    }
});
