//! The device's properties, as `vx_dev_caps` reports them.

use crate::failure::Failure;
use vortex_sim::Config;

const CACHE_LINE: u64 = 64;
const MEMORY: u64 = 1 << 32;
const BANKS: u64 = 2;

/// The value of a capability.
pub(crate) fn value(config: &Config, id: u32) -> Result<u64, Failure> {
    Ok(match id {
        // Version: Vortex's implementation id, which is 0 so far.
        0 => 0,
        1 => u64::from(config.threads),
        2 => u64::from(config.warps),
        3 => u64::from(config.cores),
        4 => CACHE_LINE,
        5 => MEMORY,
        6 => u64::from(config.local_mem),
        7 => isa_flags(config),
        8 => BANKS,
        9 => MEMORY / BANKS,
        _ => return Err(Failure::Caps(id)),
    })
}

/// Bits 0 to 25 are letters as in `misa`, bits 30 and 31 the register width, and from bit 32 on come Vortex's own.
pub(crate) fn isa_flags(config: &Config) -> u64 {
    let letter = |letter: u8| 1 << (letter - b'A');
    let word_of_32_bits = 1 << 30;
    let (icache, dcache, local_memory, zicond) = (1 << 32, 1 << 33, 1 << 36, 1 << 37);
    let optional = |present: bool, flag: u64| if present { flag } else { 0 };
    letter(b'I')
        | letter(b'M')
        | letter(b'F')
        | letter(b'U')
        | letter(b'X')
        | word_of_32_bits
        | icache
        | dcache
        | optional(config.atomics, letter(b'A'))
        | optional(config.local_mem > 0, local_memory)
        | optional(config.zicond, zicond)
}
