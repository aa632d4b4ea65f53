//! One experiment: a generated kernel, what it runs over, and on what.

use super::device::{Way, on_device, target};
use super::generate::{Generator, Kind, SLOTS};
use super::run::{Launch, Shape, count, interpreted, on_interpreter};
use super::together::LARGEST_GROUP;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use vortex_kernel::codegen::{Specialization, Target};
use vortex_kernel::ir::{Form, Function, verify};
use vortex_kernel::isa::Generation;
use vortex_kernel::opt::{Level, StructureError, structure};

const SHAPES: [Shape; 4] = [
    Shape::new(1, 1, 1),
    Shape::new(1, 4, 4),
    Shape::new(2, 2, 8),
    Shape::new(1, 2, 32),
];

/// Items in x, y and z that a lane does at once.
const AT_ONCE: [[u32; 3]; 6] = [
    [1, 1, 1],
    [2, 1, 1],
    [4, 1, 1],
    [1, 2, 1],
    [2, 2, 1],
    [8, 1, 1],
];

/// A kernel, and how it is run.
#[derive(Clone)]
pub(crate) struct Case {
    kernel: Function,
    launch: Launch,
    shape: Shape,
    target: Target,
    /// What the compiler is told of the launch.
    known: Specialization,
    /// Items in x, y and z that a lane does at once, if the compiler is to have it do more than one.
    at_once: [u32; 3],
}

// What a failure shows: the kernel as one can read it.
impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kernel,
            launch,
            shape,
            target,
            known,
            at_once,
        } = self;
        write!(
            f,
            "{launch:?}, {shape:?}, {target:?}, {known:?}, {at_once:?}\n{kernel}"
        )
    }
}

impl Case {
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test looks at it"))]
    pub(crate) const fn kernel(&self) -> &Function {
        &self.kernel
    }

    /// How many items fail, and how many there are.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test asks"))]
    pub(crate) fn failing_items(&self) -> [usize; 2] {
        let (_, events) = interpreted(&self.kernel, self.launch, self.shape);
        [events.faults.len(), count(self.launch.size()) as usize]
    }

    /// Runs it on the interpreter, and at every level of optimisation on the device; what they leave in memory must be
    /// the same, word for word.
    pub(crate) fn check(&self) -> TestCaseResult {
        let Self {
            kernel,
            launch,
            shape,
            target,
            known,
            at_once,
        } = self;
        verify(kernel, Form::Staged).map_err(|e| TestCaseError::fail(e.to_string()))?;
        // Whether items agree about what leads to a barrier is found out conservatively.
        if matches!(structure(kernel), Err(StructureError::Barrier(_))) {
            return Err(TestCaseError::reject("a barrier under divergence"));
        }
        let wanted = on_interpreter(kernel, *launch, *shape, *at_once);
        for level in Level::ALL {
            let way = Way {
                target: *target,
                level,
                known: *known,
                at_once: *at_once,
            };
            let found = on_device(kernel, *launch, *shape, way);
            let found = found.map_err(|e| TestCaseError::fail(format!("{level:?}: {e}")))?;
            let words = wanted.memory.iter().zip(&found.memory);
            for (at, (wanted, found)) in words.enumerate() {
                let (item, slot) = (at / SLOTS as usize, at % SLOTS as usize);
                prop_assert!(
                    wanted == found,
                    "{level:?}: item {item}, slot {slot}: wanted {wanted:#x}, found {found:#x}"
                );
            }
            let differences = (wanted.told.iter()).map(|told| told.difference(&found.told));
            if let Some(differences) = differences.collect::<Option<Vec<_>>>() {
                let differences = differences.join(", or else ");
                return Err(TestCaseError::fail(format!("{level:?}: {differences}")));
            }
        }
        Ok(())
    }
}

impl Case {
    /// A kernel that is not generated, of groups, on Vortex 3 with a known number of lanes.
    #[cfg_attr(not(test), expect(dead_code, reason = "only a test has some"))]
    pub(crate) fn of(
        kernel: Function,
        launch: Launch,
        shape: Shape,
        warp_ops: bool,
        at_once: [u32; 3],
    ) -> Self {
        Self {
            kernel,
            launch,
            shape,
            target: Target {
                generation: Generation::V3,
                ..target(false, warp_ops)
            },
            known: Specialization {
                block: None,
                lanes: Some(shape.lanes),
                core: Some(shape.core()),
                bare: None,
            },
            at_once,
        }
    }
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 10..700)
}

