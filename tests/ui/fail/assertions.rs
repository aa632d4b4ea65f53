use vortex::prelude::*;

#[vortex::kernel]
fn check(x: &[f32], n: u32) {
    let i = global_id();
    assert!();
    assert!(n > 0, n);
    assert_eq!(n);
    let _ = if n > 1 { panic!(i) } else { 0 };
}

#[vortex::kernel]
fn check_types(x: &[f32], n: u32) {
    let i = global_id();
    assert!(n);
    assert_eq!(n, x[i]);
    let value: u32 = if n > 1 { panic!("{}", n, i) } else { 0 };
    debug_assert_ne!(value, n, "{value:?} {missing}");
}

fn main() {}

// Mistakes: 8
