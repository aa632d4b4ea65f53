//! `contract`: a product and the sum it goes into are rounded once.

use vortex::prelude::*;

use crate::harness::{check, pairs};

macro_rules! contracted {
    ($($name:ident($a:ident, $b:ident) { $device:expr => $host:expr })*) => {$(
        #[test]
        fn $name() {
            #[vortex::kernel(contract)]
            fn kernel(left: &[f32], right: &[f32], out: &mut [f32]) {
                let i = global_id();
                let $a = left[i];
                let $b = right[i];
                out[i] = $device;
            }

            check(pairs(), |$a: f32, $b: f32| -> f32 { $host }, |a, b, out, device| {
                kernel(a, b, out).over(a.len()).launch(device).map(drop)
            });
        }
    )*};
}

#[vortex::device]
fn square(x: f32) -> f32 {
    x * x
}

contracted! {
    sum(a, b) { a * b + a => a.mul_add(b, a) }
    sum_in_front(a, b) { b + a * b => a.mul_add(b, b) }
    difference(a, b) { a * b - a => a.mul_add(b, -a) }
    difference_from(a, b) { b - a * b => (-a).mul_add(b, b) }
    of_two_products(a, b) { a * a + b * b => a.mul_add(a, b * b) }
    through_a_let(a, b) { { let p = a * b; p + p } => { let p = a * b; a.mul_add(b, p) } }
    through_a_function(a, b) { square(a) + b => a.mul_add(a, b) }
    assignment(a, b) { { let mut x = a; x += a * b; x -= b * 3.0; x } => (-b).mul_add(3.0, a.mul_add(b, a)) }
    loops(a, b) { { let mut sum = 0.5; for _ in 0..5 { sum = sum * a + b; } sum }
        => (0..5).fold(0.5f32, |sum, _| sum.mul_add(a, b)) }
    functions_do_not_change(a, b) { (a.exp() + b.sin()) * 2.0 => (vortex::math::exp(a) + vortex::math::sin(b)) * 2.0 }
    quotients_and_sums_stay(a, b) { a / b + b => a / b + b }
}

/// Not asked for, nothing of the kind happens: `numbers::no_contraction` sees to it.
#[test]
fn saves_an_instruction() {
    #[vortex::kernel]
    fn plain(x: &[f32], out: &mut [f32]) {
        let i = global_id();
        out[i] = x[i] * x[i] + 1.5;
    }

    #[vortex::kernel(contract)]
    fn merged(x: &[f32], out: &mut [f32]) {
        let i = global_id();
        out[i] = x[i] * x[i] + 1.5;
    }

    let device = &crate::harness::DEVICES[0];
    let counts = |entry: vortex::KernelEntry| {
        let explanation = entry.explain(device).unwrap();
        let code = explanation.stages().last().unwrap();
        ["fmul.s", "fadd.s", "fmadd.s"].map(|name| {
            let lines = code.lines.iter().map(|line| &line.text);
            lines.filter(|text| text.contains(name)).count()
        })
    };
    let [products, sums, both] = counts(vortex::KernelEntry::of::<plain>());
    assert!(products > 0 && both == 0);
    assert_eq!(sums, products);
    assert_eq!(
        counts(vortex::KernelEntry::of::<merged>()),
        [0, 0, products]
    );
}
