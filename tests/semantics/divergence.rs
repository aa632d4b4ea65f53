//! Lanes that disagree: at what cost, and where that is refused.

use vortex::codegen::{Options, Target, compile};
use vortex::isa::{Inst, Opcode};
use vortex::lang::{Kernel, stage};
use vortex::prelude::*;

use crate::harness::DEVICES;

/// Instructions of this kind in a kernel's image.
fn count<K: Kernel>(opcode: Opcode) -> usize {
    let staged = stage::<K>().unwrap();
    let image = compile(&staged, &Target::FULL, &Options::default()).unwrap();
    image
        .bytes
        .chunks_exact(4)
        .filter_map(|word| Inst::decode(u32::from_le_bytes(word.try_into().unwrap())))
        .filter(|inst| inst.opcode == opcode)
        .count()
}

#[vortex::kernel]
fn nothing(out: &mut [u32]) {
    out[global_id()] = 1;
}

#[vortex::kernel]
fn agreed(x: &[u32], n: u32, out: &mut [u32]) {
    let mut sum = 0;
    // All from arguments and from memory that all read at one place.
    if n > 3 && x[0] == 7 {
        for i in 0..x.len() {
            if x[i] % 3 == 1 {
                sum += n / (x[i] | 1);
            } else if i as u32 > n {
                break;
            }
        }
    }
    out[global_id()] = sum;
}

#[vortex::kernel]
fn disagreed(x: &[u32], n: u32, out: &mut [u32]) {
    let i = global_id();
    // A division is not worth doing for all.
    if x[i] > n {
        out[i] = n / x[i] + n % (x[i] >> 1 | 1);
    }
}

#[test]
fn a_condition_that_lanes_agree_on_costs_no_split() {
    let always = count::<nothing>(Opcode::Split);
    assert_eq!(count::<agreed>(Opcode::Split), always);
    assert_eq!(
        count::<agreed>(Opcode::Pred),
        count::<nothing>(Opcode::Pred)
    );
    assert!(count::<disagreed>(Opcode::Split) > always);
}

#[vortex::kernel]
fn under_an_if<T: Num>(n: T, x: &[T], out: &mut [u32]) {
    let i = global_id();
    if x[i] > n {
        barrier();
        out[i] = 1;
    }
}

#[vortex::device]
fn meet() {
    barrier();
}

#[vortex::kernel]
fn in_a_loop<T: Num>(n: T, x: &[T], out: &mut [u32]) {
    let mut i = global_id();
    while x[i] > n {
        meet();
        i += 1;
    }
    out[i] = 1;
}

#[test]
fn a_barrier_under_a_condition_that_items_disagree_on_is_refused() {
    let device = &DEVICES[1];
    let mut out = device.alloc::<u32>(8).unwrap();
    let x = device.upload(&[0u32; 8]).unwrap();
    let errors = [
        under_an_if(3, &x, &mut out).grid(2).block(4).launch(device),
        in_a_loop(3, &x, &mut out).grid(2).block(4).launch(device),
    ]
    .map(|launched| launched.unwrap_err().to_string());
    let expected = [
        [
            "under_an_if<u32>",
            "        barrier();",
            "    if x[i] > n {",
        ],
        ["in_a_loop<u32>", "    barrier();", "    while x[i] > n {"],
    ];
    for (error, [name, barrier, condition]) in errors.iter().zip(expected) {
        let start = format!("kernel {name}: the `barrier()` at tests/semantics/divergence.rs:");
        assert!(
            error.starts_with(&start)
                && error.contains(
                    "not the same for all work items of a group (tests/semantics/divergence.rs:"
                )
                && error.contains(&format!(" | {barrier}\n"))
                && error.contains(&format!(" | {condition}\n")),
            "{error}"
        );
    }
}
