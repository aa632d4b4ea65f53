//! How many work items a launch runs.

use vortex::prelude::*;

#[vortex::kernel]
fn doubled(x: &[f32], y: &mut [f32], z: &mut [u32]) {
    let i = global_id();
    y[i] += 2.0 * x[0];
    if i < z.len() {
        z[i] = i as u32;
    }
}

#[test]
fn an_item_for_each_element_of_the_first_slice_that_is_written() {
    let device = Device::open().unwrap();
    let x = device.upload(&[1.5f32]).unwrap();
    let mut y = device.upload(&[1.0f32; 7]).unwrap();
    let mut z = device.upload(&[9u32; 5]).unwrap();
    let report = doubled(&x, &mut y, &mut z).over_each().launch(&device);
    report.unwrap();
    assert_eq!(y.download().unwrap(), [4.0; 7]);
    assert_eq!(z.download().unwrap(), [0, 1, 2, 3, 4]);
    // A part is as long as it is.
    let mut part = y.slice_mut(2..4).unwrap();
    doubled(&x, &mut part, &mut z)
        .over_each()
        .launch(&device)
        .unwrap();
    assert_eq!(y.download().unwrap(), [4.0, 4.0, 7.0, 7.0, 4.0, 4.0, 4.0]);
}
