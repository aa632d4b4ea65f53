//! Where a condition has asked for the length of a slice, what it tells to be inside is not checked again.

use vortex::Module;
use vortex::lang::Kernel;
use vortex::meta::Counted;
use vortex::prelude::*;

/// Checks of a kernel that are left in its image.
fn checks_left<K: Kernel>() -> u64 {
    let module = Module::builder("m").kernel::<K>().statistics();
    let module = module.build().unwrap();
    let places = module.kernels()[0].facts.fault_sites.unwrap();
    let records = &module.info().statistics.as_ref().unwrap().records;
    let counted = |name| -> u64 {
        let records = records.iter().filter(|record| record.name == name);
        let counts = records.map(|record| match record.value {
            Counted::Count(count) => count,
            Counted::Text(_) | Counted::List(_) => 0,
        });
        counts.sum()
    };
    u64::from(places) + counted("checks added") - counted("checks removed")
}

#[vortex::kernel]
fn unknown(x: &[u32], k: usize, out: *mut u32) {
    if x.len() > 3 {
        // SAFETY: never run.
        unsafe { *out = x[3] + x[k] };
    }
}

macro_rules! kernels {
    ([$x:ident $k:ident] $($name:ident: $value:expr;)*) => {
        $(
            #[vortex::kernel]
            #[allow(unused_variables)]
            fn $name($x: &[u32], $k: usize, out: *mut u32) {
                let result = $value;
                // SAFETY: never run.
                unsafe { *out.add(global_id()) = result };
            }
        )*

        #[test]
        fn known_to_be_inside() {
            let found = [$((stringify!($name), checks_left::<$name>()),)*];
            let wrong: Vec<_> = found.iter().filter(|(_, checks)| *checks > 0).collect();
            assert!(wrong.is_empty(), "{wrong:?}");
            assert_eq!(checks_left::<unknown>(), 1);
        }
    };
}

kernels! {
    [x k]
    one: match x { [one] => *one, _ => 0 };
    first: match x { [first, ..] => *first, [] => 0 };
    last: match x { [.., last] => *last, [] => 0 };
    first_by_hand: if x.is_empty() { 0 } else { x[0] };
    last_by_hand: if !x.is_empty() { x[x.len() - 1] } else { 0 };
    some_by_hand: { if x.len() <= 4 { return; } x[2] * x[4] };
    ends: match x { [first, .., last] => first ^ last, _ => 0 };
    last_two: match x { [.., a, b] => a - b, _ => 0 };
    inner: match x { [_, a, .., b, _] => a * b, _ => 0 };
    tested: match x { [3, .., last] => *last, [5, ..] => 1, [] => 2, _ => 3 };
    rest: match x { [first, rest @ ..] => first ^ rest.len() as u32, [] => 0 };
    middle: match x { [_, middle @ .., _] => middle.len() as u32, _ => 0 };
    rest_of_rest: match x { [_, rest @ ..] => match rest { [.., last] => *last, [] => 1 }, [] => 0 };
    turns: {
        let mut rest = x;
        let mut sum = 0;
        while let [first, others @ ..] = rest {
            sum += *first;
            rest = others;
        }
        sum
    };
    in_if_let: if let [a, .., b] = x && *a == *b { *a } else { 0 };
}
