//! The device's properties, as two words of the Command Processor report them. Counts are powers of two there.

use crate::caps::isa_flags;
use crate::failure::Failure;
use vortex_sim::Config;

/// Banks of memory, and the bits of an address.
const BANKS: u32 = 2;
const ADDRESS_BITS: u32 = 32;

/// Whether such a device can be described to the runtime.
pub(super) fn check(config: &Config) -> Result<(), Failure> {
    let counts = [
        ("cores", config.cores),
        ("clusters", config.clusters),
        ("warps per core", config.warps),
        ("threads per warp", config.threads),
        ("bytes of local memory", config.local_mem.max(1)),
    ];
    match counts
        .into_iter()
        .find(|(_, count)| !count.is_power_of_two())
    {
        Some((what, count)) => Err(Failure::NoPowerOfTwo { what, count }),
        None => Ok(()),
    }
}

/// The word with the device's shape.
pub(super) fn device(config: &Config) -> u64 {
    let log2 = |count: u32| u64::from(count.max(1).trailing_zeros());
    let issue_width = (config.warps / 16).max(1);
    let bank_bits = u64::from(ADDRESS_BITS) - log2(BANKS) - 20;
    // A socket for each core.
    let (socket, sockets) = (log2(1), log2(config.cores / config.clusters));
    log2(config.threads) << 8
        | log2(config.warps) << 11
        | socket << 14
        | sockets << 17
        | log2(config.clusters) << 20
        | log2(issue_width) << 23
        | log2(config.local_mem) << 26
        | log2(BANKS) << 34
        | bank_bits << 37
}

/// The word with its instruction set.
pub(super) fn isa(config: &Config) -> u64 {
    isa_flags(config)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Vortex's own simulator of version 3.0 says about itself at its default shape, without the A extension.
    #[test]
    fn the_released_device_says_what_vortexs_own_says() {
        let config = Config {
            generation: vortex_sim::Generation::V3,
            ..Config::bare()
        };
        assert_eq!(isa(&config), 0x33_4090_1120);
        let word = device(&config);
        let field = |low: u32, bits: u32| word >> low & ((1 << bits) - 1);
        // Threads, warps, sockets per cluster, issue width, local memory.
        let logs = [
            field(8, 3),
            field(11, 3),
            field(17, 3),
            field(23, 3),
            field(26, 8),
        ];
        assert_eq!(logs, [2, 2, 0, 0, 14]);
        // Two banks of 2 GiB.
        assert_eq!([field(34, 3), field(37, 5)], [1, 11]);
    }

    #[test]
    fn cores_are_in_clusters() {
        let config = Config {
            clusters: 2,
            ..Config::with_shape(8, 4, 4)
        };
        let word = device(&config);
        assert_eq!([word >> 17 & 7, word >> 20 & 7], [2, 1]);
    }

    #[test]
    fn counts_are_powers_of_two() {
        let config = Config::with_shape(3, 4, 4);
        let error = check(&config).unwrap_err().to_string();
        assert!(error.contains("3 cores"), "{error}");
        assert!(check(&Config::default()).is_ok());
    }
}
