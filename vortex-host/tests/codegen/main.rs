//! Compiled code on the embedded device against the interpreter, on generated kernels.
//!
//! Both run a kernel as staged over the same buffers; what they leave in memory must be the same, word for word, in every
//! shape of device, with and without Zicond, votes and shuffles. `VORTEX_FUZZ=N` runs N cases of each kind.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod extremes;
mod generate;
mod run;
mod together;

use generate::{Generator, SLOTS};
use proptest::prelude::*;
use run::{Launch, Shape, on_device, on_interpreter, target};
use together::LARGEST_GROUP;
use vortex_kernel::codegen::Target;
use vortex_kernel::ir::{Form, Function, verify};

const SHAPES: [Shape; 4] = [
    Shape::new(1, 1, 1),
    Shape::new(1, 4, 4),
    Shape::new(2, 2, 8),
    Shape::new(1, 2, 32),
];

fn check(kernel: &Function, launch: Launch, shape: Shape, target: &Target) {
    verify(kernel, Form::Staged).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    let wanted = on_interpreter(kernel, launch, shape);
    let found = on_device(kernel, launch, shape, target);
    let found = found.unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    let words = wanted.memory.iter().zip(&found.memory);
    for (at, (wanted, found)) in words.enumerate() {
        let (item, slot) = (at / SLOTS as usize, at % SLOTS as usize);
        assert!(
            wanted == found,
            "item {item}, slot {slot}: wanted {wanted:#x}, found {found:#x}\n{kernel}"
        );
    }
    assert_eq!(wanted.faulted, found.faulted, "{kernel}");
}

fn cases() -> u32 {
    let given = std::env::var("VORTEX_FUZZ").ok();
    given.and_then(|n| n.parse().ok()).unwrap_or(96)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(),
        max_shrink_iters: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn compiled_code_does_what_the_interpreter_does(
        choices in prop::collection::vec(any::<u16>(), 10..700),
        items in prop_oneof![
            (1u32..70).prop_map(|n| [n, 1, 1]),
            (1u32..9, 1u32..9).prop_map(|(x, y)| [x, y, 1]),
            (1u32..5, 1u32..5, 1u32..5).prop_map(|(x, y, z)| [x, y, z]),
        ],
        shape in 0..SHAPES.len(),
        zicond in any::<bool>(),
        warp_ops in any::<bool>(),
    ) {
        let kernel = Generator::kernel(&choices, false);
        let target = target(zicond, warp_ops);
        check(&kernel, Launch::over(items), SHAPES[shape], &target);
    }

    #[test]
    fn groups_do_what_the_interpreter_does(
        choices in prop::collection::vec(any::<u16>(), 10..700),
        groups in (1u32..5, 1u32..4, 1u32..3).prop_map(|(x, y, z)| [x, y, z]),
        block in prop_oneof![
            (1u32..65).prop_map(|n| [n, 1, 1]),
            (1u32..7, 1u32..5, 1u32..3).prop_map(|(x, y, z)| [x, y, z]),
        ],
        shape in 0..SHAPES.len(),
        zicond in any::<bool>(),
        warp_ops in any::<bool>(),
    ) {
        let shape = SHAPES[shape];
        let limit = shape.largest_group().min(LARGEST_GROUP);
        let fits = block.iter().product::<u32>() <= limit;
        let block = if fits { block } else { [block[0].min(limit), 1, 1] };
        let kernel = Generator::kernel(&choices, true);
        check(&kernel, Launch { groups, block }, shape, &target(zicond, warp_ops));
    }
}
