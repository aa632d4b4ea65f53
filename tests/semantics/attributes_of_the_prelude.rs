//! The attributes by their names alone, where the prelude is imported.

use crate::harness::DEVICES;
use vortex::prelude::*;

#[device]
fn twice(x: u32) -> u32 {
    2 * x
}

#[kernel]
fn doubles(y: &mut [u32]) {
    let i = global_id();
    y[i] = twice(y[i]);
}

#[test]
fn are_those_of_the_library() {
    for device in &*DEVICES {
        let mut y = device.upload(&[1, 2, 3]).unwrap();
        doubles(&mut y).over_each().launch(device).unwrap();
        assert_eq!(y.download().unwrap(), [2, 4, 6]);
    }
}
