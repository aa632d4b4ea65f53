//! What a kernel cannot take less than: a lower bound on its cycles, from what each item has to do.
//!
//! Counted is what no compiler saves that keeps Rust's semantics and computes items one after the other: an item's
//! loads, but for what is the same for all items and fits registers; its stores; its operations on numbers. Not
//! counted: addresses, loops, guards and checks, of which unrolling, running pointers and versions leave as few as one
//! likes; stores to the stack; any waiting; what starts and ends a launch. The lanes of a warp are assumed to do all of
//! it together, and with no two in one bank of local memory.
//!
//! The bound is the largest of these. Each is what a part of the device does at best; images of nothing but such
//! instructions come within 5 % of it on the cycle model (`vortex-sim`, `timing`).
//!
//! | | cycles, at least |
//! |---|---|
//! | issue | a warp is fetched for every 6 cycles; for the cores of a socket, up to four, one instruction in a cycle |
//! | float unit, one for 8 warps | two instructions are inside at a time, for their stages and 2 cycles more: 3 each for sums and products, 2 for comparisons and moves, 3.5 for conversions, 8.5 for quotients, 6 for roots |
//! | loads of a core | two are under way at a time: 5 each, 4 from local memory; an atomic operation 2 for each lane |
//! | coalescer of a core | 2 for each line of `min(4 * lanes, 64)` bytes that is loaded or stored, two of them side by side for 32 lanes |
//! | memory | 4 for each line of 64 bytes that is read: 16 bytes in a cycle. What is written may arrive later |

use vortex::Caps;

/// Warps that are fetched for in turn.
const FETCH: f64 = 6.0;
const SOCKET: u32 = 4;
const WARPS_PER_SLICE: u32 = 8;

/// What an item does on average.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Work {
    pub(super) items: usize,
    /// Of words in global memory.
    pub(super) loads: f64,
    pub(super) stores: f64,
    pub(super) local_loads: f64,
    pub(super) local_stores: f64,
    pub(super) atomics: f64,
    /// Integer operations, barriers, and what else takes a place in the pipeline and no more.
    pub(super) others: f64,
    /// Sums and products.
    pub(super) sums: f64,
    /// Comparisons, minima, maxima, signs, and moves from and to integer registers.
    pub(super) comparisons: f64,
    pub(super) conversions: f64,
    pub(super) quotients: f64,
    pub(super) roots: f64,
    /// Words that all items together read from memory, each counted once.
    pub(super) words: usize,
}

/// `e^x`: reduction 4 sums, polynomial 6, scaling 2; two bounds, a test for NaN, three moves.
pub(super) const EXP: Work = Work {
    sums: 12.0,
    comparisons: 6.0,
    others: 6.0,
    ..NOTHING
};

/// `ln x`: reduction 2 sums, polynomial 11, the exponent's share 2; four moves, and integers.
pub(super) const LN: Work = Work {
    sums: 15.0,
    comparisons: 4.0,
    others: 18.0,
    ..NOTHING
};

const NOTHING: Work = Work {
    items: 0,
    loads: 0.0,
    stores: 0.0,
    local_loads: 0.0,
    local_stores: 0.0,
    atomics: 0.0,
    others: 0.0,
    sums: 0.0,
    comparisons: 0.0,
    conversions: 0.0,
    quotients: 0.0,
    roots: 0.0,
    words: 0,
};

impl Work {
    /// With so many times what a function does.
    pub(super) fn and(mut self, times: f64, function: &Work) -> Self {
        self.sums += times * function.sums;
        self.comparisons += times * function.comparisons;
        self.conversions += times * function.conversions;
        self.others += times * function.others;
        self
    }

    /// Cycles that it takes at least on a device.
    pub(super) fn bound(&self, caps: &Caps) -> f64 {
        // How often some warp computes an item in each lane; of these, on one core, and in one warp.
        let steps = self.items.div_ceil(caps.threads as usize);
        let on_core = steps as f64 / f64::from(caps.cores);
        let in_warp = steps.div_ceil((caps.cores * caps.warps) as usize) as f64;

        let float_unit = 3.0 * self.sums
            + 2.0 * self.comparisons
            + 3.5 * self.conversions
            + 8.5 * self.quotients
            + 6.0 * self.roots;
        let floats = self.sums + self.comparisons + self.conversions + self.quotients + self.roots;
        let memory = self.loads + self.stores + self.local_loads + self.local_stores + self.atomics;
        let instructions = floats + memory + self.others;
        let loads =
            5.0 * self.loads + 4.0 * self.local_loads + f64::from(2 * caps.threads) * self.atomics;
        let sockets = f64::from(caps.cores.div_ceil(SOCKET));
        let slices = f64::from((caps.warps / WARPS_PER_SLICE).max(1));
        [
            in_warp * FETCH * instructions,
            steps as f64 * instructions / sockets,
            on_core * float_unit / slices,
            on_core * loads,
            on_core * 2.0 * (self.loads + self.stores),
            4.0 * self.words as f64 / 16.0,
        ]
        .into_iter()
        .fold(1.0, f64::max)
    }
}
