//! Prints the argument layout of a kernel. `META` is a constant: no device is needed to read it.
//!
//! ```sh
//! cargo run --release --example metadata
//! ```

use vortex::prelude::*;

#[vortex::kernel]
fn metadata_kernel(count: i32, input: *const i32, scale: f32, output: *mut i32) {
    let i = global_id();
    if i < count as usize {
        // SAFETY: the host passes pointers to `count` elements each.
        unsafe { *output.add(i) = (*input.add(i) as f32 * scale) as i32 };
    }
}

// Other constants can be computed from it.
const OFFSET_OF_SCALE: usize = metadata_kernel::META.args[2].offset;

fn main() -> vortex::Result<()> {
    println!("{}", metadata_kernel::META);
    println!("`scale` lies at byte {OFFSET_OF_SCALE}");

    let device = Device::open()?;
    let input = device.upload(&[1, 2, 3, -4])?;
    let mut output = device.alloc(4)?;
    metadata_kernel(4, input.as_ptr(), 2.5, output.as_mut_ptr())
        .over(4)
        .launch(&device)?;
    assert_eq!(output.download()?, [2, 5, 7, -10]);
    Ok(())
}
