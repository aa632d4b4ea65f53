//! The numbers by which passes trade one cost for another.

use crate::isa::Generation;

/// Float constants kept in registers from the start of a function on.
pub(crate) const FLOAT_CONSTANTS: usize = 16;

/// Choices of the optimiser that change what code costs, not what it does.
///
/// Those of each generation were chosen on the suite of `benches/device_code`, which tries others with `-- --search`;
/// the default is for Vortex v2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Tuning {
    /// A loop whose iterations have at most this many instructions makes this many iterations one. Both are tried in
    /// this order. Values that iterations only pass on from name to name allow for more.
    pub unroll: [Longer; 2],
    /// Iterations of a longer one whose loads come first together. With more loads under way, the device's cache has
    /// to ask for too much at once.
    pub loads_together: u32,
    /// Iterations of a loop that is made straight, at most.
    pub straight_iterations: usize,
    /// Instructions of straight code that a loop may become, those of failures aside.
    pub straight_size: usize,
    /// Items of a row that a lane does at once, at most: a power of two. A launch with no room for that many has fewer.
    pub columns: u32,
    /// Items whose loops load lines of their own, of a warp at once at most, if loads that all share are at least half
    /// as many. So each lane does one of them, or more where lanes are fewer.
    pub items_of_lines: u32,
    /// Instructions of their own, all together, that such items may have.
    pub coarse_code: u32,
    /// The same for more than four of them: more than a few words of each do not fit the registers.
    pub wide_code: u32,
    /// What an item must cost with half as many, in per cent of what it costs with these: 108 is at least 8 per cent
    /// more, in instructions. 0: whatever they cost.
    pub coarse_gain: u32,
    /// A kernel in whose items neighbouring rows share many loads has each lane do items of this many rows at once, a
    /// power of two; of two, if what is loaded is not all floats, and of fewer in a launch that has no room for them.
    pub rows: u32,
    /// Groups in x and in y of which a lane does an item each at once, at most: powers of two.
    pub groups: [u32; 2],
    /// Instructions of such items that may stand in the code, what they have in common once.
    pub group_code: u32,
    /// Cycles from one instruction of a warp to its next, with as many warps as the smallest device has.
    pub issue: u32,
    /// Cycles from one sum or product of floats of a warp to its next, with as many warps that share the unit.
    pub float_interval: u32,
    /// The same for loads.
    pub load_interval: u32,
    /// Loads that nobody has waited for yet, at most, where there is something else to do. More of them only queue up
    /// before the cache, and take registers.
    pub loads_under_way: usize,
    /// Integers and floats in registers from which on what frees one goes first.
    pub full: [usize; 2],
    /// The halves of barriers are instructions of their own where the hardware has those, Vortex 3's `bar.arrive` and
    /// `bar.wait`; or else the second half is the whole barrier. Off: with several groups on a core, Vortex 3 as of
    /// d76b7f24e takes one barrier's phase for another's, and hangs.
    pub split_barriers: bool,
}

/// How many iterations of a loop become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Longer {
    /// If one has at most this many instructions.
    pub size: usize,
    /// So many do.
    pub iterations: u32,
}

impl Default for Tuning {
    /// Float operations of two iterations run side by side, which is worth much where they are chains of roots and
    /// quotients: so even large iterations are made two.
    fn default() -> Self {
        Self {
            unroll: [
                Longer {
                    size: 10,
                    iterations: 4,
                },
                Longer {
                    size: 40,
                    iterations: 2,
                },
            ],
            loads_together: 2,
            straight_iterations: 32,
            straight_size: 640,
            columns: 8,
            items_of_lines: 8,
            coarse_code: 160,
            wide_code: 64,
            coarse_gain: 108,
            rows: 4,
            groups: [4, 4],
            group_code: 500,
            issue: 6,
            float_interval: 12,
            load_interval: 20,
            loads_under_way: 2,
            full: [22, 29],
            split_barriers: false,
        }
    }
}

impl Tuning {
    /// The same, but each lane does one work item after the other.
    #[must_use]
    pub const fn one_by_one(self) -> Self {
        Self {
            columns: 1,
            rows: 1,
            groups: [1, 1],
            ..self
        }
    }

    /// The choices for a generation.
    ///
    /// Vortex 3 has many loads of a core under way where v2 has two, so it waits for those of more iterations
    /// together, and straight code gives it more to wait for at a time, with less between one load and the next. Rows
    /// that lanes have for themselves are done one at a time: more lines would only push each other out of the cache.
    #[must_use]
    pub fn of(generation: Generation) -> Self {
        let v2 = Self::default();
        match generation {
            Generation::V2 => v2,
            Generation::V3 => Self {
                unroll: [
                    Longer {
                        size: 10,
                        iterations: 8,
                    },
                    v2.unroll[1],
                ],
                loads_under_way: 4,
                load_interval: 12,
                straight_size: 800,
                items_of_lines: 1,
                ..v2
            },
        }
    }
}