impl Case {
    /// The case that bytes mean: the first eight say how a kernel is run, and each further two are a choice of the
    /// generator's.
    #[allow(dead_code, reason = "libFuzzer has them, the tests around have not")]
    pub(crate) fn of_bytes(bytes: &[u8]) -> Self {
        let at = |n: usize| bytes.get(n).copied().unwrap_or_default();
        let bit = |n: usize| at(0) >> n & 1 == 1;
        let [shape, at_once, x, y, z, block] = [1, 2, 3, 4, 5, 6].map(|n| u32::from(at(n)));
        let setup = Setup::new(
            SHAPES[shape as usize % SHAPES.len()],
            [1, 2, 3, 4, 5].map(bit),
        );
        let at_once = AT_ONCE[at_once as usize % AT_ONCE.len()];
        let choices = bytes.get(8..).unwrap_or_default().as_chunks::<2>().0;
        let choices: Vec<u16> = choices
            .iter()
            .map(|choice| u16::from_le_bytes(*choice))
            .collect();
        if bit(0) {
            let groups = [1 + x % 4, 1 + y % 3, 1 + z % 2];
            let block = match block % 2 {
                0 => [1 + block / 2 % 64, 1, 1],
                _ => [1 + block / 2 % 6, 1 + block / 12 % 4, 1 + block / 48 % 2],
            };
            let kind = if bit(6) {
                Kind::OrderOfGroups
            } else {
                Kind::Groups
            };
            return Self::grouped(&choices, kind, (groups, block), at_once, setup);
        }
        let items = match block % 3 {
            0 => [1 + x % 69, 1, 1],
            1 => [1 + x % 8, 1 + y % 8, 1],
            _ => [1 + x % 4, 1 + y % 4, 1 + z % 4],
        };
        let kind = if bit(6) { Kind::Order } else { Kind::Items };
        Self::ungrouped(&choices, kind, items, at_once, setup)
    }

    /// A kernel that knows nothing of groups.
    fn ungrouped(
        choices: &[u16],
        kind: Kind,
        [x, y, z]: [u32; 3],
        at_once: [u32; 3],
        setup: Setup,
    ) -> Self {
        let [columns, rows, _] = at_once;
        // Rows of whole blocks.
        let items = match y * z {
            1 => [x, y, z],
            _ if columns * rows == 1 => [x, y, z],
            _ => [
                x.div_ceil(4) * columns * setup.shape.lanes.min(8),
                y * rows,
                z,
            ],
        };
        Self {
            kernel: Generator::kernel(choices, kind),
            launch: Launch::over(items),
            shape: setup.shape,
            target: setup.target,
            known: Specialization {
                block: None,
                lanes: setup.knows_lanes.then_some(setup.shape.lanes),
                core: Some(setup.shape.core()),
                bare: None,
            },
            at_once,
        }
    }

    /// A kernel with local memory and barriers.
    fn grouped(
        choices: &[u16],
        kind: Kind,
        ([x, y, z], block): ([u32; 3], [u32; 3]),
        at_once: [u32; 3],
        setup: Setup,
    ) -> Self {
        let [columns, rows, _] = at_once;
        // Rows of whole blocks.
        let groups = match y * z {
            1 => [x, y, z],
            _ => [x.div_ceil(2) * columns, y.div_ceil(2) * rows, z],
        };
        let limit = setup.shape.largest_group().min(LARGEST_GROUP);
        let fits = block.iter().product::<u32>() <= limit;
        let block = if fits {
            block
        } else {
            [block[0].min(limit), 1, 1]
        };
        Self {
            kernel: Generator::kernel(choices, kind),
            launch: Launch { groups, block },
            shape: setup.shape,
            target: setup.target,
            known: Specialization {
                block: setup.knows_block.then_some(block),
                lanes: setup.knows_lanes.then_some(setup.shape.lanes),
                core: Some(setup.shape.core()),
                bare: None,
            },
            at_once,
        }
    }
}

