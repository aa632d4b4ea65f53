//! Which conditions the compiler knows all lanes of a warp to agree on: those cost a branch, the others a split and a
//! join too.

use crate::measure::{LANGUAGE, Mismatches};
use vortex::codegen::{Options, Target, compile};
use vortex::isa::{Inst, Opcode};
use vortex::lang::{Kernel, stage};
use vortex::prelude::*;

/// Splits in a kernel's image.
fn splits<K: Kernel>() -> usize {
    splits_for::<K>(&Target::FULL)
}

pub(crate) fn splits_for<K: Kernel>(target: &Target) -> usize {
    let staged = stage::<K>().unwrap();
    let image = compile(&staged, target, &Options::default()).unwrap();
    let words = image.bytes.as_chunks::<4>().0;
    let insts = words
        .iter()
        .filter_map(|word| Inst::decode(u32::from_le_bytes(*word)));
    insts.filter(|inst| inst.opcode == Opcode::Split).count()
}

#[derive(Clone, Copy, vortex::DeviceType)]
#[repr(C)]
struct Settings {
    limit: u32,
    levels: [u32; 4],
}

#[vortex::device]
fn largest(x: &[u32], n: u32) -> u32 {
    let mut most = 0;
    for k in 0..n as usize {
        if k < x.len() && x[k] > most {
            most = x[k];
        }
    }
    most
}

#[vortex::device]
fn first(x: &[u32], n: u32) -> Option<u32> {
    if n == 0 { None } else { Some(x[0] / n) }
}

/// Kernels that do something under a condition, and how many splits more they have than one without it.
macro_rules! conditions {
    ($([$n:ident $settings:ident $x:ident $y:ident $i:ident] $($name:ident: $condition:expr;)*)*) => {
        $($(
            #[vortex::kernel]
            #[allow(unused_variables)]
            fn $name($n: u32, $settings: Settings, $x: &[u32], $y: *const u32, out: *mut u32) {
                let $i = global_id();
                if $condition {
                    // SAFETY: never run.
                    unsafe { *out.add($i) = 1 };
                }
            }
        )*)*

        fn of_each() -> Vec<(&'static str, usize)> {
            vec![$($((stringify!($name), splits::<$name>()),)*)*]
        }
    };
}

conditions! {
    [n settings x y i]
    agree_argument: n > 3;
    agree_field: settings.limit * 2 > n;
    agree_element_of_argument: settings.levels[2] > n;
    agree_size: global_size() as u32 > n;
    agree_warp: warp_id() as u32 * 2 + core_id() as u32 > n;
    agree_group: group_id() as u32 % 3 == n;
    agree_group_2d: group_id_2d().1 as u32 > n;
    agree_length: x.len() as u32 > n;
    agree_shared: x.len() > 3 && x[3] > n;
    agree_shared_indirect: x.len() > 3 && n < 3 && x[n as usize] > n;
    agree_option: match x.get(n as usize) { Some(y) => *y > 3, None => n > 7 };
    agree_function_option: first(x, n).is_some_and(|v| v > 3);
    agree_unwrapped: first(x, n).unwrap_or(n + 1) > 3;
    agree_function: largest(x, n) > 7;
    agree_any: warp::any(lane_id() as u32 > n);
    agree_ballot: warp::ballot(lane_id() as u32 > n).count_ones() > 2;
    agree_broadcast: warp::broadcast(lane_id() as u32 + n) > 2;
    agree_reduced: warp::reduce_add(lane_id() as u32) > n;
    agree_tuple: { let (a, b) = (n, x.len() as u32); let (b, a) = (a, b); a > b };
    agree_loop: { let mut s = 0; for k in 0..n { if k % 3 == 1 { s += x.len() as u32 / (k + 1); } } s > 3 };
    agree_broken_loop: { let mut s = 0; for k in 0..n { if s > 100 { break; } s += s / (k + 1) + k; } s > 3 };
    agree_minimum: n.min(x.len() as u32).max(settings.limit) > 3;
    agree_float: (n as f32).sqrt() > 2.5;
    agree_wide: n as u64 * settings.limit as u64 > 1 << 40;
    differ_item: i as u32 > n;
    differ_lane: lane_id() as u32 > n;
    differ_local: local_id() as u32 > n;
    // SAFETY: never run.
    differ_loaded: unsafe { *y.add(i) } > n;
    // SAFETY: never run.
    differ_writable: unsafe { *y } > n;
    differ_shuffle: warp::shuffle_up(lane_id() as u32, 1) > n;
    differ_left_loop: { let mut k = 0; while k < n && (k * k) as usize != i { k += 1; } k > 3 };
}

#[test]
fn what_lanes_agree_on_costs_no_split() {
    #[vortex::kernel]
    #[allow(unused_variables)]
    fn plain(n: u32, settings: Settings, x: &[u32], y: *const u32, out: *mut u32) {
        let i = global_id();
        // SAFETY: never run.
        unsafe { *out.add(i) = 1 };
    }
    let plain = splits::<plain>();
    let wrong: Vec<_> = of_each()
        .into_iter()
        .filter(|(name, splits)| (*splits > plain) != name.starts_with("differ"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}, {plain}");
    let mut mismatches = Mismatches::default();
    mismatches.page(&LANGUAGE, "The compiler knows that lanes agree on arguments, sizes, numbers of groups, warps and cores, elements of a `&[T]` argument");
    mismatches.none();
}
