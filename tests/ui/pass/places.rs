//! Where a kernel can be declared.

use vortex::prelude::*;

mod inner {
    use vortex::prelude::*;

    /// Visible in the parent only.
    #[vortex::kernel]
    pub(super) fn fill(value: f32, out: &mut [f32]) {
        out[global_id()] = value;
    }

    #[vortex::kernel]
    #[cfg(any())]
    fn absent(out: &mut [NoSuchType]) {
        out[no_such_function()] = 1;
    }
}

#[test]
fn in_a_module() -> vortex::Result<()> {
    let device = Device::open()?;
    let mut out = device.upload(&[0.0; 4])?;
    inner::fill(2.0, &mut out).over(4).launch(&device)?;
    assert_eq!(out.download()?, [2.0; 4]);
    Ok(())
}

#[test]
fn in_a_function() -> vortex::Result<()> {
    const STEP: u32 = 3;

    #[vortex::kernel]
    unsafe fn count(out: *mut u32) {
        let i = global_id();
        // SAFETY: launched for as many items as there are elements.
        unsafe { *out.add(i) = i as u32 * STEP };
    }

    #[vortex::kernel(crate = vortex)]
    fn same_name_elsewhere(out: &mut [u32]) {
        out[global_id()] = STEP;
    }

    let device = Device::open()?;
    let mut out = device.upload(&[0u32; 4])?;
    // SAFETY: the buffer has an element for each of the four work items.
    unsafe { count(out.as_mut_ptr()) }.over(4).launch(&device)?;
    assert_eq!(out.download()?, [0, 3, 6, 9]);
    same_name_elsewhere(&mut out).over(4).launch(&device)?;
    assert_eq!(out.download()?, [3; 4]);
    Ok(())
}

#[test]
fn metadata_knows_the_place() {
    let meta = inner::fill::META;
    assert_eq!(meta.name, "fill");
    assert_eq!(meta.module, concat!(module_path!(), "::inner"));
    assert_eq!((meta.file, meta.line, meta.column), (file!(), 10, 19));
}
