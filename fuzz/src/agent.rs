//! Conditions of breakpoints, in gdb's byte code: any bytes have a value or none, after a bounded number of steps.

#[path = "../../vortex-host/gdb/src/agent.rs"]
mod code;

use code::{Around, evaluate};

/// Each register and each word of memory has a value, but for some of either.
struct Numbers;

impl Around for Numbers {
    fn register(&self, number: usize) -> Option<u32> {
        (number < 73).then(|| (number as u32).wrapping_mul(0x9e37_79b9))
    }

    fn memory(&self, address: u32, size: usize) -> Option<u64> {
        let all = u64::from(address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (address < 0xf000_0000).then(|| all >> (64 - 8 * size))
    }
}

/// Evaluates it twice: nothing is kept from one condition to the next.
pub fn run(bytes: &[u8]) -> bool {
    let value = evaluate(bytes, &Numbers);
    assert_eq!(evaluate(bytes, &Numbers), value);
    value.is_some()
}
