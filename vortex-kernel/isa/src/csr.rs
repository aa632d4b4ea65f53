//! Control and status registers of the device, by number.
//!
//! The numbers are those of the RISC-V manual, and of Vortex's own registers those of its `VX_types.vh` and, of Vortex
//! 3, `VX_types.toml`. Masks have a bit for each warp or lane; number 0 has the lowest.

use super::Generation;

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
    /// The rounding mode of instructions that say [`Dyn`](super::Rounding::Dyn), 0 to 4. Per warp.
    FRM = 0x002, "frm";
    /// `frm << 5 | fflags`.
    FCSR = 0x003, "fcsr";
    /// Address of the launch's arguments, as the host gave it; writable; per core, on Vortex 3 per warp.
    MSCRATCH = 0x340, "mscratch";
    /// Cycles of the core, low half; the first of 32 performance counters.
    MCYCLE = 0xb00, "mcycle";
    /// Instructions that the core has executed, low half: on Vortex 2 times active lanes, on Vortex 3 of warps.
    MINSTRET = 0xb02, "minstret";
    /// High half of [`MCYCLE`].
    MCYCLEH = 0xb80, "mcycleh";
    /// High half of [`MINSTRET`].
    MINSTRETH = 0xb82, "minstreth";
    /// Lane in the warp, from 0.
    THREAD_ID = 0xcc0, "thread_id";
    /// Warp in the core, from 0.
    WARP_ID = 0xcc1, "warp_id";
    /// Core in the device, from 0.
    CORE_ID = 0xcc2, "core_id";
    /// Mask of the core's active warps.
    ACTIVE_WARPS = 0xcc3, "active_warps";
    /// Mask of the warp's active lanes.
    ACTIVE_THREADS = 0xcc4, "active_threads";
    /// The hart's number in the device: `(core * warps + warp) * threads + lane`.
    MHARTID = 0xf14, "mhartid";
    /// Lanes of each warp.
    NUM_THREADS = 0xfc0, "num_threads";
    /// Warps of each core.
    NUM_WARPS = 0xfc1, "num_warps";
    /// Cores of the device.
    NUM_CORES = 0xfc2, "num_cores";
    /// Address of the first byte of local memory, 0xFFFF0000.
    LOCAL_MEM_BASE = 0xfc3, "local_mem_base";
    /// Vortex 3: barriers of a group.
    NUM_BARRIERS = 0xfc4, "num_barriers";
    /// Vortex 3: the group's slot on its core, which its barriers are numbered by.
    CTA_ID = 0xcd0, "cta_id";
    /// Vortex 3: warp in the group.
    CTA_RANK = 0xcd1, "cta_rank";
    /// Vortex 3: warps of the group.
    CTA_SIZE = 0xcd2, "cta_size";
    /// Vortex 3: work item in the group, by its place along x.
    CTA_THREAD_ID_X = 0xcd3, "cta_thread_id_x";
    /// Vortex 3: likewise along y.
    CTA_THREAD_ID_Y = 0xcd4, "cta_thread_id_y";
    /// Vortex 3: likewise along z.
    CTA_THREAD_ID_Z = 0xcd5, "cta_thread_id_z";
    /// Vortex 3: group in the grid, by its place along x.
    CTA_BLOCK_ID_X = 0xcd6, "cta_block_id_x";
    /// Vortex 3: likewise along y.
    CTA_BLOCK_ID_Y = 0xcd7, "cta_block_id_y";
    /// Vortex 3: likewise along z.
    CTA_BLOCK_ID_Z = 0xcd8, "cta_block_id_z";
    /// Vortex 3: work items of a group along x.
    CTA_BLOCK_DIM_X = 0xcd9, "cta_block_dim_x";
    /// Vortex 3: likewise along y.
    CTA_BLOCK_DIM_Y = 0xcda, "cta_block_dim_y";
    /// Vortex 3: likewise along z.
    CTA_BLOCK_DIM_Z = 0xcdb, "cta_block_dim_z";
    /// Vortex 3: groups of the grid along x.
    CTA_GRID_DIM_X = 0xcdc, "cta_grid_dim_x";
    /// Vortex 3: likewise along y.
    CTA_GRID_DIM_Y = 0xcdd, "cta_grid_dim_y";
    /// Vortex 3: likewise along z.
    CTA_GRID_DIM_Z = 0xcde, "cta_grid_dim_z";
    /// Vortex 3: address of the first byte of the group's local memory.
    CTA_LMEM_ADDR = 0xcdf, "cta_lmem_addr";
    /// Vortex 3: groups of a cluster.
    CTA_CLUSTER_SIZE = 0xce0, "cta_cluster_size";
    /// Vortex 3: address of the first instruction of the kernel.
    CTA_ENTRY = 0xce1, "cta_entry";
}

/// How many performance counters there are from [`MCYCLE`] on; their high halves start at [`MCYCLEH`].
pub const COUNTERS: u16 = 32;

/// The generation that a CSR came with. Of numbers that name none, the first.
#[must_use]
pub const fn since(number: u16) -> Generation {
    match number {
        NUM_BARRIERS | CTA_ID..=CTA_ENTRY => Generation::V3,
        _ => Generation::V2,
    }
}
