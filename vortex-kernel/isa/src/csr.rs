//! Control and status registers of the device, by number.

macro_rules! csrs {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        $($(#[$doc])* pub const $name: u16 = $number;)*

        /// The name of a CSR. Performance counters beyond the two standard ones are called by their number.
        #[must_use]
        pub const fn name(number: u16) -> Option<&'static str> {
            match number {
                $($number => Some($text),)*
                _ => None,
            }
        }
    };
}

csrs! {
    /// Floating-point exceptions raised so far: NV 16, DZ 8, OF 4, UF 2, NX 1. Per warp.
    FFLAGS = 0x001, "fflags";
    /// Dynamic rounding mode.
    FRM = 0x002, "frm";
    /// `frm << 5 | fflags`.
    FCSR = 0x003, "fcsr";
    /// Launch argument; per core, writable.
    MSCRATCH = 0x340, "mscratch";
    /// Cycles of the core, low half; the first of 32 performance counters.
    MCYCLE = 0xb00, "mcycle";
    /// Instructions of the core times active lanes, low half.
    MINSTRET = 0xb02, "minstret";
    /// High half of [`MCYCLE`].
    MCYCLEH = 0xb80, "mcycleh";
    /// High half of [`MINSTRET`].
    MINSTRETH = 0xb82, "minstreth";
    /// Lane in the warp.
    THREAD_ID = 0xcc0, "thread_id";
    /// Warp in the core.
    WARP_ID = 0xcc1, "warp_id";
    /// Core in the device.
    CORE_ID = 0xcc2, "core_id";
    /// Mask of the core's active warps.
    ACTIVE_WARPS = 0xcc3, "active_warps";
    /// Mask of the warp's active lanes.
    ACTIVE_THREADS = 0xcc4, "active_threads";
    /// `(core * warps + warp) * threads + lane`.
    MHARTID = 0xf14, "mhartid";
    /// Lanes per warp.
    NUM_THREADS = 0xfc0, "num_threads";
    /// Warps per core.
    NUM_WARPS = 0xfc1, "num_warps";
    /// Cores of the device.
    NUM_CORES = 0xfc2, "num_cores";
    /// Where local memory starts.
    LOCAL_MEM_BASE = 0xfc3, "local_mem_base";
}

/// How many performance counters there are from [`MCYCLE`] on; their high halves start at [`MCYCLEH`].
pub const COUNTERS: u16 = 32;