/// For small kernels.
fn few_choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 10..200)
}

/// A device, and whether the compiler is told of its lanes and of the size of groups.
#[derive(Clone, Copy, Debug)]
struct Setup {
    shape: Shape,
    target: Target,
    knows_lanes: bool,
    knows_block: bool,
}

impl Setup {
    fn new(shape: Shape, [is_new, zicond, warp_ops, knows_lanes, knows_block]: [bool; 5]) -> Self {
        let generation = match is_new {
            true => Generation::V3,
            false => Generation::V2,
        };
        let target = Target {
            generation,
            ..target(zicond, warp_ops)
        };
        Self {
            shape,
            target,
            knows_lanes,
            knows_block,
        }
    }
}

fn setup() -> impl Strategy<Value = Setup> {
    (prop::sample::select(&SHAPES[..]), any::<[bool; 5]>())
        .prop_map(|(shape, bits)| Setup::new(shape, bits))
}

fn items() -> impl Strategy<Value = [u32; 3]> {
    prop_oneof![
        (1u32..70).prop_map(|n| [n, 1, 1]),
        (1u32..9, 1u32..9).prop_map(|(x, y)| [x, y, 1]),
        (1u32..5, 1u32..5, 1u32..5).prop_map(|(x, y, z)| [x, y, z]),
    ]
}

/// Kernels that know nothing of groups.
pub(crate) fn of_items() -> impl Strategy<Value = Case> {
    (choices(), items(), setup()).prop_map(|(choices, items, setup)| {
        let at_once = AT_ONCE[choices.len() % AT_ONCE.len()];
        Case::ungrouped(&choices, Kind::Items, items, at_once, setup)
    })
}

/// Kernels of which lanes do several items at once, with checks that cannot be answered before.
pub(crate) fn of_lookups() -> impl Strategy<Value = Case> {
    (choices(), items(), setup()).prop_map(|(choices, items, setup)| {
        let at_once = AT_ONCE[1 + choices.len() % 2];
        let knows_lanes = true;
        let setup = Setup {
            knows_lanes,
            ..setup
        };
        Case::ungrouped(&choices, Kind::Lookups, items, at_once, setup)
    })
}

/// Kernels about the order of effects and checks, of which lanes mostly do several items at once.
pub(crate) fn of_order() -> impl Strategy<Value = Case> {
    let at_once = prop::sample::select(vec![[2, 1, 1], [2, 1, 1], [4, 1, 1], [1, 1, 1], [2, 2, 1]]);
    (few_choices(), items(), at_once, setup()).prop_map(|(choices, items, at_once, setup)| {
        let knows_lanes = true;
        let setup = Setup {
            knows_lanes,
            ..setup
        };
        Case::ungrouped(&choices, Kind::Order, items, at_once, setup)
    })
}

/// Groups, and items of each.
fn groups() -> impl Strategy<Value = ([u32; 3], [u32; 3])> {
    let groups = (1u32..5, 1u32..4, 1u32..3).prop_map(|(x, y, z)| [x, y, z]);
    let block = prop_oneof![
        (1u32..65).prop_map(|n| [n, 1, 1]),
        (1u32..7, 1u32..5, 1u32..3).prop_map(|(x, y, z)| [x, y, z]),
    ];
    (groups, block)
}

/// Kernels with local memory and barriers.
pub(crate) fn of_groups() -> impl Strategy<Value = Case> {
    (choices(), groups(), setup()).prop_map(|(choices, groups, setup)| {
        let at_once = AT_ONCE[choices.len() % AT_ONCE.len()];
        Case::grouped(&choices, Kind::Groups, groups, at_once, setup)
    })
}

/// Kernels about the order of effects, checks and barriers.
pub(crate) fn of_order_of_groups() -> impl Strategy<Value = Case> {
    (few_choices(), groups(), setup()).prop_map(|(choices, groups, setup)| {
        let at_once = AT_ONCE[choices.len() % AT_ONCE.len()];
        Case::grouped(&choices, Kind::OrderOfGroups, groups, at_once, setup)
    })
}
