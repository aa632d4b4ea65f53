//! NumPy's files: arrays or errors, and an array is written so that it reads back.

#[allow(
    dead_code,
    unused_imports,
    reason = "part of the `vortex` command, which has all of it"
)]
#[path = "../../vortex-host/cli/src/npy.rs"]
pub(crate) mod file;

/// Reads the array that the bytes are.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(array) = file::read(bytes) else {
        return false;
    };
    assert!(array.bytes.len() <= bytes.len());
    let written = file::write(&array.descr, &array.shape, array.bytes);
    let again = file::read(&written);
    assert_eq!(again.expect("it was just written"), array);
    true
}
