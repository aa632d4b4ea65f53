//! One experiment: a generated kernel, what it runs over, and on what.

use crate::device::{Way, on_device, target};
use crate::generate::{Generator, SLOTS};
use crate::run::{Launch, Shape, on_interpreter};
use crate::together::LARGEST_GROUP;
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
const AT_ONCE: [[u32; 3]; 5] = [[1, 1, 1], [2, 1, 1], [4, 1, 1], [1, 2, 1], [2, 2, 1]];

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
        let wanted = on_interpreter(kernel, *launch, *shape);
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
            if let Some(difference) = wanted.told.difference(&found.told) {
                return Err(TestCaseError::fail(format!("{level:?}: {difference}")));
            }
        }
        Ok(())
    }
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 10..700)
}

/// A device, and whether the compiler is told of its lanes and of the size of groups.
fn place() -> impl Strategy<Value = (Shape, Target, [bool; 2])> {
    (prop::sample::select(&SHAPES[..]), any::<[bool; 5]>()).prop_map(
        |(shape, [is_new, zicond, warp_ops, lanes, block])| {
            let generation = match is_new {
                true => Generation::V3,
                false => Generation::V2,
            };
            let target = Target {
                generation,
                ..target(zicond, warp_ops)
            };
            (shape, target, [lanes, block])
        },
    )
}

/// Kernels that know nothing of groups.
pub(crate) fn of_items() -> impl Strategy<Value = Case> {
    let items = prop_oneof![
        (1u32..70).prop_map(|n| [n, 1, 1]),
        (1u32..9, 1u32..9).prop_map(|(x, y)| [x, y, 1]),
        (1u32..5, 1u32..5, 1u32..5).prop_map(|(x, y, z)| [x, y, z]),
    ];
    (choices(), items, place()).prop_map(|(choices, [x, y, z], (shape, target, [lanes, _]))| {
        let at_once = AT_ONCE[choices.len() % AT_ONCE.len()];
        let [columns, rows, _] = at_once;
        // Rows of whole blocks.
        let items = match y * z {
            1 => [x, y, z],
            _ if columns * rows == 1 => [x, y, z],
            _ => [x.div_ceil(4) * columns * shape.lanes.min(8), y * rows, z],
        };
        Case {
            kernel: Generator::kernel(&choices, false),
            launch: Launch::over(items),
            shape,
            target,
            known: Specialization {
                block: None,
                lanes: lanes.then_some(shape.lanes),
                bare: None,
            },
            at_once,
        }
    })
}

/// Kernels with local memory and barriers.
pub(crate) fn of_groups() -> impl Strategy<Value = Case> {
    let groups = (1u32..5, 1u32..4, 1u32..3).prop_map(|(x, y, z)| [x, y, z]);
    let block = prop_oneof![
        (1u32..65).prop_map(|n| [n, 1, 1]),
        (1u32..7, 1u32..5, 1u32..3).prop_map(|(x, y, z)| [x, y, z]),
    ];
    (choices(), groups, block, place()).prop_map(
        |(choices, groups, block, (shape, target, [lanes, size]))| {
            let limit = shape.largest_group().min(LARGEST_GROUP);
            let fits = block.iter().product::<u32>() <= limit;
            let block = if fits {
                block
            } else {
                [block[0].min(limit), 1, 1]
            };
            Case {
                kernel: Generator::kernel(&choices, true),
                launch: Launch { groups, block },
                shape,
                target,
                known: Specialization {
                    block: size.then_some(block),
                    lanes: lanes.then_some(shape.lanes),
                    bare: None,
                },
                at_once: [1; 3],
            }
        },
    )
}
