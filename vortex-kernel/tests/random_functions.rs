//! Every pass keeps what random functions do: they run in the interpreter as staged and after each pass.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod indices;
mod support;

use proptest::prelude::*;
use support::{Outcome, function, outcome};
use vortex_kernel::ir::interp::Trap;
use vortex_kernel::ir::{Form, Function, parse, verify};
use vortex_kernel::opt;

const ARGS: [(u32, i32, f32); 2] = [(7, -3, 1.5), (u32::MAX, i32::MIN, f32::NAN)];

/// Instructions per item, staged; afterwards some more are allowed.
const BUDGET: u64 = 20_000;

fn outcomes(f: &Function, budget: u64) -> Vec<Outcome> {
    let run = |(n, a, b): &(u32, i32, f32)| outcome(f, *n, *a, *b, budget);
    ARGS.iter().map(run).collect()
}

fn check(bytes: &[u8]) {
    let mut f = function(bytes);
    let staged = f.clone();
    verify(&f, Form::Staged).unwrap_or_else(|e| panic!("generator: {e}\n{f}"));
    assert_eq!(parse(&f.to_string()).unwrap().to_string(), f.to_string());
    let wanted = outcomes(&f, BUDGET);
    if wanted
        .iter()
        .any(|(ended, _)| matches!(ended, Err(Trap::Budget { .. })))
    {
        // A loop that never ends: any point to stop at is as good as another.
        return;
    }
    opt::structurise(&mut f).unwrap();
    opt::ssa(&mut f);
    let mut before = f.clone();
    let same = |name: &str, before: &Function, f: &Function| {
        verify(f, Form::Structured).unwrap_or_else(|e| panic!("{name}: {e}\n{before}\n{f}"));
        let found = outcomes(f, 10 * BUDGET);
        assert!(
            found == wanted,
            "{name} changed the outcome\nstaged: {staged}\nbefore: {before}\nafter: {f}"
        );
    };
    same("structurise", &staged, &f);
    opt::legalize_i64(&mut f);
    same("legalize_i64", &before, &f);
    before.clone_from(&f);
    let steps = opt::Level::Full.pipeline().iter();
    for (name, pass) in steps.flat_map(|step| step.passes.iter().chain(step.clean_up)) {
        pass.run(&mut f, &opt::Tuning::default());
        same(name, &before, &f);
        before.clone_from(&f);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, max_shrink_iters: 4000, ..ProptestConfig::default() })]
    #[test]
    fn passes_keep_behaviour(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        check(&bytes);
    }
}

/// A longer run: `VORTEX_FUZZ=100000 cargo test --release --test random_functions fuzz`.
#[test]
fn fuzz() {
    let count = fuzz_count();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..count {
        let mut bytes = vec![0u8; 50 + (state >> 54) as usize];
        for byte in &mut bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = (state >> 32) as u8;
        }
        if fails(&bytes) {
            check(&shrink(bytes));
        }
    }
}

/// As many, and so many of them whose checks are tested before their loops that the test is about something.
#[test]
fn indices_stay_inside() {
    let mut state = 0x1234_5678_9abc_def1_u64;
    let (mut tested, count) = (0, 4 * fuzz_count());
    for _ in 0..count {
        let bytes: [u8; 140] = std::array::from_fn(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        });
        tested += u32::from(indices::check(&bytes));
    }
    assert!(tested * 5 > count, "{tested} of {count}");
}

fn fuzz_count() -> u32 {
    let count = std::env::var("VORTEX_FUZZ").ok();
    count.and_then(|n| n.parse().ok()).unwrap_or(200)
}

fn fails(bytes: &[u8]) -> bool {
    std::panic::catch_unwind(|| check(bytes)).is_err()
}

/// Cuts out pieces as long as the check goes on failing.
fn shrink(mut bytes: Vec<u8>) -> Vec<u8> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at + size <= bytes.len() {
            let mut shorter = bytes.clone();
            shorter.drain(at..at + size);
            if fails(&shorter) {
                bytes = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    let _ = std::panic::take_hook();
    bytes
}
