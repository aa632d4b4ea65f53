//! Tuning for whichever device it is: candidates run on an embedded one of the same shape, with memory at the same
//! addresses, and records are found by what the device reports.

use std::fs;
use std::path::Path;

use vortex::Choices as _;
use vortex::prelude::*;

use super::device;

#[vortex::kernel]
#[tune(each in [1, 4], block in [2, 4, 8])]
fn doubled(#[comptime] each: usize, x: &[u32], y: &mut [u32]) {
    let first = group_id() * local_size() * each + local_id();
    for k in comptime!(0..each) {
        let i = first + k * local_size();
        if i < y.len() {
            y[i] += 2 * x[i];
        }
    }
}

#[test]
fn a_kernel_is_tuned_for_a_device_and_the_record_is_used_on_it() {
    let name = format!("tuning-{}.toml", std::process::id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&file);
    let device = device();
    let numbers: Vec<u32> = (0..300).collect();
    let x = device.upload(&numbers).unwrap();
    let mut y = device.upload(&numbers).unwrap();
    let mut call = doubled::tuned(&x, &mut y)
        .grid_by(|choice| 300usize.div_ceil(choice.each * choice.block.0))
        .records(&file);
    let found = call.tune(&device).unwrap();
    assert_eq!(call.choice(&device).unwrap(), found.best());
    let report = call.launch(&device).unwrap();
    assert_eq!(report.tuned(), Some(&*found.best().text()));
    // Tuning itself has changed nothing.
    let expected: Vec<u32> = numbers.iter().map(|number| 3 * number).collect();
    assert_eq!(y.download().unwrap(), expected);
    let caps = device.caps();
    let shape = format!(
        "device = \"{}, {}x{}x{}\"",
        caps.generation, caps.cores, caps.warps, caps.threads
    );
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(&shape), "{text}");
    fs::remove_file(&file).unwrap();
}
