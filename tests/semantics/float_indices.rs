//! Indices made of floats: the arguments of most launches answer their checks before all work items, of others they do
//! not. None may differ from Rust.

use super::harness::{fault_of, unwatched};
use vortex::FaultKind;
use vortex::prelude::*;

const LEN: usize = 300;

/// Some leave the elements, some are no numbers.
const NUMBERS: [f32; 17] = [
    0.0,
    -0.0,
    0.25,
    0.9999,
    1.0,
    1.0001,
    -1.0,
    -0.5,
    7.5,
    299.0,
    299.999_97,
    300.0,
    4_294_967_296.0,
    1e30,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Which element item `x` reads, if it reads one, by two numbers of the launch and the number of elements: of each, a
/// kernel and a test with all pairs of [`NUMBERS`].
macro_rules! elements {
    ($($name:ident: |$x:ident, $a:ident, $b:ident, $n:ident| $element:expr;)*) => {$(
        mod $name {
            use super::*;

            #[vortex::device(host)]
            fn element($x: usize, $a: f32, $b: f32, $n: usize) -> Option<usize> {
                $element
            }

            #[vortex::kernel]
            fn read(from: &[u32], to: &mut [u32], a: f32, b: f32) {
                let x = global_id();
                if let Some(at) = element(x, a, b, from.len()) {
                    to[x] = from[at];
                }
            }

            #[test]
            fn $name() -> vortex::Result<()> {
                let device = unwatched((1, 4, 4, false));
                let elements: Vec<u32> = (1..=LEN as u32).collect();
                let from = device.upload(&elements)?;
                for (a, b) in pairs() {
                    let mut to = device.alloc::<u32>(LEN)?;
                    let launched = read(&from, &mut to, a, b).over(LEN).launch(&device);
                    let at = |x| element(x, a, b, LEN);
                    let first = (0..LEN).find(|x| at(*x).is_some_and(|at| at >= LEN));
                    let found = fault_of(launched);
                    let item = found.as_ref().map(|fault| fault.item as usize);
                    assert_eq!(item, first, "{a} and {b}: {found:?}");
                    if let Some(fault) = found {
                        assert_eq!(fault.kind, FaultKind::Index, "{fault:?}");
                        continue;
                    }
                    let read = (0..LEN).map(|x| at(x).map_or(0, |at| elements[at]));
                    assert_eq!(to.download()?, read.collect::<Vec<_>>(), "{a} and {b}");
                }
                Ok(())
            }
        }
    )*};
}

fn pairs() -> impl Iterator<Item = (f32, f32)> {
    NUMBERS.into_iter().flat_map(|a| NUMBERS.map(|b| (a, b)))
}

elements! {
    scaled: |x, a, b, _n| Some((x as f32 * a + b) as usize);
    divided: |x, a, b, _n| Some(((x as f32 + 0.5) / a - b) as usize);
    falling: |x, a, b, n| Some((b - a * (n - x) as f32) as usize);
    opposite: |x, a, b, _n| Some((-(x as f32 * a) - b) as usize);
    clamped: |x, a, b, n| Some((x as f32 * a - b).clamp(0.0, (n - 1) as f32) as usize);
    between_both: |x, a, b, _n| Some((x as f32 * 1.5).max(a).min(b) as usize);
    above_the_lesser: |x, a, b, _n| Some((x as f32 - a).min(b).max(a) as usize);
    guarded: |x, a, b, n| {
        let at = x as f32 * a + b;
        if at >= 0.0 && at < n as f32 { Some(at as usize) } else { None }
    };
    guarded_by_the_contrary: |x, a, b, n| {
        let at = x as f32 * a + b;
        if at < 0.0 || at >= n as f32 { None } else { Some(at as usize) }
    };
    guarded_signed: |x, a, b, n| {
        let at = a - x as f32 * b;
        if at >= 0.0 && at <= (n as i32 - 1) as f32 { Some(at as i32 as usize) } else { None }
    };
    guarded_by_an_argument: |x, a, b, _n| {
        let at = x as f32 * 0.75 + 100.0;
        if at > a && at < b { Some(at as usize) } else { None }
    };
    below_a_constant: |x, a, b, _n| {
        let at = x as f32 / a + b;
        if at < 299.5 { Some(at as usize) } else { None }
    };
}
